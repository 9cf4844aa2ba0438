"""The part of the index that is kept in memory: who is alive, whose it is, how long it is, its vector.

A snapshot is immutable; a commit makes the next one, so a search sees one state from beginning to end. Big
arrays share one growing buffer: a new snapshot views more of it, an old one still views its own part.
It is rebuilt from the file at the first search after opening.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import duckdb
import numpy as np
from numpy.typing import NDArray

from webdocs.model import Within


@dataclass(frozen=True)  # without slots, for what is derived once a state and not once a query
class Snapshot:
    """Columns over chunks, by rising chunk id, then columns over pages.

    Attributes:
        chunk_ids: (n,) int64, rising.
        chunk_page: (n,) int32, row of the chunk's page in the page columns.
        body_terms: (n,) float32, terms in the body.
        heading_terms: (n,) float32, terms in the headings.
        standing: (n,) float32, how much the chunk's score counts.
        is_alive: (n,) bool, false for chunks of replaced pages.
        vectors: (n, dim) float32, rows L2-normalised or zero.
        page_ids: (m,) int64.
        page_revision: (m,) uint32; a page that was replaced has a later row, and this one no living chunk.
        page_is_alive: (m,) bool.
        page_source: (m,) int32, place in `source_ids`.
        source_ids: Ids of sources, in the order of first appearance.
        aliases: Page id of a URL that redirects, to the id of the page it leads to.
    """

    chunk_ids: NDArray[np.int64]
    chunk_page: NDArray[np.int32]
    body_terms: NDArray[np.float32]
    heading_terms: NDArray[np.float32]
    standing: NDArray[np.float32]
    is_alive: NDArray[np.bool_]
    vectors: NDArray[np.float32]
    page_ids: NDArray[np.int64]
    page_revision: NDArray[np.uint32]
    page_is_alive: NDArray[np.bool_]
    page_source: NDArray[np.int32]
    source_ids: tuple[str, ...]
    aliases: dict[int, int]

    @cached_property
    def live_revisions(self) -> NDArray[np.uint32]:
        """Revisions of the living pages, rising."""
        return np.sort(self.page_revision[self.page_is_alive])

    @cached_property
    def live_rows(self) -> NDArray[np.int64]:
        """Rows of the living pages, by rising page id."""
        alive = np.flatnonzero(self.page_is_alive)
        return alive[np.argsort(self.page_ids[alive])]

    @cached_property
    def live_page_ids(self) -> NDArray[np.int64]:
        """Ids of the living pages, rising."""
        return self.page_ids[self.live_rows]

    def selected(self, within: Within) -> NDArray[np.bool_]:
        """(n,) bool: living chunks of the wanted sources."""
        if within.source_ids is None:
            return self.is_alive
        wanted = np.array([source in within.source_ids for source in self.source_ids], dtype=bool)
        if not len(self.chunk_page):
            return self.is_alive
        return self.is_alive & wanted[self.page_source[self.chunk_page]]


def empty_snapshot(dim: int) -> Snapshot:
    """An index without pages."""
    return Snapshot(
        np.empty(0, np.int64),
        np.empty(0, np.int32),
        np.empty(0, np.float32),
        np.empty(0, np.float32),
        np.empty(0, np.float32),
        np.empty(0, bool),
        np.empty((0, dim), np.float32),
        np.empty(0, np.int64),
        np.empty(0, np.uint32),
        np.empty(0, bool),
        np.empty(0, np.int32),
        (),
        {},
    )


def load_snapshot(cursor: duckdb.DuckDBPyConnection, dim: int) -> Snapshot:
    """Everything that the file holds, as one snapshot."""
    pages = cursor.execute("SELECT id, revision, source_id FROM page ORDER BY revision").fetchall()
    snapshot = append_pages(
        empty_snapshot(dim), [row[0] for row in pages], [row[1] for row in pages], [row[2] for row in pages]
    )
    table = cursor.execute(
        "SELECT id, page_id, body_terms, heading_terms, standing, vector FROM chunk ORDER BY id"
    ).fetchnumpy()
    vectors = np.frombuffer(b"".join(table["vector"]), dtype=np.float16).reshape(-1, dim).astype(np.float32)
    aliases = dict(cursor.execute("SELECT id, page_id FROM alias").fetchall())
    snapshot = append_chunks(
        snapshot,
        table["id"],
        table["page_id"],
        table["body_terms"],
        table["heading_terms"],
        table["standing"],
        vectors,
    )
    return replace(snapshot, aliases=aliases)


def append_pages(snapshot: Snapshot, page_ids: list[int], revisions: list[int], sources: list[str]) -> Snapshot:
    """A snapshot with these pages as well; rows of the same id from before are dead from now on, and their chunks."""
    names = tuple(dict.fromkeys((*snapshot.source_ids, *sources)))
    place = {name: number for number, name in enumerate(names)}
    dropped = drop_pages(snapshot, page_ids)
    return replace(
        dropped,
        page_ids=np.concatenate([dropped.page_ids, np.asarray(page_ids, np.int64)]),
        page_revision=np.concatenate([dropped.page_revision, np.asarray(revisions, np.uint32)]),
        page_is_alive=np.concatenate([dropped.page_is_alive, np.ones(len(page_ids), bool)]),
        page_source=np.concatenate([dropped.page_source, np.array([place[s] for s in sources], np.int32)]),
        source_ids=names,
    )


def append_chunks(
    snapshot: Snapshot,
    chunk_ids: NDArray[np.int64],
    page_ids: NDArray[np.int64],
    body_terms: NDArray,
    heading_terms: NDArray,
    standing: NDArray,
    vectors: NDArray[np.float32],
) -> Snapshot:
    """A snapshot with these chunks of living pages as well; ids are above all before."""
    order = np.argsort(snapshot.page_ids, kind="stable")  # of several rows of one id the last one is alive
    rows = (
        order[np.searchsorted(snapshot.page_ids, page_ids, side="right", sorter=order) - 1]
        if len(page_ids)
        else page_ids
    )
    return replace(
        snapshot,
        chunk_ids=np.concatenate([snapshot.chunk_ids, np.asarray(chunk_ids, np.int64)]),
        chunk_page=np.concatenate([snapshot.chunk_page, rows.astype(np.int32)]),
        body_terms=np.concatenate([snapshot.body_terms, np.asarray(body_terms, np.float32)]),
        heading_terms=np.concatenate([snapshot.heading_terms, np.asarray(heading_terms, np.float32)]),
        standing=np.concatenate([snapshot.standing, np.asarray(standing, np.float32)]),
        is_alive=np.concatenate([snapshot.is_alive, np.ones(len(chunk_ids), bool)]),
        vectors=_append_rows(snapshot.vectors, vectors),
    )


def drop_pages(snapshot: Snapshot, page_ids: list[int]) -> Snapshot:
    """A snapshot without these pages."""
    gone = np.isin(snapshot.page_ids, np.asarray(page_ids, np.int64)) & snapshot.page_is_alive
    if not gone.any():
        return snapshot
    return replace(
        snapshot,
        page_is_alive=snapshot.page_is_alive & ~gone,
        is_alive=snapshot.is_alive & ~gone[snapshot.chunk_page] if len(snapshot.chunk_page) else snapshot.is_alive,
    )


def drop_chunks(snapshot: Snapshot, page_ids: list[int]) -> Snapshot:
    """A snapshot without the chunks of these pages, which stay."""
    if not len(snapshot.chunk_page):
        return snapshot
    emptied = np.isin(snapshot.page_ids, np.asarray(page_ids, np.int64))
    return replace(snapshot, is_alive=snapshot.is_alive & ~emptied[snapshot.chunk_page])


def _append_rows(matrix: NDArray[np.float32], rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """`matrix` and `rows` as one matrix; reuses the spare rows of the buffer that `matrix` is a view of.

    Only the newest snapshot is ever appended to, under the writer's lock, so spare rows have one taker.
    """
    used, added = len(matrix), len(rows)
    buffer = matrix.base if isinstance(matrix.base, np.ndarray) else matrix
    if buffer.ndim != 2 or buffer.dtype != np.float32 or len(buffer) < used + added:
        buffer = np.empty((max(1024, 2 * (used + added)), rows.shape[1]), np.float32)
        buffer[:used] = matrix
    buffer[used : used + added] = rows
    return buffer[: used + added]
