"""A web server on loopback for tests: routes are a table, and what was asked is written down.

    with LoopbackServer({"/": "<p>start", "/old": Reply(302, {"Location": "/"})}) as server:
        server.url("/old")

A route is a body (200, text/html), a `Reply`, or a coroutine that writes raw bytes to the connection.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer; Content-Length is added unless it is given."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | str = b""


Raw = Callable[[asyncio.StreamWriter], Awaitable[None]]
Route = str | bytes | Reply | Raw


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived; header names in lower case."""

    target: str
    headers: Mapping[str, str]
    method: str = "GET"


class LoopbackServer:
    """Serves a table of routes on 127.0.0.1 at a free port while its `with` block runs.

    Args:
        routes: Target (path with query) to route; what is not in it answers 404. May be changed meanwhile.
        tls: Speaks TLS by this context.
    """

    def __init__(self, routes: Mapping[str, Route], tls: ssl.SSLContext | None = None) -> None:
        self.routes: dict[str, Route] = dict(routes)
        self.asked: list[Asked] = []
        self.connections = 0
        self.port = 0
        self._tls = tls
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> LoopbackServer:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    @property
    def origin(self) -> str:
        """Scheme, address and port."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket(self) -> str:
        """The entry that opens just this server in `allow_private`."""
        return f"127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        """Absolute URL of a path."""
        return self.origin + path

    @property
    def targets(self) -> list[str]:
        """What was asked for, in order."""
        return [asked.target for asked in self.asked]

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self._tls)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.create_task(self._converse(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                route = self._note(head.decode("latin-1"))
                if callable(route):
                    await route(writer)
                    return
                reply = _render(route)
                writer.write(
                    reply if self.asked[-1].method != "HEAD" else reply.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    def _note(self, head: str) -> Route:
        first, *lines = head.split("\r\n")
        method, target = first.split(" ")[:2]
        fields = (line.partition(":") for line in lines if line)
        self.asked.append(Asked(target, {name.lower(): value.strip() for name, _, value in fields}, method))
        return self.routes.get(target, Reply(404, body="not here"))


def _render(route: str | bytes | Reply) -> bytes:
    reply = route if isinstance(route, Reply) else Reply(body=route)
    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
    if reply.status == 304:
        body = b""
    headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body)), **reply.headers}
    reason = HTTPStatus(reply.status).phrase
    head = f"HTTP/1.1 {reply.status} {reason}\r\n" + "".join(f"{n}: {v}\r\n" for n, v in headers.items())
    return head.encode() + b"\r\n" + body
