"""Which pages does the site itself list? Reads its sitemaps and offers their entries to the crawl.

The start page is asked for first; what the sitemaps name comes after its links, one link from the root and with the
root as parent, so that `max_depth=0` stays the start page alone. They are seeds and no fence: links are followed as
without them. A sitemap that is missing or broken is no fault of the crawl and goes to the log at DEBUG.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import islice

from webdocs.crawl.reading import Ask
from webdocs.crawl.retry import wait_before_retry
from webdocs.crawl.sitemap import Entries, SitemapEntry, read_entries
from webdocs.crawl.url import MAX_URL_BYTES, host_of, join, key_of, origin_of, registrable_domain, strip_fragment
from webdocs.model import Failed, Fetched, FetchOutcome, Gone, Request

logger = logging.getLogger(__name__)

MAX_FILES = 50
"""Our choice: at 50,000 entries each, far more than any crawl takes; an index may name as many again."""

MAX_INDEX_DEPTH = 5
"""Our choice: the protocol knows one level, sites that nest have two or three."""

_ENTRIES_A_TURN = 500
"""Our choice: some milliseconds of parsing, after which other pages get their turn."""

Offer = Callable[[str], bool]


class SitemapSeeds:
    """The sitemaps of one crawl.

    Args:
        root_url: The start page's final URL; a file on another registrable domain is refused.
        ask: Gets one file, through robots.txt, pace and address guard.
        offer: Takes a page's URL; true if it was queued.
        max_pages: Reading ends once so many were queued: the crawl stores no more.
        sleep: Waits between retries.
    """

    def __init__(
        self,
        root_url: str,
        ask: Ask,
        offer: Offer,
        max_pages: int,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._root_url = root_url
        self._ask = ask
        self._offer = offer
        self._left = max_pages
        self._sleep = sleep
        self._files: deque[tuple[str, int]] = deque()
        self._seen: set[str] = set()
        self._is_guess = False
        self.is_complete = True

    async def read(self, named: Iterable[str]) -> None:
        """Read the sitemaps that robots.txt names, or else `/sitemap.xml`.

        `is_complete` tells afterwards whether every entry of every file was offered: a caller must not take a page
        for unlisted if it is false.

        Args:
            named: Values of Sitemap lines, relative ones allowed.
        """
        origin = origin_of(self._root_url)
        lines = list(named)
        self._is_guess = not lines
        for line in lines or ["/sitemap.xml"]:
            self._add(join(f"{origin}/robots.txt", line) or line, 0)
        while self._files and self._left > 0:
            await self._read_file(*self._files.popleft())
        self.is_complete = self.is_complete and not self._files

    def _add(self, url: str, depth: int) -> None:
        if reason := self._judge_host(url):
            logger.debug("sitemap_refused url=%s reason=%s", url[:MAX_URL_BYTES], reason)
        elif (key := key_of(url)) in self._seen:
            return
        elif depth > MAX_INDEX_DEPTH or len(self._seen) >= MAX_FILES:
            logger.debug("sitemap_refused url=%s reason=limit depth=%d files=%d", url, depth, len(self._seen))
            self.is_complete = False
        else:
            self._seen.add(key)
            self._files.append((strip_fragment(url), depth))

    def _judge_host(self, url: str) -> str:
        if not url.startswith(("http://", "https://")):
            return "no http or https URL"
        if registrable_domain(host_of(url)) != registrable_domain(host_of(self._root_url)):
            return "another site's host"
        return ""

    async def _read_file(self, url: str, depth: int) -> None:
        outcome = await self._fetch(Request(url, 1, self._root_url, purpose="sitemap"))
        if not isinstance(outcome, Fetched):
            logger.debug("sitemap_not_had url=%s outcome=%s", url, outcome)
            self.is_complete = self.is_complete and isinstance(outcome, Gone)
        elif reason := self._judge_host(outcome.final_url):
            logger.debug("sitemap_refused url=%s reason=%s", outcome.final_url, reason)
        else:
            await self._take(outcome, depth)

    async def _fetch(self, request: Request) -> FetchOutcome:
        retries = 0
        while True:
            outcome = await self._ask(request)
            wait_s = wait_before_retry(outcome, retries) if isinstance(outcome, Failed) else None
            if wait_s is None:
                return outcome
            retries += 1
            await self._sleep(wait_s)

    async def _take(self, file: Fetched, depth: int) -> None:
        reading = _Reading(read_entries(file.body, file.final_url))
        entries = iter(reading)
        offered = 0
        while self._left > 0 and (turn := list(islice(entries, _ENTRIES_A_TURN))):
            offered += len(turn)
            for entry in turn:
                self._take_entry(entry, depth)
            await asyncio.sleep(0)
        # A page that answers for any path is no sitemap, where nobody said that there is one.
        is_no_sitemap = self._is_guess and depth == 0 and offered == 0
        self.is_complete = self.is_complete and (is_no_sitemap or reading.is_whole)
        logger.debug("sitemap_read url=%s entries=%d left=%d", file.final_url, offered, self._left)

    def _take_entry(self, entry: SitemapEntry, depth: int) -> None:
        if entry.is_sitemap:
            self._add(entry.url, depth + 1)
        elif self._left > 0:
            self._left -= self._offer(entry.url)
        else:
            self.is_complete = False


class _Reading:
    """The entries of one file, and whether they were read to the file's own end."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self.is_whole = False

    def __iter__(self) -> Iterator[SitemapEntry]:
        self.is_whole = yield from self._entries
