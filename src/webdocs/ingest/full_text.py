"""What does an llms-full.txt hold? Its parts as pages, each under its own URL where the file names it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable

from webdocs.crawl import Reading, host_of, join, path_of, registrable_domain, strip_fragment
from webdocs.errors import ExtractError
from webdocs.extract import is_html, text_of
from webdocs.llmstxt import FullPart, split_full
from webdocs.model import Fetched, Page, content_hash_of
from webdocs.ports import Extractor

_NO_SLUG = re.compile(r"[^\w]+")
_MAX_SLUG_CHARS = 80


def is_full_text(url: str) -> bool:
    """True for the URL of a file that holds a whole site as one text."""
    return path_of(url).rpartition("/")[2].lower() == "llms-full.txt"


async def read_full_text(extractor: Extractor, max_pages: int, fetched: Fetched) -> Reading:
    """Split the file and extract each part. It leads nowhere: what it links to is in it, or is not wanted.

    Args:
        extractor: Makes pages.
        max_pages: Most pages to take.
        fetched: The file as it came.
    """
    text = text_of(fetched.body, fetched.content_type)
    if not text.strip() or is_html(text):
        return Reading(fault="the llms-full.txt is an HTML page" if text.strip() else "the llms-full.txt is no text")
    parts = await asyncio.to_thread(split_full, text)
    pages: list[Page] = []
    for url, markdown in _by_url(parts, fetched.final_url)[:max_pages]:
        try:
            page = await extractor.extract(markdown.encode(), "text/markdown; charset=utf-8", url)
        except ExtractError:
            continue  # a part without text
        if page.blocks:
            pages.append(page)
    if not pages:
        return Reading(fault="the llms-full.txt holds no text to index")
    return Reading(page=pages[0], parts=tuple(pages), content_hash=content_hash_of(pages[0]))


def _by_url(parts: Iterable[FullPart], file_url: str) -> list[tuple[str, str]]:
    """URL and Markdown of each page; parts of one URL are joined, and a part that comes twice counts once."""
    found: dict[str, list[str]] = {}
    names: dict[str, int] = {}
    for part in parts:
        texts = found.setdefault(_url_of(part, file_url, names), [])
        if part.markdown not in texts:
            texts.append(part.markdown)
    return [(url, "\n\n".join(texts)) for url, texts in found.items()]


def _url_of(part: FullPart, file_url: str, names: dict[str, int]) -> str:
    """What the part is cited as: a URL of the file's own site, or else a place in the file."""
    own = join(file_url, part.url) if part.url else None
    if own and registrable_domain(host_of(own)) == registrable_domain(host_of(file_url)):
        return strip_fragment(own)
    slug = _NO_SLUG.sub("-", part.title.lower()).strip("-")[:_MAX_SLUG_CHARS]
    if not slug:
        return file_url
    count = names[slug] = names.get(slug, 0) + 1
    return f"{file_url}#/{slug}" + (f"-{count}" if count > 1 else "")
