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
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from webdocs.chunk import ChunkLimits
from webdocs.crawl import (
    OTHER_URL_RULES,
    Crawl,
    CrawlReport,
    MarkdownRules,
    Past,
    Reading,
    Sight,
    key_of,
    outcome_of,
)
from webdocs.extract import formats_here
from webdocs.ingest.full_text import is_full_text, read_full_text
from webdocs.ingest.journal import LINKS_COUNT_RULES, step_of
from webdocs.ingest.markdown import judge_markdown, read_list
from webdocs.ingest.page import ExtractedPage, index_pages, rechunk_pages
from webdocs.ingest.progress import Progress, skipped_of
from webdocs.ingest.read import read_page
from webdocs.ingest.recrawl import Recrawl, known_links_of
from webdocs.ingest.repeated import find_stale
from webdocs.model import (
    ConfirmedPage,
    CrawlBatch,
    CrawlStep,
    Failed,
    Fetched,
    FetchOutcome,
    Gone,
    Job,
    KnownLinks,
    ListedPage,
    NotModified,
    Page,
    PageFault,
    PrunedPage,
    Refused,
    Request,
    SkippedUrls,
    Source,
    content_hash_of,
)
from webdocs.ports import Embedder, Extractor, FetcherFactory, Store

logger = logging.getLogger(__name__)

BATCH_PAGES = 32
"""Pages of one commit; a commit of one page costs ten times as much a page (design, section 2)."""

BATCH_SECONDS = 1.0
"""Longest time a page waits for its commit while the crawl is slow. The first commits of a job are smaller, one page,
then one, two, four ...: a process that dies soon and often still gets on."""


def utc_now() -> datetime:
    """The time of day, aware."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Tools:
    """What a job works with. `clock` never runs backwards, `sleep` waits by it, `now` is the time of day."""

    store: Store
    embedder: Embedder
    extractor: Extractor
    limits: ChunkLimits
    fetcher_for: FetcherFactory
    prune_missing: bool = True
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], datetime] = utc_now


async def run_job(
    source: Source, job: Job, tools: Tools, publish: Callable[[Job], None], cancelled: asyncio.Event
) -> Job:
    """Crawl a source into the index. A job that has settled something already goes on from there.

    Args:
        source: What to crawl.
        job: Its pending job.
        tools: Store, embedder, fetcher, clocks.
        publish: Told of every step, but for the end, which counts once it is written; must be quick.
        cancelled: Set it to end the job early.

    Returns:
        The ended job: completed, failed or cancelled.

    Raises:
        StoreError, EmbedderError: the index cannot be written; what was committed stays.
    """
    steps = tools.store.steps(job.job_id)
    work = _Work(source, Progress(job), tools, publish, steps)
    work.progress.start(tools.now())
    past = work.restore(steps)
    publish(work.progress.job)
    fetcher = tools.fetcher_for(source.options)
    options, read = source.options, partial(read_page, tools.extractor)
    if is_full_text(source.root_url):
        # The file is the whole source: there is nothing to look for around it.
        options = replace(options, reads_sitemaps=False)
        read = partial(read_full_text, tools.extractor, options.max_pages)
    try:
        crawl = Crawl(
            source.root_url,
            options,
            fetcher,
            read,
            work.take,
            clock=tools.clock,
            sleep=tools.sleep,
            cancelled=cancelled,
            formats=formats_here(),
            validators=work.recrawl.validators(tools.now()),
            recall=work.recrawl.recall,
            copies=tools.store,
            now=tools.now,
            past=past,
            stored=work.recrawl.content_hashes(),
            markdown=work.markdown_rules(),
        )
        report = await crawl.run()
        work.note_rewritten(report.rewritten)
        await work.settle()
        remarks = await work.prune(crawl, report) if tools.prune_missing else []
        if not cancelled.is_set():
            await asyncio.to_thread(work.leave_out_repeated)
    finally:
        await fetcher.aclose()
    await asyncio.to_thread(tools.store.compact)
    report = replace(report, notes=(*job.notes, *report.notes, *remarks))
    _conclude(work.progress, report, tools.now(), is_cancelled=cancelled.is_set())
    return work.progress.job


class _Work:
    """The pages of one job between arrival and commit."""

    def __init__(
        self,
        source: Source,
        progress: Progress,
        tools: Tools,
        publish: Callable[[Job], None],
        steps: Sequence[CrawlStep],
    ) -> None:
        self._source = source
        self._tools = tools
        self._publish = publish
        self._batch: list[ExtractedPage] = []
        self._confirmed: list[ConfirmedPage] = []
        self._steps: list[CrawlStep] = []
        self._batch_since_s = tools.clock()
        self._commit_lock = asyncio.Lock()
        self._commits: list[asyncio.Future[None]] = []
        self._aliases: dict[str, str] = {}
        self._settled = 0
        self.recrawl = Recrawl(
            source.source_id,
            tools.store.known_pages(source.source_id),
            tools.store.known_links(source.source_id),
            new_urls=[step.final_url for step in steps if step.is_new],
        )
        self.progress = progress
        self._is_resumed = bool(steps)

    def restore(self, steps: Sequence[CrawlStep]) -> Past:
        """Count and note what was settled before; answers the steps with the links that lead on from them."""
        return [(step, self._restore_step(step)) for step in steps]

    def _restore_step(self, step: CrawlStep) -> Sequence[str]:
        self.progress.count_crawled(0, is_fetched=step.is_fetched)
        if step.kind == "indexed" or step.kind == "unchanged":
            self._restore_page(step)
            return (step.links or self.recrawl.stored_links(step.final_url)).followed
        self._note_unstored(outcome_of(step), step.links)
        if step.links is not None:
            return step.links.followed
        # A page that failed counts with its stored links, but for a start page (contract D7).
        stored = self.recrawl.recall(step.final_url) if step.kind == "failed" and step.parent_url is not None else None
        return stored.links if stored is not None else ()

    def _restore_page(self, step: CrawlStep) -> None:
        for hop in step.redirects:
            self.recrawl.see_redirect(hop, step.final_url)
        self.recrawl.see_stored(step.final_url, step.content_hash)
        if step.kind == "indexed":
            self.progress.count_indexed([self.recrawl.id_of(step.final_url)], step.chunks)
        else:
            self._note_aliases(step.redirects, step.final_url)
            self.progress.count_unchanged([self.recrawl.id_of(step.final_url)])

    def markdown_rules(self) -> MarkdownRules:
        """What the crawl may make of the site's Markdown; only a first crawl looks for llms.txt (contract F4)."""
        store, source_id = self._tools.store, self._source.source_id

        async def keep(pages: tuple[ListedPage, ...]) -> None:
            await asyncio.to_thread(store.save_listed, source_id, pages)

        read = read_list if self.recrawl.is_first and not self._is_resumed else None
        return MarkdownRules(judge_markdown, read, keep, store.listed(source_id))

    async def take(self, request: Request, outcome: FetchOutcome, reading: Reading | None, queued: int) -> None:
        """Note an outcome, and store a page."""
        step = step_of(request, outcome, reading)
        match outcome:
            case Fetched() if reading is not None and reading.parts:
                self._steps += self._keep_parts(request, outcome, reading, step)
            case Fetched() if reading is not None and reading.page is not None:
                step = self._keep(self._extracted(request, outcome, reading, reading.page), step)
            case NotModified():
                self._confirm(outcome)
            case _:
                self._note_unstored(outcome, step.links)
        if reading is None or not reading.parts:
            self._steps.append(step)
        _log_outcome(outcome)
        self.progress.count_crawled(queued, is_fetched=step.is_fetched)
        most = min(max(self._settled, 1), BATCH_PAGES)
        if len(self._steps) >= most or self._tools.clock() - self._batch_since_s > BATCH_SECONDS:
            await self.flush()
        self._publish(self.progress.job)

    async def flush(self) -> None:
        """Commit what has come in."""
        async with self._commit_lock:
            batch, self._batch = self._batch, []
            confirmed, self._confirmed = self._confirmed, []
            steps, self._steps = self._steps, []
            self._settled += len(steps)
            self._batch_since_s = self._tools.clock()
            if steps:
                # A cancelled crawl cancels its page tasks; the batch in its thread must be waited for and counted.
                self._commits.append(asyncio.ensure_future(self._commit_and_count(batch, confirmed, steps)))
                await asyncio.shield(self._commits[-1])

    async def settle(self) -> None:
        """Commit what has come in and wait for every commit under way."""
        await self.flush()
        await asyncio.gather(*self._commits)
        if self._aliases:
            aliases = {alias: self._end_of(page) for alias, page in self._aliases.items()}
            await asyncio.to_thread(self._tools.store.add_aliases, aliases)

    def note_rewritten(self, rewritten: Mapping[str, str]) -> None:
        """Links whose origin redirects were asked for at the other one; they still name the page."""
        for url, final_url in rewritten.items():
            self.recrawl.see_redirect(url, final_url)
            self._aliases.setdefault(self.recrawl.id_of(url), self.recrawl.id_of(final_url))

    def _end_of(self, page: str) -> str:
        """The page that stands for another one in the end."""
        seen = {page}
        while (following := self._aliases.get(page, page)) not in seen:
            seen.add(page := following)
        return page

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
        if doomed:
            # At once: were the job resumed, these pages would not be there to be deleted and told of again.
            await asyncio.to_thread(self._tools.store.save_job, self.progress.job)
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

    async def _commit_and_count(
        self, batch: Sequence[ExtractedPage], confirmed: Sequence[ConfirmedPage], steps: Sequence[CrawlStep]
    ) -> None:
        chunks = await asyncio.to_thread(self._commit, batch, confirmed, steps)
        self.progress.count_indexed([item.page_id for item in batch], chunks)
        self.progress.count_unchanged([page.page_id for page in confirmed])

    def _confirm(self, answer: NotModified) -> None:
        """A 304: the stored page holds."""
        if (known := self.recrawl.known(answer.url)) is not None:
            self.recrawl.see_unchanged(known)
            self._confirmed.append(ConfirmedPage(known.page_id, answer.etag, answer.last_modified))

    def _note_unstored(self, outcome: FetchOutcome, links: KnownLinks | None) -> None:
        """An outcome that is no page to store; `links` are those of a page that came in all the same."""
        match outcome:
            case Gone():
                self.recrawl.see(outcome.url, Sight("gone", f"status {outcome.status}"))
                fault = PageFault(outcome.url, f"HTTP {outcome.status}: not there", outcome.status)
                self.progress.add_fault(fault, is_gone=True)
            case Failed():
                self.recrawl.see(outcome.url, Sight("failed", outcome.reason))
                self.progress.add_fault(PageFault(outcome.url, outcome.reason, outcome.status))
            case Refused():
                self._note_refused(outcome, links)
                self.progress.add_skipped([skipped_of(outcome)])

    def _note_refused(self, refused: Refused, links: KnownLinks | None) -> None:
        """A URL that is no page of its own; where it leads to a page, links to it name that page."""
        if refused.rule in LINKS_COUNT_RULES and links is not None:
            self.recrawl.see_page(refused.final_url, links)
        elif refused.rule not in OTHER_URL_RULES or not refused.final_url:
            # What was stored under its URL, or under the one that it redirects to, is not lost for that.
            for url in {refused.url, refused.final_url or refused.url}:
                self.recrawl.see(url, Sight("refused", f"{refused.rule}: {refused.reason}"))
        elif self.recrawl.id_of(refused.url) != self.recrawl.id_of(refused.final_url):
            holds_same = refused.rule == "duplicate" and links is not None
            self.recrawl.see_redirect(refused.url, refused.final_url, holds_same=holds_same)
            self._note_aliases((refused.url,), refused.final_url)

    def _note_aliases(self, urls: Sequence[str], final_url: str) -> None:
        page = self.recrawl.id_of(final_url)
        self._aliases |= {alias: page for url in urls if (alias := self.recrawl.id_of(url)) != page}

    def _keep(self, item: ExtractedPage, step: CrawlStep) -> CrawlStep:
        """Index the page, or only note it where its content is as stored; answers the step that this is."""
        # It may have waited for another URL that turned out not to stand for it.
        self._aliases.pop(item.page_id, None)
        for hop in step.redirects:
            self.recrawl.see_redirect(hop, item.page.url)
        # A first crawl has no stored links to compare with.
        links = KnownLinks() if self.recrawl.is_first else known_links_of(item.page.links)
        has_other_links = self.recrawl.see_page(item.page.url, links, item.content_hash)
        known = self.recrawl.known(item.page.url)
        if known is None or known.content_hash != item.content_hash:
            self._batch.append(item)
            return replace(step, is_new=known is None)
        self._note_aliases(item.aliases, item.page.url)
        links = item.page.links if has_other_links else None
        self._confirmed.append(ConfirmedPage(item.page_id, item.etag, item.last_modified, True, links, item.body_url))
        return replace(step, kind="unchanged")

    def _keep_parts(self, request: Request, fetched: Fetched, reading: Reading, step: CrawlStep) -> list[CrawlStep]:
        """Keep the pages of which a body consists; a crawl that is resumed asks for the body again."""
        items = [self._extracted(request, fetched, reading, page) for page in reading.parts]
        return [
            self._keep(item, replace(step, url=item.page.url, final_url=item.page.url, redirects=())) for item in items
        ]

    def _extracted(self, request: Request, fetched: Fetched, reading: Reading, page: Page) -> ExtractedPage:
        return ExtractedPage(
            page=page,
            source_id=self._source.source_id,
            content_hash=content_hash_of(page) if reading.parts else reading.content_hash,
            fetched_at=self._tools.now(),
            aliases=tuple(url for url in fetched.redirects if key_of(url) != key_of(page.url)),
            parent_url=request.parent_url,
            depth=request.depth,
            etag=fetched.etag,
            last_modified=fetched.last_modified,
            body_url=fetched.body_url,
        )

    def _commit(
        self, batch: Sequence[ExtractedPage], confirmed: Sequence[ConfirmedPage], steps: Sequence[CrawlStep]
    ) -> int:
        """Write a batch, and note the pages that are as stored. Answers the chunks."""
        indexed = index_pages(batch, self._tools.embedder, self._tools.limits) if batch else []
        chunks = {item.page.url: len(item.chunks) for item in indexed}
        counted = [replace(step, chunks=chunks[step.final_url]) if step.kind == "indexed" else step for step in steps]
        job_id = self.progress.job.job_id
        self._tools.store.commit(CrawlBatch(job_id, self._source.source_id, indexed, confirmed, counted))
        for item in indexed:
            logger.debug("indexed url=%s chunks=%d", item.page.url, len(item.chunks))
        return sum(len(item.chunks) for item in indexed)


def _conclude(progress: Progress, report: CrawlReport, now: datetime, *, is_cancelled: bool) -> None:
    """Status and error of the ended job (contract D7)."""
    job = progress.job
    progress.add_skipped(SkippedUrls(rule.reason, rule.count, rule.examples) for rule in report.refused_links)
    cut_by = report.truncated_by
    if report.root_error and not job.pages_indexed and not job.pages_unchanged:
        error = f"{job.url} could not be indexed: {report.root_error}"
        progress.end("failed", now, error, report.notes, cut_by)
    elif is_cancelled:
        progress.end("cancelled", now, notes=report.notes, cut_by=cut_by)
    else:
        progress.end("completed", now, notes=report.notes, cut_by=cut_by)
    _log_end(progress.job)


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
