"""What does a fetched body say? Extraction, as the crawl asks for it."""

from __future__ import annotations

from webdocs.crawl import Reading
from webdocs.errors import ExtractError
from webdocs.model import Fetched, content_hash_of
from webdocs.ports import Extractor

MIN_CHARS_BESIDE_REFRESH = 400
"""Our choice: a page that leads on by itself says "this has moved" in less, and in two languages; more is content."""


async def read_page(extractor: Extractor, fetched: Fetched) -> Reading:
    """Extract a body."""
    try:
        page = await extractor.extract(fetched.body, fetched.content_type, fetched.final_url)
    except ExtractError as error:
        return Reading(fault=error.what)
    links = tuple(link.url for link in page.links if link.follow) if page.follow else ()
    if page.refresh and len(page.markdown) < MIN_CHARS_BESIDE_REFRESH:
        return Reading(links=links, refresh=page.refresh, follow=page.follow)
    return Reading(
        page=page,
        links=(*links, page.refresh) if page.refresh and page.follow else links,
        canonical=page.canonical,
        content_hash=content_hash_of(page),
        index=page.index,
        follow=page.follow,
        fault="" if page.blocks else "the page has no text to index",
    )
