"""How are tables of names written, one string to a table, words apart by white space?"""

from __future__ import annotations


def names(table: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(table.split())
