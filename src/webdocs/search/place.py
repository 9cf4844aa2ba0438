"""Which place inside a passage does the question mean? Pure.

A chunk may hold several citable places: a heading's section, a definition. Each reaches from its own offset to the
next one's. The place whose text shares most with the question is cited; what stands in its first line, a heading or
a signature, counts twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from webdocs.model import StoredChunk
from webdocs.search.tokens import terms_of

_HEADING = re.compile(r"^(#{1,6}) +(.+)$", re.MULTILINE)
_MARKS = re.compile(r"[`*]|\]\([^)]*\)|\[")

_GENERATED = re.compile(r"^(?:id|idm|idp|index|term|cmd|toc|fn|ftn)?[-_.]?\d[\d._-]*$", re.IGNORECASE)
"""Ids that a generator counted (`id-1.5.12`, `index-3`, `id42`): they name a mark rather than a section, and move with
the next release. They are cited only where a section has no other."""


@dataclass(frozen=True, slots=True)
class Place:
    """An anchor on the chunk's page, empty for the top of the page, and the headings that lead to it."""

    anchor: str
    heading_path: tuple[str, ...]


def best_place(chunk: StoredChunk, terms: Sequence[str]) -> Place:
    """The place in the chunk that answers best; the first of equals, and the chunk's own where none shares a term."""
    segments = _segments(chunk)
    wanted = frozenset(terms)
    scores = [_score(chunk.text[start:end], wanted) for _, start, end in segments]
    best = max(range(len(segments)), key=lambda number: (scores[number], -number))
    anchor, start, _ = segments[best]
    if scores[best] == 0 or anchor == chunk.anchor:
        return Place(chunk.anchor, chunk.heading_path)
    return Place(anchor, _path_at(chunk, start))


def _segments(chunk: StoredChunk) -> list[tuple[str, int, int]]:
    """Anchor, start and end of each place, in order; of several anchors at one offset the first is cited."""
    starts = {0: chunk.anchor}
    for anchor, offset in chunk.anchors:
        if not _GENERATED.match(anchor):
            starts.setdefault(offset, anchor)
    offsets = sorted(starts)
    ends = [*offsets[1:], len(chunk.text)]
    return [(starts[start], start, end) for start, end in zip(offsets, ends, strict=True)]


def _score(text: str, wanted: frozenset[str]) -> int:
    first = text.partition("\n")[0]
    return len(wanted.intersection(terms_of(text))) + len(wanted.intersection(terms_of(first)))


def _path_at(chunk: StoredChunk, offset: int) -> tuple[str, ...]:
    """The headings above an offset: those around the chunk, and those in it, each in the place of its level.

    The chunk's own path ends with the headings that it opens with, so these are taken off before they come again.
    """
    path = list(chunk.heading_path[: max(0, len(chunk.heading_path) - _opening_depth(chunk.text))])
    levels: list[int] = []
    for match in _HEADING.finditer(chunk.text):
        if match.start() > offset:
            break
        level, heading = len(match.group(1)), _plain(match.group(2))
        while levels and levels[-1] >= level:
            levels.pop()
            path.pop()
        levels.append(level)
        path.append(heading)
    return tuple(path)


def _opening_depth(text: str) -> int:
    """How many headings deep the run is that a text opens with: 2 for a heading and one below it."""
    levels: list[int] = []
    for line in text.split("\n"):
        match = _HEADING.match(line)
        if line and match is None:
            break
        if match is not None:
            level = len(match.group(1))
            levels = [above for above in levels if above < level] + [level]
    return len(levels)


def _plain(heading: str) -> str:
    return " ".join(_MARKS.sub("", heading).replace("\\", "").split())
