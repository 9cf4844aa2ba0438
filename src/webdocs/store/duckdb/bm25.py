"""BM25 over packed postings: which chunks answer these terms best? Pure arithmetic on arrays.

Okapi BM25 (Robertson and Zaragoza, 2009) with idf = ln(1 + (N - df + .5) / (df + .5)), which is never
negative. Document frequency and lengths are those of the chunks that the search may answer from, so one site's
vocabulary does not weigh on another's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webdocs.model import TextScores, TextWeights
from webdocs.store.duckdb.postings import TermPostings
from webdocs.store.duckdb.snapshot import Snapshot


def score_text(
    postings: Sequence[TermPostings], snapshot: Snapshot, selected: NDArray[np.bool_], weights: TextWeights, limit: int
) -> TextScores:
    """The best `limit` selected chunks by the weighted sum of chunk, page and link-text BM25.

    Args:
        postings: One entry a query term.
        snapshot: The state to score in.
        selected: (n_chunks,) bool, chunks that may be answered.
        weights: How the parts count.
        limit: Most chunks to answer, >= 1.
    """
    lengths = (snapshot.body_terms + weights.heading * snapshot.heading_terms).astype(np.float32)
    chunk, page, coverage, idf = _score_bodies(postings, snapshot, selected, lengths, weights)
    anchor = _score_anchors(postings, snapshot, weights)
    of_page = snapshot.chunk_page
    has_match = selected & ((chunk > 0) | (anchor[of_page] > 0))
    rows = np.flatnonzero(has_match)
    pages = of_page[rows]
    total = (chunk[rows] + weights.page * page[pages] + weights.anchor * anchor[pages]).astype(np.float32)
    best = _best(total, limit)
    rows, pages = rows[best], pages[best]
    ids, page_ids = snapshot.chunk_ids[rows], snapshot.page_ids[pages]
    return TextScores(ids, page_ids, chunk[rows], page[pages], anchor[pages], coverage[rows], idf)


def _score_bodies(
    postings: Sequence[TermPostings],
    snapshot: Snapshot,
    selected: NDArray[np.bool_],
    lengths: NDArray[np.float32],
    weights: TextWeights,
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Dense scores of chunks and of pages, dense coverage of chunks, and each term's weight among them."""
    n_pages = len(snapshot.page_ids)
    chunk = np.zeros(len(lengths), np.float32)
    page = np.zeros(n_pages, np.float32)
    coverage = np.zeros(len(lengths), np.float32)
    idf = np.zeros(len(postings), np.float32)
    n_selected = int(selected.sum())
    if n_selected == 0:
        return chunk, page, coverage, idf
    chunk_norm = _norm(lengths, float(lengths[selected].mean()), weights.k1, weights.b)
    page_lengths = np.bincount(snapshot.chunk_page[selected], weights=lengths[selected], minlength=n_pages).astype(
        np.float32
    )
    has_chunks = page_lengths > 0
    page_norm = _norm(page_lengths, float(page_lengths[has_chunks].mean()), weights.k1, weights.b)
    n_selected_pages = int(has_chunks.sum())
    for number, term in enumerate(postings):
        rows, entries = _locate(term.chunks["doc"], snapshot.chunk_ids, term.chunks)
        keep = selected[rows]
        rows, entries = rows[keep], entries[keep]
        if not len(rows):
            continue
        frequency = entries["body"] + weights.heading * entries["heading"].astype(np.float32)
        idf[number] = _idf(n_selected, len(rows))
        coverage[rows] += idf[number]
        chunk[rows] += idf[number] * _saturate(frequency, chunk_norm[rows], weights.k1)
        of_page = np.bincount(snapshot.chunk_page[rows], weights=frequency, minlength=n_pages)
        hit = np.flatnonzero(of_page)
        page[hit] += _idf(n_selected_pages, len(hit)) * _saturate(of_page[hit], page_norm[hit], weights.k1)
    full = float(np.where(idf > 0, idf, _idf(n_selected, 0)).sum())
    return chunk, page, coverage / max(full, 1e-9), idf


def _score_anchors(postings: Sequence[TermPostings], snapshot: Snapshot, weights: TextWeights) -> NDArray[np.float32]:
    """Dense scores of pages by the texts of living links to them."""
    n_pages = len(snapshot.page_ids)
    scores = np.zeros(n_pages, np.float32)
    n_alive = len(snapshot.live_rows)
    for term in postings:
        _, entries = _locate(term.anchors["revision"], snapshot.live_revisions, term.anchors)
        targets = _resolve(entries["target"], snapshot.aliases)
        places, entries = _locate(targets, snapshot.live_page_ids, entries)
        if not len(entries):
            continue
        frequency = np.bincount(snapshot.live_rows[places], weights=entries["count"], minlength=n_pages)
        hit = np.flatnonzero(frequency)
        norm = np.full(len(hit), weights.k1, np.float32)  # b = 0: many links are no reason to count each less
        scores[hit] += _idf(n_alive, len(hit)) * _saturate(frequency[hit], norm, weights.k1)
    return scores


def _resolve(targets: NDArray[np.int64], aliases: dict[int, int]) -> NDArray[np.int64]:
    if not aliases:
        return targets
    return np.array([aliases.get(target, target) for target in targets.tolist()], dtype=np.int64)


def _locate(values: NDArray, ascending: NDArray, entries: NDArray) -> tuple[NDArray[np.int64], NDArray]:
    """Places of `values` in `ascending`, and the entries whose value is there."""
    if not len(ascending) or not len(values):
        return np.empty(0, np.int64), entries[:0]
    places = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    found = ascending[places] == values
    return places[found], entries[found]


def _idf(n: int, df: int) -> float:
    return float(np.log1p((n - df + 0.5) / (df + 0.5)))


def _norm(lengths: NDArray[np.float32], mean: float, k1: float, b: float) -> NDArray[np.float32]:
    return k1 * (1 - b + b * lengths / max(mean, 1e-9))


def _saturate(frequency: NDArray, norm: NDArray, k1: float) -> NDArray[np.float32]:
    return (frequency * (k1 + 1) / (frequency + norm)).astype(np.float32)


def _best(scores: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Places of the highest scores, best first; equal scores in order of place."""
    if len(scores) > limit:
        cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        candidates = np.flatnonzero(scores >= cut)
    else:
        candidates = np.arange(len(scores))
    return candidates[np.argsort(-scores[candidates], kind="stable")][:limit]
