"""How do the lexical and the vector score become one order? Pure arithmetic.

The two are brought to one scale by min-max over the candidates and added with a weight. Equal-weight reciprocal
rank fusion was measured worse (MRR@10 .661 against .773): it lets a weak vector list outvote an exact word match.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webdocs.model import Method, TextScores, TextWeights, VectorScores

VECTOR_WEIGHT = 0.4
"""Share of the vector score for a question in words."""

IDENTIFIER_VECTOR_WEIGHT = 0.2
"""Share of the vector score for an identifier-like query: the exact name counts more than its neighbourhood."""

MIN_COSINE = 0.35
"""Our choice: below it, and without one word in common, a passage is no answer."""

COVERAGE_WEIGHT, MIN_RELEVANCE = 0.75, 0.57
"""Nothing is answered where no passage's coverage of the question, so weighted, and its cosine add up to this much. Of
240 questions about something else, 94 in a hundred got nothing; of 1,263 about the four manuals, three in a thousand
(docs/decisions/0023-ranking.md)."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in its place; `score` in [0, 1]."""

    chunk_id: int
    page_id: int
    score: float
    method: Method


def fuse(text: TextScores, vector: VectorScores, weights: TextWeights, vector_weight: float) -> list[Ranked]:
    """All candidates of both lists, best first; equal scores by rising chunk id.

    Args:
        text: The lexical candidates.
        vector: The nearest chunks and, beyond them, every lexical candidate.
        weights: How chunk, page and link-text BM25 count.
        vector_weight: Share of the vector score, 0 to 1.
    """
    lexical = dict(zip(text.chunk_ids.tolist(), _lexical(text, weights).tolist(), strict=True))
    keyword = np.array([lexical.get(chunk_id, 0.0) for chunk_id in vector.chunk_ids.tolist()])
    relevant = (keyword > 0) | (vector.cosine >= MIN_COSINE)
    if not relevant.any() or not _is_any_relevant(text, vector):
        return []
    share = 0.0 if not len(text.chunk_ids) else 1.0 - vector_weight
    score = (share * _min_max(keyword, low=0.0) + (1.0 - share) * _min_max(vector.cosine)) * vector.standing
    order = np.lexsort((vector.chunk_ids, -score))
    return [
        Ranked(
            int(vector.chunk_ids[place]),
            int(vector.page_ids[place]),
            float(score[place]),
            _method(keyword[place] > 0, bool(vector.cosine[place] > 0)),
        )
        for place in order
        if relevant[place]
    ]


def best_of_each_page(ranked: list[Ranked], limit: int, chunks_a_page: int = 1) -> list[list[Ranked]]:
    """The first candidates of each page, at most `chunks_a_page` of at most `limit` pages, in order."""
    pages: dict[int, list[Ranked]] = {}
    for candidate in ranked:
        of_page = pages.get(candidate.page_id)
        if of_page is None:
            if len(pages) < limit:
                pages[candidate.page_id] = [candidate]
        elif len(of_page) < chunks_a_page:
            of_page.append(candidate)
    return list(pages.values())


def _is_any_relevant(text: TextScores, vector: VectorScores) -> bool:
    """Does one passage have enough of the question's words and meaning together?"""
    if not vector.cosine.any():
        return True  # there are no vectors to judge by
    coverage = dict(zip(text.chunk_ids.tolist(), text.coverage.tolist(), strict=True))
    covered = np.array([coverage.get(chunk_id, 0.0) for chunk_id in vector.chunk_ids.tolist()])
    return bool((COVERAGE_WEIGHT * covered + vector.cosine).max() >= MIN_RELEVANCE)


def _lexical(text: TextScores, weights: TextWeights) -> NDArray:
    return text.chunk + weights.page * text.page + weights.anchor * text.anchor


def _min_max(values: NDArray, low: float | None = None) -> NDArray:
    floor = float(values.min()) if low is None else low
    span = float(values.max()) - floor
    return (values - floor) / span if span > 0 else np.zeros(len(values))


def _method(has_words: bool, has_meaning: bool) -> Method:
    if has_words and has_meaning:
        return "hybrid"
    return "keyword" if has_words else "semantic"
