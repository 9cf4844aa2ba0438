"""How is an error told over HTTP? As RFC 9457 problem details, whatever went wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from starlette.responses import Response
from starlette.types import Send

from webdocs.errors import (
    EmbedderError,
    InputError,
    OwnerError,
    PatternError,
    SettingError,
    StoreError,
    UnknownNameError,
    UrlError,
    WebdocsError,
)

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:webdocs:problem:"


@dataclass(frozen=True, slots=True)
class Problem:
    """One error as a client sees it. `kind` ends its type URI; `members` are extension members."""

    status: int
    kind: str
    title: str
    detail: str
    members: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def body(self) -> bytes:
        """The JSON object of RFC 9457, section 3."""
        head = {
            "type": TYPE_PREFIX + self.kind,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }
        return json.dumps(head | dict(self.members), ensure_ascii=False).encode()


# The first row that fits counts, so a branch of the tree stands before its root.
_ROWS: tuple[tuple[type[WebdocsError], int, str, str], ...] = (
    (UnknownNameError, 422, "unknown-name", "Unknown name"),
    (UrlError, 422, "bad-url", "URL that cannot be crawled"),
    (PatternError, 422, "bad-pattern", "Pattern that does not compile"),
    (SettingError, 422, "bad-setting", "Option out of range"),
    (InputError, 422, "bad-input", "Wrong input"),
    (StoreError, 503, "store-unavailable", "Database not available"),
    (OwnerError, 503, "owner-unavailable", "Database owner not available"),
    (EmbedderError, 503, "embedder-unavailable", "Embedder not available"),
    (WebdocsError, 500, "failed", "Request failed"),
)


def problem_of(error: WebdocsError) -> Problem:
    """The problem that tells this error; an unknown name lists the known ones."""
    status, kind, title = next(row[1:] for row in _ROWS if isinstance(error, row[0]))
    members = {"known": list(error.known)} if isinstance(error, UnknownNameError) and error.known else {}
    return Problem(status, kind, title, _detail_of(error), members)


def _detail_of(error: WebdocsError) -> str:
    text = str(error)
    if isinstance(error, UnknownNameError) and error.known and not any(name in text for name in error.known):
        return f"{text.rstrip('.')}. Known: {', '.join(error.known)}."
    return text


def missing(error: UnknownNameError) -> Problem:
    """The problem of an id of a job or page that does not exist."""
    return Problem(404, "unknown-name", "Unknown name", _detail_of(error))


def http_problem(status: int, detail: str = "", headers: Mapping[str, str] | None = None) -> Problem:
    """A problem that says no more than its HTTP status: 404 for a route, 405 and the like."""
    phrase = HTTPStatus(status).phrase
    kind = phrase.lower().replace(" ", "-")
    return Problem(status, kind, phrase, detail or f"{phrase}.", headers=headers or {})


UNEXPECTED = Problem(
    500, "unexpected", "Unexpected error", "The request failed for a reason that is in the server's log."
)


def problem_response(problem: Problem) -> Response:
    """A problem as a response."""
    return Response(problem.body(), problem.status, dict(problem.headers), MEDIA_TYPE)


async def send_problem(problem: Problem, send: Send) -> None:
    """Answer an ASGI request with a problem."""
    body = problem.body()
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        *((name.lower().encode(), value.encode()) for name, value in problem.headers.items()),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
