"""How two score lists become one order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.model import TextScores, TextWeights, VectorScores
from webdocs.search.fuse import best_of_each_page, fuse

WEIGHTS = TextWeights(page=0.3, anchor=0.2)


def text(*rows: tuple[float, ...]) -> TextScores:
    """Rows of chunk id, page id, chunk score and, if it is not full, coverage."""
    zeros = np.zeros(len(rows), np.float32)
    return TextScores(
        np.array([r[0] for r in rows], np.int64),
        np.array([r[1] for r in rows], np.int64),
        np.array([r[2] for r in rows], np.float32),
        zeros,
        zeros,
        np.array([r[3] if len(r) > 3 else 1.0 for r in rows], np.float32),
        np.ones(1, np.float32),
    )


def vector(*rows: tuple[float, ...]) -> VectorScores:
    """Rows of chunk id, page id, cosine and, if it is not full, standing."""
    return VectorScores(
        np.array([r[0] for r in rows], np.int64),
        np.array([r[1] for r in rows], np.int64),
        np.array([r[2] for r in rows], np.float32),
        np.array([r[3] if len(r) > 3 else 1.0 for r in rows], np.float32),
    )


@pytest.mark.parametrize(
    ("lexical", "semantic", "weight", "order", "methods"),
    [
        pytest.param(
            [(1, 1, 8.0), (2, 2, 4.0)],
            [(1, 1, 0.2), (2, 2, 0.9)],
            0.2,
            [1, 2],
            ["hybrid", "hybrid"],
            id="a-small-vector-weight-keeps-the-word-match-first",
        ),
        pytest.param(
            [(1, 1, 8.0), (2, 2, 7.0)],
            [(1, 1, 0.2), (2, 2, 0.9)],
            0.4,
            [2, 1],
            ["hybrid", "hybrid"],
            id="meaning-decides-between-near-equal-words",
        ),
        pytest.param(
            [(1, 1, 8.0), (2, 2, 6.0)],
            [(1, 1, 0.5, 0.6), (2, 2, 0.5)],
            0.4,
            [2, 1],
            ["hybrid", "hybrid"],
            id="a-list-of-links-below-what-it-names",
        ),
        pytest.param(
            [(1, 1, 8.0, 0.3)], [(1, 1, 0.2), (2, 2, 0.3)], 0.4, [], [], id="A3-a-word-in-common-is-not-enough"
        ),
        pytest.param(
            [(1, 1, 8.0, 0.3)], [(1, 1, 0.45)], 0.4, [1], ["hybrid"], id="a-word-in-common-and-near-in-meaning"
        ),
        pytest.param([], [(3, 3, 0.8), (4, 4, 0.5)], 0.4, [3, 4], ["semantic", "semantic"], id="no-word-in-common"),
        pytest.param([], [(3, 3, 0.2)], 0.4, [], [], id="A3-nothing-relevant-gives-nothing"),
        pytest.param([(1, 1, 5.0)], [(1, 1, -0.1)], 0.4, [1], ["keyword"], id="words-without-meaning"),
        pytest.param(
            [(1, 1, 5.0)],
            [(1, 1, 0.5), (2, 2, 0.1)],
            0.4,
            [1],
            ["hybrid"],
            id="a-distant-neighbour-without-a-word-is-left-out",
        ),
        pytest.param(
            [(2, 2, 5.0), (1, 1, 5.0)],
            [(1, 1, 0.5), (2, 2, 0.5)],
            0.4,
            [1, 2],
            ["hybrid", "hybrid"],
            id="ties-by-chunk-id",
        ),
    ],
)
def test_order(lexical, semantic, weight, order, methods) -> None:
    ranked = fuse(text(*lexical), vector(*semantic), WEIGHTS, weight)
    assert [item.chunk_id for item in ranked] == order
    assert [item.method for item in ranked] == methods


def test_the_best_passages_of_the_best_pages_in_order() -> None:
    ranked = fuse(
        text((1, 7, 9.0), (2, 7, 8.0), (3, 8, 1.0)), vector((1, 7, 0.5), (2, 7, 0.5), (3, 8, 0.5)), WEIGHTS, 0.4
    )
    assert [[item.chunk_id for item in of_page] for of_page in best_of_each_page(ranked, 5)] == [[1], [3]]
    assert [[item.chunk_id for item in of_page] for of_page in best_of_each_page(ranked, 1, 2)] == [[1, 2]]


@given(
    st.lists(st.tuples(st.floats(0, 100, width=32), st.floats(-1, 1, width=32)), min_size=1, max_size=30),
    st.sampled_from([0.2, 0.4]),
)
def test_scores_lie_between_0_and_1_and_fall(rows: list[tuple[float, float]], weight: float) -> None:
    lexical = text(*[(n, n, score) for n, (score, _) in enumerate(rows) if score > 0])
    ranked = fuse(lexical, vector(*[(n, n, cosine) for n, (_, cosine) in enumerate(rows)]), WEIGHTS, weight)
    scores = [item.score for item in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(-1e-6 <= score <= 1 + 1e-6 for score in scores)
