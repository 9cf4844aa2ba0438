"""From a question to cited passages: terms and vector, scores from the index, one order, one answer."""

from __future__ import annotations

from dataclasses import replace

from webdocs.errors import UnknownNameError
from webdocs.model import Answer, Source, TextWeights, Within
from webdocs.ports import Catalog, Embedder, Index
from webdocs.search.answer import compose_answer
from webdocs.search.fold import Found, fold_same
from webdocs.search.fuse import IDENTIFIER_VECTOR_WEIGHT, VECTOR_WEIGHT, Ranked, best_of_each_page, fuse
from webdocs.search.hint import closest, hint_of
from webdocs.search.phrase import holds_all, phrases_of
from webdocs.search.place import Wanted, best_place
from webdocs.search.tokens import is_identifier_like, query_terms
from webdocs.search.widen import REACH, SECTION_TOKENS, widen

CANDIDATES = 200
"""Chunks taken from each side before fusion; more changed no rank among the first ten on the development queries."""

CHUNKS_A_PAGE = 3
"""Passages of a page among which the cited place is looked for; with one fewer of the right sections were cited, with
five no more (docs/decisions/0023-ranking.md)."""

ATTEMPTS = 3
"""A page that is replaced between scoring and reading is ranked again, so that it is answered old or new, not lost."""


class Engine:
    """Search over one index. Thread-safe."""

    def __init__(self, index: Index, catalog: Catalog, embedder: Embedder, weights: TextWeights | None = None) -> None:
        """Join an index, its catalog and the embedder that its vectors came from."""
        self._index = index
        self._catalog = catalog
        self._embedder = embedder
        self._weights = weights or TextWeights()

    def search(
        self, query: str, top_k: int = 5, site: str = "", version: str = "", max_tokens: int | None = None
    ) -> Answer:
        """The best passage of each of the best `top_k` pages.

        Args:
            query: A question or an identifier.
            top_k: Most hits, >= 1.
            site: Only this site; empty is all.
            version: Only this version; empty is all.
            max_tokens: Budget of the whole answer in the embedder's tokens; None is unlimited.

        Raises:
            UnknownNameError: a site or version that is not there; never answered from another one.
        """
        sources = self._catalog.sources()
        within = select_sources(sources, site, version)
        terms = query_terms(query)
        if not terms or within.source_ids == ():
            return Answer(query, (), 0, hint=hint_of(sources, site, version, ()))
        found = self._find(query, terms, within, top_k, ATTEMPTS)
        if not found:
            return Answer(query, (), 0, hint=hint_of(sources, site, version, self._missing(query, within)))
        found[0] = self._widen(found[0], max_tokens)
        return compose_answer(query, found, max_tokens, self._embedder.count_tokens)

    def count_tokens(self, text: str) -> int:
        """Length of a text in the tokens that budgets are counted in."""
        return self._embedder.count_tokens([text])[0]

    def _widen(self, best: Found, max_tokens: int | None) -> Found:
        """The best hit with the rest of its section, where that is small and the budget allows."""
        ranked, chunk, place = best
        limit = SECTION_TOKENS if max_tokens is None else min(SECTION_TOKENS, max_tokens // 2)
        near = self._index.chunks(range(chunk.chunk_id - REACH, chunk.chunk_id + REACH + 1))
        return ranked, widen(chunk, near, place.anchor, limit), place

    def _missing(self, query: str, within: Within) -> tuple[str, ...]:
        """The words of a question that no passage holds."""
        terms = query_terms(query)
        found = self._index.text_scores(terms, self._weights, within, 1)
        absent = {term for term, idf in zip(terms, found.idf.tolist(), strict=True) if idf == 0}
        words = ((word, set(query_terms(word))) for word in dict.fromkeys(query.split()))
        return tuple(word.strip(".,;:?!\"'") for word, own in words if own and own <= absent)

    def _find(self, query: str, terms: tuple[str, ...], within: Within, top_k: int, attempts: int) -> list[Found]:
        """The hits, best first, each page once and no text twice."""
        ranked, wanted = self._rank(query, terms, within)
        ranked = self._with_phrases(ranked, phrases_of(query))
        cited: list[Found] = []
        limit = top_k
        while True:
            pages = best_of_each_page(ranked, limit, CHUNKS_A_PAGE)
            more = self._cite(pages[len(cited) :], wanted)
            if more is None:
                return self._find(query, terms, within, top_k, attempts - 1) if attempts > 1 else []
            cited += more
            kept = fold_same(cited)
            if len(kept) >= top_k or len(pages) < limit:
                return kept[:top_k]
            limit *= 2

    def _cite(self, pages: list[list[Ranked]], wanted: Wanted) -> list[Found] | None:
        """For each page the passage to show and the place to cite; None if one is gone meanwhile."""
        ids = [item.chunk_id for of_page in pages for item in of_page]
        chunks = {chunk.chunk_id: chunk for chunk in self._index.chunks(ids)}
        if len(chunks) < len(ids):
            return None
        cited = [best_place([(chunks[item.chunk_id], item.score) for item in of_page], wanted) for of_page in pages]
        return [(of_page[0], *hit) for of_page, hit in zip(pages, cited, strict=True)]

    def _with_phrases(self, ranked: list[Ranked], phrases: tuple[str, ...]) -> list[Ranked]:
        """Only the passages that hold what the question quotes; all where none does."""
        if not phrases:
            return ranked
        chunks = self._index.chunks([item.chunk_id for item in ranked])
        holding = {chunk.chunk_id for chunk in chunks if holds_all(chunk.text, phrases)}
        return [item for item in ranked if item.chunk_id in holding] or ranked

    def _rank(self, query: str, terms: tuple[str, ...], within: Within) -> tuple[list[Ranked], Wanted]:
        """The candidates, best first, and what to look for in them."""
        is_identifier = is_identifier_like(query)
        weights = replace(self._weights, anchor=self._weights.identifier_anchor) if is_identifier else self._weights
        text = self._index.text_scores(terms, weights, within, CANDIDATES)
        embedder = self._embedder.identity
        asked = self._embedder.embed_query(query)
        vector = self._index.vector_scores(asked, embedder, within, CANDIDATES, text.chunk_ids)
        weight = IDENTIFIER_VECTOR_WEIGHT if is_identifier else VECTOR_WEIGHT
        wanted = Wanted(query, dict(zip(terms, text.idf.tolist(), strict=True)))
        return fuse(text, vector, weights, weight), wanted


def select_sources(sources: tuple[Source, ...], site: str, version: str) -> Within:
    """The sources that a site and a version name. Raises UnknownNameError with the names that exist."""
    if not site and not version:
        return Within()
    sites = tuple(sorted({source.site for source in sources}))
    if site and site not in sites:
        raise UnknownNameError(f"There is no site named {site!r}", _known("Sites", sites, site), sites)
    of_site = [source for source in sources if not site or source.site == site]
    versions = tuple(sorted({source.version for source in of_site if source.version}))
    if version and version not in versions:
        where = f" of {site}" if site else ""
        raise UnknownNameError(
            f"There is no version {version!r}{where}", _known("Versions", versions, version), versions
        )
    return Within(tuple(source.source_id for source in of_site if not version or source.version == version))


def _known(what: str, names: tuple[str, ...], asked: str) -> str:
    near = closest(asked, names)
    meant = f"Did you mean {near!r}? " if near else ""
    return f"{meant}{what} that are there: {', '.join(names) or 'none yet'}."
