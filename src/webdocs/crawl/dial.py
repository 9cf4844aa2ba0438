"""Where does a connection really go? The guard at the socket.

A guard at the resolver alone is not asked for address literals; a check before the request is undone by a name
that answers differently the second time. So the name is looked up here, every address is judged, and the very
address that was judged is dialled. TLS and the Host header keep the name.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol, cast

import httpcore2

from webdocs.crawl.address import AllowList, judge_address, judge_host
from webdocs.errors import FetchError

Resolver = Callable[[str, int], Awaitable[list[str]]]
"""Host and port to addresses, the preferred first. Raises OSError."""


class Dialler(Protocol):
    """Opens a TCP connection to a literal address."""

    async def __call__(self, address: str, port: int, timeout_s: float | None) -> httpcore2.AsyncNetworkStream: ...


class AddressRefusedError(FetchError):
    """The guard forbids the host, the port or every address of the host."""


class NameNotFoundError(FetchError):
    """The host has no address; `retryable` when the name service itself failed."""


async def resolve(host: str, port: int) -> list[str]:
    """The system's answer, in the order in which it would be dialled (RFC 6724)."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def dial(address: str, port: int, timeout_s: float | None) -> httpcore2.AsyncNetworkStream:
    """Open a TCP connection."""
    # The package exports a stand-in where anyio is missing, which hides the type.
    backend = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())
    return await backend.connect_tcp(address, port, timeout=timeout_s)


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """The network as a crawl may use it.

    Args:
        allow: What the operator opened although it is private.
        resolver: Looks a name up; once a connection.
        dialler: Opens the connection.
        connect_timeout_s: For one address; a request's own deadline holds as well.
    """

    def __init__(
        self,
        allow: AllowList,
        resolver: Resolver = resolve,
        dialler: Dialler = dial,
        connect_timeout_s: float = 10.0,
    ) -> None:
        self._allow = allow
        self._resolver = resolver
        self._dialler = dialler
        self._connect_timeout_s = connect_timeout_s

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first address that may be dialled and answers.

        Raises:
            AddressRefusedError: None may be dialled; no packet was sent.
            NameNotFoundError: The name has no address.
            httpcore2.ConnectError: None answers.
        """
        if reason := judge_host(host, port, self._allow):
            raise AddressRefusedError(reason)
        failure: Exception | None = None
        for address in await self._permitted(host, port):
            try:
                return await self._dialler(address, port, self._connect_timeout_s)
            except (httpcore2.NetworkError, httpcore2.TimeoutException) as exc:
                failure = exc
        raise httpcore2.ConnectError("no address of the host answers") from failure

    async def _permitted(self, host: str, port: int) -> list[str]:
        """The addresses that may be dialled; those that may not are left out, unless nothing is left."""
        try:
            addresses = await self._resolver(host, port)
        except socket.gaierror as exc:
            is_temporary = exc.errno == socket.EAI_AGAIN
            raise NameNotFoundError(f"the host {host} has no address", retryable=is_temporary) from exc
        except (OSError, UnicodeError) as exc:
            raise NameNotFoundError(f"the host {host} cannot be looked up", retryable=True) from exc
        judged = {address: judge_address(address, port, host, self._allow) for address in addresses}
        permitted = [address for address, reason in judged.items() if not reason]
        if permitted:
            return permitted
        raise AddressRefusedError(next(iter(judged.values()), f"the host {host} has no address"))

    async def sleep(self, seconds: float) -> None:
        """Wait, as httpcore2 asks."""
        await asyncio.sleep(seconds)
