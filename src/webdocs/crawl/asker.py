"""How does the crawl ask a host for something? By its robots.txt, at its pace, with the validators that are known."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from webdocs.crawl.pace import Pace
from webdocs.crawl.retry import clamp_retry_after
from webdocs.crawl.robots_gate import RobotsGate
from webdocs.crawl.url import host_of
from webdocs.errors import FetchError
from webdocs.model import Failed, Fetched, FetchOutcome, NotModified, Refused, Request, Validators
from webdocs.ports import Fetcher

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


class Asker:
    """The manners of one crawl.

    Args:
        fetcher: Gets what is asked for.
        gate: The site's robots.txt; None obeys none.
        pace: Says when a host may be asked.
        may_follow: Whether the final URL of a redirect, given first, belongs to the crawl; one that does is held
            against robots.txt like a page that was linked.
        clock: Seconds that never run backwards.
        sleep: Waits.
        validators: URL to what goes back with its request.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        gate: RobotsGate | None,
        pace: Pace,
        may_follow: Callable[[str, str], bool],
        *,
        clock: Clock,
        sleep: Sleep,
        validators: Mapping[str, Validators],
    ) -> None:
        self._fetcher = fetcher
        self._gate = gate
        self._pace = pace
        self._may_follow = may_follow
        self._clock = clock
        self._sleep = sleep
        self._validators = validators

    async def ask(self, request: Request) -> FetchOutcome:
        """Ask now; the frontier has seen to the pace."""
        if refused := await self.ask_robots(request.url):
            return refused
        try:
            outcome = await self._fetcher.fetch(self._with_validators(request))
        except FetchError as exc:
            return Failed(request.url, exc.what, exc.status, exc.retryable)
        if isinstance(outcome, Fetched | NotModified) and outcome.final_url != request.url:
            # The target of a redirect is a page of its own, which its site may have closed to us.
            if not self._may_follow(outcome.final_url, request.url):
                return outcome
            if refused := await self.ask_robots(outcome.final_url):
                return Refused(request.url, refused.rule, f"redirects to {outcome.final_url}: {refused.reason}")
        return outcome

    async def ask_paced(self, request: Request) -> FetchOutcome:
        """Ask for what the frontier does not know of, when the host may be asked."""
        host = host_of(request.url)
        now_s = self._clock()
        await self._sleep(self._pace.reserve(host, now_s) - now_s)
        outcome = await self.ask(request)
        if isinstance(outcome, Failed) and outcome.retry_after_s is not None:
            self._pace.slow_down(host, self._clock(), clamp_retry_after(outcome.retry_after_s))
        return outcome

    def hold_for_robots(self, url: str) -> None:
        """Ask the host for nothing else until its robots.txt, which the next request reads first, is there."""
        if self._gate is not None and not self._gate.is_loaded(url):
            self._pace.hold(host_of(url))

    async def ask_robots(self, url: str) -> Refused | None:
        """What robots.txt says to a URL, read first if it was not; None lets it pass."""
        if self._gate is None:
            return None
        if not self._gate.is_loaded(url):
            try:
                await self._gate.load(url)
            finally:
                self._pace.release(host_of(url))
            self._pace.require_delay(host_of(url), self._gate.crawl_delay_s(url))
        return self._gate.judge(url)

    def judge_known(self, url: str) -> str:
        """Why robots.txt, as far as it was read, keeps a URL out; empty if it does not."""
        refused = self._gate.judge(url) if self._gate is not None else None
        return f"{refused.rule}: {refused.reason}" if refused else ""

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """The sitemaps that the robots.txt of the URL's origin names."""
        return self._gate.sitemaps(url) if self._gate is not None else ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the crawl has to say of robots.txt."""
        return tuple(self._gate.remarks) if self._gate is not None else ()

    def _with_validators(self, request: Request) -> Request:
        known = self._validators.get(request.url) if request.purpose == "page" else None
        return replace(request, etag=known.etag, last_modified=known.last_modified) if known else request
