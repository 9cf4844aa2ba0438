"""A network for tests in which nothing is real: a name service with a table, and a dialler that writes down.

dialler = RecordingDialler()
ask("http://a.test/", resolver=Names({"a.test": [[PUBLIC]]}), dialler=dialler)
dialler.dialled == [(PUBLIC, 80)]
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence

import httpcore2

from webdocs.crawl.fetch_http import HttpFetcher
from webdocs.model import FetchOutcome, Request

PUBLIC = "93.184.216.34"

Answer = bytes | Callable[[bytes], bytes]


class Names:
    """A name service with a table; each further look-up of a name gives the next answer.

    Args:
        table: Name to its answers, one after another, the last for ever.
        otherwise: What any other name resolves to; nothing by default.
    """

    def __init__(self, table: Mapping[str, Sequence[Sequence[str]]], otherwise: Sequence[str] = ()) -> None:
        self.table = table
        self.otherwise = otherwise
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        answers = self.table.get(host, [self.otherwise])
        found = answers[min(self.asked.count(host), len(answers)) - 1]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return list(found)


class CannedStream(httpcore2.AsyncNetworkStream):
    """A connection whose server answers from a table of one; TLS is written down and let through."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._left = answer if isinstance(answer, bytes) else b""
        self.sent = b""
        self.server_names: list[str | None] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data, self._left = self._left[:max_bytes], self._left[max_bytes:]
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.sent += buffer
        if callable(self._answer) and self.sent.endswith(b"\r\n\r\n"):
            self._left, self.sent = self._answer(self.sent), b""

    async def aclose(self) -> None:
        pass

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        self.server_names.append(server_hostname)
        return self


class RecordingDialler:
    """Writes down what would be dialled and gives canned answers; an address in `dead` refuses.

    Args:
        answers: Address to what its server says: bytes, or a function of the request's head.
        dead: Addresses that refuse the connection.
    """

    def __init__(self, answers: Mapping[str, Answer] | None = None, dead: Sequence[str] = ()) -> None:
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


def canned(body: str, status: str = "200 OK", *headers: str, is_last: bool = True) -> bytes:
    """One answer as it stands on the wire; the connection is closed after it unless told otherwise."""
    lines = [f"HTTP/1.1 {status}", "Content-Type: text/html", f"Content-Length: {len(body)}"]
    lines += ["Connection: close"] if is_last else []
    return ("\r\n".join([*lines, *headers]) + "\r\n\r\n" + body).encode()


def site(routes: Mapping[str, bytes]) -> Callable[[bytes], bytes]:
    """A server for a dialler: target to answer, 404 for what is not in the table."""
    return lambda head: routes.get(head.split(b" ")[1].decode("latin-1"), canned("not here", "404 Not Found"))


def ask(url: str | Request, **options) -> FetchOutcome:
    """One fetch with a fetcher of its own."""
    return ask_all([url], **options)[0]


def ask_all(urls: Sequence[str | Request], **options) -> list[FetchOutcome]:
    """Several fetches, one after another, with one fetcher."""

    async def each() -> list[FetchOutcome]:
        fetcher = HttpFetcher(**options)
        try:
            return [await fetcher.fetch(url if isinstance(url, Request) else Request(url)) for url in urls]
        finally:
            await fetcher.aclose()

    return asyncio.run(each())
