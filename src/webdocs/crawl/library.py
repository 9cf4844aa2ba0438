"""Crawling from a program of your own, without event loop, index or database (contract D8).

    from webdocs.crawl import crawl

    for page in crawl("https://docs.example.org/guide/"):
        print(page.url, len(page.html))

This module alone of its package imports `extract`: a crawl must know where pages lead, and elsewhere the job that
indexes them tells it. See docs/decisions/0014-the-crawl-as-a-library.md.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from webdocs.crawl.caller import Caller
from webdocs.crawl.fetch_http import HttpFetcher
from webdocs.crawl.fetch_injected import ConditionalFetch, InjectedFetcher, PlainFetch
from webdocs.crawl.reading import Reading
from webdocs.crawl.report import CrawlReport
from webdocs.crawl.run import Crawl
from webdocs.crawl.url import key_of, parse_start, strip_fragment
from webdocs.extract import links_of, text_of
from webdocs.model import (
    CrawlOptions,
    Failed,
    Fetched,
    FetchOutcome,
    Gone,
    NotModified,
    Refused,
    Request,
    ScopeKind,
    Validators,
)


@dataclass(frozen=True, slots=True)
class CrawledPage:
    """One page as it came.

    Attributes:
        url: Its final URL.
        html: Its body as text; Markdown where the site gives that.
        depth: Links from the start.
        parent_url: The page that first linked to it; None for the start.
        links: Where it leads, absolute, in its order.
        etag: To be given back as a validator the next time.
        last_modified: Likewise.
    """

    url: str
    html: str
    depth: int
    parent_url: str | None
    links: tuple[str, ...] = ()
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """What became of each URL.

    Attributes:
        pages: The fetched pages, in the order in which they came.
        unchanged: URLs that answered "not modified".
        gone: URLs that answered 404 or 410.
        failed: URLs that could not be had.
        refused: URLs that a rule kept out once they were asked for, and links that robots.txt forbids.
        reasons: Why, for each URL in `gone`, `failed` and `refused`.
        truncated: True if a limit left known pages out: a page that is missing here may still be there.
        error: Why the start page gave nothing; empty if it gave something.
        notes: Remarks for a person.
    """

    pages: tuple[CrawledPage, ...] = ()
    unchanged: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    reasons: Mapping[str, str] = field(default_factory=dict)
    truncated: bool = False
    error: str = ""
    notes: tuple[str, ...] = ()

    @property
    def fetched(self) -> frozenset[str]:
        """Final URLs of the pages that came in whole."""
        return frozenset(page.url for page in self.pages)


def crawl(url: str, fetcher: PlainFetch | ConditionalFetch | None = None, **settings) -> list[CrawledPage]:
    """The pages of a site; see `crawl_detailed` for the arguments and for what became of the others."""
    return list(crawl_detailed(url, fetcher, **settings).pages)


def crawl_detailed(
    url: str,
    fetcher: PlainFetch | ConditionalFetch | None = None,
    *,
    respect_robots: bool = True,
    crawl_delay: float = 1.0,
    max_pages: int = 50,
    max_depth: int | None = 3,
    scope: ScopeKind = "subpages",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    allow_private: Sequence[str] = (),
    validators: Mapping[str, Validators | tuple[str, str]] | None = None,
    known_links: Mapping[str, Iterable[str]] | None = None,
    on_page: Callable[[CrawledPage], object] | None = None,
    on_unchanged: Callable[[str], object] | None = None,
    sleep: Callable[[float], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> CrawlResult:
    """Crawl a site, breadth first from its start page.

    Args:
        url: The start page, as a person types it.
        fetcher: `(url) -> str`, or `(url, etag, last_modified) -> FetchResult`, called one page at a time; what it
            raises counts as a page that failed. Without one the pages are asked for over HTTP behind the address guard.
        respect_robots: Obey robots.txt. A fetcher that raises for it, and so tells no status, allows everything.
        crawl_delay: Least seconds between two requests to one host; a robots.txt that asks for more wins.
        max_pages: Most pages to take, unchanged ones included.
        max_depth: Most links from the start; None is unlimited.
        scope: `subpages` is the start page's folder, `hostname` its host, `domain` its registrable domain.
        include: Globs or `/regex/`; where there are any, a URL must match one.
        exclude: Globs or `/regex/`; a URL that matches one is left out.
        allow_private: Hosts, `host:port` or blocks that may be dialled although they are private; not asked where a
            fetcher is given, since that one dials.
        validators: URL to what goes back with its request, an ETag and a Last-Modified; the page may then be unchanged.
        known_links: URL to where the page led the last time: an unchanged page, or one that failed, leads there again.
        on_page: Called with each page as it comes.
        on_unchanged: Called with the URL of each page that did not change.
        sleep: Waits instead of the crawl, so that a test need not.
        clock: Seconds that never run backwards; goes with `sleep`.

    Raises:
        UrlError, PatternError, SettingError: the URL, a pattern or an entry of `allow_private` is wrong.
    """
    caller = Caller()
    options = CrawlOptions(
        max_pages=max_pages,
        max_depth=max_depth,
        scope=scope,
        include=tuple(include),
        exclude=tuple(exclude),
        delay_s=crawl_delay,
        # A fetcher of the caller's is called in one thread, so one request at a time is all there can be.
        concurrency=1 if fetcher else 4,
        respect_robots=respect_robots,
        allow_private=tuple(allow_private),
    )
    reader = _Reader(known_links or {}, caller, on_page, on_unchanged)
    source = InjectedFetcher(fetcher, caller) if fetcher else HttpFetcher(allow_private=options.allow_private)
    one = Crawl(
        parse_start(url),
        options,
        source,
        reader.read,
        reader.take,
        clock=clock,
        sleep=caller.here(sleep) if sleep else _sleep,
        validators=_validators(validators or {}),
        recall=reader.recall,
    )

    async def run() -> CrawlReport:
        try:
            return await one.run()
        finally:
            await source.aclose()

    return reader.result(caller.run(run()))


class _Reader:
    """Reads the pages of one crawl and takes its outcomes."""

    def __init__(
        self,
        known_links: Mapping[str, Iterable[str]],
        caller: Caller,
        on_page: Callable[[CrawledPage], object] | None,
        on_unchanged: Callable[[str], object] | None,
    ) -> None:
        self._known_links = {key_of(strip_fragment(url)): tuple(links) for url, links in known_links.items()}
        self._on_page = caller.here(on_page) if on_page else None
        self._on_unchanged = caller.here(on_unchanged) if on_unchanged else None
        self._pages: list[CrawledPage] = []
        self._urls: dict[type[FetchOutcome], set[str]] = {}
        self._reasons: dict[str, str] = {}

    async def read(self, fetched: Fetched) -> Reading:
        """The page's links; its text is for the caller to judge."""
        return Reading(links=links_of(fetched.body, fetched.content_type, fetched.final_url))

    def recall(self, url: str) -> Reading:
        """What the caller knows of a page that did not come in: its links."""
        return Reading(links=self._known_links.get(key_of(url), ()))

    async def take(self, request: Request, outcome: FetchOutcome, reading: Reading | None, _queued: int) -> None:
        """Note an outcome."""
        match outcome:
            case Fetched():
                await self._take_page(request, outcome, reading.links if reading else ())
                return
            case NotModified():
                if self._on_unchanged:
                    await self._on_unchanged(request.url)
            case Gone(status=status):
                self._reasons[request.url] = f"not there (status {status})"
            case Failed(reason=reason):
                self._reasons[request.url] = reason
            case Refused(rule=rule, reason=reason):
                self._reasons[request.url] = f"{rule}: {reason}"
        self._urls.setdefault(type(outcome), set()).add(request.url)

    async def _take_page(self, request: Request, fetched: Fetched, links: tuple[str, ...]) -> None:
        page = CrawledPage(
            fetched.final_url,
            text_of(fetched.body, fetched.content_type),
            request.depth,
            request.parent_url,
            links,
            fetched.etag,
            fetched.last_modified,
        )
        self._pages.append(page)
        if self._on_page:
            await self._on_page(page)

    def result(self, report: CrawlReport) -> CrawlResult:
        """What it all came to."""
        forbidden = {url: reason for url, reason in report.refused_keys.items() if reason.startswith("robots:")}
        return CrawlResult(
            tuple(self._pages),
            unchanged=frozenset(self._urls.get(NotModified, ())),
            gone=frozenset(self._urls.get(Gone, ())),
            failed=frozenset(self._urls.get(Failed, ())),
            refused=frozenset((*self._urls.get(Refused, ()), *forbidden)),
            reasons=forbidden | self._reasons,
            truncated=report.truncated_by != "",
            error=report.root_error,
            notes=report.notes,
        )


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


def _validators(given: Mapping[str, Validators | tuple[str, str]]) -> dict[str, Validators]:
    return {
        strip_fragment(url): each if isinstance(each, Validators) else Validators(*each) for url, each in given.items()
    }
