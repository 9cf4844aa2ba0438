"""The loop that joins frontier, pace, robots and fetcher: one crawl from its start to its report."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import MappingProxyType

from webdocs.crawl.asker import Asker, Clock, Sleep
from webdocs.crawl.frontier import Frontier
from webdocs.crawl.hints import ScriptHints
from webdocs.crawl.left_out import LeftOut
from webdocs.crawl.markdown import MarkdownRules, PageNames, Representations, distinct_pages, find_list
from webdocs.crawl.media import NO_FORMATS
from webdocs.crawl.pace import Pace
from webdocs.crawl.past import Past, arrival_of, outcome_of
from webdocs.crawl.reading import Read, Reading, Recall
from webdocs.crawl.report import (
    MAX_FAULTS,
    CrawlReport,
    Cut,
    explain_cut,
    explain_left_out,
    explain_lone_page,
    explain_unread,
    explain_unstored,
)
from webdocs.crawl.robots_gate import RobotsGate, utc_now
from webdocs.crawl.robots_tag import obey
from webdocs.crawl.scope import Scope
from webdocs.crawl.seeds import SitemapSeeds
from webdocs.crawl.url import origin_of, strip_fragment
from webdocs.model import (
    CrawlOptions,
    Failed,
    Fetched,
    FetchOutcome,
    Formats,
    Gone,
    ListedPage,
    NotModified,
    PageFault,
    Refused,
    Request,
    Validators,
)
from webdocs.ports import Fetcher, RobotsCopies

logger = logging.getLogger(__name__)

PRODUCT_TOKEN = "webdocs"  # noqa: S105 - robots.txt calls an agent's name a token
"""Our name in robots.txt (RFC 9309, 2.2.1)."""

OnPage = Callable[[Request, FetchOutcome, Reading | None, int], Awaitable[None]]
"""Takes every settled outcome, what its page says where a body was read or recalled, and how many pages are queued."""

_STEPS_A_TURN = 50
"""Our choice: some milliseconds of restoring, after which a cancellation is seen."""


class Crawl:
    """One crawl. `report` may be asked at any time, also after its task was cancelled.

    Args:
        start_url: A URL from `parse_start`.
        options: How to crawl.
        fetcher: Gets the pages and robots.txt; it stays open.
        read: Says what a body says, before the crawl decides whether it is a page of its own.
        on_page: Called with each settled outcome, up to `options.concurrency` at once. What it raises ends the crawl.
        clock: Seconds that never run backwards.
        sleep: Waits; a test passes one that moves its clock.
        cancelled: Ends the crawl once it is set.
        formats: Which files can be read beside HTML and text; links to them are followed.
        validators: URL to what goes back with its request; a page may then answer 304.
        recall: Says what is stored of a page.
        copies: Keeps the robots.txt of each origin for a day.
        now: The time of day, for the age of those copies.
        past: What was settled before the crawl was broken off, each step with the links that it leads to; the crawl
            goes on from there.
        stored: URL to content hash of every stored page: of two URLs of one page the stored one stays.
        markdown: Makes use of what the site offers as Markdown, llms.txt included; None leaves that alone.

    Raises:
        PatternError: An include or exclude pattern does not compile.
    """

    def __init__(
        self,
        start_url: str,
        options: CrawlOptions,
        fetcher: Fetcher,
        read: Read,
        on_page: OnPage,
        *,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        cancelled: asyncio.Event | None = None,
        formats: Formats = NO_FORMATS,
        validators: Mapping[str, Validators] | None = None,
        recall: Recall = lambda _url: None,
        copies: RobotsCopies | None = None,
        now: Callable[[], datetime] = utc_now,
        past: Past = (),
        stored: Mapping[str, str] = MappingProxyType({}),
        markdown: MarkdownRules | None = None,
    ) -> None:
        self._start_url = strip_fragment(start_url)
        self._options = options
        self._formats = formats
        self._read = read
        self._on_page = on_page
        self._recall = recall
        self._clock = clock
        self._sleep = sleep
        self._cancelled = cancelled or asyncio.Event()
        self._pace = Pace(options.delay_s)
        gate = RobotsGate(fetcher, PRODUCT_TOKEN, sleep, copies=copies, now=now) if options.respect_robots else None
        self._asker = Asker(
            fetcher, gate, self._pace, self._may_follow, clock=clock, sleep=sleep, validators=validators or {}
        )
        self._frontier = Frontier(
            Scope.of(self._start_url, options, formats),
            self._pace,
            max_pages=options.max_pages,
            max_depth=options.max_depth,
            judge_known=self._asker.judge_known,
            keeps_routes=options.render != "never",
            pages=options.pages,
            stored=stored,
        )
        self._hints = ScriptHints(options.render)
        self._starts = frozenset((self._start_url,) if options.pages is None else options.pages)
        self._deadline_s = math.inf
        self._tasks: set[asyncio.Task[None]] = set()
        self._root: FetchOutcome | None = None
        self._root_url = ""
        self._counts: Counter[type[FetchOutcome]] = Counter()
        self._left_out = LeftOut(self._asker.ask_paced, read)
        self._faults: list[PageFault] = []
        self._was_broken_off = False
        self._is_out_of_time = False
        self._past = past
        self._is_restored = not past
        self._are_sitemaps_read = True
        self._markdown = markdown
        self._listed = markdown.listed if markdown else ()
        self._representations = Representations(markdown, self._asker.ask_paced, PRODUCT_TOKEN) if markdown else None
        self._is_seeded = markdown is None

    async def run(self) -> CrawlReport:
        """Crawl until nothing is left, a limit is reached or the crawl is cancelled."""
        logger.info("crawl_started url=%s max_pages=%d", self._start_url, self._options.max_pages)
        if self._options.time_limit_s is not None:
            self._deadline_s = self._clock() + self._options.time_limit_s
        canceller = asyncio.create_task(self._cancelled.wait())
        if not self._is_restored or not self._is_seeded:
            self._tasks.add(asyncio.create_task(self._prepare()))
        try:
            await self._loop(canceller)
        except asyncio.CancelledError:
            self._was_broken_off = True
            raise
        finally:
            await _end([*self._tasks, canceller])
        report = self.report()
        logger.info(
            "crawl_ended url=%s pages=%d failed=%d cut=%s",
            self._start_url,
            report.pages_fetched,
            report.pages_failed,
            report.truncated_by or "no",
        )
        return report

    async def _loop(self, canceller: asyncio.Task[bool]) -> None:
        while not self._cancelled.is_set():
            wait_s = self._launch()
            if not self._tasks and (wait_s is None or math.isinf(wait_s)):
                return
            if (left_s := self._left_s()) <= 0:
                self._is_out_of_time = True
                return
            await self._wait(min(math.inf if wait_s is None else wait_s, left_s), canceller)

    def _left_s(self) -> float:
        return self._deadline_s - self._clock()

    def _launch(self) -> float | None:
        """Start what may start now; answers what the frontier says then."""
        if not self._is_restored or not self._is_seeded:
            return math.inf
        while len(self._tasks) < self._options.concurrency:
            step = self._frontier.next(self._clock())
            if not isinstance(step, Request):
                return step
            self._asker.hold_for_robots(step.url)
            self._tasks.add(asyncio.create_task(self._visit(step)))
        return math.inf

    async def _wait(self, wait_s: float, canceller: asyncio.Task[bool]) -> None:
        """Until a page is done, a host is ready, the time is up, or the crawl is cancelled."""
        waiting: set[asyncio.Task[None] | asyncio.Task[bool]] = {*self._tasks, canceller}
        sleeper = None
        if math.isfinite(wait_s):
            sleeper = asyncio.create_task(_sleep(self._sleep, wait_s))
            waiting.add(sleeper)
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if sleeper is not None:
                await _end([sleeper])
        for task in [task for task in self._tasks if task.done()]:
            self._tasks.discard(task)
            task.result()

    async def _restore(self) -> None:
        """Take what was settled before. robots.txt comes first, as it judges the links that are queued anew."""
        for url in {origin_of(step.url): step.url for step, _ in self._past}.values():
            await self._asker.ask_robots(url)
        offered: dict[str, int] = {}
        for number, (step, links) in enumerate(self._past):
            # Pages of one site share most of their links: what was offered as near the root is not looked at again.
            fresh = [link for link in links if offered.get(link, math.inf) > step.depth]
            offered |= dict.fromkeys(fresh, step.depth)
            self._hints.note_links(fresh)
            self._frontier.restore(step, fresh)
            self._note(Request(step.url), arrival_of(step), outcome_of(step))
            if number % _STEPS_A_TURN == 0:
                await asyncio.sleep(0)
        self._past = ()
        self._is_restored = True
        self._seed_from_sitemaps()

    async def _visit(self, request: Request) -> None:
        arrived: FetchOutcome | None = None
        try:
            outcome = await self._ask_page(request)
            arrived = self._frontier.done(request, outcome, self._clock())
            if arrived is None:
                return
            reading = await self._read_or_recall(request, arrived)
        except asyncio.CancelledError:
            self._frontier.put_back(request, arrived)
            raise
        settled = self._frontier.settle(request, arrived, reading)
        self._note(request, arrived, settled)
        if isinstance(settled, Fetched):
            self._frontier.numbered.note_page(settled.final_url, settled.body)
            self._hints.note_page(settled.final_url, settled.body)
        await self._on_page(request, settled, reading, self._frontier.queued)
        if reading is not None:
            self._hints.note_links(reading.links)
            self._frontier.add_links(_page_url(arrived), request.depth, reading.links)
        if request.url == self._start_url:
            self._add_listed()  # again, as the scope may have followed a redirect
            self._seed_from_sitemaps()

    def _seed_from_sitemaps(self) -> None:
        """Read the sitemaps in a task of its own, so that the links just found need not wait for it."""
        if isinstance(self._root, Fetched | NotModified) and not self._root_url:
            self._root_url = self._root.final_url
            self._tasks.add(asyncio.create_task(self._read_sitemaps(self._root_url)))

    async def _read_or_recall(self, request: Request, outcome: FetchOutcome) -> Reading | None:
        """What the page says; for one without a body what is stored of it, if that may stand for it."""
        match outcome:
            case Fetched():
                tag = outcome.headers.get("x-robots-tag", "")
                reading = obey(tag, PRODUCT_TOKEN, await self._read(outcome))
                reading = await self._left_out.judge(self._frontier.scope, request, outcome.final_url, reading)
                reading = await self._prefer_markdown(outcome, reading)
                return self._excuse(request, outcome.final_url, reading) if reading.fault else reading
            case NotModified(final_url=final_url) if final_url == request.url:
                return self._recall(request.url)
            case Failed():
                return self._excuse(request, request.url, None)
            case _:
                return None

    async def _prefer_markdown(self, page: Fetched, reading: Reading) -> Reading:
        if self._representations is None or not reading.alternate:
            return reading
        preferred = await self._representations.prefer(page, reading, self._read)
        if preferred is not reading:
            self._frontier.note_twin(reading.alternate)
        return preferred

    def _excuse(self, request: Request, url: str, reading: Reading | None) -> Reading | None:
        """A page that failed counts with its stored links; a start page that failed leads nowhere (contract D7)."""
        stored = self._recall(url) if request.parent_url is not None else None
        if stored is None:
            return reading
        return replace(reading, links=stored.links) if reading is not None else stored

    async def _prepare(self) -> None:
        """Go on from what was settled before, then take what the site lists."""
        if not self._is_restored:
            await self._restore()
        if self._markdown is not None:
            await self._seed(self._markdown)

    async def _seed(self, rules: MarkdownRules) -> None:
        """Queue what the site's llms.txt names, before any page is asked for (contract F4, F5)."""
        if self._takes_seeds and self._options.pages is None and not self._listed and rules.read_list is not None:
            links = await find_list(self._start_url, self._asker.ask_paced, rules.read_list)
            names = PageNames(self._asker.ask_paced)
            # What is out of scope now may be in it once the start was redirected.
            is_outside = self._frontier.scope.judge
            named = [ListedPage(link) if is_outside(link) else await names.name(link) for link in links]
            self._listed = distinct_pages(named)
            if self._listed and rules.keep_listed is not None:
                await rules.keep_listed(self._listed)
        self._add_listed()
        self._is_seeded = True

    @property
    def _takes_seeds(self) -> bool:
        """True if what the site lists itself, in an llms.txt or a sitemap, is to be crawled as well."""
        return self._options.reads_sitemaps and self._options.max_pages > 1 and self._options.max_depth != 0

    def _add_listed(self) -> None:
        for page in self._listed:
            if self._frontier.add_listed(page.url) and self._representations is not None:
                self._representations.note_listed(page)

    async def _read_sitemaps(self, root_url: str) -> None:
        if not self._takes_seeds or self._frontier.scope.is_lone:
            return
        offer = partial(self._frontier.add_seed, root_url)
        seeds = SitemapSeeds(root_url, self._asker.ask_paced, offer, self._options.max_pages, self._sleep)
        await seeds.read(self._asker.sitemaps(root_url))
        self._are_sitemaps_read = seeds.is_complete

    async def _ask_page(self, request: Request) -> FetchOutcome:
        """Ask for a page, as Markdown first where the site's llms.txt names it."""
        url = self._representations.url_for(request.url) if self._representations is not None else ""
        if not url or self._representations is None:
            return await self._asker.ask(request)
        page = await self._representations.accept(request.url, await self._asker.ask(replace(request, url=url)))
        return page if page is not None else await self._asker.ask_paced(request)

    def _may_follow(self, final_url: str, url: str) -> bool:
        """True if the page that a URL redirects to is one of this crawl; the start may lead anywhere."""
        return url == self._start_url or not self._frontier.scope.judge(final_url)

    async def ask_again(self, urls: Iterable[str]) -> dict[str, FetchOutcome]:
        """Ask for pages once more after the crawl, with the same manners; ends early with the crawl's time, or when
        it is cancelled.
        """
        answers: dict[str, FetchOutcome] = {}
        canceller = asyncio.create_task(self._cancelled.wait())
        asking = asyncio.create_task(self._ask_each(urls, answers))
        try:
            left_s = None if math.isinf(self._deadline_s) else max(self._left_s(), 0)
            await asyncio.wait({canceller, asking}, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                asking.result()
        finally:
            await _end([canceller, asking])
        return answers

    async def _ask_each(self, urls: Iterable[str], answers: dict[str, FetchOutcome]) -> None:
        for url in urls:
            answers[url] = await self._asker.ask_paced(Request(url))

    def _note(self, request: Request, arrived: FetchOutcome, outcome: FetchOutcome) -> None:
        """Count an outcome. A start page that came in has answered, stored or not; one of several will do."""
        self._counts[type(outcome)] += 1
        if request.url in self._starts and not isinstance(self._root, Fetched | NotModified):
            self._root = outcome if isinstance(outcome, Failed) else arrived
        if len(self._faults) >= MAX_FAULTS:
            return
        if isinstance(outcome, Failed):
            self._faults.append(PageFault(outcome.url, outcome.reason, outcome.status))
        elif isinstance(outcome, Gone):
            self._faults.append(PageFault(outcome.url, f"not there (status {outcome.status})", outcome.status))

    def report(self) -> CrawlReport:
        """What the crawl came to so far."""
        is_cancelled = self._cancelled.is_set() or self._was_broken_off
        cut: Cut = "cancelled" if is_cancelled else "time" if self._is_out_of_time else self._frontier.truncated_by
        queued = self._frontier.queued
        refused = self._frontier.refused_links
        unstored = explain_unstored(self._left_out.counts)
        limits = [*explain_cut(cut, queued, self._options), *explain_unread(refused, self._formats)]
        is_lone = self._frontier.stored == 1 and not is_cancelled and refused
        left = explain_lone_page(refused) if is_lone else explain_left_out(refused)
        return CrawlReport(
            self._start_url,
            self._root,
            pages_fetched=self._counts[Fetched],
            pages_unchanged=self._counts[NotModified],
            pages_gone=self._counts[Gone],
            pages_failed=self._counts[Failed],
            pages_refused=self._counts[Refused],
            pages_queued=queued,
            requests=self._frontier.requests,
            faults=tuple(self._faults),
            refused_links=refused,
            refused_keys=self._frontier.refused_keys,
            truncated_by=cut,
            are_sitemaps_read=self._are_sitemaps_read,
            is_list=self._options.pages is not None,
            rewritten=self._frontier.rewritten,
            notes=(*self._remarks(), *left, *unstored, *limits),
        )

    def _remarks(self) -> tuple[str, ...]:
        return (*self._frontier.remarks, *self._hints.remarks(), *self._asker.remarks)


def _page_url(outcome: FetchOutcome) -> str:
    """The URL that the page's links count for."""
    return outcome.final_url if isinstance(outcome, Fetched | NotModified) else outcome.url


async def _sleep(sleep: Sleep, seconds: float) -> None:
    await sleep(seconds)


async def _end(tasks: Sequence[asyncio.Task[None] | asyncio.Task[bool]]) -> None:
    """Cancel what still runs and wait for it, so that nothing outlives the crawl."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
