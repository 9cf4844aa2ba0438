"""How each page's Markdown falls into blocks, and which of them were left out of its chunks.

`blocks` is JSON, one list a block (`layout.py`); `hashes` has eight bytes a block, `left_out` eight bytes for each hash
that was left out. A page of an older file has no row until it is written again.
"""

from __future__ import annotations

STATEMENTS: tuple[str, ...] = (
    """CREATE TABLE layout (
        page_id BIGINT NOT NULL, blocks VARCHAR NOT NULL, hashes BLOB NOT NULL, left_out BLOB NOT NULL)""",
)
