"""How a stored page's Markdown falls into blocks: what it takes to cut its chunks again without its body."""

from __future__ import annotations

import json
from collections.abc import Sequence

import duckdb
import numpy as np

from webdocs.model import Block, IndexedPage, Page, PageBlocks, RechunkedPage
from webdocs.store.duckdb.rows import insert_rows, update_rows

_SEPARATOR_CHARS = 2
"""Between two blocks of `Page.markdown` stands one empty line."""


def write_layouts(cursor: duckdb.DuckDBPyConnection, pages: Sequence[IndexedPage]) -> None:
    """Insert one row a page."""
    insert_rows(
        cursor,
        "layout",
        {
            "page_id": np.array([int(item.page_id, 16) for item in pages], np.int64),
            "blocks": [_pack(item.page.blocks) for item in pages],
            "hashes": [_pack_hashes(item.block_hashes) for item in pages],
            "left_out": [b""] * len(pages),
        },
    )


def read_page_blocks(cursor: duckdb.DuckDBPyConnection, source_id: str) -> tuple[PageBlocks, ...]:
    """The hashes of a source's pages."""
    rows = cursor.execute(
        "SELECT l.page_id, l.hashes, l.left_out FROM layout l JOIN page p ON p.id = l.page_id WHERE p.source_id = ?",
        [source_id],
    ).fetchall()
    return tuple(
        PageBlocks(f"{row[0]:016x}", _unpack_hashes(row[1]), frozenset(_unpack_hashes(row[2]))) for row in rows
    )


def read_pages(cursor: duckdb.DuckDBPyConnection, numbers: Sequence[int]) -> dict[int, Page]:
    """Number to page with its blocks, without its links; a page without a layout is absent."""
    rows = cursor.execute(
        "SELECT p.id, p.url, p.title, p.markdown, p.language, l.blocks FROM page p JOIN layout l ON l.page_id = p.id "
        "WHERE p.id IN (SELECT unnest(?::BIGINT[]))",
        [list(numbers)],
    ).fetchall()
    return {row[0]: Page(row[1], row[2], _unpack(row[5], row[3]), language=row[4]) for row in rows}


def write_left_out(cursor: duckdb.DuckDBPyConnection, pages: Sequence[RechunkedPage]) -> None:
    """Note what the chunks of these pages leave out."""
    update_rows(
        cursor,
        "UPDATE layout SET left_out = i.left_out FROM incoming i WHERE layout.page_id = i.id",
        {
            "id": np.array([int(item.page_id, 16) for item in pages], np.int64),
            "left_out": [_pack_hashes(sorted(item.left_out)) for item in pages],
        },
        {},
    )


def _pack(blocks: Sequence[Block]) -> str:
    rows = [[b.kind, len(b.markdown), b.level, b.anchors, b.language, b.header_lines] for b in blocks]
    return json.dumps(rows, separators=(",", ":"), ensure_ascii=False)


def _unpack(packed: str, markdown: str) -> tuple[Block, ...]:
    blocks: list[Block] = []
    start = 0
    for kind, length, level, anchors, language, header_lines in json.loads(packed):
        text = markdown[start : start + length]
        blocks.append(Block(kind, text, level, tuple(anchors), language, header_lines))
        start += length + _SEPARATOR_CHARS
    return tuple(blocks)


def _pack_hashes(hashes: Sequence[int]) -> bytes:
    return np.array(hashes, np.uint64).tobytes()


def _unpack_hashes(packed: bytes) -> tuple[int, ...]:
    return tuple(np.frombuffer(packed, np.uint64).tolist())
