"""Numbered migrations: how a database file of any age becomes one of today.

Each step runs in a transaction of its own; a step that fails leaves the file as it was. A step is never edited
once it was released: a change of the schema is a new step at the end.
"""

from __future__ import annotations

from webdocs.store.duckdb.migrations import (
    m001_first,
    m002_resume,
    m003_layout,
    m004_llms,
    m005_standing,
    m006_parents,
    m007_modified,
    m008_generations,
)

STEPS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (1, m001_first.STATEMENTS),
    (2, m002_resume.STATEMENTS),
    (3, m003_layout.STATEMENTS),
    (4, m004_llms.STATEMENTS),
    (5, m005_standing.STATEMENTS),
    (6, m006_parents.STATEMENTS),
    (7, m007_modified.STATEMENTS),
    (8, m008_generations.STATEMENTS),
)
"""`(number, statements)`, in order."""

CURRENT = STEPS[-1][0]
