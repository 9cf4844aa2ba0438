"""Vectors in memory: which are nearest to a query's?

Up to `EXACT_ROWS` all cosines are taken, in single precision. Above it a row keeps one bit a dimension, its sign, and
one byte a dimension: the rows whose signs differ in the fewest places are found first, and their cosines are taken from
the bytes. A million rows of 256 dimensions need .33 GB instead of one, and a look at 32 MB instead of at 1 GB a query.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

EXACT_ROWS = 250_000
"""Our choice: .25 GB, and some 25 ms a query on two cores."""

CANDIDATES_A_HIT = 40
"""Rows whose cosine is taken for each that is wanted; measured in benchmarks/results.md."""

SPARE = 1.25
"""A full buffer grows by a quarter."""

RESERVE = 1.05
"""Room for a job's new pages beside what a file holds already."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of one state, in the order of the chunks.

    Attributes:
        dim: Length of a vector.
        exact: (n, dim) float32, rows L2-normalised or zero; None above `EXACT_ROWS`.
        codes: (n, dim) int8, rows divided by their scale; None below.
        scales: (n,) float32.
        signs: (n, words) uint64, a bit a dimension, set where the number is positive.
        exact_rows: Up to so many rows are kept exact.
    """

    dim: int
    exact: NDArray[np.float32] | None = None
    codes: NDArray[np.int8] | None = None
    scales: NDArray[np.float32] | None = None
    signs: NDArray[np.uint64] | None = None
    exact_rows: int = EXACT_ROWS

    def __len__(self) -> int:
        rows = self.codes if self.exact is None else self.exact
        return 0 if rows is None else len(rows)

    def cosines(self, rows: NDArray[np.int64], query: NDArray[np.float32]) -> NDArray[np.float32]:
        """The cosine of each of these rows."""
        if self.exact is not None:
            return self.exact[rows] @ query
        if self.codes is None or self.scales is None:
            return np.empty(0, np.float32)
        return (self.codes[rows].astype(np.float32) @ query) * self.scales[rows]

    def nearest(
        self, query: NDArray[np.float32], selected: NDArray[np.bool_], limit: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """At most `limit` of the selected rows, rising, and their cosines."""
        rows = np.flatnonzero(selected)
        if self.exact is not None:
            cosine = self.exact @ query if len(rows) * 4 > len(selected) else None
            found = self.exact[rows] @ query if cosine is None else cosine[rows]
        else:
            rows = self._with_like_signs(query, rows, limit * CANDIDATES_A_HIT)
            found = self.cosines(rows, query)
        if len(rows) > limit:
            best = np.sort(np.argpartition(found, len(rows) - limit)[len(rows) - limit :])
            rows, found = rows[best], found[best]
        return rows, found

    def _with_like_signs(self, query: NDArray[np.float32], rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        """Those of the rows whose signs differ from the query's in the fewest dimensions, about `count` of them."""
        if self.signs is None or len(rows) <= count:
            return rows
        wanted = _signs_of(query[np.newaxis])[0]
        signs = self.signs if len(rows) == len(self.signs) else self.signs[rows]
        differing = np.zeros(len(rows), np.uint16)
        for word, bits in enumerate(wanted):
            differing += np.bitwise_count(signs[:, word] ^ bits)
        upto = np.searchsorted(np.cumsum(np.bincount(differing)), count)
        return rows[differing <= upto]

    def append(self, vectors: NDArray[np.float32]) -> Vectors:
        """The rows with more behind them; reuses the spare rows of buffers, so only the newest may be appended to."""
        n = len(self) + len(vectors)
        if n <= self.exact_rows and self.codes is None:
            exact = np.empty((0, self.dim), np.float32) if self.exact is None else self.exact
            return replace(self, exact=_append(exact, vectors))
        grown = self if self.exact is None else self._coded()
        codes, scales, signs = _code(vectors)
        return replace(
            grown,
            codes=_append(_or_empty(grown.codes, (0, self.dim), np.int8), codes),
            scales=_append(_or_empty(grown.scales, (0,), np.float32), scales),
            signs=_append(_or_empty(grown.signs, (0, signs.shape[1]), np.uint64), signs),
        )

    def reserved(self, count: int) -> Vectors:
        """An empty table with room for so many rows: growing to it would hold most of them twice."""
        spare = int(RESERVE * count)
        if count <= self.exact_rows:
            return replace(self, exact=np.empty((spare, self.dim), np.float32)[:0])
        return replace(
            self,
            exact=None,
            codes=np.empty((spare, self.dim), np.int8)[:0],
            scales=np.empty(spare, np.float32)[:0],
            signs=np.empty((spare, -(-self.dim // 64)), np.uint64)[:0],
        )

    def _coded(self) -> Vectors:
        """The same rows as signs and bytes, made in pieces so that little is in memory twice."""
        coded = replace(self, exact=None, exact_rows=0)
        exact = self.exact if self.exact is not None else np.empty((0, self.dim), np.float32)
        for start in range(0, len(exact), 20_000):
            coded = coded.append(exact[start : start + 20_000])
        return replace(coded, exact_rows=self.exact_rows)


def _code(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.uint64]]:
    scales = np.abs(vectors).max(axis=1, initial=0) / 127
    safe = np.where(scales > 0, scales, 1)[:, np.newaxis]
    return np.rint(vectors / safe).astype(np.int8), scales.astype(np.float32), _signs_of(vectors)


def _signs_of(vectors: NDArray[np.float32]) -> NDArray[np.uint64]:
    """(n, words) uint64; dimensions that fill no word are padded with zeros, in which all rows agree."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)


def _or_empty(rows: NDArray | None, shape: tuple[int, ...], dtype: type) -> NDArray:
    return np.empty(shape, dtype) if rows is None else rows


def _append(rows: NDArray, more: NDArray) -> NDArray:
    """Both as one array; takes the spare rows of the buffer that `rows` is a view of, if there are enough."""
    used, added = len(rows), len(more)
    buffer = rows.base if isinstance(rows.base, np.ndarray) else rows
    if buffer.dtype != rows.dtype or buffer.shape[1:] != rows.shape[1:] or len(buffer) < used + added:
        buffer = np.empty((max(1024, int(SPARE * (used + added))), *rows.shape[1:]), rows.dtype)
        buffer[:used] = rows
    buffer[used : used + added] = more
    return buffer[: used + added]
