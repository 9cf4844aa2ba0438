"""Is it plain at a quick look that no tag of a page is over-long and no element over-deep? Arithmetic on bytes.

Nearly every page passes, and what does not is looked at tag by tag. The look takes a tenth of the time of a pattern
over all tags.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

RAW_TEXT_TAGS = (b"script", b"style", b"textarea", b"title", b"xmp", b"iframe", b"noembed", b"noframes")
"""What looks like a tag in these is none (HTML 13.1.2.1 and 13.2.6.2)."""

MAX_NAME_CHARS = 24
"""Longer names are taken for elements that are never closed; the longest of HTML has ten."""

MAX_ODD_TAGS = 2000
"""Our choice: a page with more tags whose attributes hold `<`, `>` or lone quotes is not worth a quick look."""

_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_TAG = re.compile(rb"""</?[a-z][^\s<>/"']*(?:[^<>"']++|"[^"]*+"|'[^']*+'|["'])*+>?""")
_FACTOR = np.uint64(1_000_003)


def is_shallow(text: str, max_tag_chars: int, max_nesting: int, not_nesting: frozenset[str]) -> bool:
    """True if every tag is shorter and every element less deep than this; false also if that cannot be told.

    An element's own nesting is at most its openings less its closings so far, whatever the other elements do; the
    deepest place of the page is at most the sum of that over all elements.

    Args:
        text: The page's source.
        max_tag_chars: A tag of this length is over-long.
        max_nesting: Most elements that may be open together.
        not_nesting: Elements that end by themselves.
    """
    # Of other characters than ASCII only the place counts here.
    source = _without_raw_text(_COMMENT.sub(b"", text.encode("latin-1", "replace").lower()))
    data = np.frombuffer(source + bytes(MAX_NAME_CHARS + 2), np.uint8)
    starts, is_closing = _tag_starts(data)
    ends = _positions_after(data, ord(">"), starts)
    odd = np.flatnonzero(_is_odd(data, starts, ends))
    if len(odd) > MAX_ODD_TAGS:
        return False
    is_kept = np.ones(len(starts), bool)
    for place in odd.tolist():
        if is_kept[place] and (match := _TAG.match(source, int(starts[place]))) is not None:
            ends[place] = match.end()
            is_kept[place + 1 : np.searchsorted(starts, match.end())] = False
    if np.any((ends - starts)[is_kept] >= max_tag_chars):
        return False
    starts, is_closing = starts[is_kept], is_closing[is_kept]
    return _nesting(_names(data, starts + 1 + is_closing), is_closing, not_nesting) <= max_nesting


def _without_raw_text(source: bytes) -> bytes:
    """The source without what stands in raw text elements; their tags stay."""
    for name in RAW_TEXT_TAGS:
        kept: list[bytes] = []
        at = 0
        while (opening := source.find(b"<" + name, at)) >= 0:
            closing = source.find(b"</" + name, opening)
            opened = source.find(b">", opening)
            if closing < 0 or not 0 <= opened < closing:
                break
            kept.append(source[at : opened + 1])
            at = closing
        source = b"".join([*kept, source[at:]])
    return source


def _tag_starts(data: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each tag starts, and whether it is a closing one."""
    places = np.flatnonzero(data == ord("<"))
    is_closing = data[places + 1] == ord("/")
    letter = data[places + 1 + is_closing]
    is_tag = (letter >= ord("a")) & (letter <= ord("z"))
    return places[is_tag], is_closing[is_tag]


def _positions_after(data: NDArray[np.uint8], char: int, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first position of a character after each place; the end of the data if there is none."""
    found = np.append(np.flatnonzero(data == char), len(data))
    return found[np.searchsorted(found, places)]


def _is_odd(data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tags that may end elsewhere than at the first `>`: another tag starts before it, or a quote is open there."""
    is_odd = np.append(starts[1:], len(data))[: len(starts)] < ends
    for quote in (ord('"'), ord("'")):
        quotes = np.flatnonzero(data == quote)
        is_odd |= (np.searchsorted(quotes, ends) - np.searchsorted(quotes, starts)) % 2 == 1
    return is_odd


def _names(data: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A number for each tag's name; 0 for a name that is too long."""
    names = np.zeros(len(starts), np.uint64)
    going = np.arange(len(starts))
    for offset in range(MAX_NAME_CHARS):
        chars = data[starts[going] + offset]
        is_name = (chars > ord(" ")) & (chars != ord(">")) & (chars != ord("/")) & (chars != ord("<"))
        going, chars = going[is_name], chars[is_name]
        if not len(going):
            return names
        names[going] = names[going] * _FACTOR + chars
    names[going] = 0
    return names


@lru_cache(maxsize=1)
def _numbers(words: frozenset[str]) -> frozenset[int]:
    texts = (np.frombuffer(word.encode() + bytes(MAX_NAME_CHARS), np.uint8) for word in words)
    return frozenset(int(_names(text, np.zeros(1, np.int64))[0]) for text in texts)


def _nesting(names: NDArray[np.uint64], is_closing: NDArray[np.bool_], not_nesting: frozenset[str]) -> int:
    """At most so many elements are open together."""
    if not len(names):
        return 0
    order = np.argsort(names, kind="stable")
    steps = np.where(is_closing[order] & (names[order] != 0), -1, 1)
    borders = np.flatnonzero(np.diff(names[order])) + 1
    ignored = _numbers(not_nesting)
    total = 0
    for name, run in zip(names[order][np.append(0, borders)].tolist(), np.split(steps, borders), strict=True):
        if name not in ignored:
            height = np.append(0, np.cumsum(run))
            total += int((height - np.minimum.accumulate(height)).max())
    return total
