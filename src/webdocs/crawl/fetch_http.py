"""How is one page had over HTTP? The `Fetcher` on httpcore2.

httpcore2's pool is used as it is, without a client on top: no cookie is kept, no proxy or netrc of the environment
is read, nothing is decoded or followed but here. What a server does wrong is an outcome, never an exception.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version

import httpcore2
import httpx2

from webdocs.crawl.address import AllowList, judge_host
from webdocs.crawl.decode import ACCEPTED_CODINGS, BodyDecoder, BodyTooLargeError
from webdocs.crawl.dial import AddressRefusedError, Dialler, GuardedBackend, Resolver, dial, resolve
from webdocs.crawl.media import NO_FORMATS, judge_media
from webdocs.crawl.retry import is_retryable_status, parse_retry_after
from webdocs.crawl.robots import MAX_BYTES as MAX_ROBOTS_BYTES
from webdocs.crawl.url import (
    MAX_URL_BYTES,
    authority_of,
    drop_userinfo,
    has_userinfo,
    host_of,
    join,
    origin_of,
    path_of,
    port_of,
    strip_fragment,
    target_of,
)
from webdocs.errors import FetchError
from webdocs.model import Failed, Fetched, FetchOutcome, Formats, Gone, NotModified, Refused, Request

logger = logging.getLogger(__name__)

CONTACT_URL = "https://github.com/webdocs-mcp/webdocs-mcp"

ACCEPT_PAGE = "text/markdown, text/html;q=0.9, */*;q=0.8"
"""Contract F6."""

_ACCEPT = {
    "page": ACCEPT_PAGE,
    "robots": "text/plain, */*;q=0.8",
    "sitemap": "application/xml, text/xml;q=0.9, text/plain;q=0.8, */*;q=0.7",
    "list": "text/plain, text/markdown, */*;q=0.8",
    "probe": ACCEPT_PAGE,
}

MAX_REDIRECTS = 5
"""Contract D3 and D9; RFC 9309, 2.3.1.2 asks for five as well."""

MAX_BODY_BYTES = 20 * 1024 * 1024
"""Our choice: the largest single-page manuals are some MB."""

MAX_LIST_BYTES = 4 * 1024 * 1024
"""Our choice: the largest llms.txt of known documentation are some 100 KB."""

MAX_DRAINED_BYTES = 64 * 1024
"""Our choice: an error page this short is cheaper to read than a new connection is to open."""

KEEPALIVE_S = 15.0
"""Our choice: longer than the spacing between requests, shorter than most servers' own limit."""

_MAX_BYTES = {"robots": MAX_ROBOTS_BYTES, "list": MAX_LIST_BYTES}
_METHOD = {"probe": "HEAD"}

_NETWORK_FAULTS = (
    httpcore2.NetworkError,
    httpcore2.TimeoutException,
    httpcore2.RemoteProtocolError,
    OSError,  # TLS errors in mid-stream come as they are
)

_REDIRECTS = frozenset((301, 302, 303, 307, 308))


class HttpFetcher:
    """Gets pages over HTTP/1.1, each connection through the address guard.

    Args:
        allow_private: Hosts, `host:port` or blocks that may be dialled although they are private.
        timeout_s: For one request, from its start to the last byte, redirects included.
        max_body_bytes: Of a page, decoded.
        concurrency: Most connections open at once, over all hosts.
        contact_url: Where a site's owner reads who we are; part of the user agent.
        formats: Which files are taken beside HTML and text.
        resolver: Looks names up.
        dialler: Opens connections.
        ssl_context: By default one with the system's trust store.

    Raises:
        SettingError: An entry of `allow_private` cannot be read.
    """

    def __init__(
        self,
        *,
        allow_private: Sequence[str] = (),
        timeout_s: float = 30.0,
        max_body_bytes: int = MAX_BODY_BYTES,
        concurrency: int = 4,
        contact_url: str = CONTACT_URL,
        formats: Formats = NO_FORMATS,
        resolver: Resolver = resolve,
        dialler: Dialler = dial,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._timeout_s = timeout_s
        self._max_body_bytes = max_body_bytes
        self._formats = formats
        self._user_agent = user_agent(contact_url)
        self._allow = AllowList.parse(allow_private)
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=ssl_context or _system_trust(),
            max_connections=concurrency,
            keepalive_expiry=KEEPALIVE_S,
            network_backend=GuardedBackend(self._allow, resolver, dialler),
        )

    async def fetch(self, request: Request) -> FetchOutcome:
        """Ask for the request's URL and follow up to five redirects, each judged as the first."""
        shown = drop_userinfo(request.url)
        try:
            async with asyncio.timeout(self._timeout_s):
                outcome = await self._follow(request)
        except TimeoutError:
            reason = f"no whole answer within {self._timeout_s:g} s"
            outcome = Failed(shown, reason, retryable=True)
        except AddressRefusedError as exc:
            outcome = Refused(shown, "address", exc.what)
        except FetchError as exc:
            outcome = Failed(shown, exc.what, exc.status, exc.retryable)
        except _NETWORK_FAULTS as exc:
            outcome = Failed(shown, _reason_of(exc), retryable=True)
        except (httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as exc:
            outcome = Failed(shown, f"the request cannot be made: {exc}")
        logger.debug("page_asked url=%s outcome=%s", shown, type(outcome).__name__)
        return outcome

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()

    async def _follow(self, request: Request) -> FetchOutcome:
        hops = [request.url]
        while True:
            if reason := _judge_url(hops[-1]):
                return Refused(drop_userinfo(request.url), "url", reason)
            try:
                outcome = await self._ask(request, hops)
            except AddressRefusedError as exc:
                if len(hops) == 1:
                    raise
                raise AddressRefusedError(f"a redirect leads where it may not: {exc.what}") from exc
            if not isinstance(outcome, str):
                return outcome
            if outcome in hops:
                return Failed(request.url, "the redirects run in a circle")
            if len(hops) > MAX_REDIRECTS:
                return Failed(request.url, f"more than {MAX_REDIRECTS} redirects")
            hops.append(outcome)

    async def _ask(self, request: Request, hops: list[str]) -> FetchOutcome | str:
        """One exchange: the outcome, or the URL that it redirects to."""
        url = hops[-1]
        # The guard at the socket says the same, but it sees what the pool makes of the URL: 80 for port 0.
        if reason := judge_host(host_of(url), port_of(url), self._allow):
            raise AddressRefusedError(reason)
        response = await self._pool.handle_async_request(
            httpcore2.Request(_METHOD.get(request.purpose, "GET"), _core_url(url), headers=self._headers(request, hops))
        )
        try:
            headers = _join_headers(response.headers)
            if response.status in (200, 203):
                return await self._read_page(request, hops, response, headers)
            outcome = _judge_status(request, url, response.status, headers)
            await _drain(response, headers)
            return outcome
        finally:
            await response.aclose()

    def _headers(self, request: Request, hops: list[str]) -> list[tuple[bytes, bytes]]:
        fields = [
            ("Host", authority_of(hops[-1])),
            ("User-Agent", self._user_agent),
            ("Accept", _ACCEPT[request.purpose]),
            ("Accept-Encoding", ACCEPTED_CODINGS),
        ]
        # Validators belong to the stored URL, which is the one asked for, not to what it redirects to.
        if len(hops) == 1 and request.etag:
            fields.append(("If-None-Match", request.etag))
        if len(hops) == 1 and request.last_modified:
            fields.append(("If-Modified-Since", request.last_modified))
        return [(name.encode(), value.encode("latin-1", "replace")) for name, value in fields]

    async def _read_page(
        self, request: Request, hops: list[str], response: httpcore2.Response, headers: Mapping[str, str]
    ) -> FetchOutcome:
        if request.purpose == "probe":
            return Fetched(request.url, hops[-1], headers.get("content-type", ""), b"", redirects=tuple(hops[:-1]))
        is_page = request.purpose == "page"
        if is_page and (reason := judge_media(headers, path_of(hops[-1]), self._formats)):
            return Refused(request.url, "type", reason)
        decoder = BodyDecoder(
            headers.get("content-encoding", ""),
            min(_MAX_BYTES.get(request.purpose, self._max_body_bytes), self._max_body_bytes),
        )
        try:
            async for data in _stream_of(response):
                decoder.feed(data)
            body = decoder.finish()
        except BodyTooLargeError:
            if is_page:
                raise
            body = decoder.cut()
        return Fetched(
            request.url,
            hops[-1],
            headers.get("content-type", ""),
            body,
            response.status,
            headers.get("etag", ""),
            headers.get("last-modified", ""),
            tuple(hops[:-1]),
            headers,
        )


def user_agent(contact_url: str) -> str:
    """How the crawler names itself."""
    return f"webdocs/{version('webdocs-mcp')} (+{contact_url})"


@cache
def _system_trust() -> ssl.SSLContext:
    # One for the process: reading the trust store takes 36 ms CPU.
    return httpx2.create_ssl_context(trust_env=False)


def _judge_url(url: str) -> str:
    """Why no request can be made for the URL as such; empty if one can."""
    if has_userinfo(url):
        return "the URL holds a user name or a password; give it without the part before the @"
    if not url.startswith(("http://", "https://")):
        return "only http and https can be crawled"
    if len(url) > MAX_URL_BYTES:
        return f"the URL is longer than {MAX_URL_BYTES} bytes"
    # One parser for the judge and the request line: what it would write otherwise, it may also read otherwise.
    if join(url, url) != url:
        return "the URL is not written as a browser would send it"
    return ""


def _judge_status(request: Request, url: str, status: int, headers: Mapping[str, str]) -> FetchOutcome | str:
    """What an answer without a page means; the next URL for a redirect."""
    if status in _REDIRECTS:
        return _judge_redirect(request, url, status, headers)
    if status == 304 and (request.etag or request.last_modified):
        etag, modified = headers.get("etag", request.etag), headers.get("last-modified", request.last_modified)
        return NotModified(request.url, url, etag, modified)
    if status in (404, 410):
        return Gone(request.url, status)
    wait_s = parse_retry_after(headers.get("retry-after", ""), datetime.now(UTC))
    reason = _STATUS_REASONS.get(status, f"the server answers with status {status}")
    return Failed(request.url, reason, status, is_retryable_status(status), wait_s)


_STATUS_REASONS = {
    401: "the server asks for a login (status 401)",
    403: "the server forbids the page (status 403)",
    429: "the server asks to slow down (status 429)",
    503: "the server is unavailable (status 503)",
}


def _judge_redirect(request: Request, url: str, status: int, headers: Mapping[str, str]) -> FetchOutcome | str:
    location = headers.get("location", "").strip()
    if not location:
        return Failed(request.url, f"a redirect without a target (status {status})", status)
    target = join(url, location)
    if target is None:
        return Refused(request.url, "redirect", "a redirect leads to something that is no http or https URL")
    is_downgrade = url.startswith("https:") and target.startswith("http:")
    if is_downgrade and host_of(target) != host_of(url):
        return Refused(request.url, "redirect", "a redirect leads from https to plain http on another host")
    return strip_fragment(target)


def _core_url(url: str) -> httpcore2.URL:
    """The URL in the parts that WHATWG parsing gave: the host judged is the host dialled."""
    scheme = origin_of(url).partition(":")[0]
    return httpcore2.URL(
        scheme=scheme.encode(), host=host_of(url).encode(), port=port_of(url), target=target_of(url).encode()
    )


def _join_headers(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Names in lower case; a repeated field's values joined (RFC 9110, 5.2)."""
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1").strip()
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _stream_of(response: httpcore2.Response) -> AsyncIterable[bytes]:
    assert isinstance(response.stream, AsyncIterable)
    return response.stream


async def _drain(response: httpcore2.Response, headers: Mapping[str, str]) -> None:
    """Read a short body away, so that its connection can be used again."""
    length = headers.get("content-length", "")
    has_body = response.status != 304  # it ends with its head, whatever length it names (RFC 9112, 6.3)
    if has_body and (not length.isdigit() or int(length[:9]) > MAX_DRAINED_BYTES):
        return
    async for _ in _stream_of(response):
        pass


def _reason_of(exc: Exception) -> str:
    match exc:
        case httpcore2.ConnectError():
            return f"no connection: {exc}"
        case httpcore2.RemoteProtocolError():
            return f"the server breaks the protocol: {exc}"
        case _:
            return f"the connection broke: {exc or type(exc).__name__}"
