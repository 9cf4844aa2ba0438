"""What the packages ask of the outside: each port small enough to fake with a class.

Adapters live beside their package (`crawl/fetch_http.py`, `embed/static.py`, `store/duckdb/`) and are named
only in `webdocs.build`. The suites in `tests/contracts/` run on every adapter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from webdocs.model import (
    CrawlBatch,
    CrawlOptions,
    CrawlStep,
    FetchOutcome,
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
    Request,
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


class Fetcher(Protocol):
    """Gets one page. Never raises for what a server does: that is a `Failed` or `Refused` outcome."""

    async def fetch(self, request: Request) -> FetchOutcome:
        """Ask for `request.url`, following up to five redirects, each judged as the first."""
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...


class Extractor(Protocol):
    """Turns bodies into pages, for all jobs at once."""

    async def extract(self, body: bytes, content_type: str, url: str) -> Page:
        """Make a page of a body.

        Args:
            body: The bytes of a 200, content coding removed.
            content_type: Its `Content-Type` header; may be empty.
            url: The final URL it came from.

        Raises:
            ExtractError: There is nothing to index in it, or reading it takes too much.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors. Thread-safe."""

    @property
    def identity(self) -> str:
        """Name of the model and its shape; vectors of two identities never mix."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Longest text the model reads, in its own tokens."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of passages: `(len(texts), dim)` float32, rows L2-normalised; an empty text gives a row of zeros.

        Raises:
            EmbedderError: the model does not answer.
        """
        ...

    def embed_query(self, query: str) -> NDArray[np.float32]:
        """The vector to search with: `(dim,)` float32, L2-normalised. Some models tell queries and passages apart.

        Raises:
            EmbedderError: the model does not answer.
        """
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Length of each text in the model's tokens."""
        ...

    def close(self) -> None:
        """Let connections go; nothing is asked of it after that."""
        ...


class PageStore(Protocol):
    """Pages and what hangs on them. Every write is one transaction."""

    def replace_pages(self, batch: Sequence[IndexedPage]) -> None:
        """Replace each page whole (page, chunks, vectors, postings); all in one transaction."""
        ...

    def add_aliases(self, aliases: Mapping[str, str]) -> None:
        """Note URLs that redirect to stored pages: page id of the URL to id of the page."""
        ...

    def page_blocks(self, source_id: str) -> tuple[PageBlocks, ...]:
        """The hashes of the blocks of each page of a source."""
        ...

    def block_pages(self, page_ids: Sequence[str]) -> Mapping[str, Page]:
        """Page id to the stored page with its blocks, without its links; what is not there is absent."""
        ...

    def replace_chunks(self, batch: Sequence[RechunkedPage]) -> None:
        """Replace the chunks of stored pages; all in one transaction."""
        ...

    def forget_content(self, source_id: str) -> None:
        """Drop validators and content hashes of a source's pages: its next crawl fetches and indexes all of them."""
        ...

    def delete_pages(self, source_id: str, page_ids: Sequence[str]) -> int:
        """Delete pages of a source and all that hangs on them, in one transaction; answers how many went."""
        ...

    def page(self, page_id: str) -> StoredPage | None: ...

    def find_page(self, url: str) -> StoredPage | None:
        """The page stored under this URL, its fragment aside; the newest if several sources hold it."""
        ...

    def list_pages(self, within: Within, offset: int, limit: int) -> tuple[PageRow, ...]:
        """Pages by site, then URL."""
        ...

    def page_rows(self, page_ids: Sequence[str]) -> tuple[PageRow, ...]:
        """In the order of the ids; an id that is gone is left out."""
        ...

    def known_pages(self, source_id: str) -> tuple[KnownPage, ...]: ...

    def known_links(self, source_id: str) -> Mapping[str, KnownLinks]:
        """Page id to the stored links of the page; a page without links is absent."""
        ...


class Catalog(Protocol):
    """Sites and their sources."""

    def save_source(self, source: Source) -> None: ...

    def sources(self) -> tuple[Source, ...]: ...

    def save_listed(self, source_id: str, pages: Sequence[ListedPage]) -> None:
        """Keep what a source's llms.txt names, in its order, instead of what was kept before."""
        ...

    def listed(self, source_id: str) -> tuple[ListedPage, ...]: ...

    def summaries(self) -> tuple[SiteSummary, ...]:
        """By site, then version, with counts."""
        ...

    def remove_source(self, source_id: str) -> int:
        """Delete a source with its pages and jobs, in one transaction; answers how many pages went."""
        ...

    def forget_empty_source(self, source_id: str) -> None:
        """Delete a source that holds no page; the record of its jobs stays. One that holds pages is left alone."""
        ...


class CrawlJournal(Protocol):
    """What the jobs under way have settled, so that a process that takes over asks for none of it again."""

    def commit(self, batch: CrawlBatch) -> None:
        """Replace pages, confirm pages as unchanged, and note the steps that settled them; in one transaction."""
        ...

    def steps(self, job_id: str) -> tuple[CrawlStep, ...]:
        """What a job has settled, in order; nothing once it has ended for good."""
        ...


class RobotsCopies(Protocol):
    """The last good robots.txt of each origin."""

    def save_robots_copy(self, copy: RobotsCopy) -> None: ...

    def robots_copy(self, origin: str) -> RobotsCopy | None: ...


class JobLog(Protocol):
    """Jobs as they are kept."""

    def save_job(self, job: Job) -> None:
        """Insert or replace a job. With one that is completed, failed or cancelled its steps go."""
        ...

    def job(self, job_id: str) -> Job | None: ...

    def jobs(self, limit: int) -> tuple[Job, ...]:
        """Newest first."""
        ...


class Index(Protocol):
    """Scores over everything that is indexed. A call sees one consistent state."""

    def text_scores(self, terms: Sequence[str], weights: TextWeights, within: Within, limit: int) -> TextScores:
        """The best `limit` chunks for these terms."""
        ...

    def vector_scores(
        self, vector: NDArray[np.float32], embedder: str, within: Within, limit: int, also: NDArray[np.int64]
    ) -> VectorScores:
        """The nearest `limit` chunks, and the chunks `also` wherever they rank.

        A vector that another embedder made than the one whose vectors are searched is compared with none: only the
        chunks `also` come back, with a cosine of 0.
        """
        ...

    def chunks(self, chunk_ids: Sequence[int]) -> tuple[StoredChunk, ...]:
        """In the order of the ids; an id that is gone is left out. The ids of a page's chunks follow one another."""
        ...

    def page_chunks(self, page_id: str) -> tuple[StoredChunk, ...]:
        """All chunks of a page, by position."""
        ...

    def section_chunks(self, page_id: str, section: int) -> tuple[StoredChunk, ...]:
        """The chunks of a page that one of its sections holds, those of the sections in it among them, by position.

        `section` is one of a chunk's `parents`: the first widens to the section around the chunk, each further one to
        the section around that, and 0 is the whole page.
        """
        ...


class VectorStore(Protocol):
    """The vectors of the embedder that answers, and during a re-embedding those of the next one."""

    def generation(self) -> Generation:
        """The generation that answers."""
        ...

    def next_generation(self) -> Generation | None:
        """The generation that is being made."""
        ...

    def begin_generation(self, identity: str, dim: int, recipe: str) -> Generation:
        """Go on with the next generation of this embedder, or begin it; one of another embedder goes."""
        ...

    def missing_vectors(self, number: int, after: int, limit: int) -> tuple[StoredChunk, ...]:
        """Chunks with ids over `after`, rising, that have no vector in a generation."""
        ...

    def add_vectors(self, number: int, chunk_ids: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Keep vectors of a generation; those of chunks that are gone are left out."""
        ...

    def count_vectors(self, number: int) -> int: ...

    def switch_generation(self, number: int) -> bool:
        """Let a generation answer and drop the one before, in one step; False while a chunk has no vector in it."""
        ...


class Store(PageStore, CrawlJournal, RobotsCopies, Catalog, JobLog, Index, VectorStore, Protocol):
    """What one database offers together."""

    def counts(self) -> tuple[int, int]:
        """Pages and chunks; raises StoreError when the database does not answer."""
        ...

    def compact(self) -> None:
        """Tidy the index where that is worth its cost; called at the end of a job."""
        ...

    def close(self) -> None: ...


class JobQueue(Protocol):
    """Runs crawls in the background."""

    def submit(self, source: Source, *, is_changed: bool = False) -> Job:
        """Queue a crawl of a saved source; answers the pending job.

        A source already queued answers that job. One whose last job was interrupted goes on with it, unless
        `is_changed` says that its options are others now.
        """
        ...

    def resume(self) -> tuple[Job, ...]:
        """Let every job go on that the last process left unfinished; answers them."""
        ...

    def cancel(self, job_id: str) -> Job:
        """Ask a job to end; what it indexed stays. Raises UnknownNameError."""
        ...

    def watch(self, job_id: str, timeout_s: float) -> Job:
        """The job when it has ended, or as it stands after the time-out. Raises UnknownNameError."""
        ...

    def close(self) -> None:
        """Interrupt what runs and wait until it is written."""
        ...


FetcherFactory = Callable[[CrawlOptions], Fetcher]
