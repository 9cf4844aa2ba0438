"""Where is a link in a line? Patterns that read each character a bounded number of times, whatever the line."""

from __future__ import annotations

import re

_NAME = r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*+)\]"
_BARE_TARGET = r"(?:[^\s()<>]|\([^\s()<>]*\))++"
_TITLE = r"""(?:\s+(?:"[^"]*"|'[^']*'))?"""
_TARGET = rf"\(\s*(?:<([^<>]*)>|({_BARE_TARGET})){_TITLE}\s*\)"

INLINE = re.compile(rf"(?<![\\!]){_NAME}{_TARGET}")
"""An inline link: name, target in angle brackets, bare target. An image is none."""

ENTRY = re.compile(rf"[-*+]\s*(?:\[[ xX]\]\s+)?{_NAME}{_TARGET}\s*(.*)", re.DOTALL)
"""A list item that begins with a link, stripped; its fourth group is the rest."""

_SEPARATOR = re.compile(r"[:\-–—]?\s*")
_BARE_ONLY = re.compile(_BARE_TARGET)


def target_of(match: re.Match[str]) -> str:
    """The target of a match of `INLINE` or `ENTRY`."""
    return (match[2] or match[3] or "").strip()


def notes_of(rest: str) -> str:
    """What follows a link, without the colon or dash that leads to it."""
    separator = _SEPARATOR.match(rest)
    return rest[separator.end() if separator else 0 :].strip()


def write_target(url: str) -> str:
    """A target as a link holds it."""
    return url if _BARE_ONLY.fullmatch(url) else f"<{url}>"
