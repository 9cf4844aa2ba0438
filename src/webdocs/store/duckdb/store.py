"""The `Store` on one DuckDB file: each port's method, its transaction, and the snapshot that goes with it."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import duckdb
import numpy as np
from numpy.typing import NDArray

from webdocs.errors import StoreError
from webdocs.model import (
    CrawlBatch,
    CrawlStep,
    Generation,
    IndexedPage,
    Job,
    KnownLinks,
    KnownPage,
    ListedPage,
    Page,
    PageBlocks,
    PageRow,
    RechunkedPage,
    RobotsCopy,
    SiteSummary,
    Source,
    StoredChunk,
    StoredPage,
    TextScores,
    TextWeights,
    VectorScores,
    Within,
)
from webdocs.store.duckdb import bm25, catalog, generations, journal, layout, pages, postings, snapshot
from webdocs.store.duckdb.database import Database, utc_now
from webdocs.store.duckdb.posting_memory import PostingMemory, load_postings

logger = logging.getLogger(__name__)

COMPACT_AT_SEGMENTS = 64
"""Our choice: with 64 segments of 32 pages a look-up still scans under a million rows; each rewrite is amortised."""


@dataclass(slots=True)
class _Change:
    """A write under way: where it writes, the snapshot, first of before, then of after, and the postings written."""

    cursor: duckdb.DuckDBPyConnection
    snapshot: snapshot.Snapshot
    segments: list[postings.Segment] = field(default_factory=list)


class DuckStore:
    """`Store` on DuckDB. Thread-safe: writers take turns, readers never wait for them."""

    def __init__(self, path: str, embedder: str, dim: int, memory_limit_mb: int = 128, recipe: str = "") -> None:
        """Open or create the database.

        Args:
            path: A file, or `:memory:`.
            embedder: Identity of the embedder that is set. A file without chunks takes it; one that holds vectors of
                another keeps those, and `generation` tells it (contract G2).
            dim: Length of its vectors.
            memory_limit_mb: What the engine may use, in MiB.
            recipe: What it takes to make that embedder again.

        Raises:
            StoreError: see `Database`.
        """
        self._database = Database(path, memory_limit_mb)
        self._snapshot: snapshot.Snapshot | None = None
        self._postings = PostingMemory()
        self._sources: tuple[Source, ...] | None = None
        self._source_changes = 0
        self._sources_lock = threading.Lock()
        self._snapshot_lock = threading.Lock()
        try:
            self._generation = self._claim(embedder, dim, recipe)
        except BaseException:
            self._database.close()
            raise

    # ---------------------------------------------------------------- pages

    def replace_pages(self, batch: Sequence[IndexedPage]) -> None:
        """Replace each page whole, all in one transaction. Of two entries with one id the last one counts."""
        if batch:
            with self._change() as change:
                _replace_pages(change, batch)

    def commit(self, batch: CrawlBatch) -> None:
        """Replace pages, confirm pages as unchanged, and note the steps that settled them; in one transaction."""
        with self._change() as change:
            if batch.pages:
                _replace_pages(change, batch.pages)
            if batch.confirmed:
                pages.confirm_pages(change.cursor, batch.confirmed, batch.source_id, utc_now())
            if batch.steps:
                journal.write_steps(change.cursor, batch.job_id, batch.steps)

    def steps(self, job_id: str) -> tuple[CrawlStep, ...]:
        """What a job has settled, in order."""
        return journal.read_steps(self._reader(), job_id)

    def page_blocks(self, source_id: str) -> tuple[PageBlocks, ...]:
        """The hashes of the blocks of each page of a source."""
        return layout.read_page_blocks(self._reader(), source_id)

    def block_pages(self, page_ids: Sequence[str]) -> Mapping[str, Page]:
        """Stored pages with their blocks."""
        found = layout.read_pages(self._reader(), [int(page_id, 16) for page_id in page_ids])
        return {pages.to_id(number): page for number, page in found.items()}

    def replace_chunks(self, batch: Sequence[RechunkedPage]) -> None:
        """Replace the chunks of stored pages, all in one transaction."""
        numbers = [int(item.page_id, 16) for item in batch]
        with self._change() as change:
            cursor = change.cursor
            segment = pages.take_numbers(cursor, "revision", 1)[0]
            chunk_ids = pages.take_numbers(cursor, "chunk_id", sum(len(item.chunks) for item in batch))
            pages.delete_chunks(cursor, numbers)
            pages.write_chunks(cursor, batch, chunk_ids)
            _write_vectors(cursor, batch, chunk_ids, change.snapshot.embedder)
            layout.write_left_out(cursor, batch)
            terms = [counts for item in batch for counts in item.terms]
            change.segments.append(postings.write_chunk_postings(cursor, segment, chunk_ids, terms))
            change.snapshot = _with_chunks(snapshot.drop_chunks(change.snapshot, numbers), batch, numbers, chunk_ids)

    def add_aliases(self, aliases: Mapping[str, str]) -> None:
        """Note URLs that redirect to stored pages: page id of the URL to id of the page."""
        numbers = {int(alias, 16): int(page, 16) for alias, page in aliases.items()}
        with self._change() as change:
            pages.write_aliases(change.cursor, numbers)
            change.snapshot = replace(change.snapshot, aliases=change.snapshot.aliases | numbers)

    def forget_content(self, source_id: str) -> None:
        """Drop validators and content hashes of a source's pages; what is indexed stays until it is replaced."""
        with self._database.transaction() as cursor:
            pages.forget_content(cursor, source_id)

    def delete_pages(self, source_id: str, page_ids: Sequence[str]) -> int:
        """Delete pages of a source and all that hangs on them; answers how many went."""
        wanted = [int(page_id, 16) for page_id in page_ids]
        with self._change() as change:
            numbers = pages.numbers_of(change.cursor, source_id, wanted)
            pages.delete_pages(change.cursor, numbers)
            pages.orphan_children(change.cursor, numbers)
            change.snapshot = _without(change.snapshot, numbers)
        return len(numbers)

    def page(self, page_id: str) -> StoredPage | None:
        """One page; None for an id that is not there or is no id."""
        number = pages.from_id(page_id)
        return None if number is None else pages.read_page(self._reader(), "p.id = ?", number)

    def find_page(self, url: str) -> StoredPage | None:
        """The page stored under this URL, or under it without its fragment; the newest if several sources hold it."""
        reader, bare = self._reader(), url.partition("#")[0]
        # A rendered page may have a fragment that is part of its URL (`#/guide`).
        page = pages.read_page(reader, "p.url = ?", url) if bare != url else None
        return page or pages.read_page(reader, "p.url = ?", bare)

    def list_pages(self, within: Within, offset: int, limit: int) -> tuple[PageRow, ...]:
        """Pages by site, version and URL."""
        return pages.list_pages(self._reader(), within, offset, limit)

    def page_rows(self, page_ids: Sequence[str]) -> tuple[PageRow, ...]:
        """The pages of these ids, in their order."""
        return pages.page_rows(self._reader(), page_ids)

    def known_pages(self, source_id: str) -> tuple[KnownPage, ...]:
        """What is stored of one source."""
        return pages.known_pages(self._reader(), source_id)

    def known_links(self, source_id: str) -> Mapping[str, KnownLinks]:
        """Where the pages of one source link to."""
        return pages.known_links(self._reader(), source_id)

    # ---------------------------------------------------------------- sources

    def save_source(self, source: Source) -> None:
        """Insert a source or replace its options."""
        with self._sources_changing() as cursor:
            catalog.save_source(cursor, source)

    def sources(self) -> tuple[Source, ...]:
        """All sources by site and version."""
        known = self._sources
        if known is None:
            changes = self._source_changes
            known = catalog.read_sources(self._reader())
            with self._sources_lock:
                if changes == self._source_changes:
                    self._sources = known
        return known

    def save_listed(self, source_id: str, pages: Sequence[ListedPage]) -> None:
        """Keep what a source's llms.txt names instead of what was kept before."""
        with self._database.transaction() as cursor:
            catalog.save_listed(cursor, source_id, pages)

    def listed(self, source_id: str) -> tuple[ListedPage, ...]:
        """What a source's llms.txt names."""
        return catalog.read_listed(self._reader(), source_id)

    def summaries(self) -> tuple[SiteSummary, ...]:
        """All sources with their counts."""
        return catalog.read_summaries(self._reader())

    def remove_source(self, source_id: str) -> int:
        """Delete a source with its pages and jobs; answers how many pages went."""
        with self._change() as change:
            numbers = pages.numbers_of(change.cursor, source_id)
            pages.delete_pages(change.cursor, numbers)
            journal.delete_steps(change.cursor, catalog.delete_jobs(change.cursor, source_id))
            change.cursor.execute("DELETE FROM listed WHERE source_id = ?", [source_id])
            catalog.delete_source(change.cursor, source_id)
            change.snapshot = _without(change.snapshot, numbers)
        self._forget_sources()
        return len(numbers)

    def forget_empty_source(self, source_id: str) -> None:
        """Delete a source that holds no page; its jobs stay."""
        with self._sources_changing() as cursor:
            if not pages.numbers_of(cursor, source_id):
                catalog.delete_source(cursor, source_id)

    # ---------------------------------------------------------------- jobs

    def save_job(self, job: Job) -> None:
        """Insert or replace a job."""
        with self._database.transaction() as cursor:
            catalog.save_job(cursor, job)
            if job.has_ended and job.status != "interrupted":
                journal.delete_steps(cursor, [job.job_id])

    def job(self, job_id: str) -> Job | None:
        """One job."""
        return catalog.read_job(self._reader(), job_id)

    def jobs(self, limit: int) -> tuple[Job, ...]:
        """Newest first."""
        return catalog.read_jobs(self._reader(), limit)

    # ---------------------------------------------------------------- robots.txt

    def save_robots_copy(self, copy: RobotsCopy) -> None:
        """Keep the robots.txt of an origin."""
        with self._database.transaction() as cursor:
            journal.save_robots_copy(cursor, copy)

    def robots_copy(self, origin: str) -> RobotsCopy | None:
        """The robots.txt of an origin as it was last had."""
        return journal.read_robots_copy(self._reader(), origin)

    # ---------------------------------------------------------------- index

    def text_scores(self, terms: Sequence[str], weights: TextWeights, within: Within, limit: int) -> TextScores:
        """The best `limit` chunks for these terms."""
        current = self._current()
        selection = current.selection(within, weights.heading)
        return bm25.score_text(self._postings.of(terms), current, selection, weights, limit)

    def vector_scores(
        self, vector: NDArray[np.float32], embedder: str, within: Within, limit: int, also: NDArray[np.int64]
    ) -> VectorScores:
        """The nearest `limit` chunks by cosine, and the chunks `also` wherever they rank.

        A vector of another embedder than the index's is compared with none: `also` alone, each with a cosine of 0.
        """
        current = self._current()
        extra = current.rows_of(also)[0]
        if embedder == current.embedder:
            rows, cosine = current.vectors.nearest(vector, current.selected(within), limit)
            extra = np.setdiff1d(extra, rows, assume_unique=True)
            cosine = np.concatenate([cosine, current.vectors.cosines(extra, vector)])
            rows = np.concatenate([rows, extra])
        else:
            rows, cosine = np.sort(extra), np.zeros(len(extra), np.float32)
        page_ids = current.page_ids[current.chunk_page[rows]]
        return VectorScores(current.chunk_ids[rows], page_ids, cosine, current.standing[rows])

    def chunks(self, chunk_ids: Sequence[int]) -> tuple[StoredChunk, ...]:
        """Chunks in the order of the ids; one that is gone is left out."""
        return pages.read_chunks(self._reader(), chunk_ids, self._sources_by_id())

    def page_chunks(self, page_id: str) -> tuple[StoredChunk, ...]:
        """All chunks of a page by position."""
        number = pages.from_id(page_id)
        return () if number is None else pages.read_page_chunks(self._reader(), number, self._sources_by_id())

    def section_chunks(self, page_id: str, section: int) -> tuple[StoredChunk, ...]:
        """The chunks of a page that one of its sections holds, by position."""
        number = pages.from_id(page_id)
        if number is None:
            return ()
        return pages.read_section_chunks(self._reader(), number, section, self._sources_by_id())

    def compact(self) -> None:
        """Join the postings' segments and drop dead entries, if there are enough segments to be worth it."""
        row = self._reader().execute("SELECT count(DISTINCT segment) FROM posting").fetchone()
        if row is None or row[0] < COMPACT_AT_SEGMENTS:
            return
        with self._database.write_lock:
            with self._database.transaction() as cursor:
                current = self._current()
                postings.compact(
                    cursor,
                    current.chunk_ids[current.is_alive].astype(np.uint32),
                    current.live_revisions,
                )
            self._postings = load_postings(self._reader())
        logger.info("compacted segments=%d", row[0])

    # ---------------------------------------------------------------- generations of vectors

    def generation(self) -> Generation:
        """The generation that answers."""
        return self._generation

    def next_generation(self) -> Generation | None:
        """The generation that is being made."""
        return generations.read_next(self._reader())

    def begin_generation(self, identity: str, dim: int, recipe: str) -> Generation:
        """Go on with the next generation of this embedder, or begin it; one of another embedder goes."""
        with self._database.transaction() as cursor:
            found = generations.read_next(cursor)
            if found is not None and found.identity != identity:
                generations.drop(cursor, found.number)
                found = None
            if found is None:
                generations.add(cursor, identity, dim, recipe, is_current=False)
            begun = generations.read_next(cursor)
        assert begun is not None
        return begun

    def missing_vectors(self, number: int, after: int, limit: int) -> tuple[StoredChunk, ...]:
        """Chunks without a vector in a generation, by rising id."""
        missing = generations.read_missing(self._reader(), number, after, limit)
        return pages.read_chunks(self._reader(), missing, self._sources_by_id())

    def add_vectors(self, number: int, chunk_ids: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Keep vectors of a generation; those of chunks that are gone are left out."""
        with self._database.transaction() as cursor:
            living = generations.living(cursor, chunk_ids)
            rows = [row for row, chunk_id in enumerate(chunk_ids) if chunk_id in living]
            generations.write_vectors(cursor, number, [chunk_ids[row] for row in rows], vectors[rows])

    def count_vectors(self, number: int) -> int:
        """Chunks that have a vector in a generation."""
        return generations.count_vectors(self._reader(), number)

    def switch_generation(self, number: int) -> bool:
        """Let a generation answer and drop the one before; False while a chunk has no vector in it."""
        with self._database.write_lock:
            self._current()  # a search that loads it now would do so from a generation that goes
            if generations.read_missing(self._reader(), number, 0, 1):
                return False
            with self._database.transaction() as cursor:
                generations.drop(cursor, self._generation.number)
                generations.make_current(cursor, number)
            current = generations.read_current(self._reader())
            assert current is not None
            # Searches go on in the snapshot of before until the new one is there.
            self._snapshot = snapshot.load_snapshot(self._reader(), current)
            self._generation = current
        return True

    # ---------------------------------------------------------------- life

    def counts(self) -> tuple[int, int]:
        """Pages and chunks."""
        row = self._reader().execute("SELECT (SELECT count(*) FROM page), (SELECT count(*) FROM chunk)").fetchone()
        if row is None:
            raise StoreError("The database does not answer")
        return int(row[0]), int(row[1])

    def close(self) -> None:
        """Write everything to the file and let it go."""
        self._database.close()

    def _reader(self) -> duckdb.DuckDBPyConnection:
        return self._database.cursor()

    def _sources_by_id(self) -> dict[str, Source]:
        return {source.source_id: source for source in self.sources()}

    @contextlib.contextmanager
    def _sources_changing(self) -> Generator[duckdb.DuckDBPyConnection]:
        """A transaction after which the sources are read anew."""
        with self._database.transaction() as cursor:
            yield cursor
        self._forget_sources()

    def _forget_sources(self) -> None:
        with self._sources_lock:
            self._source_changes += 1
            self._sources = None

    @contextlib.contextmanager
    def _change(self) -> Generator[_Change]:
        """A transaction and the snapshot that goes with it: set `change.snapshot` to what holds once it is committed.

        The snapshot is taken over before the next writer reads it, and not at all where the transaction fails.
        """
        with self._database.write_lock:
            current = self._current()
            with self._database.transaction() as cursor:
                change = _Change(cursor, current)
                yield change
            # Entries of chunks that a snapshot does not know count for nothing, so they come first.
            self._postings.add(change.segments)
            self._snapshot = change.snapshot

    def _current(self) -> snapshot.Snapshot:
        """The newest snapshot; read from the file the first time."""
        current = self._snapshot
        if current is not None:
            return current
        with self._snapshot_lock:
            if self._snapshot is None:
                self._postings = load_postings(self._reader())
                self._snapshot = snapshot.load_snapshot(self._reader(), self._generation)
            return self._snapshot

    def _claim(self, embedder: str, dim: int, recipe: str) -> Generation:
        """The generation that answers: the file's own, or if it holds no chunk one of this embedder (contract G2)."""
        with self._database.transaction() as cursor:
            found = generations.read_current(cursor)
            if found is not None and found.identity == embedder:
                generations.set_recipe(cursor, found.number, recipe)
            elif found is None or self.counts()[1] == 0:
                for old in (found, generations.read_next(cursor)):
                    if old is not None:
                        generations.drop(cursor, old.number)
                generations.add(cursor, embedder, dim, recipe, is_current=True)
            current = generations.read_current(cursor)
        assert current is not None
        return current


def _replace_pages(change: _Change, pages_in: Sequence[IndexedPage]) -> None:
    """Replace each page whole. Of two entries with one id the last one counts."""
    batch = tuple({item.page_id: item for item in pages_in}.values())
    numbers = [int(item.page_id, 16) for item in batch]
    cursor = change.cursor
    revisions = pages.take_numbers(cursor, "revision", len(batch))
    chunk_ids = pages.take_numbers(cursor, "chunk_id", sum(len(item.chunks) for item in batch))
    pages.delete_pages(cursor, numbers)
    pages.write_pages(cursor, batch, revisions)
    layout.write_layouts(cursor, batch)
    pages.write_chunks(cursor, batch, chunk_ids)
    _write_vectors(cursor, batch, chunk_ids, change.snapshot.embedder)
    terms = [counts for item in batch for counts in item.terms]
    change.segments += (
        postings.write_chunk_postings(cursor, revisions[0], chunk_ids, terms),
        postings.write_anchor_postings(cursor, revisions[0], revisions, [item.anchor_texts for item in batch]),
    )
    change.snapshot = _with_batch(change.snapshot, batch, numbers, revisions, chunk_ids)


def _with_batch(
    current: snapshot.Snapshot,
    batch: Sequence[IndexedPage],
    numbers: list[int],
    revisions: list[int],
    chunk_ids: list[int],
) -> snapshot.Snapshot:
    """The snapshot after this batch's commit."""
    grown = snapshot.append_pages(current, numbers, revisions, [item.source_id for item in batch])
    grown = _with_chunks(grown, batch, numbers, chunk_ids)
    aliases = _aliases_without(current, numbers)
    aliases |= {int(alias, 16): int(item.page_id, 16) for item in batch for alias in item.aliases}
    return replace(grown, aliases=aliases)


def _with_chunks(
    current: snapshot.Snapshot, batch: Sequence[IndexedPage | RechunkedPage], numbers: list[int], chunk_ids: list[int]
) -> snapshot.Snapshot:
    """The snapshot with these chunks of its pages."""
    counts = [counts for item in batch for counts in item.terms]
    stored = [_stored_vectors(item, current) for item in batch if len(item.chunks)]
    return snapshot.append_chunks(
        current,
        np.array(chunk_ids, np.int64),
        np.repeat(np.array(numbers, np.int64), [len(item.chunks) for item in batch]),
        np.array([sum(item.body) for item in counts], np.float32),
        np.array([sum(item.heading) for item in counts], np.float32),
        np.array([item.standing for item in counts], np.float32),
        np.concatenate(stored) if stored else np.empty((0, current.vectors.dim), np.float32),
    )


def _stored_vectors(item: IndexedPage | RechunkedPage, current: snapshot.Snapshot) -> NDArray[np.float32]:
    """A page's vectors as they are read back from the file; zeros where another embedder than the index's made them."""
    if item.embedder not in ("", current.embedder):
        return np.zeros((len(item.chunks), current.vectors.dim), np.float32)
    return item.vectors.astype(np.float16).astype(np.float32)


def _write_vectors(
    cursor: duckdb.DuckDBPyConnection,
    batch: Sequence[IndexedPage | RechunkedPage],
    chunk_ids: Sequence[int],
    current: str,
) -> None:
    """Keep each page's vectors in the generation of the embedder that made them; where there is none, nowhere."""
    numbers = generations.numbers_by_identity(cursor)
    end = 0
    by_generation: dict[int, list[tuple[Sequence[int], NDArray[np.float32]]]] = {}
    for item in batch:
        start, end = end, end + len(item.chunks)
        number = numbers.get(item.embedder or current)
        if number is not None and end > start:
            by_generation.setdefault(number, []).append((chunk_ids[start:end], item.vectors))
    for number, parts in by_generation.items():
        ids = [chunk_id for part, _ in parts for chunk_id in part]
        generations.write_vectors(cursor, number, ids, np.concatenate([vectors for _, vectors in parts]))


def _without(current: snapshot.Snapshot, numbers: list[int]) -> snapshot.Snapshot:
    """The snapshot after these pages were deleted."""
    return replace(snapshot.drop_pages(current, numbers), aliases=_aliases_without(current, numbers))


def _aliases_without(current: snapshot.Snapshot, numbers: list[int]) -> dict[int, int]:
    gone = set(numbers)
    return {alias: page for alias, page in current.aliases.items() if page not in gone and alias not in gone}
