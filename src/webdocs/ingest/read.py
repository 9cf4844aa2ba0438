"""What does a fetched body say? Extraction, as the crawl asks for it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from webdocs.crawl import Reading, join
from webdocs.errors import ExtractError
from webdocs.model import Fetched, content_hash_of
from webdocs.ports import Extractor

MIN_CHARS_BESIDE_REFRESH = 400
"""Our choice: a page that leads on by itself says "this has moved" in less, and in two languages; more is content."""


async def read_page(extractor: Extractor, fetched: Fetched) -> Reading:
    """Extract a body."""
    try:
        page = await extractor.extract(fetched.body, fetched.content_type, fetched.body_url or fetched.final_url)
    except ExtractError as error:
        return Reading(fault=error.what)
    if fetched.body_url:
        page = replace(page, url=fetched.final_url)
    if page.modified_at is None:
        page = replace(page, modified_at=_http_date(fetched.last_modified))
    links = tuple(link.url for link in page.links if link.follow) if page.follow else ()
    if page.refresh and len(page.markdown) < MIN_CHARS_BESIDE_REFRESH:
        return Reading(links=links, refresh=page.refresh, follow=page.follow)
    return Reading(
        page=page,
        links=(*links, page.refresh) if page.refresh and page.follow else links,
        canonical=page.canonical,
        alternate=_alternate_in(fetched.headers.get("link", ""), fetched.final_url) or page.alternate,
        content_hash=content_hash_of(page),
        index=page.index,
        follow=page.follow,
        fault="" if page.blocks else "the page has no text to index",
    )


def _http_date(text: str) -> datetime | None:
    """A `Last-Modified` header in UTC (RFC 9110, 5.6.7); None for what is no date."""
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


_LINK_VALUE = re.compile(r"""<([^<>]*)>((?:\s*;\s*[\w!#$&+.^`|~-]+(?:\s*=\s*(?:"[^"]*"|[^\s",;]*))?)*)""")
_LINK_PARAMETER = re.compile(r""";\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([^\s",;]*))""")


def _alternate_in(header: str, url: str) -> str:
    """Where a `Link` header says that the Markdown is (RFC 8288, 3); empty if it does not."""
    for target, rest in _LINK_VALUE.findall(header[:8192]):
        named = {name.lower(): (quoted or bare).lower() for name, quoted, bare in _LINK_PARAMETER.findall(rest)}
        if "alternate" in named.get("rel", "").split() and named.get("type") == "text/markdown":
            return join(url, target) or ""
    return ""
