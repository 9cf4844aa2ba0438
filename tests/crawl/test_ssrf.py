"""What is dialled: the address guard behind every way in which a URL comes. Ids are rows of the SSRF cases.

Names and connections are fakes, so that a test sees each look-up and each connection that would have been made. The
spellings of refused hosts stand in tests/data, where the crawl benchmark takes them from as well.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpcore2
import pytest

from network import PUBLIC, Names, RecordingDialler, ask, ask_all, canned, site
from servers import LoopbackServer, Reply
from webdocs.crawl import Crawl, CrawlReport, Reading
from webdocs.crawl.fetch_http import HttpFetcher
from webdocs.crawl.url import join, parse_start
from webdocs.errors import UrlError
from webdocs.extract import read_body
from webdocs.model import CrawlOptions, Failed, Fetched, FetchOutcome, Refused, Request

HOSTS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "ssrf_hosts.jsonl").read_text("utf-8").splitlines()
]
SPELLINGS = [pytest.param(row["url"].format(port=""), id=row["id"]) for row in HOSTS]
SPELLINGS += [pytest.param(row["url"].format(port=":8080"), id=f"{row['id']}-port") for row in HOSTS]


def everywhere_home() -> Names:
    """The worst name service: whatever it is asked for is this machine, but for one site."""
    return Names({"s.test": [[PUBLIC]], "a.test": [[PUBLIC]]}, otherwise=["127.0.0.1", "::1"])


def typed(spelling: str) -> str | None:
    try:
        return parse_start(spelling)
    except UrlError:
        return None


def linked(spelling: str) -> str | None:
    return join("http://s.test/docs/", spelling)


def as_is(spelling: str) -> str | None:
    return spelling


@pytest.mark.parametrize("read", [typed, linked, as_is])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_of_a_refused_host_is_dialled(read: Callable[[str], str | None], spelling: str) -> None:
    url = read(spelling)
    if url is None:
        return
    dialler = RecordingDialler()
    outcome = ask(url, resolver=everywhere_home(), dialler=dialler)
    assert {address for address, _ in dialler.dialled} <= {PUBLIC}
    assert isinstance(outcome, Refused | Failed) or url.startswith("http://s.test/")
    assert "secret" not in repr(outcome)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_redirect_leads_to_a_refused_host(spelling: str) -> None:
    location = spelling.replace("\r\n", " ").replace("\0", "")  # no header can hold these
    answer = canned("", "302 Found", f"Location: {location}")
    dialler = RecordingDialler({PUBLIC: site({"/": answer})})
    ask("http://s.test/", resolver=everywhere_home(), dialler=dialler)
    assert {address for address, _ in dialler.dialled} == {PUBLIC}


LITERALS = [
    *("http://127.0.0.1/", "http://0.0.0.0/", "http://[::]/", "http://[::1]/", "http://[::ffff:7f00:1]/"),
    *("http://[::7f00:1]/", "http://[64:ff9b::7f00:1]/", "http://[fec0::1]/", "http://169.254.169.254/"),
    *("http://localhost/", "http://foo.localhost/", "http://metadata.google.internal/", "http://168.63.129.16/"),
    *("http://s.test:22/", "http://s.test:6379/", "http://s.test:0/", "https://10.0.0.1/"),
]


@pytest.mark.parametrize("url", LITERALS)
def test_ssrf_50_fault_F3_nothing_is_looked_up_or_dialled_for_a_host_or_port_that_is_refused(url: str) -> None:
    names, dialler = everywhere_home(), RecordingDialler()
    outcome = ask(url, resolver=names, dialler=dialler)
    assert isinstance(outcome, Refused)
    assert outcome.rule == "address"
    assert dialler.dialled == names.asked == []


SCHEMES = ["file:///etc/passwd", "gopher://s.test/", "ftp://s.test/", "data:text/html,x", "javascript:x", "blob:x"]
SCHEMES += ["view-source:http://s.test/", "about:blank", "ws://s.test/", "jar:http://s.test!/", "dict://s.test:11211/"]
SCHEMES += ["ldap://s.test/", "chrome://version/", "FILE:///etc/passwd"]


@pytest.mark.parametrize("url", SCHEMES, ids=[f"ssrf-23-{url.partition(':')[0]}" for url in SCHEMES])
def test_only_http_and_https_are_asked_for(url: str) -> None:
    names, dialler = everywhere_home(), RecordingDialler({PUBLIC: canned("", "302 Found", f"Location: {url}")})
    assert typed(url) is None
    assert linked(url) is None
    assert isinstance(ask(url, resolver=names, dialler=dialler), Refused)
    assert dialler.dialled == []
    outcome = ask("http://s.test/", resolver=names, dialler=dialler)
    assert isinstance(outcome, Refused)
    assert (outcome.rule, dialler.dialled) == ("redirect", [(PUBLIC, 80)])


@pytest.mark.parametrize("port", [22, 25, 6379, 9200, 2375, 0, 99999], ids=lambda port: f"ssrf-24-{port}")
def test_a_port_that_is_no_web_servers_is_not_dialled(port: int) -> None:
    dialler = RecordingDialler({PUBLIC: canned("", "302 Found", f"Location: //s.test:{port}/")})
    for url in (f"http://s.test:{port}/", "http://s.test/"):
        assert isinstance(ask(url, resolver=everywhere_home(), dialler=dialler), Refused | Failed)
    assert dialler.dialled == [(PUBLIC, 80)]


def test_ssrf_25_ssrf_48_a_name_for_a_private_address_is_refused_without_naming_it() -> None:
    dialler = RecordingDialler()
    outcome = ask("http://a.test/", resolver=Names({"a.test": [["10.0.0.5"]]}), dialler=dialler)
    assert isinstance(outcome, Refused)
    assert "private network" in outcome.reason
    assert "10.0.0.5" not in outcome.reason
    assert dialler.dialled == []


@pytest.mark.parametrize(
    "private",
    ["10.0.0.5", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.5", "fd00::5"],
    ids=lambda ip: f"ssrf-48-{ip}",
)
def test_no_reason_tells_where_a_name_leads(private: str) -> None:
    dialler = RecordingDialler({PUBLIC: canned("", "302 Found", "Location: http://inner.test/")})
    names = Names({"a.test": [[PUBLIC]], "inner.test": [[private]]})
    for url in ("http://inner.test/", "http://a.test/"):
        outcome = ask(url, resolver=names, dialler=dialler)
        assert isinstance(outcome, Refused)
        assert private not in outcome.reason


def test_ssrf_26_of_a_mixed_answer_only_the_allowed_addresses_are_dialled() -> None:
    dialler = RecordingDialler()
    names = Names({"a.test": [["127.0.0.1", PUBLIC, "::1"]]})
    assert isinstance(ask("http://a.test/", resolver=names, dialler=dialler), Fetched)
    assert dialler.dialled == [(PUBLIC, 80)]


def test_ssrf_26_a_dead_public_address_is_no_way_to_the_private_one() -> None:
    dialler = RecordingDialler(dead=[PUBLIC])
    names = Names({"a.test": [[PUBLIC, "127.0.0.1"]]})
    assert isinstance(ask("http://a.test/", resolver=names, dialler=dialler), Failed)
    assert dialler.dialled == [(PUBLIC, 80)]


def test_ssrf_27_rebinding_the_address_judged_is_the_address_dialled_one_look_up_a_connection() -> None:
    names, dialler = Names({"a.test": [[PUBLIC], ["127.0.0.1"]]}), RecordingDialler()
    first, second = ask_all(["http://a.test/"] * 2, resolver=names, dialler=dialler)
    assert isinstance(first, Fetched)
    assert isinstance(second, Refused)
    assert dialler.dialled == [(PUBLIC, 80)]
    assert names.asked == ["a.test", "a.test"]


def test_ssrf_27_rebinding_within_a_redirect_to_itself_is_judged_anew() -> None:
    names = Names({"a.test": [[PUBLIC], ["10.0.0.1"]]})
    dialler = RecordingDialler({PUBLIC: canned("", "302 Found", "Location: /b")})
    assert isinstance(ask("http://a.test/", resolver=names, dialler=dialler), Refused)
    assert dialler.dialled == [(PUBLIC, 80)]


def kept_open(head: bytes) -> bytes:
    return canned("hello", is_last=False)


def test_ssrf_28_an_open_connection_serves_its_own_origin_only() -> None:
    names, dialler = Names({"a.test": [[PUBLIC]], "b.test": [["10.0.0.1"]]}), RecordingDialler({PUBLIC: kept_open})
    urls = ["http://a.test/", "http://a.test/2", "http://a.test:8080/", "https://a.test/", "http://b.test/"]
    outcomes = ask_all(urls, resolver=names, dialler=dialler)
    assert [type(outcome) for outcome in outcomes] == [*[Fetched] * 4, Refused]
    assert dialler.dialled == [(PUBLIC, 80), (PUBLIC, 8080), (PUBLIC, 443)]


def test_ssrf_28_an_open_connection_is_left_where_it_was_judged_whatever_its_name_says_later() -> None:
    names, dialler = Names({"a.test": [[PUBLIC], ["127.0.0.1"]]}), RecordingDialler({PUBLIC: kept_open})
    outcomes = ask_all(["http://a.test/"] * 3, resolver=names, dialler=dialler)
    assert [type(outcome) for outcome in outcomes] == [Fetched] * 3
    assert dialler.dialled == [(PUBLIC, 80)]


def test_ssrf_28_what_one_crawl_was_allowed_the_next_one_is_not() -> None:
    with LoopbackServer({"/": "page"}) as server:
        assert isinstance(ask(server.url("/"), allow_private=(server.socket,)), Fetched)
        assert isinstance(ask(server.url("/")), Refused)
        assert server.connections == 1


REDIRECTS = [
    ("ssrf-29-metadata", "http://a.test/", "http://169.254.169.254/", "address"),
    ("ssrf-29-relative-scheme", "http://a.test/", "//127.0.0.1:8080/", "address"),
    ("ssrf-29-fault-F1-private-name", "http://a.test/", "http://private.test/", "address"),
    ("ssrf-29-userinfo", "http://a.test/", "http://a.test@127.0.0.1/", "address"),
    ("ssrf-30-file", "http://a.test/", "file:///etc/passwd", "redirect"),
    ("ssrf-30-javascript", "http://a.test/", "javascript:x", "redirect"),
    ("ssrf-30-downgrade-elsewhere", "https://a.test/", "http://b.test/", "redirect"),
    ("url-36-target-of-2049-bytes", "http://a.test/", "/" + "x" * 2040, "url"),
]


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 Other", "307 Temporary", "308 Permanent"])
@pytest.mark.parametrize(("url", "location", "rule"), [row[1:] for row in REDIRECTS], ids=[row[0] for row in REDIRECTS])
def test_a_redirect_is_judged_as_the_first_request_was(url: str, location: str, rule: str, status: str) -> None:
    names = Names({"a.test": [[PUBLIC]], "b.test": [[PUBLIC]], "private.test": [["10.0.0.1"]]})
    dialler = RecordingDialler({PUBLIC: canned("body of a redirect", status, f"Location: {location}")})
    outcome = ask(url, resolver=names, dialler=dialler)
    assert isinstance(outcome, Refused)
    assert (outcome.rule, outcome.url) == (rule, url)
    assert [address for address, _ in dialler.dialled] == [PUBLIC]


@pytest.mark.parametrize("hops", [1, 4, 5], ids=["ssrf-29-one-hop", "ssrf-29-chain-of-4", "ssrf-29-chain-of-5"])
def test_the_last_hop_of_a_chain_is_judged_as_the_first(hops: int) -> None:
    routes = {f"/{n}": canned("", "302 Found", f"Location: /{n - 1}") for n in range(1, hops)}
    routes["/0"] = canned("", "302 Found", "Location: http://127.0.0.1/")
    dialler = RecordingDialler({PUBLIC: site(routes)})
    outcome = ask(f"http://a.test/{hops - 1}", resolver=everywhere_home(), dialler=dialler)
    assert isinstance(outcome, Refused)
    assert len(dialler.dialled) == hops


def test_ssrf_30_https_to_http_on_the_same_host_is_followed() -> None:
    class Once(RecordingDialler):
        async def __call__(self, address: str, port: int, timeout_s: float | None) -> httpcore2.AsyncNetworkStream:
            self.answers = {PUBLIC: canned("", "301 Moved", "Location: http://a.test/")} if port == 443 else {}
            return await super().__call__(address, port, timeout_s)

    dialler = Once()
    outcome = ask("https://a.test/", resolver=Names({"a.test": [[PUBLIC]]}), dialler=dialler)
    assert isinstance(outcome, Fetched)
    assert dialler.dialled == [(PUBLIC, 443), (PUBLIC, 80)]


# ---------------------------------------------------------------- whole crawls on that network


async def read_all(fetched: Fetched) -> Reading:
    """What the job makes of a page: every link that extraction finds, base and canonical included."""
    page = read_body(fetched.body, fetched.content_type, fetched.final_url)
    links = [link.url for link in page.links] + [page.canonical] * (page.canonical != "")
    return Reading(links=tuple(links), canonical=page.canonical)


async def keep_nothing(request: Request, outcome: FetchOutcome, reading: Reading | None, queued: int) -> None:
    pass


def walk(routes: dict[str, bytes], **options) -> tuple[CrawlReport, set[str]]:
    """Crawl `http://a.test/`; answers the report and the addresses that were dialled."""
    dialler = RecordingDialler({PUBLIC: site(routes)})
    names = Names({"a.test": [[PUBLIC]], "private.a.test": [["10.0.0.1"]]}, otherwise=["127.0.0.1"])

    async def run() -> CrawlReport:
        fetcher = HttpFetcher(resolver=names, dialler=dialler)
        try:
            settings = CrawlOptions(**{"delay_s": 0.0, "scope": "domain", **options})
            return await Crawl("http://a.test/", settings, fetcher, read_all, keep_nothing).run()
        finally:
            await fetcher.aclose()

    report = asyncio.run(run())
    return report, {address for address, _ in dialler.dialled}


PARAGRAPH = "<p>Enough words to make a page whose text is worth an index entry of its own.</p>"


@pytest.mark.parametrize("target", ["http://10.0.0.1/", "http://private.a.test/", "http://[::1]/robots.txt"])
def test_ssrf_31_a_robots_txt_that_leads_to_a_private_address_is_not_fetched_and_forbids(target: str) -> None:
    routes = {"/robots.txt": canned("", "302 Found", f"Location: {target}"), "/": canned(PARAGRAPH)}
    report, dialled = walk(routes)
    assert dialled == {PUBLIC}
    assert isinstance(report.root, Refused)
    assert "redirect" in report.root_error


HEADS = {
    "ssrf-34-base": '<base href="http://127.0.0.1/"><a href="x">x</a>',
    "ssrf-34-base-name": '<base href="http://private.a.test/"><a href="x">x</a>',
    "ssrf-34-canonical": '<link rel="canonical" href="http://private.a.test/">',
    "ssrf-34-meta-refresh": '<meta http-equiv="refresh" content="0; url=http://private.a.test/">',
    "ssrf-34-alternate": '<link rel="alternate" type="text/markdown" href="http://private.a.test/a.md">',
    "ssrf-33-link": '<a href="http://127.0.0.1:2375/">x</a><a href="http://private.a.test/">x</a>',
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS.keys())
def test_nothing_in_a_page_makes_the_crawler_dial_a_private_address(head: str) -> None:
    html = f'<html><head>{head}</head><body><main>{PARAGRAPH}<a href="http://a.test/b">b</a></main></body></html>'
    report, dialled = walk({"/": canned(html), "/b": canned(PARAGRAPH)})
    assert dialled == {PUBLIC}
    assert report.pages_fetched == 2, "the others go on"


def test_ssrf_34_a_link_header_to_a_private_address_is_ignored() -> None:
    header = 'Link: <http://private.a.test/a.md>; rel="alternate"; type="text/markdown"'
    report, dialled = walk({"/": canned(PARAGRAPH, "200 OK", header)})
    assert (report.pages_fetched, dialled) == (1, {PUBLIC})


def test_ssrf_33_private_links_of_a_markdown_list_are_refused_and_the_others_go_on() -> None:
    lines = "# Docs\n\n- [x](http://127.0.0.1:2375/)\n- [y](http://private.a.test/)\n- [b](http://a.test/b)\n"
    markdown = canned(lines).replace(b"text/html", b"text/markdown")
    report, dialled = walk({"/": markdown, "/b": canned(PARAGRAPH)})
    assert (report.pages_fetched, dialled) == (2, {PUBLIC})


# ---------------------------------------------------------------- what goes along

_FETCH_ONCE = """
import asyncio, sys
from webdocs.crawl.fetch_http import HttpFetcher
from webdocs.model import Request

async def main():
    fetcher = HttpFetcher(allow_private=(sys.argv[1].split("/")[2],))
    print(await fetcher.fetch(Request(sys.argv[1])))
    await fetcher.aclose()

asyncio.run(main())
"""


def test_ssrf_36_proxies_and_netrc_of_the_environment_are_not_read(tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("default login me password secret\n")
    with LoopbackServer({"/": "page"}) as server, LoopbackServer({}) as proxy:
        names = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
        files = {"HOME": str(tmp_path), "NETRC": str(tmp_path / ".netrc"), "NO_PROXY": ""}
        command = [sys.executable, "-c", _FETCH_ONCE, server.url("/")]
        environment = {**dict.fromkeys(names, proxy.origin), **files}
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("Fetched(")
    assert proxy.connections == 0
    assert "authorization" not in server.asked[0].headers


def test_ssrf_37_no_cookie_and_no_credential_is_kept_or_crosses_an_origin() -> None:
    login = {"Set-Cookie": "a=b; Path=/", "WWW-Authenticate": 'Basic realm="x"'}
    with LoopbackServer({"/": "page"}) as other, LoopbackServer({}) as server:
        server.routes = {"/": Reply(302, {**login, "Location": other.url("/")}), "/login": Reply(401, login)}
        urls = [Request(server.url("/"), etag='"v1"'), server.url("/login"), server.url("/login")]
        moved, first, second = ask_all(urls, allow_private=(server.socket, other.socket))
    assert isinstance(moved, Fetched)
    assert (first, second) == (Failed(urls[1], "the server asks for a login (status 401)", 401),) * 2
    for asked in (*server.asked[1:], *other.asked):
        assert asked.headers.keys() & {"cookie", "authorization", "referer", "if-none-match"} == set()
    assert server.connections == 1, "the connection is used again"


def test_ssrf_18_userinfo_is_refused_and_not_repeated() -> None:
    dialler = RecordingDialler()
    outcome = ask("http://me:secret@a.test/", resolver=Names({"a.test": [[PUBLIC]]}), dialler=dialler)
    assert isinstance(outcome, Refused)
    assert "secret" not in repr(outcome)
    assert dialler.dialled == []
