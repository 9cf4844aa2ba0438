"""The embedder that is in use now, behind one name: a re-embedding switches it in one step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webdocs.ports import Embedder


class CurrentEmbedder:
    """`Embedder` that passes all on to the one in use.

    Who must know which one made a vector asks for `identity` before and after: between equal answers it was that one.
    """

    def __init__(self, embedder: Embedder) -> None:
        """Begin with this one."""
        self._embedder = embedder

    def switch(self, embedder: Embedder) -> None:
        """Use this one from now on. The one before stays open: a call may be under way in it."""
        self._embedder = embedder

    @property
    def identity(self) -> str:
        """That of the one in use."""
        return self._embedder.identity

    @property
    def dim(self) -> int:
        """That of the one in use."""
        return self._embedder.dim

    @property
    def max_tokens(self) -> int:
        """That of the one in use."""
        return self._embedder.max_tokens

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of passages."""
        return self._embedder.embed(texts)

    def embed_query(self, query: str) -> NDArray[np.float32]:
        """The vector to search with."""
        return self._embedder.embed_query(query)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Length of each text in tokens."""
        return self._embedder.count_tokens(texts)

    def close(self) -> None:
        """Close the one in use."""
        self._embedder.close()
