"""Step 1: what does documentation itself say about which words name which passage?

A heading names what follows it, a link's text its target, an index term its place. Each page is read with the
product's own extractor and cut with its own chunker and windows, so that the model learns on what it will see.

Writes `pairs/PACKAGE.json`, `{"passages": [[path, window, page]], "pairs": [[kind, query, passage]]}`; a package whose
file is there is not read again.

usage: python training/harvest.py
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urldefrag

from corpus import WORK, folder_of, is_index, packages, pages_of
from webdocs.chunk import ChunkLimits, pack
from webdocs.chunk.plain import plain_of
from webdocs.errors import ExtractError
from webdocs.extract import extract
from webdocs.model import Chunk, Page
from windows import windows_of

ROOT = "http://docs.example"
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z])|\n+")
_LINK = re.compile(r"\[([^\[\]]{2,120})\]\(<?([^()<>\s]+)>?\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
"""A heading inside a passage that holds several short sections."""

_WORD = re.compile(r"[A-Za-z]{2,}")
_NO_NAME = re.compile(
    r"^(?:here|this|more|see|link|next|previous|up|home|top|index|contents?|\[?source\]?|\W*|\d+)$", re.I
)
MAX_NAME_WORDS = 12
CHARS_A_TOKEN = 4

Pair = tuple[str, str, int]


class Harvest:
    """Passages and pairs of one package."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.passages: list[tuple[str, str, int]] = []
        self.pairs: list[Pair] = []
        self._places: dict[str, int] = {}
        self._named: list[tuple[str, str, str]] = []

    def add(self, page: Page, number: int, is_index_page: bool) -> None:
        """Take a page's passages and what it says about them; of a printed index only the links."""
        if is_index_page:
            self._named += [("index", link.text, link.url) for link in page.links if link.in_main]
            return
        chunks = pack(page, ChunkLimits(), lambda texts: [len(text) // CHARS_A_TOKEN for text in texts])
        for chunk in chunks:
            self._add_chunk(chunk, page, number)
        self._named += [("anchor", link.text, link.url) for link in page.links if link.in_main]
        self._named += around_links(page)
        if chunks:
            first = self._places[page.url]
            self.pairs.append(("title", page.title, first))
            if page.description:
                self.pairs.append(("summary", page.description[:200], first))

    def _add_chunk(self, chunk: Chunk, page: Page, number: int) -> None:
        first = len(self.passages)
        self._places.setdefault(page.url, first)
        windows = windows_of(chunk.plain)
        for anchor, offset in ((chunk.anchor, 0), *chunk.anchors):
            self._places.setdefault(f"{page.url}#{anchor}", first + window_at(offset, chunk, len(windows)))
        for heading in _HEADING.finditer(chunk.text):
            self.pairs.append(("heading", plain_of(heading[1]), first + window_at(heading.end(), chunk, len(windows))))
        path = chunk.heading_path
        for place, window in enumerate(windows, first):
            self.passages.append((" - ".join(path), window, number))
            self.pairs += [("heading", path[-1], place)] if path else []
            self.pairs += [("path", " ".join(path[-2:]), place)] if len(path) > 1 else []
            self.pairs += [("cloze", sentence, place) for sentence in _sentences(window)[:2]]
        self.pairs += [("signature", name, first) for name in signatures(chunk.text)]

    def resolve(self) -> None:
        """Turn names of URLs into names of passages, now that all pages are known."""
        for kind, name, url in self._named:
            place = self._places.get(url, self._places.get(urldefrag(url).url))
            if place is not None and is_name(name, kind):
                self.pairs.append((kind, " ".join(name.split()), place))
        self.pairs = sorted({pair for pair in self.pairs if _WORD.search(pair[1])})


def window_at(offset: int, chunk: Chunk, count: int) -> int:
    """Which of a chunk's windows holds a place in its Markdown, near enough."""
    return min(count * offset // max(len(chunk.text), 1), count - 1)


def is_name(text: str, kind: str) -> bool:
    """True for a link text that says something about its target."""
    return not _NO_NAME.match(text) and (kind == "around" or len(text.split()) <= MAX_NAME_WORDS)


def around_links(page: Page) -> Iterator[tuple[str, str, str]]:
    """The sentence in which a link stands, without the link itself, as a name for the link's target."""
    for block in page.blocks:
        if block.kind != "paragraph":
            continue
        for sentence in _SENTENCE.split(block.markdown):
            links = list(_LINK.finditer(sentence))
            if len(links) == 1 and 5 <= len(sentence.split()) <= 40:
                yield "around", plain_of(sentence), links[0][2]


def signatures(markdown: str) -> Iterator[str]:
    """One-line code that begins a description: a name and its parameters."""
    for line in markdown.split("\n"):
        found = re.match(r"^`([^`]{3,160})`$", line)
        if found:
            yield found[1]


def _sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE.split(text) if 5 <= len(part.split()) <= 40]


def harvest(package: str) -> Harvest:
    """Read one package."""
    found = Harvest()
    root = folder_of(package)
    for number, path in enumerate(pages_of(package)):
        page = read_page(path, f"{ROOT}/{path.relative_to(root).as_posix()}")
        if page is not None:
            found.add(page, number, is_index(path))
    found.resolve()
    return found


def read_page(path: Path, url: str) -> Page | None:
    """A page in English, or None."""
    try:
        page = extract(path.read_bytes(), url)
    except ExtractError:
        return None
    return page if page.language.lower().startswith("en") or not page.language else None


def main() -> None:
    """Read every package that was not read yet."""
    target = WORK / "pairs"
    target.mkdir(parents=True, exist_ok=True)
    for package in packages():
        file = target / f"{package}.json"
        if file.is_file():
            continue
        found = harvest(package)
        file.with_suffix(".part").write_text(
            json.dumps({"passages": found.passages, "pairs": found.pairs}, ensure_ascii=False), encoding="utf-8"
        )
        file.with_suffix(".part").replace(file)
        kinds: dict[str, int] = defaultdict(int)
        for kind, _, _ in found.pairs:
            kinds[kind] += 1
        print(package, len(found.passages), dict(kinds), flush=True)


if __name__ == "__main__":
    main()
