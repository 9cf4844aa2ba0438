"""How does a process listen? A bound socket and uvicorn, in a thread or in the main thread."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from webdocs.errors import OwnerError, WebdocsError

GRACE_S = 2
"""Our choice: time for answers under way when a listener closes; event streams would never end."""


def bind(host: str, port: int) -> socket.socket:
    """A bound socket; port 0 takes a free one.

    Raises:
        WebdocsError: the address is taken or not ours.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named asyncio sets TCP_NODELAY; without it each answer waits 40 ms for an ACK.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except OSError as exc:
        bound.close()
        raise WebdocsError(
            f"Cannot listen on {host} port {port}: {exc.strerror or exc}",
            "Choose another with --port or WEBDOCS_PORT.",
        ) from exc
    return bound


def port_of(bound: socket.socket) -> int:
    """The port that a socket has got."""
    return int(bound.getsockname()[1])


def uvicorn_config(app: ASGIApp) -> uvicorn.Config:
    """The configuration of every listener: our own logging, no guess at forwarded addresses."""
    return uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        timeout_keep_alive=30,
        ws="none",
    )


class Server(uvicorn.Server):
    """A uvicorn server that says when it has started, or that it will not: `started` tells which."""

    def __init__(self, config: uvicorn.Config, on_settled: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_settled = on_settled

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and call `on_settled`, by when signals are handled in order."""
        try:
            await super().startup(sockets)
        finally:
            self._on_settled()


class Listener:
    """A server in a thread of this process, from its creation until `close`."""

    def __init__(self, app: ASGIApp, bound: socket.socket) -> None:
        self.port = port_of(bound)
        is_settled = threading.Event()
        self._server = Server(uvicorn_config(app), is_settled.set)
        # Not a daemon: the worker threads that its loop starts inherit that, and would be cut off at the
        # interpreter's end while they free their database cursors, which aborts the process (exit code 134).
        self._thread = threading.Thread(target=self._run, args=(bound,), name=f"listener-{self.port}", daemon=False)
        self._thread.start()
        is_settled.wait()
        if not self._server.started:
            self._thread.join()
            bound.close()
            raise OwnerError("The listener did not start", "See the log.")

    def close(self) -> None:
        """Finish what is under way, for a short while, and end."""
        self._server.should_exit = True
        self._thread.join()

    def _run(self, bound: socket.socket) -> None:
        try:
            self._server.run(sockets=[bound])
        except SystemExit:  # uvicorn's way to say that it did not start; told by `started`
            return
