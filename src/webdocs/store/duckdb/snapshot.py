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

from webdocs.model import Generation, Within
from webdocs.store.duckdb.vector_memory import Vectors

ROWS_A_READ = 20_000
"""Our choice: so many vectors of the file are in memory as Python objects at a time."""

_CHUNK_WINDOW = """SELECT id, page_id, body_terms, heading_terms, standing FROM chunk
WHERE id BETWEEN ? AND ? ORDER BY id"""
_VECTOR_WINDOW = "SELECT chunk_id, windows FROM vector WHERE generation = ? AND chunk_id BETWEEN ? AND ?"

MAX_SELECTIONS = 16
"""Our choice: the sites and versions that are asked for between two commits."""

SPARSEST = 4
"""Our choice: with fewer than one id in four still there a table of all ids would be mostly holes."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The chunks that a search may answer from, and what BM25 asks of all of them together.

    Attributes:
        is_in: (n,) bool.
        lengths: (n,) float32, terms of every chunk, in the selection or not.
        page_lengths: (m,) float32, terms of each page's chunks in the selection.
        n_chunks: How many chunks are in it.
        n_pages: On how many pages.
        mean_length: Mean terms of a chunk; 0 for an empty selection.
        mean_page_length: Mean terms of a page.
    """

    is_in: NDArray[np.bool_]
    lengths: NDArray[np.float32]
    page_lengths: NDArray[np.float32]
    n_chunks: int
    n_pages: int
    mean_length: float
    mean_page_length: float


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
        vectors: n rows.
        page_ids: (m,) int64.
        page_revision: (m,) uint32; a page that was replaced has a later row, and this one no living chunk.
        page_is_alive: (m,) bool.
        page_source: (m,) int32, place in `source_ids`.
        source_ids: Ids of sources, in the order of first appearance.
        aliases: Page id of a URL that redirects, to the id of the page it leads to.
        embedder: Identity of what made `vectors`. A row of zeros is a chunk that has none of its.
    """

    chunk_ids: NDArray[np.int64]
    chunk_page: NDArray[np.int32]
    body_terms: NDArray[np.float32]
    heading_terms: NDArray[np.float32]
    standing: NDArray[np.float32]
    is_alive: NDArray[np.bool_]
    vectors: Vectors
    page_ids: NDArray[np.int64]
    page_revision: NDArray[np.uint32]
    page_is_alive: NDArray[np.bool_]
    page_source: NDArray[np.int32]
    source_ids: tuple[str, ...]
    aliases: dict[int, int]
    embedder: str

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

    @cached_property
    def _selections(self) -> dict[tuple[Within, float], Selection]:
        return {}

    def selection(self, within: Within, heading: float) -> Selection:
        """The living chunks of the wanted sources; a heading's term counts for `heading` terms of a body."""
        found = self._selections.get((within, heading))
        if found is None:
            found = _select(self, self.selected(within), heading)
            if len(self._selections) >= MAX_SELECTIONS:
                self._selections.clear()
            self._selections[within, heading] = found
        return found

    @cached_property
    def row_of_id(self) -> NDArray[np.int32] | None:
        """Row of each chunk id from the first to the last, -1 for one that is not there; None if few are there."""
        if not len(self.chunk_ids) or self.chunk_ids[-1] - self.chunk_ids[0] >= SPARSEST * len(self.chunk_ids):
            return None
        rows = np.full(self.chunk_ids[-1] - self.chunk_ids[0] + 1, -1, np.int32)
        rows[self.chunk_ids - self.chunk_ids[0]] = np.arange(len(self.chunk_ids), dtype=np.int32)
        return rows

    def rows_of(self, chunk_ids: NDArray) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Rows of the ids that are there, and which these are."""
        table = self.row_of_id
        if table is None:
            places = np.minimum(np.searchsorted(self.chunk_ids, chunk_ids), max(len(self.chunk_ids) - 1, 0))
            is_there = self.chunk_ids[places] == chunk_ids if len(self.chunk_ids) else np.zeros(len(chunk_ids), bool)
            return places[is_there], is_there
        offsets = chunk_ids.astype(np.int64) - self.chunk_ids[0]
        is_there = (offsets >= 0) & (offsets < len(table))
        rows = np.where(is_there, table[np.where(is_there, offsets, 0)], -1)
        is_there = rows >= 0
        return rows[is_there], is_there

    def selected(self, within: Within) -> NDArray[np.bool_]:
        """(n,) bool: living chunks of the wanted sources."""
        if within.source_ids is None:
            return self.is_alive
        wanted = np.array([source in within.source_ids for source in self.source_ids], dtype=bool)
        if not len(self.chunk_page):
            return self.is_alive
        return self.is_alive & wanted[self.page_source[self.chunk_page]]


def _select(snapshot: Snapshot, is_in: NDArray[np.bool_], heading: float) -> Selection:
    lengths = (snapshot.body_terms + heading * snapshot.heading_terms).astype(np.float32)
    rows = np.flatnonzero(is_in)
    of_page = np.bincount(snapshot.chunk_page[rows], weights=lengths[rows], minlength=len(snapshot.page_ids))
    has_chunks = of_page > 0
    n_pages = int(has_chunks.sum())
    mean = float(lengths[rows].mean()) if len(rows) else 0.0
    mean_page = float(of_page[has_chunks].mean()) if n_pages else 0.0
    return Selection(is_in, lengths, of_page.astype(np.float32), len(rows), n_pages, mean, mean_page)


def empty_snapshot(generation: Generation) -> Snapshot:
    """An index without pages."""
    return Snapshot(
        np.empty(0, np.int64),
        np.empty(0, np.int32),
        np.empty(0, np.float32),
        np.empty(0, np.float32),
        np.empty(0, np.float32),
        np.empty(0, bool),
        Vectors(generation.dim, np.empty((0, generation.dim), np.float32)),
        np.empty(0, np.int64),
        np.empty(0, np.uint32),
        np.empty(0, bool),
        np.empty(0, np.int32),
        (),
        {},
        generation.identity,
    )


def load_snapshot(cursor: duckdb.DuckDBPyConnection, generation: Generation) -> Snapshot:
    """Everything that the file holds, as one snapshot, with the vectors of this generation."""
    pages = cursor.execute("SELECT id, revision, source_id FROM page ORDER BY revision").fetchall()
    snapshot = append_pages(
        empty_snapshot(generation), [row[0] for row in pages], [row[1] for row in pages], [row[2] for row in pages]
    )
    ids = np.sort(cursor.execute("SELECT id FROM chunk").fetchnumpy()["id"])
    read: list[tuple[NDArray, ...]] = []
    vectors = snapshot.vectors.reserved(len(ids))
    for start in range(0, len(ids), ROWS_A_READ):
        window = ids[start : start + ROWS_A_READ]
        table = cursor.execute(_CHUNK_WINDOW, [int(window[0]), int(window[-1])]).fetchnumpy()
        read.append(tuple(table[name] for name in ("id", "page_id", "body_terms", "heading_terms", "standing")))
        vectors = vectors.append(_read_vectors(cursor, generation, table["id"]))
    aliases = dict(cursor.execute("SELECT id, page_id FROM alias").fetchall())
    if read:
        ids, page_ids, body, heading, standing = (np.concatenate(parts) for parts in zip(*read, strict=True))
        empty = np.empty((0, generation.dim), np.float32)
        snapshot = append_chunks(snapshot, ids, page_ids, body, heading, standing, empty)
    return replace(snapshot, aliases=aliases, vectors=vectors)


def _read_vectors(
    cursor: duckdb.DuckDBPyConnection, generation: Generation, chunk_ids: NDArray[np.int64]
) -> NDArray[np.float32]:
    """(len(chunk_ids), dim) float32, zeros for a chunk without a vector; the ids are rising."""
    table = cursor.execute(_VECTOR_WINDOW, [generation.number, int(chunk_ids[0]), int(chunk_ids[-1])]).fetchnumpy()
    found = np.frombuffer(b"".join(table["windows"]), np.float16).reshape(-1, generation.dim)
    is_there = np.isin(table["chunk_id"], chunk_ids)
    vectors = np.zeros((len(chunk_ids), generation.dim), np.float32)
    vectors[np.searchsorted(chunk_ids, table["chunk_id"][is_there])] = found[is_there]
    return vectors


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
        vectors=snapshot.vectors.append(vectors),
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
