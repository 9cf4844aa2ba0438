"""Is this source safe for an HTML parser, and does it mean the same to it as to its author?"""

from __future__ import annotations

import re
from collections import Counter

from webdocs.extract.html.names import names
from webdocs.extract.html.nesting import is_shallow

MAX_ATTRIBUTES = 1000
"""Most attributes of one tag. The parser compares each with all before it: 100,000 took 20 s (measured)."""

MAX_NESTING = 512
"""Deepest nesting handed to the parser; Blink and WebKit build no deeper tree. The parser looks through all
open elements for each `div` it meets: 100,000 in each other took 16 s (measured)."""

LONG_TAG_CHARS = 4096
"""Shorter tags are left alone: they cannot hold enough attributes to cost a millisecond."""

LARGE_PAGE_CHARS = 64 * 1024
"""Smaller pages are not searched for any of this: at worst they cost .4 s."""

_TAG_PATTERN = r"""<(?P<slash>/?)(?P<name>[a-zA-Z][^\s<>/"']*)(?:[^<>"']++|"[^"]*+"|'[^']*+'|["'])*+>?"""
_TAG = re.compile(_TAG_PATTERN)
_TAG_OR_OPAQUE = re.compile(
    r"(?P<opaque><!--.*?-->|<(?P<raw>script|style|textarea|title|xmp|iframe|noembed|noframes)\b.*?</(?P=raw)\b)|"
    + _TAG_PATTERN,
    re.DOTALL | re.IGNORECASE,
)
"""A tag; or a comment, or raw text, in which what looks like a tag is none (HTML 13.1.2.1)."""
_QUOTED = re.compile(r"""\"[^"]*+"|'[^']*+'""")
_SELF_CLOSED = re.compile(
    r"<(script|style|a|div|span|p|em|i|b|strong|code|td|th|li|ul|ol|dl|dd|dt|textarea|title|iframe|section)"
    r"""((?:\s[^<>]{0,2000})?)/>""",
    re.IGNORECASE,
)
_NOT_NESTING = names(
    """
    area base br col embed hr img input link meta source track wbr
    p li dt dd tr td th thead tbody tfoot option optgroup colgroup rp rt html head body a
    path use circle rect line polyline polygon ellipse stop
    """
)
"""Void elements, elements that end by themselves (HTML 13.1.2.4), and leaves of drawings."""


def prepare(text: str) -> str:
    """The source with over-long tags and over-deep elements cut and, in XHTML, with empty elements closed."""
    if text.lstrip("\ufeff \t\r\n").startswith("<?xml"):
        text = _SELF_CLOSED.sub(r"<\1\2></\1>", text)
    if len(text) <= LARGE_PAGE_CHARS or is_shallow(text, LONG_TAG_CHARS, MAX_NESTING, _NOT_NESTING):
        return text
    return _TAG_OR_OPAQUE.sub(_Guard(), text)


class _Guard:
    """Passes tags on, one after the other; what it cuts leaves its text behind."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._cut: Counter[str] = Counter()

    def __call__(self, match: re.Match[str]) -> str:
        if match["opaque"]:
            return _short_opening(match[0])
        name = match["name"].lower()
        if name in _NOT_NESTING:
            return _short(match)
        if match["slash"]:
            return self._close(name, match[0])
        if len(self._open) >= MAX_NESTING:
            self._cut[name] += 1
            return ""
        self._open.append(name)
        return _short(match)

    def _close(self, name: str, tag: str) -> str:
        if self._cut[name] > 0:
            self._cut[name] -= 1
            return ""
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index] == name:
                del self._open[index:]
                break
        return tag


def _short_opening(opaque: str) -> str:
    """Raw text with the tag that opens it cut if it is over-long; a comment as it is."""
    tag = _TAG.match(opaque)
    return opaque if tag is None else _short(tag) + opaque[tag.end() :]


def _short(match: re.Match[str]) -> str:
    tag = match[0]
    if len(tag) < LONG_TAG_CHARS or len(_QUOTED.sub("", tag).split()) <= MAX_ATTRIBUTES:
        return tag
    return f"<{match['slash']}{match['name']}>"
