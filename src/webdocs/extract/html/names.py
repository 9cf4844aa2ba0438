"""How are tables of names written, one string to a table, words apart by white space?"""

from __future__ import annotations

from functools import lru_cache

CLASS_STRINGS = 4096
"""Distinct `class` attributes remembered. Our choice: a page has some hundreds, and sites repeat them on every page."""


def names(table: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(table.split())


@lru_cache(maxsize=CLASS_STRINGS)
def classes_of(attribute: str) -> tuple[str, ...]:
    """The words of a `class` attribute, in order."""
    return tuple(attribute.split())
