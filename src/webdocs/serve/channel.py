"""How does a process talk to the owner? HTTP over loopback, after the owner has proven itself.

The proof is HMAC-SHA256 over a fresh nonce with the secret of the owner file, given on the very connection that
then carries the request. So a stale file, or a foreign process that got the port, sees a nonce and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import secrets
import socket
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from webdocs.errors import OwnerError
from webdocs.serve.owner_file import OwnerRecord

CHALLENGE_PATH = "/_owner/challenge"
CALL_TOOL_PATH = "/_owner/call_tool"
SUBMIT_PATH = "/_owner/submit"
REST_PREFIX = "/_rest"
"""Public requests are forwarded below it, so that no path of theirs reaches the owner's own routes."""

SECRET_HEADER = "X-Webdocs-Owner-Secret"  # noqa: S105
CHALLENGE_TIMEOUT_S = 2.0
"""Our choice: the answer costs the owner microseconds; the rest is patience with a machine that is busy."""

_READ_BYTES = 65536
_LOST = "The webdocs process that holds the database ended in the middle of a request"


class OwnerGoneError(OwnerError):
    """The owner broke off before it answered. `was_sent` tells whether it may have acted on the request."""

    def __init__(self, *, was_sent: bool) -> None:
        super().__init__(_LOST, "See `webdocs status`, then try again.")
        self.was_sent = was_sent


def proof_of(secret: str, nonce: str) -> str:
    """What only a process with the secret can answer to this nonce."""
    return hmac.new(bytes.fromhex(secret), nonce.encode(), hashlib.sha256).hexdigest()


class ChannelReply:
    """An answer of the owner whose body may still be on its way. Close it."""

    def __init__(self, response: http.client.HTTPResponse, connection: http.client.HTTPConnection) -> None:
        self._response = response
        self._connection = connection
        self.status = response.status
        self.headers = tuple(response.getheaders())

    def read(self) -> bytes:
        """The whole body."""
        try:
            return self._response.read()
        except (OSError, http.client.HTTPException) as exc:
            raise OwnerGoneError(was_sent=True) from exc

    def read_some(self) -> bytes:
        """What has come so far, at least a byte; empty at the end."""
        try:
            return self._response.read1(_READ_BYTES)
        except (OSError, http.client.HTTPException, ValueError) as exc:
            raise OwnerGoneError(was_sent=True) from exc

    def abandon(self) -> None:
        """End a read that waits in another thread."""
        if self._connection.sock is not None:
            try:
                self._connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:  # the owner was quicker
                return

    def close(self) -> None:
        """Close the connection."""
        self._response.close()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Channel:
    """One connection to an owner that has proven itself; it carries one request."""

    def __init__(self, record: OwnerRecord, connection: http.client.HTTPConnection) -> None:
        self._record = record
        self._connection = connection

    def request(
        self, method: str, target: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> ChannelReply:
        """Send a request with the secret and wait for the head of the answer.

        Raises:
            OwnerGoneError: the connection broke.
        """
        fields = {**(headers or {}), SECRET_HEADER: self._record.secret}
        try:
            self._connection.request(method, target, body or None, fields)
            return ChannelReply(self._connection.getresponse(), self._connection)
        except (OSError, http.client.HTTPException) as exc:
            self._connection.close()
            raise OwnerGoneError(was_sent=True) from exc

    def close(self) -> None:
        """Close the connection of a channel that was not used."""
        self._connection.close()


def reach_owner(record: OwnerRecord) -> Channel | None:
    """Connect to the process that a record names; None if it does not answer or cannot prove itself."""
    connection = http.client.HTTPConnection("127.0.0.1", record.port, timeout=CHALLENGE_TIMEOUT_S)
    try:
        is_owner = _proves_itself(connection, record.secret)
    except (OSError, http.client.HTTPException, ValueError):
        is_owner = False
    if not is_owner or connection.sock is None:
        connection.close()
        return None
    connection.auto_open = 0  # a new connection would not be proven
    connection.sock.settimeout(None)  # a crawl with sync=true takes its time; a dead owner closes the socket
    return Channel(record, connection)


def _proves_itself(connection: http.client.HTTPConnection, secret: str) -> bool:
    nonce = secrets.token_hex(32)
    connection.request("GET", f"{CHALLENGE_PATH}?nonce={nonce}")
    with connection.getresponse() as response:
        answer = response.read(1024).decode("ascii", "replace").strip()
    return response.status == 200 and hmac.compare_digest(answer, proof_of(secret, nonce))
