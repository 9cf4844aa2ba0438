"""One source, one crawl: pages come in, are extracted, and go into the index in batches.

The crawl asks `read_page` what a body says, for which large ones go to worker processes, and then hands over what the
page is to be; a batch is chunked, embedded and committed in a worker thread while the next pages arrive. A batch that
is under way when the job is cancelled is finished, so what was indexed stays and nothing is half written. At the end
stored pages that are gone are asked for once more, and those that may go (`crawl/prune.py`) are deleted in one
transaction.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from webdocs.chunk import ChunkLimits
from webdocs.crawl import Crawl, CrawlReport, Reading, Sight, key_of
from webdocs.extract import formats_here
from webdocs.ingest.page import ExtractedPage, index_pages, rechunk_pages
from webdocs.ingest.progress import Progress, skipped_of
from webdocs.ingest.read import read_page
from webdocs.ingest.recrawl import Recrawl
from webdocs.ingest.repeated import find_stale
from webdocs.model import (
    ConfirmedPage,
    Failed,
    Fetched,
    FetchOutcome,
    Gone,
    Job,
    NotModified,
    Page,
    PageFault,
    PrunedPage,
    Refused,
    Request,
    SkippedUrls,
    Source,
)
from webdocs.ports import Embedder, Extractor, FetcherFactory, Store

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
    extractor: Extractor
    limits: ChunkLimits
    fetcher_for: FetcherFactory
    prune_missing: bool = True


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
        crawl = Crawl(
            source.root_url,
            source.options,
            fetcher,
            partial(read_page, tools.extractor),
            work.take,
            cancelled=cancelled,
            formats=formats_here(),
            validators=work.recrawl.validators(_now()),
            recall=work.recrawl.recall,
        )
        report = await crawl.run()
        await work.settle()
        remarks = await work.prune(crawl, report) if tools.prune_missing else []
        if not cancelled.is_set():
            await asyncio.to_thread(work.leave_out_repeated)
    finally:
        await fetcher.aclose()
    await asyncio.to_thread(tools.store.compact)
    report = replace(report, notes=(*report.notes, *remarks))
    _conclude(work.progress, report, is_cancelled=cancelled.is_set())
    publish(work.progress.job)
    return work.progress.job


class _Work:
    """The pages of one job between arrival and commit."""

    def __init__(self, source: Source, progress: Progress, tools: Tools, publish: Callable[[Job], None]) -> None:
        self._source = source
        self._tools = tools
        self._publish = publish
        self._batch: list[ExtractedPage] = []
        self._confirmed: list[ConfirmedPage] = []
        self._batch_since_s = time.monotonic()
        self._commit_lock = asyncio.Lock()
        self._commits: list[asyncio.Future[None]] = []
        self._aliases: dict[str, str] = {}
        self.recrawl = Recrawl(
            source.source_id, tools.store.known_pages(source.source_id), tools.store.known_links(source.source_id)
        )
        self.progress = progress

    async def take(self, request: Request, outcome: FetchOutcome, reading: Reading | None, queued: int) -> None:
        """Note an outcome, and store a page."""
        match outcome:
            case Fetched() if reading is not None and reading.page is not None:
                self._keep(self._extracted(request, outcome, reading, reading.page), outcome.redirects)
            case NotModified():
                self._confirm(outcome)
            case Gone():
                self.recrawl.see(request.url, Sight("gone", f"status {outcome.status}"))
                fault = PageFault(outcome.url, f"HTTP {outcome.status}: not there", outcome.status)
                self.progress.add_fault(fault, is_gone=True)
            case Failed():
                self.recrawl.see(outcome.url, Sight("failed", outcome.reason))
                self.progress.add_fault(PageFault(outcome.url, outcome.reason, outcome.status))
            case Refused():
                self._note_refused(outcome, reading)
                self.progress.add_skipped([skipped_of(outcome)])
        _log_outcome(outcome)
        self.progress.count_crawled(queued, is_fetched=_is_fetched(outcome, reading))
        waiting = len(self._batch) + len(self._confirmed)
        if waiting >= BATCH_PAGES or time.monotonic() - self._batch_since_s > BATCH_SECONDS:
            await self.flush()
        self._publish(self.progress.job)

    async def flush(self) -> None:
        """Commit what has come in."""
        async with self._commit_lock:
            batch, self._batch = self._batch, []
            confirmed, self._confirmed = self._confirmed, []
            self._batch_since_s = time.monotonic()
            if batch or confirmed:
                # A cancelled crawl cancels its page tasks; the batch in its thread must be waited for and counted.
                self._commits.append(asyncio.ensure_future(self._commit_and_count(batch, confirmed)))
                await asyncio.shield(self._commits[-1])

    async def settle(self) -> None:
        """Commit what has come in and wait for every commit under way."""
        await self.flush()
        await asyncio.gather(*self._commits)
        if self._aliases:
            await asyncio.to_thread(self._tools.store.add_aliases, self._aliases)

    async def prune(self, crawl: Crawl, report: CrawlReport) -> list[str]:
        """Delete the stored pages that may go; answers remarks on those that stay unread."""
        root_error = self._judge_root(report)
        if self.recrawl.is_first:
            return []
        if not root_error:
            for url, outcome in (await crawl.ask_again(self.recrawl.gone_urls())).items():
                self.recrawl.confirm_gone(outcome, url)
        verdicts = self.recrawl.judge(report, root_error)
        doomed = {verdict.page_id: verdict.reason for verdict in verdicts if not verdict.is_kept}
        if doomed:
            await asyncio.to_thread(self._tools.store.delete_pages, self._source.source_id, list(doomed))
        for page_id, reason in doomed.items():
            logger.info("page_pruned url=%s reason=%s", self.recrawl.url_of(page_id), reason)
        self.progress.add_pruned([PrunedPage(self.recrawl.url_of(page_id), doomed[page_id]) for page_id in doomed])
        return [] if root_error else self.recrawl.explain_kept(report, verdicts)

    def leave_out_repeated(self) -> None:
        """Cut the chunks of pages again that hold what stands on most pages of the source, or no longer does."""
        store, tools = self._tools.store, self._tools
        stale = find_stale(store.page_blocks(self._source.source_id))
        for start in range(0, len(stale), BATCH_PAGES):
            found = store.block_pages(list(stale)[start : start + BATCH_PAGES])
            store.replace_chunks(rechunk_pages(found, stale, tools.embedder, tools.limits))
        if stale:
            logger.info("repeated_blocks_left_out source=%s pages=%d", self._source.source_id, len(stale))

    def _judge_root(self, report: CrawlReport) -> str:
        """Why the start page says nothing about the site; empty if it does."""
        return report.root_error or ("" if report.has_root else "it was not reached")

    async def _commit_and_count(self, batch: Sequence[ExtractedPage], confirmed: Sequence[ConfirmedPage]) -> None:
        chunks = await asyncio.to_thread(self._commit, batch, confirmed)
        self.progress.count_indexed([item.page_id for item in batch], chunks)
        self.progress.count_unchanged([page.page_id for page in confirmed])

    def _confirm(self, answer: NotModified) -> None:
        """A 304: the stored page holds."""
        if (known := self.recrawl.known(answer.url)) is not None:
            self.recrawl.see_unchanged(known)
            self._confirmed.append(ConfirmedPage(known.page_id, answer.etag, answer.last_modified))

    def _note_refused(self, refused: Refused, reading: Reading | None) -> None:
        """A URL that is no page of its own; where it leads to a page, links to it name that page."""
        if refused.rule == "noindex" and reading is not None and reading.page is not None:
            self.recrawl.see_page(refused.final_url, reading.page.links)
        elif refused.rule != "duplicate" or not refused.final_url:
            self.recrawl.see(refused.url, Sight("refused", f"{refused.rule}: {refused.reason}"))
        elif (alias := self.recrawl.id_of(refused.url)) != (page := self.recrawl.id_of(refused.final_url)):
            self.recrawl.see_redirect(refused.url, refused.final_url)
            self._aliases[alias] = page

    def _keep(self, item: ExtractedPage, redirects: Sequence[str]) -> None:
        """Index the page, or only note it where its content is as stored."""
        for hop in redirects:
            self.recrawl.see_redirect(hop, item.page.url)
        has_other_links = self.recrawl.see_page(item.page.url, item.page.links, item.content_hash)
        known = self.recrawl.known(item.page.url)
        if known is None or known.content_hash != item.content_hash:
            self._batch.append(item)
            return
        self._aliases |= {self.recrawl.id_of(url): item.page_id for url in item.aliases}
        links = item.page.links if has_other_links else None
        self._confirmed.append(ConfirmedPage(item.page_id, item.etag, item.last_modified, True, links))

    def _extracted(self, request: Request, fetched: Fetched, reading: Reading, page: Page) -> ExtractedPage:
        return ExtractedPage(
            page=page,
            source_id=self._source.source_id,
            content_hash=reading.content_hash,
            fetched_at=_now(),
            aliases=tuple(url for url in fetched.redirects if key_of(url) != key_of(page.url)),
            parent_url=request.parent_url,
            depth=request.depth,
            etag=fetched.etag,
            last_modified=fetched.last_modified,
        )

    def _commit(self, batch: Sequence[ExtractedPage], confirmed: Sequence[ConfirmedPage]) -> int:
        """Write a batch, and note the pages that are as stored. Answers the chunks."""
        indexed = index_pages(batch, self._tools.embedder, self._tools.limits) if batch else []
        self._tools.store.replace_pages(indexed)
        self._tools.store.confirm_pages(confirmed, self._source.source_id)
        for item in indexed:
            logger.debug("indexed url=%s chunks=%d", item.page.url, len(item.chunks))
        return sum(len(item.chunks) for item in indexed)


def _conclude(progress: Progress, report: CrawlReport, *, is_cancelled: bool) -> None:
    """Status and error of the ended job (contract D7)."""
    job = progress.job
    progress.add_skipped(SkippedUrls(rule.reason, rule.count, rule.examples) for rule in report.refused_links)
    cut_by = report.truncated_by
    if report.root_error and not job.pages_indexed and not job.pages_unchanged:
        error = f"{job.url} could not be indexed: {report.root_error}"
        progress.end("failed", _now(), error, report.notes, cut_by)
    elif is_cancelled:
        progress.end("cancelled", _now(), notes=report.notes, cut_by=cut_by)
    else:
        progress.end("completed", _now(), notes=report.notes, cut_by=cut_by)
    _log_end(progress.job)


def _is_fetched(outcome: FetchOutcome, reading: Reading | None) -> bool:
    """True if the server gave the page, whatever it holds."""
    match outcome:
        case Fetched() | NotModified():
            return True
        case Failed():
            return reading is not None and reading.fault != ""
        case _:
            return isinstance(outcome, Refused) and outcome.rule == "noindex"


def _log_outcome(outcome: FetchOutcome) -> None:
    match outcome:
        case Fetched() | NotModified():
            logger.info("page_fetched url=%s unchanged=%s", outcome.final_url, isinstance(outcome, NotModified))
        case Refused():
            logger.debug("url_skipped url=%s reason=%s: %s", outcome.url, outcome.rule, outcome.reason)
        case Gone():
            logger.info("page_gone url=%s status=%d", outcome.url, outcome.status)
        case Failed():
            logger.info("page_failed url=%s reason=%s", outcome.url, outcome.reason)


def _log_end(ended: Job) -> None:
    seconds = (ended.ended_at - ended.started_at).total_seconds() if ended.ended_at and ended.started_at else 0
    logger.info(
        "job_ended id=%s status=%s indexed=%d unchanged=%d pruned=%d failed=%d skipped=%d seconds=%.1f",
        ended.job_id,
        ended.status,
        ended.pages_indexed,
        ended.pages_unchanged,
        ended.pages_pruned,
        ended.pages_failed,
        ended.pages_skipped,
        seconds,
    )


def _now() -> datetime:
    return datetime.now(UTC)
