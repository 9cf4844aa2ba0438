"""The crawl as a library (contract D8): both forms of a fetcher, the outcome sets, time that a test moves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from servers import LoopbackServer, Reply
from webdocs.crawl import CrawledPage, FetchResult, crawl, crawl_detailed
from webdocs.crawl.fetch_injected import is_conditional
from webdocs.errors import FetchError, UrlError
from webdocs.model import Validators

ROOT = "http://s.test/"


@dataclass
class Site:
    """A plain fetcher over a table; what is not in it raises, as a client of HTTP would."""

    pages: dict[str, str]
    asked: list[str] = field(default_factory=list)

    def __call__(self, url: str) -> str:
        self.asked.append(url)
        return self.pages[url.removeprefix("http://s.test")]


@dataclass
class FakeTime:
    """A clock that only sleeping moves."""

    now_s: float = 0.0
    slept_s: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        self.now_s += seconds


def link(*targets: str) -> str:
    return "".join(f'<a href="{target}">x</a>' for target in targets)


PAGES = {"/": link("a", "b"), "/a": link("c"), "/b": link("/", "c#part"), "/c": "end"}


def fast(fetcher: Callable, url: str = ROOT, **settings):
    return crawl_detailed(url, fetcher, **{"crawl_delay": 0.0, **settings})


def test_D8_a_plain_fetcher_brings_the_pages_breadth_first() -> None:
    site = Site(PAGES)
    pages = crawl(ROOT, site, crawl_delay=0.0)
    assert [(page.url, page.depth, page.parent_url) for page in pages] == [
        (ROOT, 0, None),
        (f"{ROOT}a", 1, ROOT),
        (f"{ROOT}b", 1, ROOT),
        (f"{ROOT}c", 2, f"{ROOT}a"),
    ]
    assert pages[0].html == PAGES["/"]
    assert pages[2].links == (ROOT, f"{ROOT}c#part")
    assert site.asked[0] == f"{ROOT}robots.txt"


def test_D8_the_outcome_sets_say_what_became_of_each_url() -> None:
    pages = {**PAGES, "/": link("a", "gone", "shut/x"), "/robots.txt": "User-agent: *\nDisallow: /shut"}

    def fetch(url: str, etag: str, last_modified: str) -> FetchResult:
        if url.endswith("/gone"):
            return FetchResult(status=404)
        if url.endswith("/c"):
            return FetchResult(status=403)
        return FetchResult(pages[url.removeprefix("http://s.test")], etag='"1"')

    result = fast(fetch)
    assert result.fetched == {ROOT, f"{ROOT}a"}
    assert (result.gone, result.failed, result.refused) == ({f"{ROOT}gone"}, {f"{ROOT}c"}, {f"{ROOT}shut/x"})
    assert result.reasons.keys() == {f"{ROOT}gone", f"{ROOT}c", f"{ROOT}shut/x"}
    assert (result.unchanged, result.truncated, result.error) == (set(), False, "")
    assert result.pages[0].etag == '"1"'


def test_D8_validators_go_back_and_the_walk_goes_on_through_the_known_links() -> None:
    sent: dict[str, tuple[str, str]] = {}

    def fetch(url: str, etag: str, last_modified: str) -> FetchResult:
        sent[url] = (etag, last_modified)
        return FetchResult(not_modified=True) if etag else FetchResult(PAGES[url.removeprefix("http://s.test")])

    unchanged: list[str] = []
    came: list[CrawledPage] = []
    result = fast(
        fetch,
        validators={ROOT: ('"1"', "Sun"), f"{ROOT}a": Validators('"2"')},
        known_links={ROOT: ["/a"], f"{ROOT}a": [f"{ROOT}b"]},
        on_page=came.append,
        on_unchanged=unchanged.append,
    )
    assert (sent[ROOT], sent[f"{ROOT}a"], sent[f"{ROOT}b"]) == (('"1"', "Sun"), ('"2"', ""), ("", ""))
    assert unchanged == [ROOT, f"{ROOT}a"]
    assert result.unchanged == set(unchanged)
    assert tuple(came) == result.pages
    assert result.fetched == {f"{ROOT}b", f"{ROOT}c"}


def test_D8_a_page_that_failed_counts_with_its_known_links() -> None:
    site = Site({"/": link("a"), "/b": "end"})
    result = fast(site, known_links={f"{ROOT}a": ["/b"]})
    assert result.failed == {f"{ROOT}a"}
    assert result.fetched == {ROOT, f"{ROOT}b"}
    assert site.asked.count(f"{ROOT}a") == 1, "a fetcher of the caller's does its own retrying"


@pytest.mark.parametrize(
    ("settings", "is_truncated", "count"),
    [({"max_pages": 2}, True, 2), ({"max_depth": 1}, True, 3), ({"max_depth": 0}, True, 1), ({}, False, 4)],
    ids=["max-pages", "max-depth", "start-alone", "whole"],
)
def test_D8_a_crawl_that_a_limit_cut_says_so(settings: dict[str, int], is_truncated: bool, count: int) -> None:
    result = fast(Site(PAGES), **settings)
    assert (result.truncated, len(result.pages)) == (is_truncated, count)


def test_D8_the_defaults_are_fifty_pages_and_three_links() -> None:
    wide = Site({"/": link(*map(str, range(80))), **{f"/{n}": "end" for n in range(80)}})
    assert len(fast(wide).pages) == 50
    deep = Site({"/": link("1"), **{f"/{n}": link(str(n + 1)) for n in range(1, 9)}})
    assert [page.url for page in fast(deep).pages] == [ROOT, f"{ROOT}1", f"{ROOT}2", f"{ROOT}3"]


def test_D3_a_plain_fetcher_that_tells_no_status_allows_everything_and_one_that_does_is_heard() -> None:
    assert len(fast(Site(PAGES)).pages) == 4

    def busy(url: str, etag: str, last_modified: str) -> FetchResult:
        return FetchResult(status=503) if url.endswith("/robots.txt") else FetchResult("page")

    time = FakeTime()
    result = fast(busy, sleep=time.sleep, clock=time)
    assert "robots.txt could not be had" in result.error
    assert result.refused == {ROOT}


def test_D3_robots_txt_is_obeyed_unless_told_otherwise() -> None:
    site = Site({**PAGES, "/robots.txt": "User-agent: *\nDisallow: /a"})
    assert f"{ROOT}a" not in fast(site).fetched
    assert f"{ROOT}a" in fast(site, respect_robots=False).fetched


def test_D4_requests_are_spaced_by_the_clock_that_was_given() -> None:
    time = FakeTime()
    crawl(ROOT, Site(PAGES), crawl_delay=5.0, sleep=time.sleep, clock=time)
    assert time.now_s >= 15.0


def test_D8_everything_of_the_callers_runs_in_the_callers_thread() -> None:
    threads: set[threading.Thread] = set()

    def fetch(url: str) -> str:
        threads.add(threading.current_thread())
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return "page"

    fast(fetch, on_page=lambda page: threads.add(threading.current_thread()))
    assert threads == {threading.current_thread()}


def test_D8_a_caller_with_a_loop_of_its_own_can_crawl() -> None:
    async def notebook() -> int:
        return len(crawl(ROOT, Site(PAGES), crawl_delay=0.0))

    assert asyncio.run(notebook()) == 4


def test_D8_what_a_callback_raises_ends_the_crawl_and_reaches_the_caller() -> None:
    def stop(page: CrawledPage) -> None:
        raise LookupError(page.url)

    before = threading.active_count()
    with pytest.raises(LookupError, match=ROOT):
        fast(Site(PAGES), on_page=stop)
    assert threading.active_count() == before


def test_D8_an_interrupt_of_the_caller_ends_the_crawl() -> None:
    def interrupted(url: str) -> str:
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        fast(interrupted)
    assert threading.active_count() == before


def test_D8_a_fetchers_own_fault_keeps_its_reason() -> None:
    def fetch(url: str) -> str:
        raise FetchError("the proxy is closed")

    assert fast(fetch, respect_robots=False).reasons == {ROOT: "the proxy is closed"}


@pytest.mark.parametrize("answer", [None, 7], ids=["nothing", "number"])
def test_D8_an_answer_that_is_no_text_is_a_failure(answer: object) -> None:
    assert "not the page's text" in fast(lambda url: answer).error


def test_D8_a_redirect_that_the_fetcher_followed_is_judged_and_joined() -> None:
    def fetch(url: str, etag: str, last_modified: str) -> FetchResult:
        if url == ROOT:
            return FetchResult(link("x"), final_url=f"{ROOT}new/#top")
        return FetchResult("page", final_url="http://other.test/" if url.endswith("x") else "")

    result = fast(fetch)
    assert [page.url for page in result.pages] == [f"{ROOT}new/"]
    assert result.refused == {f"{ROOT}new/x"}


def plain_with_options(url: str, timeout_s: float = 1.0, retries: int = 2) -> str: ...


FORMS = [
    ("plain", lambda url: "", False),
    ("conditional", lambda url, etag, last_modified: FetchResult(), True),
    ("conditional-other-names", lambda url, tag, date: FetchResult(), True),
    ("plain-with-options", plain_with_options, False),
    ("plain-object", Site({}), False),
    ("plain-built-in", {}.__getitem__, False),
    ("plain-built-in-without-a-signature", {}.get, False),
]


@pytest.mark.parametrize(("fetcher", "expected"), [row[1:] for row in FORMS], ids=[row[0] for row in FORMS])
def test_D8_the_form_of_a_fetcher_is_read_off_its_parameters(fetcher: Callable, expected: bool) -> None:
    assert is_conditional(fetcher) is expected


def test_D8_without_a_fetcher_the_guarded_one_is_used() -> None:
    routes = {
        "/": link("a"),
        "/a": Reply(headers={"ETag": '"v"', "Content-Type": "text/html; charset=latin-1"}, body=b"caf\xe9"),
    }
    with LoopbackServer(routes) as server:
        refused = crawl_detailed(server.url("/"))
        assert server.connections == 0
        pages = crawl(server.url("/"), allow_private=[server.socket], crawl_delay=0.0)
    assert "this machine" in refused.error
    assert [(page.html, page.etag) for page in pages] == [(routes["/"], ""), ("café", '"v"')]


def test_D8_a_url_that_cannot_be_crawled_is_an_error() -> None:
    with pytest.raises(UrlError):
        crawl("ftp://s.test/")
