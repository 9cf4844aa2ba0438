"""What the llms.txt of each source names, and where a page's body came from if it is that of its Markdown."""

from __future__ import annotations

STATEMENTS: tuple[str, ...] = (
    """CREATE TABLE listed (
        source_id VARCHAR NOT NULL, position INTEGER NOT NULL, url VARCHAR NOT NULL, markdown_url VARCHAR NOT NULL)""",
    "ALTER TABLE page ADD COLUMN body_url VARCHAR DEFAULT ''",
)
