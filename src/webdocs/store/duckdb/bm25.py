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
from webdocs.store.duckdb.snapshot import Selection, Snapshot


def score_text(
    postings: Sequence[TermPostings], snapshot: Snapshot, selection: Selection, weights: TextWeights, limit: int
) -> TextScores:
    """The best `limit` selected chunks by the weighted sum of chunk, page and link-text BM25.

    Args:
        postings: One entry a query term.
        snapshot: The state to score in.
        selection: The chunks that may be answered.
        weights: How the parts count.
        limit: Most chunks to answer, >= 1.
    """
    chunk, page, coverage, idf = _score_bodies(postings, snapshot, selection, weights)
    anchor = _score_anchors(postings, snapshot, weights)
    of_page = snapshot.chunk_page
    has_match = chunk > 0
    if anchor.any():
        has_match |= (anchor > 0)[of_page]
    rows = np.flatnonzero(has_match & selection.is_in)
    pages = of_page[rows]
    total = (chunk[rows] + weights.page * page[pages] + weights.anchor * anchor[pages]).astype(np.float32)
    best = _best(total, limit)
    rows, pages = rows[best], pages[best]
    ids, page_ids = snapshot.chunk_ids[rows], snapshot.page_ids[pages]
    return TextScores(ids, page_ids, chunk[rows], page[pages], anchor[pages], coverage[rows], idf)


def _score_bodies(
    postings: Sequence[TermPostings],
    snapshot: Snapshot,
    selection: Selection,
    weights: TextWeights,
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Dense scores of chunks and of pages, dense coverage of chunks, and each term's weight among them."""
    n_pages = len(snapshot.page_ids)
    chunk = np.zeros(len(selection.lengths), np.float32)
    page = np.zeros(n_pages, np.float32)
    coverage = np.zeros(len(selection.lengths), np.float32)
    idf = np.zeros(len(postings), np.float32)
    if selection.n_chunks == 0:
        return chunk, page, coverage, idf
    for number, term in enumerate(postings):
        rows, is_there = snapshot.rows_of(term.chunks["doc"])
        keep = selection.is_in[rows]
        rows, entries = rows[keep], term.chunks[is_there][keep]
        if not len(rows):
            continue
        frequency = entries["body"] + weights.heading * entries["heading"].astype(np.float32)
        idf[number] = _idf(selection.n_chunks, len(rows))
        coverage[rows] += idf[number]
        norm = _norm(selection.lengths[rows], selection.mean_length, weights.k1, weights.b)
        chunk[rows] += idf[number] * _saturate(frequency, norm, weights.k1)
        of_page = np.bincount(snapshot.chunk_page[rows], weights=frequency, minlength=n_pages)
        hit = np.flatnonzero(of_page)
        norm = _norm(selection.page_lengths[hit], selection.mean_page_length, weights.k1, weights.b)
        page[hit] += _idf(selection.n_pages, len(hit)) * _saturate(of_page[hit], norm, weights.k1)
    full = float(np.where(idf > 0, idf, _idf(selection.n_chunks, 0)).sum())
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
