"""Static word vectors: a text's vector is the mean of its tokens' vectors.

The weights are the 256-dimensional table that the package `wordllama` carries (`l2_supercat_256`), read
directly: importing the package costs half a second, and its own loader looks for its tokenizer in a folder
that the wheel does not have, then on the network. Nothing here reaches the network.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from tokenizers import Tokenizer

from webdocs.embed.pieces import normalise
from webdocs.errors import EmbedderError

WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
TENSOR = "embedding.weight"

MAX_TOKENS = 2048
"""Our choice: a mean over more tokens than this says nothing about any of them."""


class StaticEmbedder:
    """`Embedder` on the bundled table. The first `dim` of its 256 columns are used (Matryoshka order)."""

    def __init__(self, dim: int = 256) -> None:
        """Load table and tokenizer; 20 MB, about 0.1 CPU-s.

        Args:
            dim: 64, 128 or 256: the lengths that the table was trained for.

        Raises:
            EmbedderError: the package or its files are missing or damaged.
        """
        folder = _package_folder()
        try:
            with safe_open(str(folder / WEIGHTS), framework="numpy") as file:
                table = file.get_tensor(TENSOR)
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        except (OSError, SafetensorError, KeyError) as error:
            raise EmbedderError(
                f"The bundled word vectors cannot be read: {error}",
                "Reinstall webdocs-mcp, or set WEBDOCS_EMBEDDER=hashing.",
            ) from error
        except Exception as error:  # tokenizers raises bare Exception for a file that it cannot parse
            raise EmbedderError(f"The bundled tokenizer cannot be read: {error}", "Reinstall webdocs-mcp.") from error
        if dim not in (64, 128, 256):
            raise EmbedderError(f"The static embedder has no vectors of length {dim}", "Use 64, 128 or 256.")
        # Kept as float16, as it is stored: 16 MB instead of 32. Sums are taken in float32.
        self._table = np.ascontiguousarray(table[:, :dim])
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    @property
    def identity(self) -> str:
        """Name of weights and length."""
        return f"static:l2_supercat:{self.dim}"

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self._table.shape[1])

    @property
    def max_tokens(self) -> int:
        """Longest text that is read."""
        return MAX_TOKENS

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dim)` float32, rows L2-normalised; a text without tokens gives a row of zeros."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, encoding in enumerate(self._encode(texts)):
            ids = encoding.ids[:MAX_TOKENS]
            if ids and not texts[row].isspace():  # the tokenizer has tokens for spaces
                vectors[row] = self._table[ids].sum(axis=0, dtype=np.float32)
        return normalise(vectors)

    def embed_query(self, query: str) -> NDArray[np.float32]:
        """`(dim,)` float32: a query is a text like any other."""
        return self.embed([query])[0]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Length of each text in tokens."""
        return [len(encoding.ids) for encoding in self._encode(texts)]

    def close(self) -> None:
        """Nothing is held open."""

    def _encode(self, texts: Sequence[str]) -> list:
        return self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)


def _package_folder() -> Path:
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise EmbedderError(
            "The package wordllama, which carries the word vectors, is not installed",
            "Install webdocs-mcp again, or set WEBDOCS_EMBEDDER=hashing.",
        )
    return Path(spec.origin).parent
