"""How much each chunk's score counts; full for those of an older file until they are written again."""

from __future__ import annotations

STATEMENTS: tuple[str, ...] = ("ALTER TABLE chunk ADD COLUMN standing FLOAT DEFAULT 1",)
