"""One page into the index: chunk, count terms, embed. A batch of pages shares one call of the embedder."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from webdocs.chunk import ChunkLimits, pack
from webdocs.crawl import key_of
from webdocs.errors import UrlError
from webdocs.ingest.repeated import hashes_of, without
from webdocs.model import (
    AnchorText,
    Chunk,
    IndexedPage,
    Link,
    Page,
    RechunkedPage,
    TermCounts,
    page_id_of,
)
from webdocs.ports import Embedder
from webdocs.search.place import titles_in
from webdocs.search.standing import standing_of
from webdocs.search.tokens import count_terms, terms_of

MAX_ANCHOR_TERMS = 12
"""Our choice: a longer link text is a sentence or a teaser, not a name for its target."""

_MARK_ONLY = re.compile(r"^\W*$")


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """A page on its way into the index, with what the crawl knows about it.

    `content_hash` is of what would be indexed; it was compared with the stored one, and is stored.
    """

    page: Page
    source_id: str
    content_hash: str
    fetched_at: datetime
    aliases: tuple[str, ...] = ()
    parent_url: str | None = None
    depth: int = 0
    etag: str = ""
    last_modified: str = ""
    body_url: str = ""

    @property
    def page_id(self) -> str:
        """Stable id of the page (contract D1)."""
        return page_id_for(self.source_id, self.page.url)


def index_pages(pages: Sequence[ExtractedPage], embedder: Embedder, limits: ChunkLimits) -> list[IndexedPage]:
    """Everything that the pages' replacement writes.

    Args:
        pages: What was extracted.
        embedder: Makes the vectors and counts tokens.
        limits: Size of a chunk.
    """
    cut = _cut([item.page for item in pages], embedder, limits)
    return [_indexed(item, *columns) for item, columns in zip(pages, cut, strict=True)]


def rechunk_pages(
    pages: Mapping[str, Page], left_out: Mapping[str, frozenset[int]], embedder: Embedder, limits: ChunkLimits
) -> list[RechunkedPage]:
    """New chunks of stored pages.

    Args:
        pages: Page id to the page with its blocks.
        left_out: Page id to the hashes of the blocks that its chunks shall leave out.
        embedder: Makes the vectors and counts tokens.
        limits: Size of a chunk.
    """
    cut = _cut([without(page, left_out[page_id]) for page_id, page in pages.items()], embedder, limits)
    return [
        RechunkedPage(page_id, chunks, terms, vectors, left_out[page_id], made_by)
        for page_id, (chunks, terms, vectors, made_by) in zip(pages, cut, strict=True)
    ]


def _cut(
    pages: Sequence[Page], embedder: Embedder, limits: ChunkLimits
) -> list[tuple[tuple[Chunk, ...], tuple[TermCounts, ...], np.ndarray, str]]:
    """Chunks, term counts and vectors of each page, and the identity of what made the vectors."""
    chunks = [pack(page, limits, embedder.count_tokens) for page in pages]
    vectors, made_by = embed_labelled(
        embedder, [embedded_text(chunk.heading_path, chunk.plain) for of_page in chunks for chunk in of_page]
    )
    terms = [tuple(_terms(chunk, page.url) for chunk in of_page) for page, of_page in zip(pages, chunks, strict=True)]
    ends = np.cumsum([len(of_page) for of_page in chunks]).tolist()
    return [
        (
            of_page,
            counts,
            vectors[end - len(of_page) : end],
            made_by,
        )
        for of_page, counts, end in zip(chunks, terms, ends, strict=True)
    ]


def _terms(chunk: Chunk, url: str) -> TermCounts:
    return replace(
        count_terms(chunk.plain, (*chunk.heading_path, *titles_in(chunk))), standing=standing_of(chunk.text, url)
    )


def _indexed(
    item: ExtractedPage, chunks: tuple[Chunk, ...], terms: tuple[TermCounts, ...], vectors: np.ndarray, made_by: str
) -> IndexedPage:
    own_id = item.page_id
    parent = None if item.parent_url is None else page_id_for(item.source_id, item.parent_url)
    return IndexedPage(
        page_id=own_id,
        source_id=item.source_id,
        page=item.page,
        content_hash=item.content_hash,
        fetched_at=item.fetched_at,
        chunks=chunks,
        terms=terms,
        vectors=vectors,
        anchor_texts=anchor_texts_of(item.page.links, own_id, partial(page_id_for, item.source_id)),
        aliases=tuple(page_id_for(item.source_id, url) for url in item.aliases),
        parent_id=parent,
        depth=item.depth,
        etag=item.etag,
        last_modified=item.last_modified,
        block_hashes=hashes_of(item.page),
        body_url=item.body_url,
        embedder=made_by,
    )


def anchor_texts_of(links: Sequence[Link], own_id: str, page_id_for: Callable[[str], str]) -> tuple[AnchorText, ...]:
    """What a page's main content calls the other pages that it links to; one entry a target.

    Navigation repeats the same words on every page and says nothing more for it, so it does not count.
    """
    terms: dict[str, dict[str, None]] = {}
    for link in links:
        if not link.in_main or _MARK_ONLY.match(link.text):
            continue
        found = terms_of(link.text)
        if len(found) > MAX_ANCHOR_TERMS:
            continue
        target = page_id_for(link.url)
        if target not in ("", own_id):
            terms.setdefault(target, {}).update(dict.fromkeys(found))
    return tuple(AnchorText(target, tuple(of_target)) for target, of_target in terms.items() if of_target)


def page_id_for(source_id: str, url: str) -> str:
    """Id of the page under a URL; empty for a URL that is never crawled."""
    try:
        return page_id_of(source_id, key_of(url))
    except UrlError:
        return ""


def embedded_text(heading_path: Sequence[str], plain: str) -> str:
    """What an embedder reads of a passage."""
    return f"{' - '.join(heading_path)}\n{plain}"


def embed_labelled(embedder: Embedder, texts: Sequence[str]) -> tuple[NDArray[np.float32], str]:
    """Vectors and the identity of what made them, also where the embedder is switched meanwhile."""
    while True:
        made_by = embedder.identity
        vectors = embedder.embed(texts)
        if embedder.identity == made_by:
            return vectors, made_by
