"""Rows of generations and their vectors: which embedder's vectors are there, and how far is the next one?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb
import numpy as np
from numpy.typing import NDArray

from webdocs.model import Generation
from webdocs.store.duckdb.rows import insert_rows

_COLUMNS = "number, identity, dim, recipe"


def read_current(cursor: duckdb.DuckDBPyConnection) -> Generation | None:
    """The generation that answers."""
    return _read(cursor, "is_current")


def read_next(cursor: duckdb.DuckDBPyConnection) -> Generation | None:
    """The generation that is being made."""
    return _read(cursor, "NOT is_current")


def _read(cursor: duckdb.DuckDBPyConnection, where: str) -> Generation | None:
    row = cursor.execute(f"SELECT {_COLUMNS} FROM generation WHERE {where}").fetchone()  # noqa: S608
    return None if row is None else Generation(*row)


def add(cursor: duckdb.DuckDBPyConnection, identity: str, dim: int, recipe: str, *, is_current: bool) -> None:
    """Insert a generation."""
    cursor.execute(
        "INSERT INTO generation VALUES (nextval('generation_number'), ?, ?, ?, ?)",
        [identity, dim, recipe, is_current],
    )


def drop(cursor: duckdb.DuckDBPyConnection, number: int) -> None:
    """Delete a generation with its vectors."""
    cursor.execute("DELETE FROM vector WHERE generation = ?", [number])
    cursor.execute("DELETE FROM generation WHERE number = ?", [number])


def make_current(cursor: duckdb.DuckDBPyConnection, number: int) -> None:
    """Let a generation answer. There must be no other that does."""
    cursor.execute("UPDATE generation SET is_current = true WHERE number = ?", [number])


def set_recipe(cursor: duckdb.DuckDBPyConnection, number: int, recipe: str) -> None:
    """Replace what it takes to make the embedder of a generation."""
    cursor.execute("UPDATE generation SET recipe = ? WHERE number = ?", [recipe, number])


def numbers_by_identity(cursor: duckdb.DuckDBPyConnection) -> Mapping[str, int]:
    """Identity of an embedder to the number of its generation."""
    return dict(cursor.execute("SELECT identity, number FROM generation").fetchall())


def write_vectors(
    cursor: duckdb.DuckDBPyConnection, number: int, chunk_ids: Sequence[int], vectors: NDArray[np.float32]
) -> None:
    """Insert one vector a chunk; (len(chunk_ids), dim) float32."""
    insert_rows(
        cursor,
        "vector",
        {
            "generation": np.full(len(chunk_ids), number, np.int32),
            "chunk_id": np.array(chunk_ids, np.int64),
            "windows": [row.tobytes() for row in vectors.astype(np.float16)],
        },
    )


def delete_vectors(cursor: duckdb.DuckDBPyConnection, page_ids: Sequence[int]) -> None:
    """Delete the vectors of these pages' chunks, which must still be there."""
    cursor.execute(
        "DELETE FROM vector WHERE chunk_id IN (SELECT id FROM chunk WHERE page_id IN (SELECT unnest(?::BIGINT[])))",
        [list(page_ids)],
    )


def read_missing(cursor: duckdb.DuckDBPyConnection, number: int, after: int, limit: int) -> list[int]:
    """Ids over `after` of chunks that have no vector in a generation, rising."""
    rows = cursor.execute(
        "SELECT c.id FROM chunk c JOIN page p ON p.id = c.page_id JOIN source s ON s.id = p.source_id "
        "WHERE c.id > ? AND c.id NOT IN (SELECT chunk_id FROM vector WHERE generation = ?) ORDER BY c.id LIMIT ?",
        [after, number, limit],
    ).fetchall()
    return [row[0] for row in rows]


def living(cursor: duckdb.DuckDBPyConnection, chunk_ids: Sequence[int]) -> frozenset[int]:
    """Those of the chunks that are still there."""
    rows = cursor.execute("SELECT id FROM chunk WHERE id IN (SELECT unnest(?::BIGINT[]))", [list(chunk_ids)]).fetchall()
    return frozenset(row[0] for row in rows)


def count_vectors(cursor: duckdb.DuckDBPyConnection, number: int) -> int:
    """Chunks that have a vector in a generation."""
    row = cursor.execute("SELECT count(*) FROM vector WHERE generation = ?", [number]).fetchone()
    return 0 if row is None else int(row[0])
