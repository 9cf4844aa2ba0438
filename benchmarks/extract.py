"""How faithfully and how fast are pages extracted and cut into chunks?

    python benchmarks/extract.py [--pages FOLDER]              every bar, on annotated pages
    python benchmarks/extract.py 'docs/**/*.html'              pages per CPU-second only, HTML to chunks

FOLDER (`../shared/eval/extract` if not given) holds annotated pages, a `score.py` with `load`, `gt_of`, `score`, `agg`,
and a `hostile.py`; what they need (lxml, cssselect, markdown-it-py) is not a dependency here. Shares are means over
generators; "unknown" is with the selectors of known generators switched off. Times are CPU times of this process, one
pass after a warm-up page. Tokens are taken as a quarter of the characters, so that no embedder is measured.
"""

from __future__ import annotations

import argparse
import glob
import importlib
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from webdocs.chunk import ChunkLimits, pack
from webdocs.errors import ExtractError
from webdocs.extract import read_body, to_markdown
from webdocs.extract.html import select
from webdocs.model import Chunk

PAGES = Path(__file__).resolve().parents[2] / "shared" / "eval" / "extract"
URL = "https://docs.test/"

SHARES = (
    ("code", "code byte-exact", 0.995), ("lang", "code with the right language", 0.98),
    ("head", "headings with their level", 0.98), ("cell", "table cells", 0.98), ("sig", "signatures", 0.99),
    ("dt", "defined terms", 0.99), ("link", "links absolute", 0.99), ("adm", "admonitions", 0.95),
    ("li", "nested lists", 0.97),
)  # fmt: skip
"""Key of the scorer, name, least share that passes (issue "content fidelity")."""

_HOSTILE = re.compile(r"\s+(\S+)\s+\[(\d+), ([\d.]+), (\d+),")


@dataclass(frozen=True, slots=True)
class Row:
    """One measured bar."""

    measure: str
    bar: str
    figure: str
    passed: bool


def count_tokens(texts: Sequence[str]) -> list[int]:
    """About what a subword tokenizer counts in English."""
    return [len(text) // 4 + 1 for text in texts]


# ---------------------------------------------------------------- quality


def quality_rows(scorer: ModuleType) -> list[Row]:
    """Every share of the scorer, with and without known selectors."""
    pages = scorer.load()
    truths = [scorer.gt_of(page) for page in pages]
    known = _score(scorer, pages, truths)
    with _selectors_off():
        unknown = _score(scorer, pages, truths)
    least_page = min(result["recall"] for results in known.values() for result in results)
    rows = [
        _least("recall, known generators", _mean(scorer, known, "recall"), 0.99),
        _least("recall, worst page", least_page, 0.95),
        _least("recall, unknown generators", _mean(scorer, unknown, "recall"), 0.97),
        _most("noise, known generators", _mean(scorer, known, "noise"), 0.01),
        _most("noise, unknown generators", _mean(scorer, unknown, "noise"), 0.05),
    ]
    rows += [_least(name, _mean(scorer, known, key), bar) for key, name, bar in SHARES]
    rows.append(_most("links left relative", _mean(scorer, known, "rel"), 0))
    rows.append(_most("permalink marks", sum(scorer.agg(results)["perma"] for results in known.values()), 0))
    return rows


def _score(scorer: ModuleType, pages: list[dict], truths: list) -> dict[str, list[dict]]:
    by_generator: dict[str, list[dict]] = defaultdict(list)
    for page, truth in zip(pages, truths, strict=True):
        by_generator[page["gen"]].append(scorer.score(page, to_markdown(page["raw"], page["url"]), truth))
    return by_generator


@contextmanager
def _selectors_off() -> Iterator[None]:
    selectors, select.SELECTORS = select.SELECTORS, ()
    try:
        yield
    finally:
        select.SELECTORS = selectors


def _mean(scorer: ModuleType, by_generator: dict[str, list[dict]], key: str) -> float:
    shares = [share for results in by_generator.values() if (share := scorer.agg(results)[key]) is not None]
    return sum(shares) / len(shares)


def _least(measure: str, figure: float, bar: float) -> Row:
    return Row(measure, f">= {bar:g}", f"{figure:.4f}", figure >= bar)


def _most(measure: str, figure: float, bar: float) -> Row:
    return Row(measure, f"<= {bar:g}" if bar else "0", f"{figure:.4f}".rstrip("0").rstrip("."), figure <= bar)


# ---------------------------------------------------------------- speed and chunks


def speed_rows(bodies: Sequence[bytes]) -> list[Row]:
    """Pages per CPU-second from HTML to chunks, and what is wrong with the chunks."""
    _pass_through(bodies[0])
    started = time.process_time()
    chunks = [chunk for body in bodies for chunk in _pass_through(body)]
    per_second = len(bodies) / (time.process_time() - started)
    mean_kb = sum(map(len, bodies)) / len(bodies) / 1000
    faults = sum(map(_is_faulty, chunks))
    return [
        Row(f"HTML to chunks, {mean_kb:.0f} kB a page", ">= 100 a CPU-s", f"{per_second:.0f}", per_second >= 100),
        Row(f"faulty chunks, of {len(chunks)}", "0", str(faults), faults == 0),
    ]


def _pass_through(body: bytes) -> tuple[Chunk, ...]:
    try:
        page = read_body(body, "text/html", URL)
    except ExtractError:
        return ()
    return pack(page, ChunkLimits(), count_tokens) if page.markdown else ()


def _is_faulty(chunk: Chunk) -> bool:
    """A fence left open, a table without its header, or a heading at the end."""
    mark = ""
    previous_is_row = is_headed = False
    last = ""
    for line in chunk.text.split("\n"):
        bare = re.sub(r"^[ >]*(?:(?:[-*+]|\d+[.)]) +)*", "", line)
        fence = re.match(r"(`{3,})([^`]*)$", bare)
        if fence and (not mark or (len(fence[1]) >= len(mark) and not fence[2].strip())):
            mark = "" if mark else fence[1]
        is_row = not mark and line.startswith("| ")
        if is_row and previous_is_row and not is_headed:
            is_headed = set(line) <= set("|- ")
            if not is_headed:
                return True
        is_headed = is_headed and is_row
        previous_is_row = is_row
        last = line if line.strip() else last
    return bool(mark) or re.match(r"#{1,6} ", last) is not None


# ---------------------------------------------------------------- hostile input


def hostile_rows(folder: Path) -> list[Row]:
    """What hostile.py says, each of its pages in a process of its own."""
    command = [sys.executable, str(folder / "hostile.py"), "webdocs.extract:to_markdown"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith(" ")]
    found = {match[1]: (float(match[3]), int(match[4])) for line in lines if (match := _HOSTILE.match(line))}
    large_s, large_mb = found.get("5MB", (float("inf"), 0))
    slowest_s = max((seconds for seconds, _ in found.values()), default=float("inf"))
    crashes = len(lines) - len(found) + (done.returncode != 0)
    return [
        Row("5 MB page, time", "<= 4 s", f"{large_s:.2f} s", large_s <= 4),
        Row("5 MB page, memory", "<= 150 MB", f"{large_mb} MB", 0 < large_mb <= 150),
        Row(f"hostile pages that crash, of {len(lines)}", "0", str(crashes), crashes == 0 and bool(lines)),
        Row("slowest hostile page", "<= 5 s", f"{slowest_s:.2f} s", slowest_s <= 5),
    ]


# ---------------------------------------------------------------- command line


def load_scorer(folder: Path) -> ModuleType | str:
    """The scorer, or why there is none."""
    if not (folder / "score.py").is_file():
        return f"no scorer in {folder}: give its folder with --pages, or HTML files to time"
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("score")
    except ImportError as error:
        return f"the scorer needs a package that is not here ({error.name}): install it beside webdocs and try again"


def print_rows(rows: Sequence[Row]) -> None:
    """A Markdown table, as results.md holds it."""
    print("| measure | bar | figure | passed |\n| --- | --- | --- | --- |")
    for row in rows:
        print(f"| {row.measure} | {row.bar} | {row.figure} | {'yes' if row.passed else 'no'} |")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="HTML files or globs to time")
    parser.add_argument("--pages", type=Path, default=PAGES, help="folder with annotated pages and score.py")
    options = parser.parse_args()
    paths = [Path(name) for pattern in options.files for name in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207  (absolute patterns)
    if paths:
        print_rows(speed_rows([path.read_bytes() for path in paths]))
        return
    scorer = load_scorer(options.pages)
    if isinstance(scorer, str):
        print(scorer)
        return
    rows = quality_rows(scorer)
    rows += speed_rows([page["raw"] for page in scorer.load()])
    print_rows([*rows, *hostile_rows(options.pages)])


if __name__ == "__main__":
    main()
