"""The fetcher that renders: around a plain fetcher, with a browser that is a class here (contract D10)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from webdocs.crawl.browser import Rendered
from webdocs.crawl.fetch_browser import BrowserFetcher
from webdocs.model import Failed, Fetched, FetchOutcome, Gone, NotModified, Refused, Request

URL = "http://s.test/"
SHELL = b"<div id=root></div><script src=a.js></script>"
STATIC = b"<h1>Title</h1><p>" + b"Words of a page. " * 30
DOM = b"<!doctype html><h1>Rendered</h1>"


@dataclass
class Plain:
    """Answers one outcome and notes what it was asked."""

    outcome: FetchOutcome
    asked: list[Request] = field(default_factory=list)

    async def fetch(self, request: Request) -> FetchOutcome:
        self.asked.append(request)
        return self.outcome

    async def aclose(self) -> None: ...


@dataclass
class FakeBrowser:
    """Answers one DOM, at the URL it was asked for unless told otherwise."""

    html: bytes = DOM
    fault: str = ""
    url: str = ""
    asked: list[str] = field(default_factory=list)

    async def render(self, url: str) -> Rendered:
        self.asked.append(url)
        return Rendered(self.url or url, self.html, self.fault)

    async def aclose(self) -> None: ...


def fetch(plain: Plain, browser: FakeBrowser, *requests: Request, is_always: bool = False) -> FetchOutcome:
    async def each() -> FetchOutcome:
        fetcher = BrowserFetcher(plain, browser, is_always=is_always)
        outcomes = [await fetcher.fetch(request) for request in requests or (Request(URL),)]
        return outcomes[-1]

    return asyncio.run(each())


def page(body: bytes, **changes) -> Fetched:
    return Fetched(**{"url": URL, "final_url": URL, "content_type": "text/html", "body": body, **changes})


CHOICES = [
    ("auto-shell", page(SHELL), False, True),
    ("auto-static", page(STATIC), False, False),
    ("always-static", page(STATIC), True, True),
    ("always-markdown", page(b"# T", content_type="text/markdown"), True, False),
    ("always-gone", Gone(URL, 404), True, False),
    ("always-refused", Refused(URL, "address", "no"), True, False),
    ("always-not-modified", NotModified(URL, URL), True, False),
]


@pytest.mark.parametrize(
    ("outcome", "is_always", "wanted"), [c[1:] for c in CHOICES], ids=[f"D10-{c[0]}" for c in CHOICES]
)
def test_a_browser_is_asked_only_where_it_is_needed(outcome: FetchOutcome, is_always: bool, wanted: bool) -> None:
    browser = FakeBrowser()
    found = fetch(Plain(outcome), browser, is_always=is_always)
    assert bool(browser.asked) is wanted
    assert (found == outcome) is not wanted


@pytest.mark.parametrize("purpose", ["robots", "sitemap"])
def test_D10_robots_and_sitemaps_are_never_rendered(purpose) -> None:
    browser = FakeBrowser()
    fetch(Plain(page(SHELL)), browser, Request(URL, purpose=purpose), is_always=True)
    assert browser.asked == []


def test_D10_a_rendered_page_is_a_page_like_any_other_without_the_shells_validators() -> None:
    found = fetch(Plain(page(SHELL, etag='"1"', last_modified="then")), FakeBrowser())
    assert found == page(DOM, content_type="text/html; charset=utf-8")


def test_D10_where_scripts_lead_is_the_final_url_and_is_judged_by_the_crawl() -> None:
    found = fetch(Plain(page(SHELL)), FakeBrowser(url="http://other.test/x#top"))
    assert isinstance(found, Fetched)
    assert (found.final_url, found.redirects) == ("http://other.test/x", (URL,))


FAULTS = [
    ("fault-H4-no-text", FakeBrowser(html=b"<html><body></body></html>"), "no text"),
    ("fault-H7-empty", FakeBrowser(html=b""), "no text"),
    ("fault-H2-stuck", FakeBrowser(html=b"", fault="the browser did not come to an end"), "come to an end"),
]


@pytest.mark.parametrize(("browser", "reason"), [c[1:] for c in FAULTS], ids=[c[0] for c in FAULTS])
def test_nothing_rendered_is_a_fault_and_no_document(browser: FakeBrowser, reason: str) -> None:
    found = fetch(Plain(page(SHELL)), browser)
    assert isinstance(found, Failed)
    assert reason in found.reason
    assert not found.retryable


def test_fault_B12_routes_are_rendered_each_and_share_the_shell() -> None:
    plain, browser = Plain(page(SHELL)), FakeBrowser()
    found = fetch(plain, browser, Request(URL), Request(f"{URL}#/a"), Request(f"{URL}#!b"))
    assert browser.asked == [URL, f"{URL}#/a", f"{URL}#!b"]
    assert [request.url for request in plain.asked] == [URL]
    assert isinstance(found, Fetched)
    assert (found.url, found.final_url, found.redirects) == (f"{URL}#!b", f"{URL}#!b", ())


def test_D10_always_asks_without_validators() -> None:
    plain = Plain(page(SHELL))
    fetch(plain, FakeBrowser(), Request(URL, etag='"1"', last_modified="then"), is_always=True)
    assert (plain.asked[0].etag, plain.asked[0].last_modified) == ("", "")
