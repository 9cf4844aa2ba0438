"""The X-Robots-Tag header: what it says, whom it means, and what a crawl makes of it."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from servers import LoopbackServer, Reply
from webdocs.crawl import Crawl, CrawlReport, Reading
from webdocs.crawl.fetch_http import HttpFetcher
from webdocs.crawl.robots_tag import obey
from webdocs.extract import read_body
from webdocs.ingest.read import read_page
from webdocs.model import CrawlOptions, Fetched, FetchOutcome, Page, Refused, Request

TAGS = [
    ("no header", "", True, True),
    ("url-31-noindex", "noindex", False, True),
    ("url-31-nofollow", "nofollow", True, False),
    ("url-31-none", "None", False, False),
    ("two words", "noarchive, NOINDEX", False, True),
    ("two headers joined", "noindex, nofollow", False, False),
    ("another agent's", "googlebot: noindex, nofollow", True, True),
    ("ours", "webdocs: noindex", False, True),
    ("every agent's", "*: noindex", False, True),
    ("another agent's, then ours", "otherbot: noindex, webdocs: nofollow", True, False),
    ("all agents', then another's", "nofollow, otherbot: noindex", True, False),
    ("a date has colons and is no agent", "unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", False, True),
    ("a value is no agent", "max-snippet: 0, noindex", False, True),
    ("a word that only holds noindex", "noindexing", True, True),
]


@pytest.mark.parametrize(("header", "index", "follow"), [row[1:] for row in TAGS], ids=[row[0] for row in TAGS])
def test_what_a_header_asks(header: str, index: bool, follow: bool) -> None:
    reading = obey(header, "webdocs", Reading(links=("/a",)))
    assert (reading.index, reading.follow, reading.links) == (index, follow, ("/a",) if follow else ())


def test_a_header_cannot_allow_what_the_page_forbids() -> None:
    assert not obey("all, index", "webdocs", Reading(index=False)).index


class ReadsHere:
    """An extractor without processes."""

    async def extract(self, body: bytes, content_type: str, url: str) -> Page:
        return read_body(body, content_type, url)


def body(name: str, *links: str) -> str:
    anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
    return f"<main><h1>{name}</h1><p>Enough words about {name} to make a paragraph of it.</p>{anchors}</main>"


def test_url_31_fault_E11_a_noindexed_page_is_not_stored_and_its_links_are_followed() -> None:
    settled: dict[str, FetchOutcome] = {}

    async def note(request: Request, outcome: FetchOutcome, _reading: Reading | None, _queued: int) -> None:
        settled[request.url.rpartition("/")[2]] = outcome

    async def run(server: LoopbackServer) -> CrawlReport:
        fetcher = HttpFetcher(allow_private=(server.socket,))
        try:
            options = CrawlOptions(delay_s=0.0, max_depth=None)
            return await Crawl(server.url("/"), options, fetcher, partial(read_page, ReadsHere()), note).run()
        finally:
            await fetcher.aclose()

    routes = {
        "/": body("start", "hidden", "dead-end"),
        "/hidden": Reply(headers={"X-Robots-Tag": "noindex"}, body=body("hidden", "behind")),
        "/behind": body("behind"),
        "/dead-end": Reply(headers={"X-Robots-Tag": "nofollow"}, body=body("dead-end", "unseen")),
        "/unseen": body("unseen"),
    }
    with LoopbackServer(routes) as server:
        report = asyncio.run(run(server))
    hidden = settled["hidden"]
    assert isinstance(hidden, Refused)
    assert hidden.rule == "noindex"
    assert {name for name, outcome in settled.items() if isinstance(outcome, Fetched)} == {"", "behind", "dead-end"}
    assert (report.pages_fetched, report.pages_refused) == (3, 1)
