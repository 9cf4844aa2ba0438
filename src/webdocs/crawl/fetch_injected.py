"""How is one page had from a function that the caller gave? The `Fetcher` over a plain or a conditional one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from webdocs.crawl.caller import Caller
from webdocs.crawl.retry import is_retryable_status
from webdocs.crawl.url import join, strip_fragment
from webdocs.errors import FetchError
from webdocs.model import Failed, Fetched, FetchOutcome, Gone, NotModified, Request


@dataclass(frozen=True, slots=True)
class FetchResult:
    """What a conditional fetcher answers.

    Attributes:
        body: The page, as text or as bytes; nothing where it did not change.
        etag: As the server gave it.
        last_modified: Likewise.
        not_modified: The page is as the validators say.
        status: The server's status, where the fetcher knows it: 404 and 410 are gone, any other from 400 up failed.
        final_url: Where redirects led; empty without one.
        content_type: As the server gave it.
    """

    body: str | bytes = ""
    etag: str = ""
    last_modified: str = ""
    not_modified: bool = False
    status: int | None = None
    final_url: str = ""
    content_type: str = "text/html"


PlainFetch = Callable[[str], str]
ConditionalFetch = Callable[[str, str, str], FetchResult]


class InjectedFetcher:
    """Calls the caller's function in the caller's thread."""

    def __init__(self, fetch: PlainFetch | ConditionalFetch, caller: Caller) -> None:
        self._is_conditional = is_conditional(fetch)
        called: Callable[..., Any] = fetch
        self._fetch = caller.here(called)

    async def fetch(self, request: Request) -> FetchOutcome:
        """One call; what it raises is a page that failed, and for robots.txt means that there is none."""
        validators = (request.etag, request.last_modified) if self._is_conditional else ()
        try:
            answer = await self._fetch(request.url, *validators)
        except FetchError as exc:
            return Failed(request.url, exc.what, exc.status, exc.retryable)
        except Exception as exc:
            # The boundary to code of the caller's, of which any exception says just that there is no page.
            if request.purpose == "robots":
                # Contract D3: a fetcher that tells no status allows everything.
                return Gone(request.url, 404)
            return Failed(request.url, f"{type(exc).__name__}: {exc}")
        return _outcome_of(request, answer)

    async def aclose(self) -> None:
        """Nothing is open here."""


def is_conditional(fetch: Callable[..., object]) -> bool:
    """True for a function that takes validators: by the names of its parameters, or by three that must be given."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(fetch).parameters.values()
    except ValueError:  # some built-in functions have none, `dict.get` among them
        return False
    taken = [each for each in parameters if each.kind in positional]
    needed = [each for each in taken if each.default is inspect.Parameter.empty]
    return {"etag", "last_modified"} <= {each.name for each in taken} or len(needed) >= 3


def _outcome_of(request: Request, answer: object) -> FetchOutcome:
    match answer:
        case FetchResult():
            return _outcome_of_result(request, answer)
        case str() | bytes():
            return _outcome_of_result(request, FetchResult(answer))
        case _:
            return Failed(request.url, f"the fetcher gave {type(answer).__name__}, not the page's text")


def _outcome_of_result(request: Request, result: FetchResult) -> FetchOutcome:
    url = request.url
    final_url = strip_fragment(join(url, result.final_url) or url) if result.final_url else url
    if result.not_modified or result.status == 304:
        return NotModified(url, final_url, result.etag or request.etag, result.last_modified or request.last_modified)
    if result.status in (404, 410):
        return Gone(url, result.status)
    if result.status is not None and result.status >= 400:
        reason = f"the server answers with status {result.status}"
        return Failed(url, reason, result.status, is_retryable_status(result.status))
    body = result.body.encode() if isinstance(result.body, str) else result.body
    # Text has no charset of its own any more: it is UTF-8 now, whatever its markup says.
    content_type = f"{result.content_type.partition(';')[0]}; charset=utf-8" if isinstance(result.body, str) else ""
    return Fetched(
        url,
        final_url,
        content_type or result.content_type,
        body,
        result.status or 200,
        result.etag,
        result.last_modified,
        (url,) if final_url != url else (),
    )
