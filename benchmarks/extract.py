"""How well and how fast are pages extracted and cut into chunks?

    python benchmarks/extract.py 'docs/**/*.html'              pages per CPU-second, HTML to chunks
    python benchmarks/extract.py --pages FOLDER                 means over generators of FOLDER/score.py

Pages are whatever HTML files match. Times are CPU times of this process, one pass after a warm-up page. Tokens are
taken as a quarter of the characters, so that no embedder is measured. A FOLDER holds annotated pages and a `score.py`
with `load`, `gt_of`, `score` and `agg`; what that needs (lxml, cssselect, markdown-it-py) is not a dependency here.
"""

from __future__ import annotations

import argparse
import glob
import importlib
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from webdocs.chunk import ChunkLimits, pack
from webdocs.errors import ExtractError
from webdocs.extract import extract, to_markdown

MEASURES = ("recall", "noise", "code", "lang", "head", "cell", "link", "dt", "sig", "adm", "li", "img")
URL = "https://docs.test/"


def count_tokens(texts: Sequence[str]) -> list[int]:
    """About what a subword tokenizer counts in English."""
    return [len(text) // 4 + 1 for text in texts]


def measure_speed(paths: Sequence[Path]) -> None:
    """Print CPU milliseconds a page, by stage."""
    bodies = [path.read_bytes() for path in paths]
    extract(bodies[0], "text/html", URL)
    spent: dict[str, float] = defaultdict(float)
    chunks = refused = 0
    for body in bodies:
        started = time.process_time()
        try:
            page = extract(body, "text/html", URL)
        except ExtractError:
            refused += 1
            continue
        finally:
            extracted = time.process_time()
            spent["html to page"] += extracted - started
        size = len(page.markdown)
        rendered = time.process_time()
        chunks += len(pack(page, ChunkLimits(), count_tokens)) if size else 0
        spent["page to markdown"] += rendered - extracted
        spent["page to chunks"] += time.process_time() - rendered
    total = sum(spent.values())
    for stage, seconds in spent.items():
        print(f"{stage:18s} {1000 * seconds / len(bodies):7.2f} ms CPU a page")
    print(
        f"{len(bodies)} pages, {refused} without text, {chunks} chunks, {len(bodies) / total:.0f} pages per CPU-second"
    )


def measure_quality(folder: Path) -> None:
    """Print the mean over generators of each share, and the generators that fall short in recall."""
    sys.path.insert(0, str(folder))
    scorer = importlib.import_module("score")
    by_generator: dict[str, list[dict]] = defaultdict(list)
    for page in scorer.load():
        result = scorer.score(page, to_markdown(page["raw"], page["url"]), scorer.gt_of(page))
        by_generator[page["gen"]].append(result)
    means = {name: scorer.agg(results) for name, results in by_generator.items()}
    for measure in MEASURES:
        shares = [mean[measure] for mean in means.values() if mean[measure] is not None]
        print(f"{measure:8s} {sum(shares) / len(shares):.4f}  least {min(shares):.4f}")
    print("permalink marks", sum(mean["perma"] for mean in means.values()))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="HTML files or globs to time")
    parser.add_argument("--pages", type=Path, help="folder with annotated pages and score.py")
    options = parser.parse_args()
    if options.pages:
        measure_quality(options.pages)
    paths = [Path(name) for pattern in options.files for name in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207  (absolute patterns)
    if paths:
        measure_speed(paths)
    if not (options.pages or paths):
        parser.error("give HTML files, or --pages FOLDER")


if __name__ == "__main__":
    main()
