"""When each page was last changed, as it or its server says; null where neither does."""

from __future__ import annotations

STATEMENTS: tuple[str, ...] = ("ALTER TABLE page ADD COLUMN modified_at TIMESTAMP",)
