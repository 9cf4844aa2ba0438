"""What sitemaps bring to a crawl. Ids say whose row they are: url, fault or ssrf."""

from __future__ import annotations

import asyncio
import gzip
import logging
import re
from collections.abc import Awaitable, Callable, Mapping

import httpcore2
import pytest

from servers import LoopbackServer, Reply
from webdocs.crawl import CrawlReport, Reading
from webdocs.crawl.fetch_http import HttpFetcher
from webdocs.crawl.run import Crawl
from webdocs.crawl.seeds import MAX_FILES, MAX_INDEX_DEPTH, SitemapSeeds
from webdocs.model import CrawlOptions, Failed, Fetched, FetchOutcome, Gone, Refused, Request

ROOT = "http://s.test/"
XML = {"Content-Type": "application/xml"}


def urlset(*locs: str) -> bytes:
    return ("<urlset>" + "".join(f"<url><loc>{loc}</loc></url>" for loc in locs) + "</urlset>").encode()


def index(*locs: str) -> bytes:
    entries = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    return f"<sitemapindex>{entries}</sitemapindex>".encode()


class Files:
    """Sitemaps by URL, as a crawl would ask for them; outcomes in a list come one after another."""

    def __init__(self, files: Mapping[str, bytes | FetchOutcome | list[FetchOutcome]]) -> None:
        self.files = files
        self.asked: list[str] = []
        self.waits_s: list[float] = []

    async def ask(self, request: Request) -> FetchOutcome:
        assert request.purpose == "sitemap"
        self.asked.append(request.url)
        match self.files.get(request.url):
            case bytes(body):
                return Fetched(request.url, request.url, "text/html", body)
            case list(outcomes):
                return outcomes.pop(0)
            case None:
                return Gone(request.url, 404)
            case outcome:
                return outcome

    async def sleep(self, seconds: float) -> None:
        self.waits_s.append(seconds)


def read(files: Files, *named: str, max_pages: int = 1000) -> tuple[list[str], bool]:
    """The URLs that were offered, and whether they were all."""
    offered: list[str] = []

    def offer(url: str) -> bool:
        is_new = url not in offered
        offered.append(url)
        return is_new

    seeds = SitemapSeeds(ROOT, files.ask, offer, max_pages, files.sleep)
    asyncio.run(seeds.read(named))
    return offered, seeds.is_complete


def test_sitemap_xml_is_asked_for_where_robots_txt_names_none() -> None:
    files = Files({f"{ROOT}sitemap.xml": urlset("/a", "b")})
    assert read(files) == ([f"{ROOT}a", f"{ROOT}b"], True)


def test_D3_fault_D3_what_robots_txt_names_is_read_instead_relative_lines_too() -> None:
    files = Files({f"{ROOT}m/1.txt": b"http://s.test/a\n", f"{ROOT}2.xml.gz": gzip.compress(urlset("/b"))})
    assert read(files, "m/1.txt", "http://s.test/2.xml.gz") == ([f"{ROOT}a", f"{ROOT}b"], True)
    assert files.asked == [f"{ROOT}m/1.txt", f"{ROOT}2.xml.gz"]


def test_fault_D1_ssrf_45_an_index_of_an_index_is_followed_and_one_that_names_itself_once() -> None:
    files = Files(
        {
            f"{ROOT}sitemap.xml": index("/sitemap.xml", "/i2.xml", "/i2.xml#x"),
            f"{ROOT}i2.xml": index("/p.xml", "/sitemap.xml"),
            f"{ROOT}p.xml": urlset("/a"),
        }
    )
    assert read(files) == ([f"{ROOT}a"], True)
    assert files.asked == [f"{ROOT}sitemap.xml", f"{ROOT}i2.xml", f"{ROOT}p.xml"]


def test_fault_D6_ssrf_45_a_chain_of_indexes_ends_at_the_depth_cap() -> None:
    files = Files({f"{ROOT}{n}.xml": index(f"/{n + 1}.xml") for n in range(1000)})
    assert read(files, "/0.xml") == ([], False)
    assert len(files.asked) == MAX_INDEX_DEPTH + 1


def test_fault_D6_no_more_files_are_asked_for_than_the_cap() -> None:
    files = Files({f"{ROOT}sitemap.xml": index(*(f"/{n}.xml" for n in range(1000)))})
    assert read(files) == ([], False)
    assert len(files.asked) == MAX_FILES


def test_fault_D9_reading_ends_once_enough_pages_are_queued() -> None:
    files = Files({f"{ROOT}sitemap.xml": index("/1.xml", "/2.xml"), f"{ROOT}1.xml": urlset("/a", "/a", "/b", "/c")})
    assert read(files, max_pages=2) == ([f"{ROOT}a", f"{ROOT}a", f"{ROOT}b"], False)
    assert f"{ROOT}2.xml" not in files.asked


def test_a_list_that_just_fits_is_complete() -> None:
    assert read(Files({f"{ROOT}sitemap.xml": urlset("/a", "/b")}), max_pages=2)[1]


WHOLE = urlset("/a", "/b")


@pytest.mark.parametrize(
    ("body", "named", "is_complete"),
    [
        (WHOLE, ["/sitemap.xml"], True),
        (WHOLE[:-10], [], False),
        (WHOLE.replace(b"/b", b"/b&c"), [], False),
        (gzip.compress(urlset(*map(str, range(500))))[:-400], [], False),
        (b"<!DOCTYPE html><html><body>Start</body></html>", [], True),
        (b"<!DOCTYPE html><html><body>Sorry</body></html>", ["/sitemap.xml"], False),
    ],
    ids=[
        "whole",
        "cut",
        "broken-in-the-middle",
        "cut-gzip",
        "a-page-where-nobody-named-a-map",
        "a-page-for-a-named-map",
    ],
)
def test_a_file_that_was_not_read_to_its_end_leaves_the_list_open_d6(
    body: bytes, named: list[str], is_complete: bool
) -> None:
    assert read(Files({f"{ROOT}sitemap.xml": body}), *named)[1] is is_complete


@pytest.mark.parametrize(
    "line",
    ["http://10.0.0.1/s.xml", "http://o.test/s.xml", "file:///etc/passwd", "", "http://[::1]/s.xml"],
    ids=["fault-F4-ssrf-32-private", "ssrf-32-foreign", "file", "empty", "ssrf-32-loopback"],
)
def test_a_file_elsewhere_is_refused_and_logged(line: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "webdocs.crawl.seeds")
    files = Files({})
    assert read(files, line) == ([], True)
    assert files.asked == []
    assert [record.levelname for record in caplog.records if "sitemap_refused" in record.message] == ["DEBUG"]


def test_a_subdomain_may_hold_the_file() -> None:
    files = Files({"http://www.s.test/s.xml": urlset("http://s.test/a")})
    assert read(files, "http://www.s.test/s.xml")[0] == [f"{ROOT}a"]


def test_a_file_that_redirects_to_another_site_is_not_read() -> None:
    moved = Fetched(f"{ROOT}sitemap.xml", "http://o.test/s.xml", "text/xml", urlset("http://s.test/a"))
    assert read(Files({f"{ROOT}sitemap.xml": moved})) == ([], True)


@pytest.mark.parametrize(
    ("outcome", "is_complete"),
    [
        (Gone("", 404), True),
        (Failed("", "x", 403), False),
        (Refused("", "robots", "x"), False),
        (Failed("", "x", 503, retryable=True), False),
    ],
    ids=["404", "403", "robots", "503"],
)
def test_a_file_that_is_not_had_is_no_fault_but_leaves_the_list_open(outcome: FetchOutcome, is_complete: bool) -> None:
    assert read(Files({f"{ROOT}sitemap.xml": outcome})) == ([], is_complete)


def test_a_file_is_tried_again_d4() -> None:
    busy = Failed("", "x", 503, True)
    url = f"{ROOT}sitemap.xml"
    files = Files({url: [busy, busy, Fetched(url, url, "", urlset("/a"))]})
    assert read(files) == ([f"{ROOT}a"], True)
    assert files.waits_s == [1.0, 2.0]


# ---------------------------------------------------------------- whole crawls on loopback


async def read_hrefs(fetched: Fetched) -> Reading:
    return Reading(links=tuple(re.findall(r'href="([^"]*)"', fetched.body.decode())))


async def keep_nothing(request: Request, outcome: FetchOutcome, reading: Reading | None, queued: int) -> None:
    pass


def walk(server: LoopbackServer, start: str = "/", **options) -> CrawlReport:
    async def run() -> CrawlReport:
        fetcher = HttpFetcher(allow_private=(server.socket,))
        try:
            settings = CrawlOptions(**{"delay_s": 0.0, "concurrency": 2, **options})
            return await Crawl(server.url(start), settings, fetcher, read_hrefs, keep_nothing).run()
        finally:
            await fetcher.aclose()

    return asyncio.run(run())


PAGES = {
    "/": '<a href="/linked">l</a>',
    "/linked": '<a href="/linked2">l</a>',
    "/linked2": "end",
    "/listed": '<a href="/below">b</a>',
    "/below": "end",
}


def test_fault_D2_pages_that_only_the_sitemap_names_are_found_after_the_start_and_links_go_on() -> None:
    routes = {**PAGES, "/sitemap.xml": Reply(200, XML, urlset("/listed"))}
    with LoopbackServer(routes) as server:
        report = walk(server)
    assert (report.pages_fetched, report.pages_failed, report.pages_gone) == (5, 0, 0)
    assert server.targets[:2] == ["/robots.txt", "/"]
    assert sorted(server.targets[2:]) == ["/below", "/linked", "/linked2", "/listed", "/sitemap.xml"]
    assert report.are_sitemaps_read


@pytest.mark.parametrize(
    ("name", "headers", "body"),
    [
        ("/s.xml.gz", {"Content-Type": "application/gzip"}, gzip.compress(urlset("/listed"))),
        ("/s.xml.gz", {"Content-Encoding": "gzip", **XML}, gzip.compress(urlset("/listed"))),
        ("/s.xml.gz", {"Content-Encoding": "gzip", **XML}, gzip.compress(gzip.compress(urlset("/listed")))),
        ("/s", {"Content-Type": "image/png", "Content-Disposition": "attachment"}, urlset("/listed")),
    ],
    ids=["fault-D3-gzip-file", "fault-D4-gzip-of-the-transport", "gzip-file-in-gzip-transport", "url-32-wrong-type"],
)
def test_a_named_file_is_read_however_it_is_sent(name: str, headers: Mapping[str, str], body: bytes) -> None:
    routes = {**PAGES, "/robots.txt": f"Sitemap: {name}", name: Reply(200, headers, body)}
    with LoopbackServer(routes) as server:
        assert walk(server).pages_fetched == 5
    assert "/sitemap.xml" not in server.targets


def test_url_32_fault_D8_entries_are_judged_as_links_are_and_counted_by_rule() -> None:
    locs = ["/docs/a", "/blog/b", "/docs/a.pdf", "http://o.test/x", "http://10.0.0.1/x", "/docs/x/x/x", "/docs/no"]
    routes = {
        "/robots.txt": "User-agent: *\nDisallow: /docs/no",
        "/docs/": "start",
        "/docs/a": "a",
        "/sitemap.xml": Reply(200, XML, urlset(*locs)),
    }
    with LoopbackServer(routes) as server:
        report = walk(server, "/docs/")
    assert report.pages_fetched == 2
    assert {(refused.rule, refused.count) for refused in report.refused_links} == {
        ("folder", 1),
        ("type", 1),
        ("host", 2),
        ("trap", 1),
        ("robots", 1),
    }


@pytest.mark.parametrize("options", [{"max_depth": 0}, {"max_pages": 1}], ids=["max-depth-0", "max-pages-1"])
def test_a_crawl_of_the_start_alone_asks_for_no_sitemap(options: dict[str, int]) -> None:
    with LoopbackServer({**PAGES, "/sitemap.xml": Reply(200, XML, urlset("/listed"))}) as server:
        assert walk(server, **options).pages_fetched == 1
    assert server.targets == ["/robots.txt", "/"]


def test_a_sitemap_that_robots_txt_forbids_is_not_asked_for_d3() -> None:
    routes = {**PAGES, "/robots.txt": "User-agent: *\nDisallow: /sitemap"}
    with LoopbackServer(routes) as server:
        report = walk(server)
    assert report.pages_fetched == 3
    assert "/sitemap.xml" not in server.targets
    assert not report.are_sitemaps_read


def test_a_broken_sitemap_is_no_fault_of_the_crawl() -> None:
    with LoopbackServer({**PAGES, "/sitemap.xml": Reply(403)}) as server:
        report = walk(server)
    assert (report.pages_fetched, report.pages_failed, report.faults, report.notes) == (3, 0, (), ())


def test_the_sitemap_of_a_catch_all_site_brings_nothing_and_its_nesting_ends_c1() -> None:
    class CatchAll(dict[str, str]):
        def get(self, key: str, default: object = None) -> str:
            return '<html><a href="infra/www/">next</a></html>'

    with LoopbackServer({}) as server:
        server.routes = CatchAll()
        report = walk(server, max_depth=None)
    assert report.pages_fetched == 3, "the start, and the run once and twice"
    assert [(refused.rule, refused.count) for refused in report.refused_links] == [("trap", 1)]


def test_url_27_a_calendar_without_end_is_left_and_the_rest_is_taken() -> None:
    class Calendar(dict[str, str]):
        def get(self, key: str, default: object = None) -> str:
            if "/calendar/" not in key:
                return '<a href="/calendar/1">calendar</a>' if key == "/" else "page"
            number = int(key.rpartition("/")[2])
            return f'<h1>No events in month {number}</h1><a href="{number + 1}">next</a>' + (
                '<a href="/guide">guide</a>' if number == 40 else ""
            )

    with LoopbackServer({}) as server:
        server.routes = Calendar()
        report = walk(server, max_depth=None, max_pages=500)
    assert report.pages_fetched == 52, "the start, the guide, and fifty months"
    assert [(refused.rule, refused.count) for refused in report.refused_links] == [("trap", 1)]


# ---------------------------------------------------------------- what is dialled


class Names:
    """A name service whose names below `private.` lie in a private network."""

    async def __call__(self, host: str, port: int) -> list[str]:
        return ["10.0.0.1"] if host.startswith("private.") else ["93.184.216.34"]


class Web(httpcore2.AsyncNetworkStream):
    """One connection to a server that answers from a table and closes."""

    def __init__(self, routes: Mapping[str, str]) -> None:
        self._routes = routes
        self._answer = b""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data, self._answer = self._answer[:max_bytes], self._answer[max_bytes:]
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer.startswith(b"GET "):
            body = self._routes.get(buffer.split(b" ")[1].decode(), "").encode()
            fields = (f"Content-Length: {len(body)}", "Content-Type: text/html", "Connection: close")
            self._answer = "\r\n".join(("HTTP/1.1 200 OK", *fields, "", "")).encode() + body

    async def aclose(self) -> None:
        pass


def recording_dialler(routes: Mapping[str, str], dialled: list[str]) -> Callable[..., Awaitable[Web]]:
    async def dial(address: str, port: int, timeout_s: float | None) -> Web:
        dialled.append(address)
        return Web(routes)

    return dial


@pytest.mark.parametrize(
    ("robots", "sitemap"),
    [
        ("Sitemap: http://10.0.0.1/s.xml", ""),
        ("Sitemap: http://private.s.test/s.xml", ""),
        ("Sitemap: http://[::ffff:10.0.0.1]/s.xml", ""),
        ("Sitemap: http://169.254.169.254/latest/meta-data/", ""),
        ("", "<sitemapindex><sitemap><loc>http://private.s.test/s.xml</loc></sitemap></sitemapindex>"),
        ("", "<urlset><url><loc>http://private.s.test/page</loc></url></urlset>"),
    ],
    ids=[
        "fault-F4-ssrf-32-literal",
        "ssrf-32-name",
        "ssrf-32-mapped",
        "ssrf-32-metadata",
        "ssrf-32-in-an-index",
        "ssrf-32-page",
    ],
)
def test_a_sitemap_never_makes_the_crawler_dial_a_private_address(robots: str, sitemap: str) -> None:
    dialled: list[str] = []
    routes = {"/robots.txt": robots, "/": "start", "/sitemap.xml": sitemap}

    async def run() -> CrawlReport:
        fetcher = HttpFetcher(resolver=Names(), dialler=recording_dialler(routes, dialled))
        try:
            return await Crawl(ROOT, CrawlOptions(delay_s=0.0, scope="domain"), fetcher, read_hrefs, keep_nothing).run()
        finally:
            await fetcher.aclose()

    assert asyncio.run(run()).pages_fetched == 1
    assert set(dialled) == {"93.184.216.34"}
