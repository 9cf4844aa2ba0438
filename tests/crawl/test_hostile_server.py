"""Servers that mean harm, or fail as if they did, over real sockets. Ids are rows of the SSRF cases and fault log."""

from __future__ import annotations

import asyncio
import gzip
import re
import sys
import time
import tracemalloc
from collections.abc import Callable
from itertools import count

import brotli
import pytest

from network import ask
from servers import LoopbackServer, Raw, Reply, Route
from webdocs.crawl import Crawl, CrawlReport, Reading
from webdocs.crawl.fetch_http import HttpFetcher
from webdocs.crawl.frontier import MAX_LINKS_PER_PAGE
from webdocs.extract import read_body
from webdocs.model import CrawlOptions, Failed, Fetched, FetchOutcome, Request

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HTML = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
ENCODERS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstd.compress}


def get(server: LoopbackServer, target: str, **options) -> FetchOutcome:
    return ask(Request(server.url(target)), allow_private=(server.socket,), **options)


def encoded(coding: str, body: bytes) -> Reply:
    return Reply(headers={"Content-Encoding": coding}, body=body)


def sends(data: bytes) -> Raw:
    """Writes once and closes."""

    async def route(writer: asyncio.StreamWriter) -> None:
        writer.write(data)

    return route


def drips(head: str, *pieces: bytes) -> Raw:
    """Writes the head, then a piece every moment, without end."""

    async def route(writer: asyncio.StreamWriter) -> None:
        writer.write(head.encode())
        for number in count():
            writer.write(pieces[number % len(pieces)])
            await writer.drain()
            await asyncio.sleep(0.02)

    return route


async def mute(_: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def pours(writer: asyncio.StreamWriter) -> None:
    writer.write(f"{HTML}Transfer-Encoding: chunked\r\n\r\n".encode())
    while True:
        writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        await writer.drain()


@pytest.mark.parametrize("coding", ENCODERS, ids=lambda coding: f"ssrf-38-fault-F5-{coding}")
def test_a_bomb_is_cut_at_the_cap_of_decoded_bytes(coding: str) -> None:
    body = ENCODERS[coding](bytes(30_000_000))
    with LoopbackServer({"/": encoded(coding, body)}) as server:
        tracemalloc.start()
        try:
            outcome = get(server, "/", max_body_bytes=1_000_000)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert isinstance(outcome, Failed)
    assert "larger than 1000000 bytes" in outcome.reason
    assert not outcome.retryable
    assert peak < 1_000_000 + 32_000_000


STACKED = [
    ("ssrf-39-gzip-gzip", "gzip, gzip", lambda body: gzip.compress(gzip.compress(body))),
    ("ssrf-39-br-gzip", "br, gzip", lambda body: gzip.compress(brotli.compress(body))),
    ("ssrf-39-two-fields", "gzip\r\nContent-Encoding: gzip", lambda body: gzip.compress(gzip.compress(body))),
]


@pytest.mark.parametrize(("coding", "encode"), [row[1:] for row in STACKED], ids=[row[0] for row in STACKED])
def test_codings_on_top_of_each_other_are_refused(coding: str, encode: Callable[[bytes], bytes]) -> None:
    with LoopbackServer({"/": encoded(coding, encode(b"<p>text"))}) as server:
        outcome = get(server, "/")
    assert isinstance(outcome, Failed)
    assert "several times" in outcome.reason


@pytest.mark.parametrize("coding", ENCODERS, ids=lambda coding: f"ssrf-40-{coding}")
@pytest.mark.parametrize("missing", [1, 40], ids=lambda missing: f"{missing}-bytes-missing")
def test_a_truncated_body_is_no_page(coding: str, missing: int) -> None:
    text = b"".join(b"<p>paragraph %d of the text</p>" % number for number in range(5000))
    with LoopbackServer({"/": encoded(coding, ENCODERS[coding](text)[:-missing])}) as server:
        assert isinstance(get(server, "/"), Failed)


MANY_HEADERS = "".join(f"X-{number}: a\r\n" for number in range(50_000))
BROKEN = {
    "ssrf-40-false-gzip": f"{HTML}Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain",
    "ssrf-43-one-huge-header": f"{HTML}X-A: {'a' * 2_000_000}\r\n\r\n",
    "ssrf-43-50000-headers": f"{HTML}{MANY_HEADERS}Content-Length: 2\r\n\r\nhi",
    "ssrf-44-short-body": f"{HTML}Content-Length: 100\r\n\r\nhalf a page",
    "ssrf-44-chunks-break-off": f"{HTML}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "ssrf-44-two-lengths": f"{HTML}Content-Length: 2\r\nContent-Length: 9\r\n\r\nhalf a pa",
    "ssrf-44-negative-length": f"{HTML}Content-Length: -1\r\n\r\nhalf",
    "no-http": "220 mail.test ESMTP\r\n",
    "closed-at-once": "",
    "status-of-letters": "HTTP/1.1 abc OK\r\n\r\n",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_answer_is_a_failure_never_half_a_page(data: str) -> None:
    with LoopbackServer({"/": sends(data.encode())}) as server:
        outcome = get(server, "/")
    assert isinstance(outcome, Failed)


SLOW: dict[str, Raw] = {
    "ssrf-42-slow-body": drips(f"{HTML}Content-Length: 100000\r\n\r\n", b"x"),
    "ssrf-42-slow-chunks": drips(f"{HTML}Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "ssrf-42-slow-headers": drips("HTTP/1.1 200 OK\r\nX-A: ", b"a"),
    "ssrf-42-slow-header-lines": drips("HTTP/1.1 200 OK\r\n", b"X: a\r\n"),
    "ssrf-42-endless-1xx": drips("", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "ssrf-42-endless-100-and-103": drips("", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early\r\n\r\n"),
    "ssrf-42-no-answer": mute,
}


@pytest.mark.parametrize("route", SLOW.values(), ids=SLOW.keys())
def test_the_deadline_is_for_the_whole_request(route: Raw) -> None:
    with LoopbackServer({"/": route}) as server:
        outcome = get(server, "/", timeout_s=0.3)
    assert isinstance(outcome, Failed)
    assert "within 0.3 s" in outcome.reason
    assert outcome.retryable


def test_ssrf_42_a_redirect_gets_no_new_deadline() -> None:
    with LoopbackServer({"/": Reply(302, {"Location": "/slow"}), "/slow": mute}) as server:
        outcome = get(server, "/", timeout_s=0.3)
    assert isinstance(outcome, Failed)
    assert "within 0.3 s" in outcome.reason


@pytest.mark.parametrize("status", ["200 OK", "404 Not Found", "302 Found"], ids=lambda s: f"ssrf-41-{s[:3]}")
def test_an_endless_body_ends(status: str) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        location = "" if status[0] != "3" else "Location: /page\r\n"
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n{location}Transfer-Encoding: chunked\r\n\r\n"
        writer.write(head.encode())
        while True:
            writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            await writer.drain()

    with LoopbackServer({"/": endless, "/page": "page"}) as server:
        outcome = get(server, "/", max_body_bytes=500_000)
    assert "larger than" in outcome.reason if isinstance(outcome, Failed) else status[0] != "2"


# ---------------------------------------------------------------- whole crawls


async def read_hrefs(fetched: Fetched) -> Reading:
    return Reading(links=tuple(re.findall(r'href="([^"]*)"', fetched.body.decode())))


async def read_extracted(fetched: Fetched) -> Reading:
    page = read_body(fetched.body, fetched.content_type, fetched.final_url)
    return Reading(links=tuple(link.url for link in page.links))


async def keep_nothing(request: Request, outcome: FetchOutcome, reading: Reading | None, queued: int) -> None:
    pass


class SkippingTime:
    """The real clock, but for what is slept: that is over at once."""

    def __init__(self) -> None:
        self.skipped_s = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.skipped_s

    async def sleep(self, seconds: float) -> None:
        self.skipped_s += max(seconds, 0.0)


def walk(server: LoopbackServer, read=read_hrefs, timeout_s: float = 0.3, **options) -> CrawlReport:
    async def run() -> CrawlReport:
        fetcher = HttpFetcher(allow_private=(server.socket,), timeout_s=timeout_s)
        try:
            settings = CrawlOptions(**{"delay_s": 0.0, "respect_robots": False, "max_depth": None, **options})
            clock = SkippingTime()
            return await Crawl(
                server.url("/"), settings, fetcher, read, keep_nothing, clock=clock, sleep=clock.sleep
            ).run()
        finally:
            await fetcher.aclose()

    return asyncio.run(run())


@pytest.mark.parametrize("route", [mute, pours, SLOW["ssrf-42-endless-1xx"]], ids=["mute", "pours", "endless-1xx"])
def test_a_page_that_hangs_never_stalls_the_others(route: Raw) -> None:
    names = [f"/{number}" for number in range(30)]
    routes: dict[str, Route] = {"/": "".join(f'<a href="{name}">x</a>' for name in ["/hung1", "/hung2", *names])}
    routes |= dict.fromkeys(names, "page") | {"/hung1": route, "/hung2": route}
    with LoopbackServer(routes) as server:
        report = walk(server)
    assert (report.pages_fetched, report.pages_failed) == (31, 2)
    assert {fault.url for fault in report.faults} == {server.url("/hung1"), server.url("/hung2")}


def test_a_sitemap_that_hangs_does_not_stall_the_pages() -> None:
    with LoopbackServer({"/": '<a href="/a">a</a>', "/a": "page", "/sitemap.xml": mute}) as server:
        report = walk(server)
    assert report.pages_fetched == 2
    assert not report.are_sitemaps_read


def test_a_robots_txt_that_hangs_forbids_and_ends() -> None:
    with LoopbackServer({"/": "page", "/robots.txt": mute}) as server:
        report = walk(server, respect_robots=True)
    assert "the host does not answer" in report.root_error


@pytest.mark.parametrize("read", [read_hrefs, read_extracted], ids=["as-links", "as-extracted"])
def test_ssrf_46_of_a_page_with_a_million_links_a_bounded_number_is_kept(read) -> None:
    links = "".join(f'<a href="/{number}">x</a>' for number in range(1_000_000 if read is read_hrefs else 100_000))
    with LoopbackServer({"/": f"<main><p>A page of many words and links.</p>{links}</main>"}) as server:
        report = walk(server, read, timeout_s=30.0, max_pages=3, concurrency=1)
    assert report.pages_fetched + report.pages_gone <= MAX_LINKS_PER_PAGE + 1
    assert report.pages_queued + report.requests <= MAX_LINKS_PER_PAGE + 1


def test_ssrf_46_links_of_megabytes_are_refused_and_not_remembered() -> None:
    long = "".join(f'<a href="/{number}{"x" * 2_000_000}">x</a>' for number in range(5))
    routes = {f"/{n}": f'<p>text</p><a href="/{n + 1}">on</a>{long}' for n in range(10)}
    with LoopbackServer({**routes, "/": routes["/0"]}) as server:
        tracemalloc.start()
        try:
            report = walk(server, timeout_s=30.0, concurrency=1)
            held = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
    assert report.pages_fetched == 10
    assert [(refused.rule, refused.count) for refused in report.refused_links] == [("too long", 50)]
    assert held < 30_000_000


def test_ssrf_46_a_page_whose_dom_is_100000_deep_is_read() -> None:
    deep = "<main>" + "<div>" * 100_000 + "deep text" + "</div>" * 100_000 + '<p>words</p><a href="/b">b</a></main>'
    with LoopbackServer({"/": deep, "/b": "<main><p>some words</p></main>"}) as server:
        report = walk(server, read_extracted, timeout_s=30.0)
    assert report.pages_fetched == 2
