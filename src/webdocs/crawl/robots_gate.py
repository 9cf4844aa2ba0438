"""What does each site's robots.txt say to this crawl? Fetched once an origin, through the crawl's own fetcher."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from webdocs.crawl.retry import wait_before_retry
from webdocs.crawl.robots import Robots, parse
from webdocs.crawl.url import origin_of
from webdocs.model import Failed, Fetched, FetchOutcome, Refused, Request
from webdocs.ports import Fetcher

logger = logging.getLogger(__name__)

_OVERRIDE = "the operator can set WEBDOCS_RESPECT_ROBOTS=false to crawl all the same"


class RobotsGate:
    """The verdicts of one crawl.

    Args:
        fetcher: Gets robots.txt as it gets pages, so that the address guard and the redirect limit hold.
        product_token: Our name in robots.txt.
        sleep: Waits between retries.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        product_token: str,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._product_token = product_token
        self._sleep = sleep
        self._verdicts: dict[str, Robots | Refused] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    def is_loaded(self, url: str) -> bool:
        """True once the robots.txt that rules this URL was asked for."""
        return origin_of(url) in self._verdicts

    async def load(self, url: str) -> None:
        """Ask for the robots.txt that rules this URL, unless that was done."""
        origin = origin_of(url)
        async with self._locks.setdefault(origin, asyncio.Lock()):
            if origin in self._verdicts:
                return
            robots_url = f"{origin}/robots.txt"
            verdict = _verdict_of(await self._fetch(robots_url), robots_url)
            self._verdicts[origin] = verdict
        logger.info("robots_read url=%s usable=%s", robots_url, isinstance(verdict, Robots))

    async def _fetch(self, robots_url: str) -> FetchOutcome:
        retries = 0
        while True:
            outcome = await self._fetcher.fetch(Request(robots_url, purpose="robots"))
            if not isinstance(outcome, Failed):
                return outcome
            wait_s = wait_before_retry(outcome, retries)
            if wait_s is None:
                return outcome
            retries += 1
            await self._sleep(wait_s)

    def judge(self, url: str) -> Refused | None:
        """Why the URL may not be asked for; None if it may, or if its robots.txt was not loaded yet."""
        verdict = self._verdicts.get(origin_of(url))
        if isinstance(verdict, Refused):
            return Refused(url, verdict.rule, verdict.reason)
        if verdict is None or verdict.is_allowed(self._product_token, url):
            return None
        return Refused(url, "robots", f"the site's robots.txt forbids it; {_OVERRIDE}")

    def crawl_delay_s(self, url: str) -> float:
        """Seconds that the site asks for between two requests; 0 if it asks for nothing."""
        verdict = self._verdicts.get(origin_of(url))
        return (verdict.crawl_delay_s(self._product_token) or 0.0) if isinstance(verdict, Robots) else 0.0

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """The Sitemap lines of the site's robots.txt, as they stand there."""
        verdict = self._verdicts.get(origin_of(url))
        return verdict.sitemaps if isinstance(verdict, Robots) else ()


def _verdict_of(outcome: FetchOutcome, robots_url: str) -> Robots | Refused:
    """RFC 9309, 2.3.1: a 4xx allows everything; what is unreachable forbids everything."""
    match outcome:
        case Fetched(body=body):
            return parse(body)
        case Refused(rule=rule, reason=reason):
            # Not a matter of robots: the site itself may not be dialled, or its robots.txt leads elsewhere.
            return Refused(robots_url, rule, f"{reason} (asked for {robots_url})")
        case Failed(status=status, reason=reason) if not _is_answer(status):
            why = f"{robots_url} could not be had ({reason}), which counts as forbidden for now; {_OVERRIDE}"
            return Refused(robots_url, "robots", why)
        case _:
            return Robots()


def _is_answer(status: int | None) -> bool:
    """True if the status says that there are no rules: a 4xx other than 429, or a success without a body."""
    return status is not None and status != 429 and (200 <= status < 300 or 400 <= status < 500)
