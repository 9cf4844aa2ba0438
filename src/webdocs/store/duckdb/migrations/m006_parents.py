"""The sections that hold each chunk, as JSON, innermost first.

A chunk of an older file knows only its page, 0, until it is written again.
"""

from __future__ import annotations

STATEMENTS: tuple[str, ...] = ("ALTER TABLE chunk ADD COLUMN parents VARCHAR DEFAULT '[0]'",)
