"""The HTTP fetcher: what it sends, what it follows, what it takes. Ids say ssrf or url and the row of those cases."""

from __future__ import annotations

import asyncio
import gzip

import brotli
import pytest

from network import PUBLIC, Names, RecordingDialler, ask
from servers import LoopbackServer, Reply
from webdocs.crawl.fetch_http import ACCEPT_PAGE, HttpFetcher
from webdocs.errors import SettingError
from webdocs.model import Failed, Fetched, FetchOutcome, Gone, NotModified, Refused, Request


def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    dialler = RecordingDialler(dead=["2606:4700::1111"])
    names = Names({"a.test": [["2606:4700::1111", PUBLIC]]})
    assert isinstance(ask("http://a.test/", resolver=names, dialler=dialler), Fetched)
    assert dialler.dialled == [("2606:4700::1111", 80), (PUBLIC, 80)]


def test_ssrf_49_host_header_and_server_name_keep_the_name() -> None:
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
    ("url-23-no-location", Reply(301), Failed, {"status": 301, "retryable": False}),
    ("url-23-empty-location", Reply(302, {"Location": " "}), Failed, {"status": 302}),
    ("ssrf-39-stacked", Reply(headers={"Content-Encoding": "gzip, gzip"}, body="x"), Failed, {"retryable": False}),
    ("ssrf-40-false-gzip", Reply(headers={"Content-Encoding": "gzip"}, body="plain"), Failed, {"status": None}),
    (
        "url-34-attachment",
        Reply(headers={"Content-Disposition": 'attachment; filename="a"'}),
        Refused,
        {"rule": "type"},
    ),
    ("url-34-pdf", Reply(headers={"Content-Type": "application/pdf"}), Refused, {"rule": "type"}),
    ("url-34-image", Reply(headers={"Content-Type": "image/png"}), Refused, {"rule": "type"}),
    ("url-34-css", Reply(headers={"Content-Type": "text/css"}), Refused, {"rule": "type"}),
    ("url-34-json", Reply(headers={"Content-Type": "application/json"}), Refused, {"rule": "type"}),
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
def test_url_23_a_redirect_is_followed_to_its_page(status: int) -> None:
    routes = {"/old": Reply(status, {"Location": " new page?x#part"}), "/new%20page?x": "new"}
    with LoopbackServer(routes) as server:
        outcome = get(server, "/old")
        assert isinstance(outcome, Fetched)
        assert (outcome.url, outcome.final_url) == (server.url("/old"), server.url("/new%20page?x"))
        assert outcome.redirects == (server.url("/old"),)


def test_url_23_five_redirects_are_followed_and_six_are_not() -> None:
    routes = {f"/{n}": Reply(302, {"Location": f"/{n - 1}"}) for n in range(1, 7)} | {"/0": "end"}
    with LoopbackServer(routes) as server:
        five, six = get(server, "/5"), get(server, "/6")
    assert isinstance(five, Fetched)
    assert isinstance(six, Failed)
    assert "more than 5 redirects" in six.reason
    assert server.targets.count("/0") == 1


def test_url_23_redirects_in_a_circle_fail() -> None:
    routes = {"/a": Reply(302, {"Location": "/b"}), "/b": Reply(302, {"Location": "/a"})}
    with LoopbackServer(routes) as server:
        outcome = get(server, "/a")
    assert isinstance(outcome, Failed)
    assert server.targets == ["/a", "/b"]


def test_validators_are_not_sent_to_where_a_redirect_leads() -> None:
    with LoopbackServer({"/a": Reply(302, {"Location": "/b"}), "/b": "x"}) as server:
        get(server, Request(server.url("/a"), etag='"v1"'))
    assert "if-none-match" not in server.asked[1].headers


def test_ssrf_45_a_sitemap_may_be_of_any_type_and_is_cut_at_the_decoded_size() -> None:
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
