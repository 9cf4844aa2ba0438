"""Vectors in memory: exact up to a size, by signs and bytes above it (issue "retrieval", vector cache tiers)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from webdocs.store.duckdb.vector_memory import CANDIDATES_A_HIT, Vectors

DIM = 72  # no multiple of 64: the last word of the signs is padded


def rows_of(count: int, seed: int = 0) -> NDArray[np.float32]:
    """Rows like those of real texts: around a few dozen subjects."""
    rng = np.random.default_rng(seed)
    subjects = rng.normal(size=(40, DIM))
    rows = subjects[rng.integers(0, 40, count)] + 0.7 * rng.normal(size=(count, DIM))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def in_pieces(rows: NDArray[np.float32], exact_rows: int, piece: int = 700) -> Vectors:
    vectors = Vectors(DIM, np.empty((0, DIM), np.float32), exact_rows=exact_rows)
    for start in range(0, len(rows), piece):
        vectors = vectors.append(rows[start : start + piece])
    return vectors


def test_below_the_limit_the_nearest_are_exact() -> None:
    rows = rows_of(1500)
    found, cosine = in_pieces(rows, exact_rows=1500).nearest(rows[7], np.ones(1500, bool), 10)
    expected = np.sort(np.argsort(-(rows @ rows[7]), kind="stable")[:10])
    assert found.tolist() == expected.tolist()
    assert np.allclose(cosine, (rows @ rows[7])[expected])


def test_above_the_limit_nearly_all_of_the_ten_nearest_are_among_fifty() -> None:
    rows = rows_of(20_000)
    vectors = in_pieces(rows, exact_rows=5_000)
    assert vectors.exact is None
    hits = 0
    for query in rows[::400] + 0.5 * rows_of(50, seed=1):  # a question is near some text
        found, _ = vectors.nearest(query, np.ones(len(rows), bool), 50)
        hits += len(set(found.tolist()) & set(np.argsort(-(rows @ query))[:10].tolist()))
    assert hits >= 0.95 * 500


def test_cosines_above_the_limit_are_those_below_it_but_for_rounding() -> None:
    rows = rows_of(3000)
    wanted = np.arange(0, 3000, 7)
    exact = in_pieces(rows, exact_rows=3000).cosines(wanted, rows[3])
    assert np.abs(in_pieces(rows, exact_rows=100).cosines(wanted, rows[3]) - exact).max() < 0.01


@pytest.mark.parametrize("exact_rows", [10_000, 100], ids=["exact", "by-signs"])
def test_only_selected_rows_are_answered(exact_rows: int) -> None:
    rows = rows_of(4000)
    selected = np.zeros(4000, bool)
    selected[5::9] = True
    found, _ = in_pieces(rows, exact_rows).nearest(rows[0], selected, 20)
    assert len(found) == 20
    assert selected[found].all()
    assert (np.diff(found) > 0).all()


@pytest.mark.parametrize("exact_rows", [10_000, 100], ids=["exact", "by-signs"])
@pytest.mark.parametrize("selected", [0, 3], ids=["none", "fewer-than-wanted"])
def test_all_of_a_small_selection_is_answered(exact_rows: int, selected: int) -> None:
    mask = np.zeros(2000, bool)
    mask[:selected] = True
    found, cosine = in_pieces(rows_of(2000), exact_rows).nearest(rows_of(1)[0], mask, 10)
    assert (found.tolist(), len(cosine)) == (list(range(selected)), selected)


def test_a_row_of_zeros_is_near_nothing() -> None:
    rows = np.concatenate([np.zeros((1, DIM), np.float32), rows_of(300)])
    vectors = in_pieces(rows, exact_rows=10)
    assert vectors.cosines(np.array([0]), rows[5]).tolist() == [0.0]


def test_an_older_state_stays_as_it_was_when_rows_are_appended() -> None:
    rows = rows_of(3000)
    older = in_pieces(rows[:2000], exact_rows=100)
    before = older.cosines(np.arange(2000), rows[0])
    older.append(rows[2000:])
    assert len(older) == 2000
    assert np.array_equal(older.cosines(np.arange(2000), rows[0]), before)


@given(st.integers(1, 400), st.integers(1, 400), st.integers(1, 60))
def test_in_how_many_pieces_rows_came_does_not_matter(count: int, exact_rows: int, piece: int) -> None:
    rows = rows_of(count)
    whole, parts = in_pieces(rows, exact_rows, count), in_pieces(rows, exact_rows, piece)
    everything = np.arange(count)
    assert len(whole) == len(parts) == count
    assert np.allclose(whole.cosines(everything, rows[0]), parts.cosines(everything, rows[0]), atol=1e-6)


def test_a_small_index_by_signs_takes_the_cosine_of_every_row() -> None:
    rows = rows_of(CANDIDATES_A_HIT)
    found, _ = in_pieces(rows, exact_rows=1).nearest(rows[0], np.ones(len(rows), bool), 1)
    assert found.tolist() == [0]
