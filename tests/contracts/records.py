"""Small, real records for the suites: a page of two sections, indexed as the product does it."""

from __future__ import annotations

from datetime import UTC, datetime

from webdocs.chunk import ChunkLimits
from webdocs.embed.hashing import HashingEmbedder
from webdocs.ingest.page import ExtractedPage, index_pages
from webdocs.model import Block, CrawlOptions, IndexedPage, Link, Page, Source, content_hash_of, source_id_of

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
EMBEDDER = HashingEmbedder(64)


def source(site: str = "docs.test", version: str = "", root_url: str = "https://docs.test/") -> Source:
    return Source(source_id_of(site, version, root_url), site, version, root_url, CrawlOptions(), NOW)


def page(url: str, title: str, *paragraphs: str, links: tuple[Link, ...] = ()) -> Page:
    heading = Block("heading", f"# {title}", level=1, anchors=(title.lower().replace(" ", "-"),))
    return Page(url, title, (heading, *(Block("paragraph", text) for text in paragraphs)), links)


def indexed(item: Page, of: Source, *, aliases: tuple[str, ...] = (), parent_url: str | None = None) -> IndexedPage:
    extracted = ExtractedPage(item, of.source_id, content_hash_of(item), NOW, aliases=aliases, parent_url=parent_url)
    return index_pages([extracted], EMBEDDER, ChunkLimits())[0]
