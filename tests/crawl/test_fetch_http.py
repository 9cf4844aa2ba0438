"""The HTTP fetcher: what it dials, what it follows, what it takes. Numbers are rows of the SSRF cases.

What is dialled is tested with a fake resolver and a dialler that writes down; everything else with real sockets.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import brotli
import httpcore2
import pytest

from servers import LoopbackServer, Reply
from webdocs.crawl.fetch_http import ACCEPT_PAGE, HttpFetcher
from webdocs.errors import SettingError
from webdocs.model import Failed, Fetched, FetchOutcome, Gone, NotModified, Refused, Request

PUBLIC = "93.184.216.34"


class Names:
    """A name service with a table; each further look-up of a name gives the next answer."""

    def __init__(self, table: dict[str, Sequence[Sequence[str]]]) -> None:
        self.table = table
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        if host not in self.table:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        answers = self.table[host]
        return list(answers[min(self.asked.count(host), len(answers)) - 1])


class CannedStream(httpcore2.AsyncNetworkStream):
    """A connection whose server says one thing, whatever it is asked; TLS is written down and let through."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.sent = b""
        self.server_names: list[str | None] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data, self.answer = self.answer[:max_bytes], self.answer[max_bytes:]
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.sent += buffer

    async def aclose(self) -> None:
        pass

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        self.server_names.append(server_hostname)
        return self


class RecordingDialler:
    """Writes down what would be dialled and gives canned answers; an address in `dead` refuses."""

    def __init__(self, answers: dict[str, bytes] | None = None, dead: Sequence[str] = ()) -> None:
        self.dialled: list[tuple[str, int]] = []
        self.streams: list[CannedStream] = []
        self.answers = answers or {}
        self.dead = dead

    async def __call__(self, address: str, port: int, timeout_s: float | None) -> httpcore2.AsyncNetworkStream:
        self.dialled.append((address, port))
        if address in self.dead:
            raise httpcore2.ConnectError("refused")
        self.streams.append(CannedStream(self.answers.get(address, canned("hello"))))
        return self.streams[-1]


def canned(body: str, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Type: text/html", f"Content-Length: {len(body)}", "Connection: close"]
    return ("\r\n".join([*lines, *headers]) + "\r\n\r\n" + body).encode()


def ask(url: str | Request, **options) -> FetchOutcome:
    """One fetch with a fetcher of its own."""

    async def once() -> FetchOutcome:
        fetcher = HttpFetcher(**options)
        try:
            return await fetcher.fetch(url if isinstance(url, Request) else Request(url))
        finally:
            await fetcher.aclose()

    return asyncio.run(once())


# ---------------------------------------------------------------- what is dialled

LITERALS = [
    *("http://127.0.0.1/", "http://0.0.0.0/", "http://[::]/", "http://[::1]/", "http://[::ffff:7f00:1]/"),
    *("http://[::7f00:1]/", "http://[64:ff9b::7f00:1]/", "http://[fec0::1]/", "http://169.254.169.254/"),
    *("http://localhost/", "http://foo.localhost/", "http://metadata.google.internal/", "http://168.63.129.16/"),
    *("http://s.test:22/", "http://s.test:6379/", "http://s.test:0/", "https://10.0.0.1/"),
]


@pytest.mark.parametrize("url", LITERALS)
def test_nothing_is_looked_up_or_dialled_for_a_host_or_port_that_is_refused_50(url: str) -> None:
    names, dialler = Names({"s.test": [[PUBLIC]]}), RecordingDialler()

    async def resolver(host: str, port: int) -> list[str]:
        raise AssertionError("looked up")

    outcome = ask(url, resolver=resolver, dialler=dialler)
    assert isinstance(outcome, Refused)
    assert outcome.rule == "address"
    assert dialler.dialled == names.asked == []


def test_a_name_for_a_private_address_is_refused_without_naming_it_25_48() -> None:
    dialler = RecordingDialler()
    outcome = ask("http://a.test/", resolver=Names({"a.test": [["10.0.0.5"]]}), dialler=dialler)
    assert isinstance(outcome, Refused)
    assert "private network" in outcome.reason
    assert "10.0.0.5" not in outcome.reason
    assert dialler.dialled == []


def test_of_a_mixed_answer_only_the_allowed_addresses_are_dialled_26() -> None:
    dialler = RecordingDialler()
    names = Names({"a.test": [["127.0.0.1", PUBLIC, "::1"]]})
    assert isinstance(ask("http://a.test/", resolver=names, dialler=dialler), Fetched)
    assert dialler.dialled == [(PUBLIC, 80)]


def test_the_address_judged_is_the_address_dialled_one_look_up_a_connection_27() -> None:
    names, dialler = Names({"a.test": [[PUBLIC], ["127.0.0.1"]]}), RecordingDialler()

    async def twice() -> list[FetchOutcome]:
        fetcher = HttpFetcher(resolver=names, dialler=dialler)
        outcomes = [await fetcher.fetch(Request("http://a.test/")) for _ in range(2)]
        await fetcher.aclose()
        return outcomes

    first, second = asyncio.run(twice())
    assert isinstance(first, Fetched)
    assert isinstance(second, Refused)
    assert dialler.dialled == [(PUBLIC, 80)]
    assert names.asked == ["a.test", "a.test"]


def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    dialler = RecordingDialler(dead=["2606:4700::1111"])
    names = Names({"a.test": [["2606:4700::1111", PUBLIC]]})
    assert isinstance(ask("http://a.test/", resolver=names, dialler=dialler), Fetched)
    assert dialler.dialled == [("2606:4700::1111", 80), (PUBLIC, 80)]


def test_host_header_and_server_name_keep_the_name_49() -> None:
    dialler = RecordingDialler()
    outcome = ask("https://a.test:8443/x?y=1", resolver=Names({"a.test": [[PUBLIC]]}), dialler=dialler)
    assert isinstance(outcome, Fetched)
    assert dialler.dialled == [(PUBLIC, 8443)]
    assert dialler.streams[0].server_names == ["a.test"]
    assert dialler.streams[0].sent.startswith(b"GET /x?y=1 HTTP/1.1\r\nHost: a.test:8443\r\n")


def test_a_name_that_does_not_exist_is_a_failure_that_is_not_retried() -> None:
    outcome = ask("http://nowhere.test/", resolver=Names({}), dialler=RecordingDialler())
    assert outcome == Failed("http://nowhere.test/", "the host nowhere.test has no address")


def test_a_host_that_refuses_connections_is_a_failure_that_is_retried() -> None:
    dialler = RecordingDialler(dead=[PUBLIC])
    outcome = ask("http://a.test/", resolver=Names({"a.test": [[PUBLIC]]}), dialler=dialler)
    assert isinstance(outcome, Failed)
    assert outcome.retryable


def test_userinfo_is_refused_and_not_repeated_18() -> None:
    dialler = RecordingDialler()
    outcome = ask("http://me:secret@a.test/", resolver=Names({"a.test": [[PUBLIC]]}), dialler=dialler)
    assert isinstance(outcome, Refused)
    assert "secret" not in repr(outcome)
    assert dialler.dialled == []


REDIRECTS = [
    ("29-metadata", "http://a.test/", "http://169.254.169.254/", "address"),
    ("29-loopback-relative-scheme", "http://a.test/", "//127.0.0.1:8080/", "address"),
    ("29-private-name", "http://a.test/", "http://private.test/", "address"),
    ("30-file", "http://a.test/", "file:///etc/passwd", "redirect"),
    ("30-javascript", "http://a.test/", "javascript:x", "redirect"),
    ("30-downgrade-elsewhere", "https://a.test/", "http://b.test/", "redirect"),
]


@pytest.mark.parametrize(("url", "location", "rule"), [row[1:] for row in REDIRECTS], ids=[row[0] for row in REDIRECTS])
def test_a_redirect_is_judged_as_the_first_request_was(url: str, location: str, rule: str) -> None:
    names = Names({"a.test": [[PUBLIC]], "b.test": [[PUBLIC]], "private.test": [["10.0.0.1"]]})
    dialler = RecordingDialler({PUBLIC: canned("", "302 Found", f"Location: {location}")})
    outcome = ask(url, resolver=names, dialler=dialler)
    assert isinstance(outcome, Refused)
    assert (outcome.rule, outcome.url) == (rule, url)
    assert [address for address, _ in dialler.dialled] == [PUBLIC]


def test_https_to_http_on_the_same_host_is_followed_30() -> None:
    class Once(RecordingDialler):
        async def __call__(self, address: str, port: int, timeout_s: float | None) -> httpcore2.AsyncNetworkStream:
            self.answers = {PUBLIC: canned("", "301 Moved", "Location: http://a.test/")} if port == 443 else {}
            return await super().__call__(address, port, timeout_s)

    dialler = Once()
    outcome = ask("https://a.test/", resolver=Names({"a.test": [[PUBLIC]]}), dialler=dialler)
    assert isinstance(outcome, Fetched)
    assert dialler.dialled == [(PUBLIC, 443), (PUBLIC, 80)]


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


def test_proxies_and_netrc_of_the_environment_are_not_read_36(tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("default login me password secret\n")
    with LoopbackServer({"/": "page"}) as server, LoopbackServer({}) as proxy:
        names = ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
        environment = {**dict.fromkeys(names, proxy.origin), "HOME": str(tmp_path), "NO_PROXY": ""}
        command = [sys.executable, "-c", _FETCH_ONCE, server.url("/")]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("Fetched(")
    assert proxy.connections == 0
    assert "authorization" not in server.asked[0].headers


def test_a_bad_allow_private_entry_is_a_setting_error() -> None:
    with pytest.raises(SettingError):
        HttpFetcher(allow_private=("*",))


# ---------------------------------------------------------------- real sockets


def get(server: LoopbackServer, target: str | Request, **options) -> FetchOutcome:
    request = target if isinstance(target, Request) else Request(server.url(target))
    return ask(request, allow_private=(server.socket,), **options)


def test_a_page_is_fetched_with_honest_headers_f6() -> None:
    headers = {"ETag": '"v1"', "Last-Modified": "Sun, 29 Nov 2026 12:00:00 GMT", "Set-Cookie": "a=b"}
    with LoopbackServer({"/a?x=1": Reply(headers=headers, body="<p>hello")}) as server:
        outcome = get(server, "/a?x=1", contact_url="https://owner.test/bot")
    assert isinstance(outcome, Fetched)
    assert (outcome.body, outcome.content_type) == (b"<p>hello", "text/html; charset=utf-8")
    assert (outcome.etag, outcome.last_modified) == ('"v1"', "Sun, 29 Nov 2026 12:00:00 GMT")
    assert (outcome.final_url, outcome.redirects) == (outcome.url, ())
    sent = server.asked[0].headers
    assert sent["accept"] == ACCEPT_PAGE == "text/markdown, text/html;q=0.9, */*;q=0.8"
    assert sent["user-agent"].startswith("webdocs/")
    assert sent["user-agent"].endswith("(+https://owner.test/bot)")
    assert sent["host"] == server.socket


def test_another_port_of_this_machine_stays_closed() -> None:
    with LoopbackServer({"/": "x"}) as server, LoopbackServer({"/": "x"}) as other:
        outcome = ask(server.url("/"), allow_private=(other.socket,))
    assert isinstance(outcome, Refused)
    assert server.asked == []


def test_a_304_that_names_the_length_of_its_page_leaves_the_connection_usable() -> None:
    long = Reply(304, {"ETag": '"v"', "Content-Length": "99999999"})
    with LoopbackServer({"/": long, "/b": long}) as server:

        async def both() -> list[FetchOutcome]:
            fetcher = HttpFetcher(allow_private=(server.socket,))
            outcomes = [await fetcher.fetch(Request(server.url(path), etag='"v"')) for path in ("/", "/b")]
            await fetcher.aclose()
            return outcomes

        assert [type(outcome) for outcome in asyncio.run(both())] == [NotModified, NotModified]
        assert server.connections == 1


def test_validators_go_back_verbatim_and_304_is_not_modified_d5() -> None:
    with LoopbackServer({"/": Reply(304, {"ETag": '"v2"'})}) as server:
        url = server.url("/")
        outcome = get(server, Request(url, etag='W/"v1"', last_modified="yesterday"))
    assert outcome == NotModified(url, url, '"v2"', "yesterday")
    sent = server.asked[0].headers
    assert (sent["if-none-match"], sent["if-modified-since"]) == ('W/"v1"', "yesterday")


def test_no_cookie_is_kept_37() -> None:
    with LoopbackServer({"/": Reply(headers={"Set-Cookie": "a=b"}, body="x")}) as server:

        async def twice() -> None:
            fetcher = HttpFetcher(allow_private=(server.socket,))
            await fetcher.fetch(Request(server.url("/")))
            await fetcher.fetch(Request(server.url("/")))
            await fetcher.aclose()

        asyncio.run(twice())
    assert "cookie" not in server.asked[1].headers
    assert server.connections == 1, "the connection is used again"


STATUSES = [
    ("404-gone", Reply(404), Gone, {"status": 404}),
    ("410-gone", Reply(410), Gone, {"status": 410}),
    ("403", Reply(403), Failed, {"status": 403, "retryable": False}),
    ("401", Reply(401), Failed, {"status": 401, "retryable": False}),
    ("429", Reply(429, {"Retry-After": "7"}), Failed, {"status": 429, "retryable": True, "retry_after_s": 7.0}),
    ("500", Reply(500), Failed, {"status": 500, "retryable": True, "retry_after_s": None}),
    ("503", Reply(503, {"Retry-After": "soon"}), Failed, {"status": 503, "retryable": True, "retry_after_s": None}),
    ("204", Reply(204), Failed, {"status": 204, "retryable": False}),
    ("304-unasked", Reply(304), Failed, {"status": 304, "retryable": False}),
    ("23-no-location", Reply(301), Failed, {"status": 301, "retryable": False}),
    ("23-empty-location", Reply(302, {"Location": " "}), Failed, {"status": 302}),
    ("39-stacked", Reply(headers={"Content-Encoding": "gzip, gzip"}, body="x"), Failed, {"retryable": False}),
    ("40-false-gzip", Reply(headers={"Content-Encoding": "gzip"}, body="plain"), Failed, {"status": None}),
    ("34-attachment", Reply(headers={"Content-Disposition": 'attachment; filename="a"'}), Refused, {"rule": "type"}),
    ("34-pdf", Reply(headers={"Content-Type": "application/pdf"}), Refused, {"rule": "type"}),
    ("34-image", Reply(headers={"Content-Type": "image/png"}), Refused, {"rule": "type"}),
    ("34-css", Reply(headers={"Content-Type": "text/css"}), Refused, {"rule": "type"}),
    ("34-json", Reply(headers={"Content-Type": "application/json"}), Refused, {"rule": "type"}),
    ("markdown", Reply(headers={"Content-Type": "text/markdown"}, body="# x"), Fetched, {"body": b"# x"}),
    ("xhtml", Reply(headers={"Content-Type": "application/xhtml+xml"}, body="x"), Fetched, {"body": b"x"}),
    ("inline", Reply(headers={"Content-Disposition": "inline"}, body="x"), Fetched, {"body": b"x"}),
    ("gzip", Reply(headers={"Content-Encoding": "gzip"}, body=gzip.compress(b"x" * 99)), Fetched, {"body": b"x" * 99}),
    ("br", Reply(headers={"Content-Encoding": "br"}, body=brotli.compress(b"x" * 99)), Fetched, {"body": b"x" * 99}),
]


@pytest.mark.parametrize(("reply", "kind", "holds"), [row[1:] for row in STATUSES], ids=[row[0] for row in STATUSES])
def test_every_answer_has_one_outcome(reply: Reply, kind: type, holds: dict) -> None:
    with LoopbackServer({"/": reply}) as server:
        outcome = get(server, "/")
    assert isinstance(outcome, kind), outcome
    assert {name: getattr(outcome, name) for name in holds} == holds


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_to_its_page_23(status: int) -> None:
    routes = {"/old": Reply(status, {"Location": " new page?x#part"}), "/new%20page?x": "new"}
    with LoopbackServer(routes) as server:
        outcome = get(server, "/old")
        assert isinstance(outcome, Fetched)
        assert (outcome.url, outcome.final_url) == (server.url("/old"), server.url("/new%20page?x"))
        assert outcome.redirects == (server.url("/old"),)


def test_five_redirects_are_followed_and_six_are_not_23() -> None:
    routes = {f"/{n}": Reply(302, {"Location": f"/{n - 1}"}) for n in range(1, 7)} | {"/0": "end"}
    with LoopbackServer(routes) as server:
        five, six = get(server, "/5"), get(server, "/6")
    assert isinstance(five, Fetched)
    assert isinstance(six, Failed)
    assert "more than 5 redirects" in six.reason
    assert server.targets.count("/0") == 1


def test_redirects_in_a_circle_fail_23() -> None:
    routes = {"/a": Reply(302, {"Location": "/b"}), "/b": Reply(302, {"Location": "/a"})}
    with LoopbackServer(routes) as server:
        outcome = get(server, "/a")
    assert isinstance(outcome, Failed)
    assert server.targets == ["/a", "/b"]


def test_validators_are_not_sent_to_where_a_redirect_leads() -> None:
    with LoopbackServer({"/a": Reply(302, {"Location": "/b"}), "/b": "x"}) as server:
        get(server, Request(server.url("/a"), etag='"v1"'))
    assert "if-none-match" not in server.asked[1].headers


@pytest.mark.parametrize("coding", ["gzip", "br"])
def test_a_bomb_is_cut_at_the_cap_38(coding: str) -> None:
    body = {"gzip": gzip.compress, "br": brotli.compress}[coding](b"\0" * 30_000_000)
    with LoopbackServer({"/": Reply(headers={"Content-Encoding": coding}, body=body)}) as server:
        outcome = get(server, "/", max_body_bytes=1_000_000)
    assert isinstance(outcome, Failed)
    assert "larger than 1000000 bytes" in outcome.reason
    assert not outcome.retryable


@pytest.mark.parametrize("missing", [1, 40])
def test_a_truncated_gzip_is_no_page_40(missing: int) -> None:
    body = gzip.compress(b"<p>text</p>" * 5000)[:-missing]
    with LoopbackServer({"/": Reply(headers={"Content-Encoding": "gzip"}, body=body)}) as server:
        assert isinstance(get(server, "/"), Failed)


async def _short(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nhalf a page")


async def _broken_chunks(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")


async def _no_http(writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail.test ESMTP\r\n")


async def _silent(writer: asyncio.StreamWriter) -> None:
    writer.write(b"")


async def _huge_headers(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n" + b"X-A: " + b"a" * 2_000_000 + b"\r\n\r\n")


@pytest.mark.parametrize(
    "route",
    [_short, _broken_chunks, _no_http, _silent, _huge_headers],
    ids=["44-short-body", "44-chunks-break-off", "no-http", "closed-at-once", "43-huge-headers"],
)
def test_a_broken_answer_is_a_failure_never_half_a_page(route) -> None:
    with LoopbackServer({"/": route}) as server:
        outcome = get(server, "/")
    assert isinstance(outcome, Failed)
    assert outcome.retryable


async def _drip(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


async def _endless_1xx(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.02)


async def _mute(_: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("route", [_drip, _endless_1xx, _mute], ids=["slow-body", "endless-1xx", "no-answer"])
def test_the_deadline_is_for_the_whole_request_42(route) -> None:
    with LoopbackServer({"/": route}) as server:
        outcome = get(server, "/", timeout_s=0.3)
    assert isinstance(outcome, Failed)
    assert "within 0.3 s" in outcome.reason
    assert outcome.retryable


async def _endless_body(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        await writer.drain()


def test_an_endless_body_is_cut_at_the_cap_41() -> None:
    with LoopbackServer({"/": _endless_body}) as server:
        outcome = get(server, "/", max_body_bytes=500_000)
    assert isinstance(outcome, Failed)
    assert "larger than" in outcome.reason


def test_a_sitemap_may_be_of_any_type_and_is_cut_at_the_decoded_size_s45() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 1_000_000)
    headers = {"Content-Type": "application/zip", "Content-Encoding": "gzip"}
    with LoopbackServer({"/s.xml": Reply(200, headers, bomb)}) as server:
        request = Request(server.url("/s.xml"), purpose="sitemap")
        outcome = ask(request, allow_private=(server.socket,), max_body_bytes=5000)
    assert isinstance(outcome, Fetched)
    assert len(outcome.body) == 5000
    assert server.asked[0].headers["accept"].startswith("application/xml")


def test_robots_txt_may_be_of_any_type_and_is_cut_instead_of_refused() -> None:
    body = "User-agent: *\n" + "#" * 600_000
    reply = Reply(headers={"Content-Type": "application/octet-stream"}, body=body)
    with LoopbackServer({"/robots.txt": reply}) as server:
        outcome = get(server, Request(server.url("/robots.txt"), purpose="robots"))
    assert isinstance(outcome, Fetched)
    assert len(outcome.body) == 500 * 1024
