"""Which of the two files does a site offer? Asked through a fetcher that judges every address it dials."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webdocs.errors import LlmsTxtError, WebdocsError
from webdocs.llmstxt.lines import is_html
from webdocs.llmstxt.records import DiscoveryResult
from webdocs.model import Fetched, Request

if TYPE_CHECKING:
    from webdocs.ports import Fetcher

MAX_FILE_BYTES = 10 * 1024 * 1024
"""Our choice: the largest llms-full.txt files of known documentation are some MB."""

_TEXT_TYPES = ("text/", "application/markdown", "application/x-markdown")


def discover(url: str, *, timeout: int = 10, fetcher: Fetcher | None = None) -> DiscoveryResult:
    """Ask a site for `/llms.txt` and `/llms-full.txt`.

    A file that is not there, is no text, is HTML or is larger than 10 MB is None in the answer.

    Args:
        url: Any URL of the site.
        timeout: Seconds for each of the two requests, >= 1.
        fetcher: Gets the files; by default one that refuses addresses of private networks. It is closed.

    Raises:
        LlmsTxtError: The URL is no http or https address.
    """
    return asyncio.run(_discover(_root_of(url), timeout, fetcher))


async def _discover(root: str, timeout_s: float, fetcher: Fetcher | None) -> DiscoveryResult:
    if fetcher is None:
        # The one join of this library: a fetcher of its own would be a second guard to keep safe.
        from webdocs.build import make_lone_fetcher

        fetcher = make_lone_fetcher(timeout_s, MAX_FILE_BYTES)
    try:
        texts = [await _ask(f"{root}/{name}", timeout_s, fetcher) for name in ("llms.txt", "llms-full.txt")]
    finally:
        await fetcher.aclose()
    return DiscoveryResult(texts[0], texts[1], root)


def _root_of(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        has_host = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as exc:
        raise LlmsTxtError(f"{url[:200]!r} is no URL", "Give a whole address: https://host/") from exc
    if parts.scheme.lower() not in ("http", "https") or not has_host:
        raise LlmsTxtError(f"{url[:200]!r} is no web address", "Give a whole address: https://host/")
    return f"{parts.scheme.lower()}://{parts.netloc.rpartition('@')[2]}"


async def _ask(url: str, timeout_s: float, fetcher: Fetcher) -> str | None:
    try:
        async with asyncio.timeout(timeout_s):
            outcome = await fetcher.fetch(Request(url))
    except (TimeoutError, WebdocsError, ValueError):
        return None
    return text_of(outcome) if isinstance(outcome, Fetched) else None


def text_of(fetched: Fetched) -> str | None:
    """The text of a file that a server sent; None if it is none: another type, binary, HTML, too large, empty."""
    media_type = fetched.content_type.partition(";")[0].strip().lower()
    if media_type and (not media_type.startswith(_TEXT_TYPES) or media_type == "text/html"):
        return None
    if len(fetched.body) > MAX_FILE_BYTES or b"\x00" in fetched.body:
        return None
    text = fetched.body.decode("utf-8-sig", "replace")
    return text if text.strip() and not is_html(text) else None
