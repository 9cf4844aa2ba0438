"""Vectors from an endpoint: each passage that is indexed, and each query, is sent there.

How long a text is in the model's tokens is only estimated here; one that the endpoint refuses as too long is halved.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from webdocs.embed.endpoint import RETRIES, Address, Endpoint, TooLongError
from webdocs.embed.pieces import MAX_PIECES, join_pieces, normalise
from webdocs.errors import EmbedderError

logger = logging.getLogger(__name__)

MAX_INPUTS = 64
"""Our choice: far under the limit of OpenAI (2,048 texts a request)."""

MAX_REQUEST_TOKENS = 8192
"""Our choice: a model on a CPU reads so much within a time-out; OpenAI's limit is 300,000."""

QUERY_RETRIES = 1
"""A person or an agent waits for the answer."""

DEFAULT_URL = "https://api.openai.com/v1"

_WORD = re.compile(r"[a-zA-Z]+|\d+|[^\s\w]|\w", re.ASCII)
_LETTERS_PER_TOKEN = 5
"""Our choice, on the safe side: the tokenizers of current models take 5 to 7 letters of an English word for one."""

_SHORTEST_CHARS = 16
"""A text so short is not refused for its length; the endpoint means something else."""


class RemoteEmbedder:
    """`Embedder` that asks an OpenAI-compatible endpoint."""

    def __init__(
        self,
        address: Address,
        *,
        api_key: str = "",
        max_tokens: int = 512,
        timeout_s: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Reach the endpoint once, so that what is wrong with it shows at the start.

        Args:
            address: URL, model and wanted length of a vector.
            api_key: Empty sends none.
            max_tokens: Longest text that the model reads.
            timeout_s: Longest wait for one answer.
            sleep: Waits before a retry.

        Raises:
            EmbedderError: it cannot be reached, refuses the key, has no such model, or vectors of another length.
        """
        self._address = address
        self._endpoint = Endpoint(address, api_key, timeout_s, sleep)
        self._max_tokens = max_tokens
        try:
            self._dim = self._probe().shape[1]
        except BaseException:
            self._endpoint.close()
            raise

    def _probe(self) -> NDArray[np.float32]:
        vectors = self._endpoint.embed(["probe"], QUERY_RETRIES)
        self._check_dim(vectors, self._address.dimensions or vectors.shape[1])
        return vectors

    @property
    def identity(self) -> str:
        """Model and length; neither address nor key, which may change while the vectors stay the same."""
        return f"openai:{self._address.model}:{self._dim}"

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    @property
    def max_tokens(self) -> int:
        """Longest text that is read in one piece."""
        return self._max_tokens

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dim)` float32, rows L2-normalised; an empty text gives a row of zeros."""
        return self._embed(texts, RETRIES)

    def embed_query(self, query: str) -> NDArray[np.float32]:
        """`(dim,)` float32, the vector to search with."""
        return self._embed([query], QUERY_RETRIES)[0]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Length of each text, estimated: rather too long than too short."""
        return [estimate_tokens(text) for text in texts]

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _embed(self, texts: Sequence[str], retries: int) -> NDArray[np.float32]:
        owners: list[int] = []
        pieces: list[str] = []
        for row, text in enumerate(texts):
            cut = _cut(text, self._max_tokens)[:MAX_PIECES] if text.strip() else []
            owners += [row] * len(cut)
            pieces += cut
        lengths = [estimate_tokens(piece) for piece in pieces]
        vectors = np.zeros((len(pieces), self._dim), np.float32)
        for start, end in _batches(lengths):
            vectors[start:end] = self._ask(pieces[start:end], retries)
        return join_pieces(vectors, owners, lengths, len(texts))

    def _ask(self, pieces: Sequence[str], retries: int) -> NDArray[np.float32]:
        """Unit vectors of one request's texts; where one is refused as too long, of each by itself, then of halves."""
        try:
            vectors = self._endpoint.embed(pieces, retries)
        except TooLongError:
            if len(pieces) > 1:
                return np.concatenate([self._ask([piece], retries) for piece in pieces])
            return self._ask_halves(pieces[0], retries)
        self._check_dim(vectors, self._dim)
        return normalise(vectors)

    def _ask_halves(self, text: str, retries: int) -> NDArray[np.float32]:
        if len(text) < _SHORTEST_CHARS:
            raise EmbedderError(
                f"The model {self._address.model!r} refuses a text of {len(text)} characters as too long",
                "See whether it is a model for embeddings.",
            )
        logger.info("embedding_halved model=%s chars=%d", self._address.model, len(text))
        middle = len(text) // 2
        halves = self._ask([text[:middle], text[middle:]], retries)
        return normalise(halves.mean(axis=0, keepdims=True))

    def _check_dim(self, vectors: NDArray[np.float32], wanted: int) -> None:
        if vectors.shape[1] != wanted:
            raise EmbedderError(
                f"The model {self._address.model!r} gave vectors of {vectors.shape[1]} numbers, not of {wanted}",
                f"Set WEBDOCS_EMBED_DIM={vectors.shape[1]}, or 0 for the model's own length.",
            )


def estimate_tokens(text: str) -> int:
    """Tokens of a text for a model whose tokenizer is not here: by words, marks and letters of other scripts."""
    return sum(1 + (len(word) - 1) // _LETTERS_PER_TOKEN for word in _WORD.findall(text))


def _cut(text: str, max_tokens: int) -> list[str]:
    """Pieces of at most `max_tokens` by the estimate, cut between words where there are any."""
    if estimate_tokens(text) <= max_tokens:
        return [text]
    middle = len(text) // 2
    space = text.rfind(" ", 1, middle)
    at = space if space > middle // 2 else middle
    return [*_cut(text[:at], max_tokens), *_cut(text[at:], max_tokens)]


def _batches(lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Start and end of each request, in order."""
    start = tokens = 0
    for row, length in enumerate(lengths):
        if row > start and (row - start == MAX_INPUTS or tokens + length > MAX_REQUEST_TOKENS):
            yield start, row
            start, tokens = row, 0
        tokens += length
    if start < len(lengths):
        yield start, len(lengths)
