"""What may a browser reach? An HTTP proxy of our own on loopback, its only way out.

Each connection is opened by the crawl's guarded backend, which looks the name up, judges every address and dials the
one it judged, so a page's script reaches what a crawl reaches and nothing else. Plain requests are made one a
connection, and only those that ask (GET, HEAD); what is inside a tunnel cannot be seen, but where it goes is judged.
A random credential keeps other programs of this machine out.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import logging
import math
import secrets
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import ada_url
import httpcore2

from webdocs.crawl.dial import AddressRefusedError
from webdocs.crawl.url import authority_of, host_of, port_of, target_of
from webdocs.errors import FetchError

logger = logging.getLogger(__name__)

MAX_HEAD_BYTES = 64 * 1024
"""Our choice: browsers send some kB; 8 to 64 kB is what servers take."""

MAX_CONNECTIONS = 64
"""Our choice: a browser opens six a host; a page that uses more than ten hosts at once waits."""

IDLE_S = 30.0
"""Our choice: a page is given up before a connection that is silent for so long could help it."""

_CHUNK_BYTES = 64 * 1024

_ASKING = frozenset(("GET", "HEAD"))

_OF_THE_HOP = frozenset(
    ("connection", "proxy-connection", "proxy-authorization", "proxy-authenticate", "keep-alive", "te", "upgrade")
)
"""RFC 9110, 7.6.1. `Transfer-Encoding` stays, since bodies are passed on as they come."""

_NETWORK_FAULTS = (httpcore2.NetworkError, httpcore2.TimeoutException, OSError)


@dataclass(frozen=True, slots=True)
class Head:
    """The first line of a message, taken apart, and its fields as they came."""

    first: tuple[str, str, str]
    fields: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, raw: bytes) -> Head | None:
        """Read a head with its empty line; None for what is none."""
        first, *lines = raw.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
        parts = first.split(" ", 2)
        if len(parts) < 2 or any(":" not in line or line[0] in " \t" for line in lines):
            return None
        pairs = (line.partition(":") for line in lines)
        parts.append("")
        return cls((parts[0], parts[1], parts[2]), tuple((name, value.strip()) for name, _, value in pairs))

    def value(self, name: str) -> str:
        """The first field of a name in lower case; empty if there is none."""
        return next((value for each, value in self.fields if each.lower() == name), "")

    def passed_on(self) -> Iterator[tuple[str, str]]:
        """The fields that the next hop gets, with the end of the connection announced."""
        yield from ((name, value) for name, value in self.fields if name.lower() not in _OF_THE_HOP)
        yield ("Connection", "close")


class FilteringProxy:
    """A proxy for one browser. `start` before use, `aclose` after; it belongs to the loop that started it.

    Args:
        backend: Opens connections, or refuses them.
        max_page_bytes: What one page may bring in all, as it passes the wire; then its connections are closed.
    """

    def __init__(self, backend: httpcore2.AsyncNetworkBackend, *, max_page_bytes: int) -> None:
        self.username = "webdocs"
        self.password = secrets.token_urlsafe(24)
        self.refusals: list[str] = []
        self._backend = backend
        self._max_page_bytes = max_page_bytes
        self._page_bytes = 0
        self._credential = b"Basic " + base64.b64encode(f"{self.username}:{self.password}".encode())
        self._slots = asyncio.Semaphore(MAX_CONNECTIONS)
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Where the browser finds the proxy, without the credential."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start(self) -> None:
        """Listen on a free port of loopback."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)

    async def aclose(self) -> None:
        """Stop listening and close every connection."""
        if self._server is not None:
            self._server.close()
        self.close_connections()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def begin_page(self) -> None:
        """A new page: its bytes are counted from nothing, and what the last refused is forgotten."""
        self._page_bytes = 0
        self.refusals.clear()

    def close_connections(self) -> None:
        """Break off what is under way."""
        for task in self._tasks:
            task.cancel()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._converse(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with self._slots:
                async with asyncio.timeout(IDLE_S):
                    raw = await reader.readuntil(b"\r\n\r\n")
                await self._serve(Head.parse(raw), reader, writer)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, *_NETWORK_FAULTS):
            return
        finally:
            writer.close()

    async def _serve(self, head: Head | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if head is None:
            return _answer(writer, "400 Bad Request")
        if not hmac.compare_digest(head.value("proxy-authorization").encode(), self._credential):
            return _answer(writer, "407 Proxy Authentication Required", 'Proxy-Authenticate: Basic realm="webdocs"\r\n')
        method, target, _ = head.first
        url = _url_of(method, target)
        if url is None:
            return _answer(writer, "400 Bad Request")
        if method != "CONNECT" and method not in _ASKING:
            self._refuse(f"{method} {host_of(url)}: a page may only ask for things")
            return _answer(writer, "405 Method Not Allowed")
        upstream = await self._dial(url, writer)
        if upstream is None:
            return None
        try:
            await self._join(method, url, head, upstream, reader, writer)
        finally:
            await upstream.aclose()
        return None

    async def _dial(self, url: str, writer: asyncio.StreamWriter) -> httpcore2.AsyncNetworkStream | None:
        """A connection to the URL's host, or None once the browser was told why not."""
        host, port = host_of(url), port_of(url)
        try:
            return await self._backend.connect_tcp(host, port)
        except AddressRefusedError as exc:
            self._refuse(f"{host}:{port}: {exc.what}")
            _answer(writer, "403 Forbidden")
        except (FetchError, *_NETWORK_FAULTS):
            _answer(writer, "502 Bad Gateway")
        return None

    async def _join(
        self,
        method: str,
        url: str,
        head: Head,
        upstream: httpcore2.AsyncNetworkStream,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            return await self._relay(self._send(reader, upstream), self._receive(upstream, writer))
        await upstream.write(_request_of(method, url, head))
        # The browser says nothing more on this connection: its end is the sign that it has gone.
        return await self._relay(_drop(reader), self._receive_answer(method, upstream, writer))

    async def _relay(self, out: Coroutine[Any, Any, None], back: Coroutine[Any, Any, None]) -> None:
        """Both directions, until one of them ends."""
        ways = {asyncio.create_task(out), asyncio.create_task(back)}
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _send(self, reader: asyncio.StreamReader, upstream: httpcore2.AsyncNetworkStream) -> None:
        while data := await reader.read(_CHUNK_BYTES):
            await upstream.write(data, IDLE_S)

    async def _receive(
        self, upstream: httpcore2.AsyncNetworkStream, writer: asyncio.StreamWriter, left: float = math.inf
    ) -> None:
        """Pass on what comes, up to `left` bytes."""
        while left > 0 and (data := await upstream.read(_CHUNK_BYTES, IDLE_S)):
            if not self._may_pass(len(data)):
                return
            left -= len(data)
            writer.write(data)
            await writer.drain()

    async def _receive_answer(
        self, method: str, upstream: httpcore2.AsyncNetworkStream, writer: asyncio.StreamWriter
    ) -> None:
        """An answer whose head says that the connection ends, whatever the server wrote, and does."""
        raw = b""
        while b"\r\n\r\n" not in raw and len(raw) <= MAX_HEAD_BYTES:
            data = await upstream.read(_CHUNK_BYTES, IDLE_S)
            if not data:
                break
            raw += data
        first, mark, rest = raw.partition(b"\r\n\r\n")
        head = Head.parse(first + mark) if mark else None
        if head is None or not head.first[0].startswith("HTTP/1."):
            return _answer(writer, "502 Bad Gateway")
        if not self._may_pass(len(raw)):
            return None
        writer.write(_render(" ".join(head.first).rstrip(), head.passed_on()) + rest)
        return await self._receive(upstream, writer, _length_of(method, head) - len(rest))

    def _may_pass(self, size: int) -> bool:
        self._page_bytes += size
        if self._page_bytes <= self._max_page_bytes:
            return True
        self._refuse("the page brings more than one page may")
        return False

    def _refuse(self, reason: str) -> None:
        logger.debug("browser_refused reason=%s", reason)
        if len(self.refusals) < MAX_CONNECTIONS:
            self.refusals.append(reason)


def _url_of(method: str, target: str) -> str | None:
    """The URL that a request names, as the crawl would write it; None for what the proxy does not serve."""
    text = f"https://{target}/" if method == "CONNECT" else target
    try:
        url = ada_url.normalize_url(text)
    except ValueError:
        return None
    if method == "CONNECT" and target_of(url) != "/":
        return None
    is_web = url.startswith("https://" if method == "CONNECT" else "http://")
    return url if is_web and "@" not in authority_of(url) else None


def _length_of(method: str, answer: Head) -> float:
    """Bytes of an answer's body (RFC 9112, 6.3); infinite where only the end of the connection tells."""
    if method == "HEAD" or answer.first[1] in ("204", "304"):
        return 0
    length = answer.value("content-length")
    return int(length[:18]) if length.isdigit() and not answer.value("transfer-encoding") else math.inf


def _request_of(method: str, url: str, head: Head) -> bytes:
    fields = ((name, value) for name, value in head.passed_on() if name.lower() not in ("host", "content-length"))
    return _render(f"{method} {target_of(url)} HTTP/1.1", (("Host", authority_of(url)), *fields))


def _render(first: str, fields: Iterator[tuple[str, str]] | tuple[tuple[str, str], ...]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return f"{first}\r\n{lines}\r\n".encode("latin-1")


def _answer(writer: asyncio.StreamWriter, status: str, fields: str = "") -> None:
    head = f"HTTP/1.1 {status}\r\n{fields}Content-Length: 0\r\nConnection: close\r\n\r\n"
    with suppress(ConnectionError):
        writer.write(head.encode())


async def _drop(reader: asyncio.StreamReader) -> None:
    while await reader.read(_CHUNK_BYTES):
        pass
