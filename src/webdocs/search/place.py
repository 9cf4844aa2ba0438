"""Which place on a page does the question mean? Pure.

A page that is found gives its best passages. Each holds one or more citable places, a heading's section or a
definition, and each place reaches from its own offset to the next one's. The places are scored as documents of their
own, by BM25 and by how exactly they are named. The best one is cited and its passage shown, which need not be the
passage that brought the page up. The figures behind the weights are in docs/decisions/0023-ranking.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from webdocs.fence import FenceReader
from webdocs.model import Chunk, StoredChunk
from webdocs.search.tokens import count_wanted, terms_of
from webdocs.signature import last_part, names_of, permalink_of

TITLE_WEIGHT = 2.0
"""A term in the heading or the signature counts as so many more in the text, and in the id as so many again."""

PATH_WEIGHT = 1.0
"""A term in the headings around a place counts as so many more in its text."""

NAME_BONUS = 0.5
"""For a definition whose name is a word of the question, where 1 is the score of the place with the best words."""

HEADING_NAME_BONUS = 0.2
"""Likewise for a heading that holds such a name."""

QUALIFIER_BONUS = 0.3
"""For the share of a named definition's qualifiers (`Field` of `Field.to_python`) that the question names too."""

LIKENESS_BONUS = 0.3
"""For the share of words that heading and question have in common."""

COVERED_BONUS = 0.2
"""For a heading that says nothing but words of the question."""

PASSAGE_WEIGHT = 0.3
"""What the passage's own score counts, the page's best passage being 1."""

SATURATION, LENGTH_SHARE, MEAN_CHARS = 1.2, 0.5, 500
"""BM25's k1 and b, and the length of a usual place."""

PAGE_ANCHOR = "page="
"""A page of a PDF (RFC 8118, 3)."""

_HEADING = re.compile(r"(#{1,6}) +(.+)")
_MARKS = re.compile(r"[`*]|\]\([^)]*\)|\[")
_QUERY_NAME = re.compile(r"[\w.:$@/\-]+")

_GENERATED = re.compile(r"^(?:id|idm|idp|index|term|cmd|toc|fn|ftn)?[-_.]?\d[\d._-]*$", re.IGNORECASE)
"""Ids that a generator counted (`id-1.5.12`, `index-3`, `id42`): they name a mark rather than a section, and move with
the next release. They are cited only where a section has no other."""


@dataclass(frozen=True, slots=True)
class Place:
    """An anchor on the chunk's page, empty for the top of the page, and the headings that lead to it."""

    anchor: str
    heading_path: tuple[str, ...]


@dataclass(frozen=True)  # without slots, for what is derived once a question
class Wanted:
    """What a question looks for.

    Attributes:
        query: As asked.
        idf: Its terms, each with its weight in the index, >= 0.
    """

    query: str
    idf: Mapping[str, float]

    @cached_property
    def names(self) -> frozenset[str]:
        """Its words as a definition may be named by: `str.join()` gives `str.join` and `join`."""
        whole = {_folded(word) for word in _QUERY_NAME.findall(self.query)}
        return frozenset(name for name in whole | {last_part(name) for name in whole} if len(name) > 1)

    @cached_property
    def qualifiers(self) -> frozenset[str]:
        """The parts of its words between dots."""
        return frozenset(part for name in self.names for part in name.split("."))


@dataclass(frozen=True, slots=True)
class _Spot:
    """A citable place in a chunk: from `start` to `end` in its text."""

    anchor: str
    start: int
    end: int
    title: str
    names: frozenset[str]
    is_definition: bool


def best_place(passages: Sequence[tuple[StoredChunk, float]], wanted: Wanted) -> tuple[StoredChunk, Place]:
    """The passage to show and the place to cite.

    Args:
        passages: Passages of one page, at least one, best first, with their scores in [0, 1].
        wanted: The question.
    """
    spots = [(chunk, share, spot) for chunk, share in passages for spot in _spots(chunk)]
    if len(spots) == 1:
        chunk, _, only = spots[0]
        return chunk, Place(only.anchor, _path_at(chunk, only.start))
    around = {
        chunk.chunk_id: frozenset(count_wanted(" ".join(chunk.heading_path[:-1]), wanted.idf.keys()))
        for chunk, _ in passages
    }
    words = [_score_words(chunk.text, around[chunk.chunk_id], spot, wanted) for chunk, _, spot in spots]
    top_words, top_share = max(words) or 1.0, passages[0][1] or 1.0
    scores = [
        score / top_words + PASSAGE_WEIGHT * share / top_share + _score_name(spot, wanted)
        for score, (_, share, spot) in zip(words, spots, strict=True)
    ]
    best = max(range(len(spots)), key=lambda number: (scores[number], -number))
    chunk, _, spot = spots[best]
    return chunk, Place(spot.anchor, _path_at(chunk, spot.start))


def titles_in(chunk: Chunk) -> tuple[str, ...]:
    """What begins in a chunk, beside the headings of its path: headings, and definitions by their ids."""
    titles = (spot.anchor if spot.is_definition else spot.title for spot in _begun(chunk))
    return tuple(title for title in titles if title not in chunk.heading_path)


# ---------------------------------------------------------------- scores


def _score_words(text: str, around: frozenset[str], spot: _Spot, wanted: Wanted) -> float:
    """BM25 of a place in a text; its title, its id and the headings around it count as text."""
    counts = count_wanted(text[spot.start : spot.end], wanted.idf.keys())
    named = count_wanted(f"{spot.title}\n{spot.anchor}", wanted.idf.keys())
    norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * (spot.end - spot.start) / MEAN_CHARS)
    total = 0.0
    for term, idf in wanted.idf.items():
        in_title = TITLE_WEIGHT * min(named.get(term, 0), 2)
        frequency = counts.get(term, 0) + in_title + PATH_WEIGHT * (term in around)
        total += idf * frequency * (SATURATION + 1) / (frequency + norm)
    return total


def _score_name(spot: _Spot, wanted: Wanted) -> float:
    """How exactly a place is named by the question."""
    score = 0.0
    if not wanted.names.isdisjoint(spot.names):
        score += NAME_BONUS if spot.is_definition else HEADING_NAME_BONUS
        parts = _folded(spot.anchor).split(".")[:-1] if spot.is_definition else []
        if parts:
            score += QUALIFIER_BONUS * len(wanted.qualifiers.intersection(parts)) / len(parts)
    if not spot.is_definition:
        score += _score_heading(frozenset(terms_of(spot.title)), wanted)
    return score


def _score_heading(heading: frozenset[str], wanted: Wanted) -> float:
    common = heading & wanted.idf.keys()
    if not common:
        return 0.0
    rarest = max(wanted.idf.values())
    shared = sum(wanted.idf[term] for term in common)
    either = sum(wanted.idf.values()) + rarest * len(heading - common)
    covered = COVERED_BONUS if len(common) == len(heading) else 0.0
    return covered + (LIKENESS_BONUS * shared / either if either else 0.0)


def _folded(name: str) -> str:
    return name.strip(".:/,;").removesuffix("()").casefold()


# ---------------------------------------------------------------- places


def _spots(chunk: StoredChunk) -> list[_Spot]:
    """The places in a chunk, in order; the first is what the chunk begins in the middle of, if it does."""
    starts = _begun(chunk)
    if not starts or starts[0].start > 0:
        starts.insert(0, _continued(chunk))
    around = chunk.anchor
    spots: list[_Spot] = []
    for number, spot in enumerate(starts):
        end = starts[number + 1].start if number + 1 < len(starts) else len(chunk.text)
        anchor = spot.anchor or around
        spots.append(_Spot(anchor, spot.start, end, spot.title, spot.names, spot.is_definition))
        around = around if spot.is_definition else anchor
    return spots


def _begun(chunk: Chunk | StoredChunk) -> list[_Spot]:
    """The places that begin in a chunk, each without its end."""
    ids: dict[int, list[str]] = {}
    for anchor, offset in chunk.anchors:
        ids.setdefault(offset, []).append(anchor)
    opened = (_opened(offset, line, ids) for offset, line in _openings(chunk.text, ids))
    return [spot for spot in opened if spot is not None]


def _openings(text: str, ids: Mapping[int, Sequence[str]]) -> list[tuple[int, str]]:
    """Offset and line of every heading, and of what carries ids."""
    reader = FenceReader()
    found: list[tuple[int, str]] = []
    offset = 0
    for line in text.split("\n"):
        is_text = reader.read(line) == "text"
        if offset in ids or (is_text and line.startswith("#") and _HEADING.match(line)):
            found.append((offset, line))
        offset += len(line) + 1
    return found


def _opened(offset: int, line: str, ids: Mapping[int, Sequence[str]]) -> _Spot | None:
    """The place that begins at a line; None where it is only a mark inside of one."""
    own = ids.get(offset, ())
    heading = _HEADING.match(line)
    if heading is not None:
        title = _plain(heading.group(2))
        anchor = next((name for name in own if not _GENERATED.match(name)), own[0] if own else "")
        return _Spot(anchor, offset, 0, title, frozenset(_names(title)), is_definition=False)
    anchor = permalink_of(line, own)
    if anchor:
        names = frozenset(_names(*names_of(line), anchor))
        return _Spot(anchor, offset, 0, _plain(line), names, is_definition=True)
    page = next((name for name in own if name.startswith(PAGE_ANCHOR)), "")
    return _Spot(page, offset, 0, "", frozenset(), is_definition=False) if page else None


def _continued(chunk: StoredChunk) -> _Spot:
    """What a chunk begins in the middle of: a section, or, going by the dots in the id, a definition."""
    heading = chunk.heading_path[-1] if chunk.heading_path else ""
    is_definition = "." in chunk.anchor
    names = frozenset(_names(chunk.anchor)) if is_definition else frozenset()
    return _Spot(chunk.anchor, 0, 0, heading, names, is_definition)


def _names(*names: str) -> set[str]:
    folded = {_folded(name) for name in names}
    return (folded | {last_part(name) for name in folded}) - {""}


def _path_at(chunk: StoredChunk, offset: int) -> tuple[str, ...]:
    """The headings above an offset: those around the chunk, and those in it, each in the place of its level.

    The chunk's own path ends with the headings that it opens with, so these are taken off before they come again.
    """
    path = list(chunk.heading_path[: max(0, len(chunk.heading_path) - _opening_depth(chunk.text))])
    levels: list[int] = []
    for start, line in _openings(chunk.text, {}):
        if start > offset:
            break
        match = _HEADING.match(line)
        if match is None:
            continue
        level = len(match.group(1))
        while levels and levels[-1] >= level:
            levels.pop()
            path.pop()
        levels.append(level)
        path.append(_plain(match.group(2)))
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
