"""How are tables of names written, one string to a table, words apart by white space?"""

from __future__ import annotations

from functools import lru_cache

CLASS_STRINGS = 4096
"""Distinct `class` attributes remembered. Our choice: a page has some hundreds, and sites repeat them on every page."""

MAX_REMEMBERED_CHARS = 500
"""Longer attributes are read anew each time, so that a page of huge ones does not stay in memory after it is read."""


def names(table: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(table.split())


def classes_of(attribute: str) -> tuple[str, ...]:
    """The words of a `class` attribute, in order."""
    return _remembered(attribute) if len(attribute) <= MAX_REMEMBERED_CHARS else tuple(attribute.split())


@lru_cache(maxsize=CLASS_STRINGS)
def _remembered(attribute: str) -> tuple[str, ...]:
    return tuple(attribute.split())
