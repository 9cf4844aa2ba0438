"""Which page is asked for next? The crawl's queue as a state machine: no clock, no I/O.

`next` hands out requests, breadth first; `done` takes their outcomes and settles what they are; `add_links` takes
what a page links to. Everything that was refused is counted by its rule, so that a crawl can explain itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import Literal

from webdocs.crawl.document import Documents
from webdocs.crawl.host_queue import HostQueues
from webdocs.crawl.identity import Identity
from webdocs.crawl.markdown_name import is_markdown
from webdocs.crawl.origin import Origins
from webdocs.crawl.pace import Pace
from webdocs.crawl.reading import OTHER_URL_RULES, Reading, has_other_url, judge_reading
from webdocs.crawl.refusals import Refusals, RefusedLinks
from webdocs.crawl.retry import clamp_retry_after, wait_before_retry
from webdocs.crawl.scope import Scope
from webdocs.crawl.trap import Branches, NumberedPages
from webdocs.crawl.url import MAX_URL_BYTES, host_of, join, key_of
from webdocs.crawl.url import page_url as page_url_of
from webdocs.crawl.variant import QueryVariants
from webdocs.model import CrawlStep, Failed, Fetched, FetchOutcome, Gone, NotModified, Refused, Request

MAX_LINKS_PER_PAGE = 10_000
"""Our choice: the largest index pages of known documentation have some thousands; more is a link bomb."""

Limit = Literal["", "max_pages", "max_depth"]


class Frontier:
    """The state of one crawl.

    Args:
        scope: Judges every link and every final URL.
        pace: Says when a host may be asked.
        max_pages: Most pages to store.
        max_depth: Most links from the root; None is unlimited.
        judge_known: Why a URL may not be asked for, as far as is known without asking: robots.txt.
        keeps_routes: Routes in a fragment are pages of their own.
        pages: Just these are asked for, and no link is followed; None starts at the scope's start URL.
        stored: URL to content hash of what was stored before the crawl.
    """

    def __init__(
        self,
        scope: Scope,
        pace: Pace,
        *,
        max_pages: int,
        max_depth: int | None = None,
        judge_known: Callable[[str], str] = lambda _url: "",
        keeps_routes: bool = False,
        pages: Sequence[str] | None = None,
        stored: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.scope = scope
        self.root_url = scope.start_url
        self.numbered = NumberedPages()
        self.remarks: list[str] = []
        self.stored = 0
        self.requests = 0
        self._pace = pace
        self._max_pages = max_pages
        self._max_depth = max_depth
        self._judge_known = judge_known
        self._keeps_routes = keeps_routes
        self._identity = Identity(self.root_url, stored)
        self._origins = Origins()
        self._variants = QueryVariants()
        self._branches = Branches()
        self._queue = HostQueues(pace)
        self._documents = Documents()
        self._depths: dict[str, int] = {}
        self._asked: set[str] = set()
        self._waiting: set[str] = set()
        self._pages: dict[str, str] = {}
        self._retries: dict[str, int] = {}
        self._in_flight: set[str] = set()
        self._in_reading: set[str] = set()
        self._too_deep: set[str] = set()
        self._refusals = Refusals()
        self._anew: set[str] = set()
        self._is_list = pages is not None
        for url in (self.root_url,) if pages is None else pages:
            self._enqueue(Request(url))

    # ------------------------------------------------------------ out

    def next(self, now_s: float) -> Request | float | None:
        """What to do now.

        Returns:
            The request to make; or the seconds until there may be one, infinite if only an outcome can bring
            it; or None when nothing is queued and nothing is in flight.
        """
        self._queue.wake(now_s)
        if self.stored >= self._max_pages:
            return math.inf if self._in_flight else None
        if self.stored + len(self._in_flight) >= self._max_pages:
            return math.inf
        self._queue.drop(self._is_stale)
        if self._queue.is_empty and not self._in_flight and self._release_held():
            return self.next(now_s)
        request = self._queue.take(now_s)
        if request is None:
            wait_s = self._queue.wait_s(now_s)
            return math.inf if wait_s is None and self._in_flight else wait_s
        self._note_asked(request)
        return request

    def _note_asked(self, request: Request) -> None:
        key = key_of(request.url)
        self._asked.add(key)
        self._waiting.discard(key)
        self._in_flight.add(key)
        self.requests += 1

    def _is_stale(self, request: Request) -> bool:
        """True for what was settled meanwhile, or was queued again nearer."""
        key = key_of(request.url)
        if key in self._pages or request.depth != self._depths.get(key):
            return True
        if key in self._asked:
            return key not in self._retries
        if reason := self._judge_variant(request, is_queued=True):
            self._waiting.discard(key)
            self._refusals.note(reason, request.url)
        return reason != ""

    # ------------------------------------------------------------ in

    def done(self, request: Request, outcome: FetchOutcome, now_s: float) -> FetchOutcome | None:
        """Take the answer to a request. A page that it brings is claimed, until `settle` or `put_back`.

        Returns:
            The outcome as the crawl sees it: a page that lies out of scope, or is stored already under another
            URL, is `Refused`. None when the request will be made again.
        """
        key = key_of(request.url)
        self._in_flight.discard(key)
        if isinstance(outcome, Failed) and key in self._pages:
            reason = "another URL redirected here and brought the page"
            return Refused(request.url, "duplicate", reason, self._pages[key])
        if isinstance(outcome, Failed) and self._will_retry(key, request, outcome, now_s):
            return None
        self._retries.pop(key, None)
        if isinstance(outcome, Fetched | NotModified):
            return self._claim(request, outcome)
        return outcome

    def _will_retry(self, key: str, request: Request, outcome: Failed, now_s: float) -> bool:
        if outcome.retry_after_s is not None:
            host = host_of(request.url)
            self._pace.slow_down(host, now_s, clamp_retry_after(outcome.retry_after_s))
        retries = self._retries.get(key, 0)
        wait_s = wait_before_retry(outcome, retries)
        if wait_s is None:
            return False
        self._retries[key] = retries + 1
        self._waiting.add(key)
        self._queue.push_later(now_s + wait_s, request)
        return True

    def _claim(self, request: Request, outcome: Fetched | NotModified) -> FetchOutcome:
        if isinstance(outcome, Fetched):
            hops = set(map(key_of, outcome.redirects))
            self._asked |= hops
            self._waiting -= hops
        if request.url == self.root_url:
            self._rebase(outcome.final_url)
        is_exempt = self._is_list and outcome.final_url == request.url
        if not is_exempt and (reason := self.scope.judge(outcome.final_url)):
            return Refused(request.url, "scope", reason, outcome.final_url)
        key = key_of(outcome.final_url)
        if key in self._pages:
            reason = f"redirects to {outcome.final_url}, which is a page already"
            return Refused(request.url, "duplicate", reason, self._pages[key])
        if not self._is_list and (other := self._documents.other_form(outcome.final_url)):
            return Refused(request.url, "duplicate", "twin: a page and its Markdown are one document", other)
        self._pages[key] = outcome.final_url
        self._in_reading.add(key)
        self._note_document(outcome.final_url)
        self._waiting.discard(key)
        self.stored += 1
        return outcome

    def _rebase(self, final_url: str) -> None:
        """The start page's own URL is what the scope is about."""
        if final_url != self.root_url:
            self.scope, remark = self.scope.rebase(final_url)
            self.remarks += [remark] if remark else []

    def settle(self, request: Request, outcome: FetchOutcome, reading: Reading | None) -> FetchOutcome:
        """Decide by what a page says what it is to the crawl.

        Args:
            request: The request.
            outcome: What `done` answered to it.
            reading: What its body says or what is stored of it.

        Returns:
            The outcome to store: `Failed` for a page that could not be read, `Refused` for one that is not to be
            stored, under this URL or at all; anything but a page as it came.
        """
        settled = outcome
        if isinstance(outcome, Fetched | NotModified):
            self._in_reading.discard(key_of(outcome.final_url))
            settled = self._settle_page(request, outcome, reading)
        if settled is not outcome:
            self.stored -= 1
        if settled is outcome or not has_other_url(settled):
            self._note_other(request, settled)
        for freed in self._identity.take_freed():
            self._ask_anew(freed)
        return settled

    def _settle_page(self, request: Request, page: Fetched | NotModified, reading: Reading | None) -> FetchOutcome:
        settled = judge_reading(page, reading)
        if settled is not page or reading is None:
            return settled
        if reading.refresh:
            return self._follow_refresh(request, page.final_url, reading.refresh)
        key = key_of(page.final_url)
        parent_key = key_of(request.parent_url) if request.parent_url else ""
        self._branches.note_page(key, parent_key, reading.content_hash)
        for name in self._variants.note_page(key, reading.content_hash):
            self._offer_variants(name)
        self._origins.note_page(page.url, page.final_url)
        return self._identity.judge(request, page, reading, self._offer) or page

    def _follow_refresh(self, request: Request, url: str, named: str) -> Refused:
        """A page that says nothing but where to go is a redirect."""
        target = page_url_of(join(url, named) or "", keeps_routes=self._keeps_routes)
        if not target:
            return Refused(request.url, "scope", f"it refreshes to {named}, which is no web page", url)
        if request.url == self.root_url:
            self._rebase(target)
        if reason := self.scope.judge(target):
            return Refused(request.url, "scope", f"it refreshes to {target}: {reason}", target)
        self._add(target, request.depth, request.parent_url)
        return Refused(request.url, "refresh", f"{url} says nothing but to go to {target}", target)

    def _note_other(self, request: Request, settled: FetchOutcome) -> None:
        """What came of a URL is no page, or not known now."""
        match settled:
            case Gone():
                self._identity.note_absent((request.url,))
                if written := self._origins.as_written(request.url):
                    self._enqueue(replace(request, url=written))
            case Refused(rule="duplicate", final_url=final_url):
                self._identity.note_alias(request.url, final_url, is_coming=key_of(final_url) in self._in_reading)
            case Failed() | Refused():
                self._identity.note_kept(request.url)

    def _offer(self, url: str, request: Request) -> bool:
        """Queue a URL at the place of a request; true if its answer is still to come."""
        if self._origins.rewrite(url) != url:
            self._identity.note_absent((url,))
            return False
        if not self._is_list:
            self._add(url, request.depth, request.parent_url)
        key = key_of(url)
        return key in self._waiting or key in self._in_flight or key in self._in_reading

    def _ask_anew(self, request: Request) -> None:
        key = key_of(request.url)
        self._pages.pop(key, None)
        self._asked.discard(key)
        self._anew.add(key)
        self._enqueue(request)

    def _restore_identity(self, step: CrawlStep) -> None:
        """A page that waited for another URL when the crawl was broken off goes on waiting."""
        if step.kind == "refused" and step.final_url and step.rule in OTHER_URL_RULES:
            self._add(step.final_url, step.depth, step.parent_url)
            if step.rule != "refresh":
                self._identity.wait_on(step.final_url, Request(step.url, step.depth, step.parent_url))
        elif step.kind == "gone":
            self._identity.note_absent((step.url,))
        else:
            self._identity.note_kept(step.final_url)
        for freed in self._identity.take_freed():
            self._ask_anew(freed)

    def restore(self, step: CrawlStep, links: Iterable[str]) -> None:
        """Take a request that was settled before the crawl was broken off, as it was settled then.

        Args:
            step: What it came to.
            links: Where the page leads, absolute.
        """
        # The URL that a page yields to was named, and perhaps never asked for.
        final_urls = () if step.rule in OTHER_URL_RULES else (step.final_url,)
        keys = {key_of(url) for url in (step.url, *final_urls, *step.redirects)}
        self._asked |= keys
        self._waiting -= keys
        self.requests += 1
        is_page = step.kind in ("indexed", "unchanged")
        if step.url == self.root_url and (is_page or step.links is not None):
            self._rebase(step.final_url)
        if is_page:
            self._pages[key_of(step.final_url)] = step.final_url
            self._note_document(step.final_url)
            self.stored += 1
        self._restore_identity(step)
        self.add_links(step.final_url, step.depth, links)

    def put_back(self, request: Request, outcome: FetchOutcome | None = None) -> None:
        """The request was broken off; it counts as not made and is queued again.

        Args:
            request: Which.
            outcome: What `done` answered, if it was called; a page that it claimed is free again.
        """
        key = key_of(request.url)
        if isinstance(outcome, Fetched | NotModified):
            del self._pages[key_of(outcome.final_url)]
            self._in_reading.discard(key_of(outcome.final_url))
            self._documents.forget(outcome.final_url)
            self.stored -= 1
        self._in_flight.discard(key)
        self._asked.discard(key)
        self._waiting.add(key)
        self.requests -= 1
        self._queue.push(request)

    def add_links(self, page_url: str, depth: int, urls: Iterable[str]) -> None:
        """Queue what a page links to.

        Args:
            page_url: The page, by its final URL; it becomes the parent of what is new.
            depth: Links from the root to that page.
            urls: Its links, absolute or relative to it.
        """
        if self._is_list:
            return
        if reason := self._branches.judge(key_of(page_url)):
            self._refusals.count(reason, page_url)
            return
        links = iter(urls)
        for link in islice(links, MAX_LINKS_PER_PAGE):
            if (url := join(page_url, link)) is not None:
                self._add(page_url_of(url, keeps_routes=self._keeps_routes), depth + 1, page_url)
        if left := sum(1 for _ in links):
            self._refusals.count(f"page size: only {MAX_LINKS_PER_PAGE} links are taken from one page", page_url, left)

    def add_seed(self, root_url: str, url: str) -> bool:
        """Queue what a sitemap names, as a link of the root; false if that brings nothing new.

        What is refused is counted and not remembered: a sitemap names a URL once, but may name millions.
        """
        if reason := self.scope.judge(url):
            self._refusals.count(reason, url)
            return False
        queued = len(self._waiting)
        self._add(url, 1, root_url)
        return len(self._waiting) > queued

    def add_listed(self, url: str) -> bool:
        """Queue what the site's llms.txt names, as near as the root; false if a rule keeps it out.

        Nothing of that is counted: the list says what the site has, not what belongs to this crawl (contract F5).
        """
        if len(url) > MAX_URL_BYTES or self.scope.judge(url) or self._judge_known(url):
            return False
        self._add(url, 0, self.root_url)
        return True

    def note_twin(self, url: str) -> None:
        """A URL holds a page's Markdown, so it is no page of its own."""
        key = key_of(url)
        self._asked.add(key)
        self._waiting.discard(key)

    def _note_document(self, url: str) -> None:
        for request in self._documents.note_page(url):
            self._waiting.discard(key_of(request.url))

    def _release_held(self) -> bool:
        """Ask for the Markdown files of which no page came up; false if there are none."""
        released = self._documents.take_held()
        for request in released:
            self._queue.push(request)
        return bool(released)

    def _add(self, url: str, depth: int, parent_url: str | None) -> None:
        if len(url) > MAX_URL_BYTES:
            # Counted and not remembered: no page is stored under such a URL, and a hostile site has millions.
            self._refusals.count(self.scope.judge(url), url[:MAX_URL_BYTES])
            return
        url = self._origins.rewrite(url)
        key = key_of(url)
        if key in self._asked or key in self._pages or key in self._refusals.reasons:
            return
        if depth >= self._depths.get(key, math.inf):
            return
        if self._documents.other_form(url):
            return
        if reason := self._judge(url) or self._judge_variant(Request(url, depth, parent_url)):
            self._refusals.note(reason, url)
        elif self._max_depth is not None and depth > self._max_depth:
            self._too_deep.add(key)
        else:
            self._too_deep.discard(key)
            self._enqueue(Request(url, depth, parent_url))

    def _judge(self, url: str) -> str:
        return self.scope.judge(url) or self.numbered.judge(url) or self._judge_known(url)

    def _judge_variant(self, request: Request, *, is_queued: bool = False) -> str:
        """Why a link is not worth asking for by its query; empty if it is, or if its page is stored."""
        key = key_of(request.url)
        if key in self._anew or self._identity.is_stored(key):
            return ""
        known = (self._pages,) if is_queued else (self._pages, self._waiting)
        return self._variants.judge(request, known, is_queued=is_queued)

    def _offer_variants(self, name: str) -> None:
        """A parameter was thought to change nothing, and does: what was left out for it is asked for."""
        for request in self._variants.take_left(name):
            self._refusals.forget(request.url)
            self._depths.pop(key_of(request.url), None)
            self._add(request.url, request.depth, request.parent_url)

    def _enqueue(self, request: Request) -> None:
        key = key_of(request.url)
        self._depths[key] = request.depth
        self._waiting.add(key)
        if request.depth > 0 and is_markdown(request.url):
            # The page that people read may still come up, and then this is only its Markdown.
            self._documents.hold(request)
        else:
            self._queue.push(request)

    # ------------------------------------------------------------ what it came to

    @property
    def queued(self) -> int:
        """How many pages are still to be asked for."""
        return len(self._waiting)

    @property
    def refused_links(self) -> tuple[RefusedLinks, ...]:
        """What each rule kept out, the busiest first."""
        return self._refusals.links()

    @property
    def refused_keys(self) -> Mapping[str, str]:
        """Key of each link that was kept out, to the reason."""
        return self._refusals.reasons

    @property
    def rewritten(self) -> Mapping[str, str]:
        """URL of each link whose origin redirects to another one, to the URL that was asked for instead."""
        return self._origins.rewritten

    @property
    def truncated_by(self) -> Limit:
        """The limit that cut the crawl; empty if none did so far."""
        if self.queued and self.stored >= self._max_pages:
            return "max_pages"
        return "max_depth" if self._too_deep - self._pages.keys() - self._asked else ""

    @property
    def is_truncated(self) -> bool:
        """True if a limit left pages out."""
        return self.truncated_by != ""
