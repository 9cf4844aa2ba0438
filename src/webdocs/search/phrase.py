"""Which passages hold the phrases that a question quotes? Pure.

`"snapshot too old"` asks for these words in this order. Case, marks of Markdown and punctuation do not count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_QUOTED = re.compile(r"[\"“]([^\"“”]*)[\"”]")
_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")
_WORD = re.compile(r"\w+")


def phrases_of(query: str) -> tuple[str, ...]:
    """What stands in quotation marks, as it is looked for; nothing without a letter or digit."""
    folded = (_folded(quoted) for quoted in _QUOTED.findall(query))
    return tuple(dict.fromkeys(phrase for phrase in folded if phrase.strip()))


def holds_all(markdown: str, phrases: Sequence[str]) -> bool:
    """True if a text holds every phrase."""
    text = _folded(_TARGET.sub(" ", markdown))
    return all(phrase in text for phrase in phrases)


def _folded(text: str) -> str:
    """Words with a space before and after each, so that no phrase begins or ends inside of one."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
