"""What does each site's robots.txt say to this crawl? Fetched once an origin, through the crawl's own fetcher."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from webdocs.crawl.retry import wait_before_retry
from webdocs.crawl.robots import MAX_BYTES, Robots, parse
from webdocs.crawl.url import origin_of
from webdocs.model import Failed, Fetched, FetchOutcome, Refused, Request, RobotsCopy
from webdocs.ports import Fetcher, RobotsCopies

logger = logging.getLogger(__name__)

MAX_COPY_AGE = timedelta(hours=24)
"""RFC 9309, 2.4: a copy is not to be used for longer, be it from before the crawl or from its beginning."""

MAX_CRAWL_DELAY_S = 60.0
"""Our choice: above a minute a request a site of 1,000 pages takes most of a day, and a job that seems to stand still
helps nobody; what must not be crawled is for Disallow to say. RFC 9309 does not know Crawl-delay."""

_OVERRIDE = "the operator can set WEBDOCS_RESPECT_ROBOTS=false to crawl all the same"


def utc_now() -> datetime:
    """The time of day."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What an origin's robots.txt says, and since when."""

    says: Robots | Refused
    since: datetime


class RobotsGate:
    """The verdicts of one crawl.

    Args:
        fetcher: Gets robots.txt as it gets pages, so that the address guard and the redirect limit hold.
        product_token: Our name in robots.txt.
        sleep: Waits between retries.
        copies: Where good copies are kept for a server that cannot give its own now; None keeps none.
        now: Tells how old a copy is.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        product_token: str,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        *,
        copies: RobotsCopies | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._fetcher = fetcher
        self._product_token = product_token
        self._sleep = sleep
        self._copies = copies
        self._now = now
        self._verdicts: dict[str, _Verdict] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self.remarks: list[str] = []

    def is_loaded(self, url: str) -> bool:
        """True once the robots.txt that rules this URL was asked for, and until that is a day ago."""
        verdict = self._verdicts.get(origin_of(url))
        return verdict is not None and self._now() - verdict.since < MAX_COPY_AGE

    async def load(self, url: str) -> None:
        """Ask for the robots.txt that rules this URL, unless that was done."""
        origin = origin_of(url)
        async with self._locks.setdefault(origin, asyncio.Lock()):
            if self.is_loaded(url):
                return
            verdict = await self._verdict(origin)
            self._verdicts[origin] = verdict
            self._note_delay(origin, verdict.says)
        logger.info("robots_read origin=%s usable=%s", origin, isinstance(verdict.says, Robots))

    async def _verdict(self, origin: str) -> _Verdict:
        robots_url = f"{origin}/robots.txt"
        outcome = await self._fetch(robots_url)
        now = self._now()
        if isinstance(outcome, Fetched) and self._copies is not None:
            self._copies.save_robots_copy(RobotsCopy(origin, outcome.body[:MAX_BYTES], now))
        says = _verdict_of(outcome, robots_url)
        copy = self._young_copy(origin) if isinstance(outcome, Failed) and isinstance(says, Refused) else None
        if copy is None:
            return _Verdict(says, now)
        self._remark(f"{robots_url} could not be had; the copy of {copy.fetched_at:%Y-%m-%d %H:%M} UTC was obeyed")
        return _Verdict(parse(copy.body), copy.fetched_at)

    def _young_copy(self, origin: str) -> RobotsCopy | None:
        copy = self._copies.robots_copy(origin) if self._copies is not None else None
        return copy if copy is not None and self._now() - copy.fetched_at < MAX_COPY_AGE else None

    def _note_delay(self, origin: str, says: Robots | Refused) -> None:
        asked_s = _asked_delay_s(says, self._product_token)
        if asked_s > MAX_CRAWL_DELAY_S:
            limit = f"{MAX_CRAWL_DELAY_S:g} s were kept, which is the most that is"
            self._remark(f"{origin} asks for {asked_s:g} s between two requests; {limit}")

    def _remark(self, text: str) -> None:
        if text not in self.remarks:
            self.remarks.append(text)

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
        says = self._says(url)
        if isinstance(says, Refused):
            return Refused(url, says.rule, says.reason)
        if says is None or says.is_allowed(self._product_token, url):
            return None
        return Refused(url, "robots", f"the site's robots.txt forbids it; {_OVERRIDE}")

    def crawl_delay_s(self, url: str) -> float:
        """Seconds that the site asks for between two requests, up to `MAX_CRAWL_DELAY_S`; 0 if it asks for nothing."""
        return min(_asked_delay_s(self._says(url), self._product_token), MAX_CRAWL_DELAY_S)

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """The Sitemap lines of the site's robots.txt, as they stand there."""
        says = self._says(url)
        return says.sitemaps if isinstance(says, Robots) else ()

    def _says(self, url: str) -> Robots | Refused | None:
        verdict = self._verdicts.get(origin_of(url))
        return None if verdict is None else verdict.says


def _asked_delay_s(says: Robots | Refused | None, product_token: str) -> float:
    return (says.crawl_delay_s(product_token) or 0.0) if isinstance(says, Robots) else 0.0


def _verdict_of(outcome: FetchOutcome, robots_url: str) -> Robots | Refused:
    """RFC 9309, 2.3.1: a 4xx allows everything; what is unreachable forbids everything."""
    match outcome:
        case Fetched(body=body):
            return parse(body)
        case Refused(rule=rule, reason=reason):
            # Not a matter of robots: the site itself may not be dialled, or its robots.txt leads elsewhere.
            return Refused(robots_url, rule, f"{reason} (asked for {robots_url})")
        case Failed(status=None, reason=reason):
            why = f"the host does not answer: {reason} (asked for {robots_url} first; {_OVERRIDE})"
            return Refused(robots_url, "robots", why)
        case Failed(status=int(status), reason=reason) if not _is_answer(status):
            why = f"{robots_url} could not be had ({reason}), which counts as forbidden for now; {_OVERRIDE}"
            return Refused(robots_url, "robots", why)
        case _:
            return Robots()


def _is_answer(status: int) -> bool:
    """True if the status says that there are no rules: a 4xx other than 429, or a success without a body."""
    return status != 429 and (200 <= status < 300 or 400 <= status < 500)
