"""How does a command ask the owner? JSON requests through the door; problems come back as our own errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote, urlencode

from webdocs.errors import InputError, OwnerError, WebdocsError
from webdocs.serve.channel import REST_PREFIX, SUBMIT_PATH
from webdocs.serve.door import Door

Json = Any
"""What an answer decodes to: objects and lists as the REST interface documents them."""


class Client:
    """Requests of one command."""

    def __init__(self, door: Door) -> None:
        self._door = door

    @property
    def is_owner(self) -> bool:
        """True when this process has come to hold the database, so that jobs end with it."""
        return self._door.owner is not None

    def get(self, path: str, **query: str | int | None) -> Json:
        """Read something. Arguments that are None are left out.

        Raises:
            InputError: the owner refused the request's words.
            WebdocsError: it could not be served.
        """
        return self._ask("GET", REST_PREFIX + path + _query(query))

    def search(self, **query: str | int | None) -> tuple[Json, dict[str, str]]:
        """The hits of a search, and what is said beside them by header name in lower case. Raises as `get`."""
        return self._ask_whole("GET", f"{REST_PREFIX}/search_docs{_query(query)}")

    def post(self, path: str, **query: str | None) -> Json:
        """Start something. Raises as `get`."""
        return self._ask("POST", REST_PREFIX + path + _query(query))

    def delete(self, path: str, **query: str | None) -> Json:
        """Remove or end something. Raises as `get`."""
        return self._ask("DELETE", REST_PREFIX + path + _query(query))

    def submit(self, crawl: Mapping[str, Json]) -> Json:
        """Start a crawl with the operator's options; answers the job. Raises as `get`."""
        return self._ask("POST", SUBMIT_PATH, json.dumps(crawl).encode())

    def _ask(self, method: str, target: str, body: bytes = b"") -> Json:
        return self._ask_whole(method, target, body)[0]

    def _ask_whole(self, method: str, target: str, body: bytes = b"") -> tuple[Json, dict[str, str]]:
        headers = {"Content-Type": "application/json"} if body else {}
        with self._door.request(method, target, body, headers) as reply:
            answer = _decode(reply.read())
            if reply.status < 400:
                return answer, {name.lower(): unquote(value) for name, value in reply.headers}
        detail = str(answer["detail"]) if isinstance(answer, dict) and "detail" in answer else ""
        if 400 <= reply.status < 500:
            raise InputError(detail or f"The owner refused the request ({reply.status})")
        raise WebdocsError(detail or f"The owner failed ({reply.status})")


def path_segment(name: str) -> str:
    """A name as it stands in a path; slashes stay, site names may hold them."""
    return quote(name, safe="/")


def _query(query: Mapping[str, str | int | None]) -> str:
    text = urlencode({name: value for name, value in query.items() if value is not None})
    return f"?{text}" if text else ""


def _decode(body: bytes) -> Json:
    try:
        return json.loads(body)
    except ValueError as exc:
        raise OwnerError(
            "The webdocs process that holds the database answered something unknown",
            "End it if it is another release, then try again.",
        ) from exc
