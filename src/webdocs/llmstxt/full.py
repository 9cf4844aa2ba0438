"""Which pages does an llms-full.txt consist of? Split by the marks that generators put between them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from webdocs.llmstxt.lines import Line, read_raw_lines

_SYSTEM = re.compile(r"\A\ufeff?\s*<SYSTEM>.*?</SYSTEM>[ \t]*\n?", re.DOTALL | re.IGNORECASE)
_SOURCE = re.compile(
    r"(?:source|url|source url|page url|link)[ \t]*:[ \t]*<?(https?://[^\s<>]+)>?[ \t]*", re.IGNORECASE
)
_FIELD = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)")
_URL_FIELDS = ("url", "source", "source_url", "sourceurl", "canonical", "permalink", "link")
_MAX_FRONT_LINES = 40
_MAX_GAP_LINES = 3
"""Our choice: so many empty lines may stand between a title and its `Source:` line."""


@dataclass(frozen=True, slots=True)
class FullPart:
    """One page of the file: its title, its URL where the file names it, and its Markdown with what marks it."""

    title: str
    url: str
    markdown: str


def split_full(text: str) -> tuple[FullPart, ...]:
    """The pages of the file, in its order.

    Marks are, the surest first: `Source: URL` lines with the H1 above them, blocks of front matter, H1. Those of one
    kind are taken; what stands before the first is a part of its own. Fenced code holds no mark.

    Args:
        text: The content of the file.
    """
    lines = read_raw_lines(_SYSTEM.sub("", text, count=1))
    blocks = list(_front_blocks(lines))
    fronts = {start: url for start, _, url in blocks}
    inside = {at for start, end, _ in blocks for at in range(start, end)}
    starts = dict(_source_starts(lines, inside)) or (fronts if len(blocks) > 1 else dict(_heading_starts(lines)))
    places = [*([0] if 0 not in starts else []), *starts, len(lines)]
    parts = (_part_of(lines[start:end], starts.get(start, "")) for start, end in pairwise(places))
    return tuple(part for part in parts if part.markdown.strip())


def _part_of(lines: Sequence[Line], url: str) -> FullPart:
    title = next((line.name for line in lines if line.level == 1 and line.name), "")
    is_source = [url != "" and not line.is_masked and _SOURCE.fullmatch(line.text) is not None for line in lines]
    first = is_source.index(True) if True in is_source else -1
    return FullPart(title, url, "\n".join(line.text for at, line in enumerate(lines) if at != first).strip("\n"))


def _source_starts(lines: Sequence[Line], inside: Container[int]) -> Iterator[tuple[int, str]]:
    """Index of the line at which each page begins, and its URL. `inside` are the lines of front matter."""
    for at, line in enumerate(lines):
        if at not in inside and not line.is_masked and (source := _SOURCE.fullmatch(line.text)):
            yield _title_above(lines, at), source[1]


def _title_above(lines: Sequence[Line], at: int) -> int:
    for above in range(at - 1, max(at - 2 - _MAX_GAP_LINES, -1), -1):
        if lines[above].level == 1:
            return above
        if lines[above].text.strip():
            break
    return at


def _front_blocks(lines: Sequence[Line]) -> Iterator[tuple[int, int, str]]:
    """Where each block of front matter begins and ends, and its URL."""
    at = 0
    while at < len(lines):
        block = _front_at(lines, at)
        if block:
            fields = dict(_fields_of(block))
            yield (
                at,
                at + len(block) + 2,
                next((fields[name] for name in _URL_FIELDS if fields.get(name, "").startswith("http")), ""),
            )
        at += len(block) + 2 if block else 1


def _front_at(lines: Sequence[Line], at: int) -> list[str]:
    """The lines of the front matter that begins here, without its rules; none if none does."""
    if lines[at].is_masked or lines[at].text.rstrip() != "---":
        return []
    block: list[str] = []
    for line in lines[at + 1 : at + 2 + _MAX_FRONT_LINES]:
        if line.text.rstrip() == "---":
            return block if any(name == "title" or name in _URL_FIELDS for name, _ in _fields_of(block)) else []
        if not line.text.strip() or not (_FIELD.match(line.text) or line.text[:1] in (" ", "\t", "-")):
            return []
        block.append(line.text)
    return []


def _fields_of(block: Iterable[str]) -> Iterator[tuple[str, str]]:
    for text in block:
        if field := _FIELD.match(text):
            yield field[1].lower(), field[2].strip().strip("\"'")


def _heading_starts(lines: Sequence[Line]) -> Iterator[tuple[int, str]]:
    return ((at, "") for at, line in enumerate(lines) if line.level == 1 and line.name)
