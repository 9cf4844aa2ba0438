"""Which hits say the same again? Pure.

Two versions of a site, or one page under two addresses, fill an answer with one text. The best placed of them stays;
among equals the newer version.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webdocs.model import StoredChunk
from webdocs.search.fuse import Ranked
from webdocs.search.place import Place

MIN_LIKENESS = 0.9
"""Share of common words from which two versions' passages say the same. Our choice: a changed sentence in ten. On one
site and version texts must be equal: the pages of two functions may differ in nothing but the name."""

Found = tuple[Ranked, StoredChunk, Place]

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


def fold_same(found: Sequence[Found]) -> list[Found]:
    """The hits without those that repeat a better one, in order."""
    kept: list[Found] = []
    words: list[list[str]] = []
    for item in found:
        own = _WORD.findall(item[1].text)
        same = next((n for n, other in enumerate(kept) if _say_the_same(item[1], own, other[1], words[n])), None)
        if same is None:
            kept.append(item)
            words.append(own)
        elif item[0].score == kept[same][0].score and _age(item[1]) > _age(kept[same][1]):
            kept[same], words[same] = item, own
    return kept


def _say_the_same(one: StoredChunk, words: Sequence[str], other: StoredChunk, other_words: Sequence[str]) -> bool:
    if words == other_words:
        return True
    if one.site != other.site or one.version == other.version:
        return False
    mine, theirs = set(words), set(other_words)
    return len(mine & theirs) >= MIN_LIKENESS * len(mine | theirs)


def _age(chunk: StoredChunk) -> tuple[int, ...]:
    """The numbers of a version, which compare by size: 3.10 is newer than 3.9."""
    return tuple(int(number) for number in _NUMBER.findall(chunk.version))
