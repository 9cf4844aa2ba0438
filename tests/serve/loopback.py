"""Plain HTTP requests of the tests, with every header under their control."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, read whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def is_problem(self) -> bool:
        """True if it has the media type and the four members that the contract wants."""
        members = {"type", "title", "status", "detail"}
        return (
            self.headers.get("content-type") == "application/problem+json"
            and members <= set(self.json)
            and self.json["status"] == self.status
        )


def ask(port: int, method: str, target: str, body: object = None, headers: Mapping[str, str] | None = None) -> Reply:
    """One request to 127.0.0.1; a body that is not bytes is sent as JSON."""
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    fields = {"Content-Type": "application/json"} if body is not None else {}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, target, data, {**fields, **(headers or {})})
        response = connection.getresponse()
        named = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, named, response.read())
    finally:
        connection.close()
