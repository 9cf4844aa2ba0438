"""A text that is longer than its model reads: the vector of the whole from the vectors of its pieces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_PIECES = 8
"""Our choice: bounds the work for one text. A chunk is one or two pieces; what lies behind the eighth is not read."""


def join_pieces(
    vectors: NDArray[np.float32], owners: Sequence[int], weights: Sequence[int], count: int
) -> NDArray[np.float32]:
    """One vector a text: the mean of its pieces' vectors, each weighted by its length.

    Args:
        vectors: (n_pieces, dim) float32.
        owners: Row of the text that each piece belongs to.
        weights: Length of each piece, in tokens.
        count: How many texts there are.

    Returns:
        (count, dim) float32, rows L2-normalised; a text without pieces gives a row of zeros.
    """
    joined = np.zeros((count, vectors.shape[1]), np.float32)
    np.add.at(joined, np.asarray(owners, np.intp), vectors * np.asarray(weights, np.float32)[:, None])
    return normalise(joined)


def normalise(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of unit length, in place; a row of zeros stays one."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=vectors, where=norms > 0)
