"""The browser's way out, with real sockets on loopback (ssrf.md row 47)."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable

import pytest

from servers import LoopbackServer, Reply
from webdocs.crawl.address import AllowList
from webdocs.crawl.dial import GuardedBackend
from webdocs.crawl.proxy import FilteringProxy

Talk = Callable[[FilteringProxy], Awaitable[bytes]]


def run(talk: Talk, *allow: str, max_page_bytes: int = 1_000_000) -> tuple[bytes, FilteringProxy]:
    async def scene() -> tuple[bytes, FilteringProxy]:
        proxy = FilteringProxy(GuardedBackend(AllowList.parse(allow)), max_page_bytes=max_page_bytes)
        await proxy.start()
        try:
            return await talk(proxy), proxy
        finally:
            await proxy.aclose()

    return asyncio.run(scene())


def say(*texts: str, credential: bool = True) -> Talk:
    """Send a first message with the credential, then others as they are; answers all that comes."""

    async def talk(proxy: FilteringProxy) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))
        word = base64.b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
        field = f"Proxy-Authorization: Basic {word}\r\n" if credential else ""
        answer = b""
        for index, text in enumerate(texts):
            writer.write(f"{text}\r\n{'' if index else field}\r\n".encode())
            if index + 1 < len(texts):
                answer += await reader.readuntil(b"\r\n\r\n")
        answer += await reader.read(-1)
        writer.close()
        return answer

    return talk


def test_ssrf_47_a_plain_request_is_passed_on_without_the_credential() -> None:
    with LoopbackServer({"/a?b=1": "hello"}) as server:
        answer, _ = run(say(f"GET {server.url('/a?b=1')} HTTP/1.1\r\nX-Mine: 1"), server.socket)
        assert answer.endswith(b"hello")
        assert b"Connection: close" in answer
        assert server.targets == ["/a?b=1"]
        fields = server.asked[0].headers
        assert (fields["host"], fields["x-mine"], "proxy-authorization" in fields) == (server.socket, "1", False)


def test_ssrf_47_a_tunnel_carries_bytes() -> None:
    async def once(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\ninside")
        await writer.drain()

    with LoopbackServer({"/": once}) as server:
        answer, _ = run(say(f"CONNECT {server.socket} HTTP/1.1", "GET / HTTP/1.0\r\nHost: x"), server.socket)
        assert answer.startswith(b"HTTP/1.1 200")
        assert answer.endswith(b"inside")
        assert server.targets == ["/"]


REFUSED = [
    ("private-page", "GET {} HTTP/1.1", b"403"),
    ("private-tunnel", "CONNECT {socket} HTTP/1.1", b"403"),
    ("websocket-tunnel", "CONNECT {socket} HTTP/1.1\r\nUpgrade: websocket", b"403"),
    ("name-of-this-machine", "GET http://localhost:{port}/ HTTP/1.1", b"403"),
    ("address-as-number", "GET http://2130706433:{port}/ HTTP/1.1", b"403"),
    ("port-of-a-service", "CONNECT docs.test:6379 HTTP/1.1", b"403"),
    ("other-scheme", "GET file:///etc/passwd HTTP/1.1", b"400"),
    ("userinfo", "GET http://a@127.0.0.1:{port}/ HTTP/1.1", b"400"),
    ("origin-form", "GET / HTTP/1.1", b"400"),
    ("no-head", "nonsense", b"400"),
]


@pytest.mark.parametrize(("text", "status"), [c[1:] for c in REFUSED], ids=[f"ssrf-47-{c[0]}" for c in REFUSED])
def test_what_leads_where_it_may_not_is_never_dialled(text: str, status: bytes) -> None:
    with LoopbackServer({"/": "secret"}) as server:
        asked = text.format(server.url("/"), socket=server.socket, port=server.port)
        answer, _ = run(say(asked))
        assert answer.split(b" ")[1] == status
        assert b"127.0.0.1" not in answer  # row 48
        assert server.connections == 0


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_ssrf_47_a_page_may_only_ask(method: str) -> None:
    with LoopbackServer({"/": "ok"}) as server:
        answer, proxy = run(say(f"{method} {server.url('/')} HTTP/1.1\r\nContent-Length: 0"), server.socket)
        assert answer.startswith(b"HTTP/1.1 405")
        assert server.connections == 0
        assert proxy.refusals == [f"{method} 127.0.0.1: a page may only ask for things"]


def test_ssrf_47_without_the_credential_nothing_is_dialled() -> None:
    with LoopbackServer({"/": "ok"}) as server:
        answer, _ = run(say(f"GET {server.url('/')} HTTP/1.1", credential=False), server.socket)
        assert answer.startswith(b"HTTP/1.1 407")
        assert server.connections == 0


def test_D10_a_page_brings_no_more_bytes_than_it_may() -> None:
    with LoopbackServer({"/": "x" * 500_000}) as server:
        answer, proxy = run(say(f"GET {server.url('/')} HTTP/1.1"), server.socket, max_page_bytes=100_000)
        assert len(answer) < 200_000
        assert proxy.refusals == ["the page brings more than one page may"]


def test_an_answer_that_is_no_http_is_a_bad_gateway() -> None:
    async def noise(writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-x\r\n\r\n")
        await writer.drain()

    with LoopbackServer({"/": noise}) as server:
        answer, _ = run(say(f"GET {server.url('/')} HTTP/1.1"), server.socket)
        assert answer.startswith(b"HTTP/1.1 502")


def test_an_absent_server_is_a_bad_gateway() -> None:
    with LoopbackServer({"/": Reply()}) as server:
        socket = server.socket
    answer, _ = run(say(f"GET http://{socket}/ HTTP/1.1"), socket)
    assert answer.startswith(b"HTTP/1.1 502")
