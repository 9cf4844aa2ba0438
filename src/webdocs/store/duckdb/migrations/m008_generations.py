"""Vectors by generation: those of the embedder that answers, and beside them those of the one that shall.

`generation` has one row that is current, and during a re-embedding one more. `recipe` is what it takes to make the
embedder again, as the composition root wrote it; never a key. `vector.windows` holds one or more vectors of a chunk,
float16, one after the other. A chunk without a row in a generation is found by its words alone.
"""

from __future__ import annotations

STATEMENTS: tuple[str, ...] = (
    """CREATE TABLE generation (
        number INTEGER NOT NULL, identity VARCHAR NOT NULL, dim INTEGER NOT NULL, recipe VARCHAR NOT NULL,
        is_current BOOLEAN NOT NULL)""",
    "CREATE SEQUENCE generation_number START 2",
    "CREATE TABLE vector (generation INTEGER NOT NULL, chunk_id BIGINT NOT NULL, windows BLOB NOT NULL)",
    """INSERT INTO generation
        SELECT 1, value, CAST(regexp_extract(value, '([0-9]+)$', 1) AS INTEGER), '', true
        FROM meta WHERE key = 'embedder'""",
    "INSERT INTO vector SELECT 1, id, vector FROM chunk ORDER BY id",
    "ALTER TABLE chunk DROP COLUMN vector",
    "DELETE FROM meta WHERE key = 'embedder'",
)
