"""Feature hashing: vectors without any model, from the words and word pairs of a text.

Each feature adds +1 or -1 to one of `dim` places, both chosen by its CRC-32 (Weinberger et al., 2009), damped
by the square root so that repeated words do not drown the rest. It catches shared words, no paraphrases.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webdocs.embed.pieces import normalise

_WORD = re.compile(r"\w+")

MAX_TOKENS = 8192
"""Our choice: bounds the work for one text; chunks are far shorter."""


class HashingEmbedder:
    """`Embedder` that needs no file and no network."""

    def __init__(self, dim: int = 256) -> None:
        """Take the length of a vector, >= 1."""
        self._dim = dim

    @property
    def identity(self) -> str:
        """Name of the method, its version and length."""
        return f"hashing:1:{self._dim}"

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    @property
    def max_tokens(self) -> int:
        """Longest text that is read."""
        return MAX_TOKENS

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dim)` float32, rows L2-normalised; a text without words gives a row of zeros."""
        vectors = np.zeros((len(texts), self._dim), dtype=np.float32)
        for row, text in enumerate(texts):
            for feature, count in _features(text).items():
                place = zlib.crc32(feature.encode())
                vectors[row, (place >> 1) % self._dim] += (1 if place & 1 else -1) * count**0.5
        return normalise(vectors)

    def embed_query(self, query: str) -> NDArray[np.float32]:
        """`(dim,)` float32: a query is a text like any other."""
        return self.embed([query])[0]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """An estimate for agents' models: words and marks, and one more for each six letters of a word."""
        return [sum(1 + len(word) // 6 for word in re.findall(r"\w+|[^\w\s]", text)) for text in texts]

    def close(self) -> None:
        """Nothing is held open."""


def _features(text: str) -> Counter[str]:
    words = _WORD.findall(text.lower())[:MAX_TOKENS]
    counts = Counter(words)
    counts.update(f"{first} {second}" for first, second in itertools.pairwise(words))
    return counts
