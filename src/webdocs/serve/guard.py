"""Which HTTP requests are let in at all? The same check stands before every listener.

A page in the user's browser can send requests to loopback, by DNS rebinding or a plain form. So the Host must
name this listener, an Origin must be this listener's own, and a browser's unsafe request must come from its own
pages (Fetch Metadata). Bodies are bounded, and an error that nobody foresaw ends here, as a problem.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webdocs.errors import WebdocsError
from webdocs.serve.problem import UNEXPECTED, Problem, send_problem

logger = logging.getLogger(__name__)

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
MAX_BODY_BYTES = 1024 * 1024
"""Our choice: the largest request is a list of patterns, a hundred times smaller."""

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_DEFAULT_PORTS = {"http": 80, "https": 443}

RawHeaders = Iterable[tuple[bytes, bytes]]


def refusal_of(method: str, headers: RawHeaders, hosts: frozenset[str], port: int | None) -> Problem | None:
    """Why a request is refused, or None.

    Args:
        method: HTTP method.
        headers: As they came, names in lower case.
        hosts: Names that this listener goes by, IPv6 in brackets.
        port: Port of this listener; None where there is none (a UNIX socket), then any port is taken.
    """
    table = list(headers)
    named = [value.decode("latin-1") for name, value in table if name == b"host"]
    if len(named) != 1 or not _is_own(named[0], "http", hosts, port):
        return Problem(421, "wrong-host", "Misdirected request", "The Host header does not name this server.")
    origins = [value.decode("latin-1") for name, value in table if name == b"origin"]
    if any(not _is_own_origin(origin, hosts, port) for origin in origins):
        return Problem(403, "wrong-origin", "Cross-origin request", "Pages of other origins may not call this server.")
    sites = {value for name, value in table if name == b"sec-fetch-site"}
    if method not in _SAFE_METHODS and sites - {b"same-origin", b"none"}:
        return Problem(403, "cross-site", "Cross-site request", "Pages of other sites may not call this server.")
    return None


def _is_own_origin(origin: str, hosts: frozenset[str], port: int | None) -> bool:
    scheme, separator, authority = origin.partition("://")
    return bool(separator) and scheme in _DEFAULT_PORTS and _is_own(authority, scheme, hosts, port)


def _is_own(authority: str, scheme: str, hosts: frozenset[str], port: int | None) -> bool:
    host, separator, digits = authority.lower().rpartition(":")
    if not separator or authority.endswith("]"):
        host, digits = authority.lower(), str(_DEFAULT_PORTS[scheme])
    if host not in hosts or not (digits.isascii() and digits.isdigit()):
        return False
    return port is None or int(digits) == port


class Guard:
    """ASGI middleware: refuses, bounds and, at the very end, reports."""

    def __init__(self, app: ASGIApp, host: str = "127.0.0.1") -> None:
        self._app = app
        self._hosts = LOOPBACK_HOSTS | {f"[{host}]" if ":" in host else host.lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        server = scope.get("server")
        port = server[1] if server else None
        problem = refusal_of(scope["method"], scope["headers"], self._hosts, port)
        if problem is not None:
            logger.warning("request_refused status=%d kind=%s", problem.status, problem.kind)
            await send_problem(problem, send)
            return
        await self._serve(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _read_body(receive)
        if body is None:
            too_large = f"A request body is at most {MAX_BODY_BYTES} bytes."
            await send_problem(Problem(413, "too-large", "Content Too Large", too_large), send)
            return
        sender = _Sender(send)
        try:
            await self._app(scope, _Replay(body, receive), sender)
        except Exception as error:
            foreseen = _foreseen(error)
            if foreseen is not None and sender.has_started:
                # The server closes a connection whose answer is not complete.
                logger.warning("answer_cut method=%s path=%s reason=%s", scope["method"], scope["path"], foreseen)
                return
            logger.exception("request_failed method=%s path=%s", scope["method"], scope["path"])
            if not sender.has_started:
                await send_problem(UNEXPECTED, send)
            elif not sender.is_complete:
                raise  # the server closes the connection, so the client sees that the answer is cut


def _foreseen(error: Exception) -> WebdocsError | None:
    """The error of our own tree that ended a request, task groups taken off: the owner that died, for one."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error if isinstance(error, WebdocsError) else None


async def _read_body(receive: Receive) -> bytes | None:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return bytes(body)


class _Replay:
    """A receive channel that gives the body that was read once, then what the server has to say."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


class _Sender:
    """A send channel that remembers how far the answer is."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_started = False
        self.is_complete = False

    async def __call__(self, message: Message) -> None:
        self.has_started = True
        await self._send(message)
        self.is_complete = message["type"] == "http.response.body" and not message.get("more_body", False)
