"""One source, one crawl: pages come in, are extracted, and go into the index in batches.

The crawl's loop waits for the network; extraction runs in it, since it takes milliseconds; a batch is chunked,
embedded and committed in a worker thread while the next pages arrive. A batch that is under way when the job is
cancelled is finished, so what was indexed stays and nothing is half written.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from webdocs.chunk import ChunkLimits
from webdocs.crawl import CrawlReport, crawl, key_of
from webdocs.errors import ExtractError
from webdocs.extract import extract
from webdocs.ingest.page import ExtractedPage, index_pages
from webdocs.ingest.progress import Progress
from webdocs.model import (
    Failed,
    Fetched,
    FetchOutcome,
    Gone,
    Job,
    Page,
    PageFault,
    Refused,
    Request,
    Source,
    content_hash_of,
    page_id_of,
)
from webdocs.ports import Embedder, FetcherFactory, Store

logger = logging.getLogger(__name__)

BATCH_PAGES = 32
"""Pages of one commit; a commit of one page costs ten times as much a page (design, section 2)."""

BATCH_SECONDS = 1.0
"""Longest time a page waits for its commit while the crawl is slow."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a job works with."""

    store: Store
    embedder: Embedder
    limits: ChunkLimits
    fetcher_for: FetcherFactory


async def run_job(
    source: Source, job: Job, tools: Tools, publish: Callable[[Job], None], cancelled: asyncio.Event
) -> Job:
    """Crawl a source into the index.

    Args:
        source: What to crawl.
        job: Its pending job.
        tools: Store, embedder, fetcher.
        publish: Told of every step; must be quick.
        cancelled: Set it to end the job early.

    Returns:
        The ended job: completed, failed or cancelled.

    Raises:
        StoreError, EmbedderError: the index cannot be written; what was committed stays.
    """
    work = _Work(source, Progress(job), tools, publish)
    work.progress.start(_now())
    publish(work.progress.job)
    fetcher = tools.fetcher_for(source.options)
    try:
        report = await crawl(source.root_url, source.options, fetcher, work.take, cancelled=cancelled)
        await work.settle()
    finally:
        await fetcher.aclose()
    await asyncio.to_thread(tools.store.compact)
    _conclude(work.progress, report, work.root_fault, is_cancelled=cancelled.is_set())
    publish(work.progress.job)
    return work.progress.job


class _Work:
    """The pages of one job between arrival and commit."""

    def __init__(self, source: Source, progress: Progress, tools: Tools, publish: Callable[[Job], None]) -> None:
        self._source = source
        self._tools = tools
        self._publish = publish
        self._batch: list[ExtractedPage] = []
        self._batch_since_s = time.monotonic()
        self._commit_lock = asyncio.Lock()
        self._commits: list[asyncio.Future[None]] = []
        self._aliases: dict[str, str] = {}
        self._known = {page.page_id: page.content_hash for page in tools.store.known_pages(source.source_id)}
        self.progress = progress
        self.root_fault = ""

    async def take(self, request: Request, outcome: FetchOutcome, queued: int) -> Sequence[str]:
        """Note an outcome; answers the links of a page."""
        links: Sequence[str] = ()
        match outcome:
            case Fetched():
                links = self._extract(request, outcome)
            case Gone():
                self.progress.add_fault(PageFault(outcome.url, f"HTTP {outcome.status}: not there", outcome.status))
            case Failed():
                self.progress.add_fault(PageFault(outcome.url, outcome.reason, outcome.status))
            case Refused():
                self._note_alias(outcome)
                self.progress.count_skipped()
        self.progress.count_crawled(queued)
        if len(self._batch) >= BATCH_PAGES or time.monotonic() - self._batch_since_s > BATCH_SECONDS:
            await self.flush()
        self._publish(self.progress.job)
        return links

    async def flush(self) -> None:
        """Commit what has come in."""
        async with self._commit_lock:
            batch, self._batch = self._batch, []
            self._batch_since_s = time.monotonic()
            if batch:
                # A cancelled crawl cancels its page tasks; the batch in its thread must be waited for and counted.
                self._commits.append(asyncio.ensure_future(self._commit_and_count(batch)))
                await asyncio.shield(self._commits[-1])

    async def settle(self) -> None:
        """Commit what has come in and wait for every commit under way."""
        await self.flush()
        await asyncio.gather(*self._commits)
        if self._aliases:
            await asyncio.to_thread(self._tools.store.add_aliases, self._aliases)

    async def _commit_and_count(self, batch: Sequence[ExtractedPage]) -> None:
        indexed, unchanged, chunks = await asyncio.to_thread(self._commit, batch)
        self.progress.count_indexed(indexed, chunks)
        self.progress.count_unchanged(unchanged)

    def _note_alias(self, refused: Refused) -> None:
        """A URL that turned out to lead to a page which is here already: links to it name that page."""
        if refused.rule == "duplicate" and refused.final_url:
            alias, page = (page_id_of(self._source.source_id, key_of(url)) for url in (refused.url, refused.final_url))
            self._aliases[alias] = page

    def _extract(self, request: Request, fetched: Fetched) -> Sequence[str]:
        try:
            page = extract(fetched.body, fetched.content_type, fetched.final_url)
        except ExtractError as error:
            self.progress.add_fault(PageFault(fetched.url, error.what, fetched.status))
            if request.parent_url is None:
                self.root_fault = error.what
            return ()
        if page.index and page.blocks:
            self._batch.append(self._extracted(request, fetched, page))
        else:
            self.progress.count_skipped()
        return [link.url for link in page.links if link.follow] if page.follow else ()

    def _extracted(self, request: Request, fetched: Fetched, page: Page) -> ExtractedPage:
        return ExtractedPage(
            page=page,
            source_id=self._source.source_id,
            fetched_at=_now(),
            aliases=tuple(url for url in fetched.redirects if key_of(url) != key_of(page.url)),
            parent_url=request.parent_url,
            depth=request.depth,
            etag=fetched.etag,
            last_modified=fetched.last_modified,
        )

    def _commit(self, batch: Sequence[ExtractedPage]) -> tuple[int, int, int]:
        """Write a batch; pages whose content is as stored are only noted. Answers pages, unchanged, chunks."""
        unchanged = [item.page_id for item in batch if self._known.get(item.page_id) == content_hash_of(item.page)]
        changed = [item for item in batch if item.page_id not in set(unchanged)]
        indexed = index_pages(changed, self._tools.embedder, self._tools.limits)
        self._tools.store.replace_pages(indexed)
        if unchanged:
            self._tools.store.touch_pages(unchanged, self._source.source_id)
        for item in indexed:
            logger.debug("indexed url=%s chunks=%d", item.page.url, len(item.chunks))
        return len(indexed), len(unchanged), sum(len(item.chunks) for item in indexed)


def _conclude(progress: Progress, report: CrawlReport, root_fault: str, *, is_cancelled: bool) -> None:
    """Status and error of the ended job (contract D7)."""
    job = progress.job
    root_reason = report.root_error or root_fault
    if root_reason and not job.pages_indexed and not job.pages_unchanged:
        progress.end("failed", _now(), f"{job.url} could not be indexed: {root_reason}", report.notes)
    elif is_cancelled:
        progress.end("cancelled", _now(), notes=report.notes)
    else:
        progress.end("completed", _now(), notes=report.notes)
    ended = progress.job
    logger.info(
        "job ended id=%s status=%s indexed=%d unchanged=%d failed=%d skipped=%d",
        ended.job_id,
        ended.status,
        ended.pages_indexed,
        ended.pages_unchanged,
        ended.pages_failed,
        ended.pages_skipped,
    )


def _now() -> datetime:
    return datetime.now(UTC)
