"""A transformer in this process: ONNX weights from a folder, with the tokenizer and the pooling that came with them.

Needs the extra `[semantic]`, which brings `onnxruntime`. Nothing here reaches the network.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from webdocs.embed.model_folder import ModelFolder, read_model_folder
from webdocs.embed.pieces import MAX_PIECES, join_pieces, normalise
from webdocs.errors import EmbedderError

BATCH_TOKENS = 2048
"""Tokens of one run, padding included. Measured with MiniLM on one core: texts of 12 to 120 tokens cost a third less in
batches than alone, and 2,048 tokens cost no more than larger batches, which took 1.5 GB of memory."""

MAX_THREADS = 4
"""Our choice: most cores that one process takes unless the settings name a number."""


class TransformerEmbedder:
    """`Embedder` on an ONNX transformer. Longer texts are read in pieces whose vectors are averaged."""

    def __init__(self, path: str, dim: int = 0, threads: int = 0) -> None:
        """Load weights and tokenizer.

        Args:
            path: The model's folder, or one ONNX file in it.
            dim: Keep the first `dim` numbers of a vector, which is of use for models that were trained so
                (Matryoshka); 0 keeps all.
            threads: Cores for one run; 0 takes those of the machine, four at most.

        Raises:
            EmbedderError: the extra is not installed, or the folder's files are missing or cannot be run.
        """
        self._model = read_model_folder(Path(path).expanduser())
        self._tokenizer = _load_tokenizer(self._model)
        self._session = _load_session(self._model, threads or min(os.cpu_count() or 1, MAX_THREADS))
        self._inputs = frozenset(node.name for node in self._session.get_inputs())
        self._output = self._find_output()
        self._dim = 0
        own = self._run([[self._model.pad_id, self._model.pad_id]]).shape[1]
        if dim > own:
            raise EmbedderError(
                f"The model {self._model.name} has vectors of {own}, not of {dim}", f"Set WEBDOCS_EMBED_DIM={own}."
            )
        self._dim = dim or own

    @property
    def identity(self) -> str:
        """Name, length, pooling, and a hash over weights, tokenizer, limit and prefix."""
        return f"transformer:{self._model.name}:{self._dim}:{self._model.pooling}:{self._model.digest}"

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    @property
    def max_tokens(self) -> int:
        """Longest text that is read in one piece, without the special tokens around it."""
        return self._model.max_tokens - self._tokenizer.num_special_tokens_to_add(False)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`(len(texts), dim)` float32, rows L2-normalised; an empty text gives a row of zeros."""
        return self._embed([self._model.passage_prefix + text if text.strip() else "" for text in texts])

    def embed_query(self, query: str) -> NDArray[np.float32]:
        """`(dim,)` float32, the vector to search with."""
        return self._embed([self._model.query_prefix + query if query.strip() else ""])[0]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Length of each text in tokens."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [sum(len(piece.ids) for piece in _pieces(encoding)) for encoding in encodings]

    def close(self) -> None:
        """Nothing is held open."""

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        owners: list[int] = []
        pieces: list[list[int]] = []
        for row, encoding in enumerate(self._tokenizer.encode_batch_fast(list(texts))):
            kept = [piece.ids for piece in _pieces(encoding)][:MAX_PIECES] if texts[row] else []
            owners += [row] * len(kept)
            pieces += kept
        vectors = np.zeros((len(pieces), self._dim), np.float32)
        for rows in _batches([len(piece) for piece in pieces]):
            vectors[rows] = self._run([pieces[row] for row in rows])
        return join_pieces(vectors, owners, [len(piece) for piece in pieces], len(texts))

    def _run(self, pieces: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Vectors of a batch, normalised."""
        ids = np.full((len(pieces), max(map(len, pieces))), self._model.pad_id, np.int64)
        mask = np.zeros_like(ids)
        for row, piece in enumerate(pieces):
            ids[row, : len(piece)] = piece
            mask[row, : len(piece)] = 1
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            found = self._session.run([self._output], {name: fed[name] for name in self._inputs})[0]
        except Exception as error:  # onnxruntime raises kinds of its own for each status of its engine
            raise EmbedderError(f"The model {self._model.name} could not be run: {_first_line(error)}") from error
        vectors = found if found.ndim == 2 else _pool(found, mask, self._model.pooling)
        return normalise(vectors[:, : self._dim or None].astype(np.float32))

    def _find_output(self) -> str:
        unknown = self._inputs - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown:
            raise EmbedderError(f"The model {self._model.name} asks for the input {min(unknown)}, which is not known")
        names = [node.name for node in self._session.get_outputs()]
        # A model that was exported with its pooling has an output of this name.
        return "sentence_embedding" if "sentence_embedding" in names else names[0]


def _pool(tokens: NDArray, mask: NDArray[np.int64], pooling: str) -> NDArray:
    """(rows, length, dim) to (rows, dim)."""
    if pooling == "cls":
        return tokens[:, 0]
    if pooling == "lasttoken":
        return tokens[np.arange(len(tokens)), mask.sum(axis=1) - 1]
    if pooling == "max":
        return np.where(mask[:, :, None] > 0, tokens, -np.inf).max(axis=1)
    return (tokens * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)


def _pieces(encoding: Encoding) -> list[Encoding]:
    return [encoding, *encoding.overflowing]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows by rising length, so that little is padded, cut into batches of `BATCH_TOKENS`."""
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[row] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _load_tokenizer(model: ModelFolder) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(model.tokenizer))
    except Exception as error:  # tokenizers raises bare Exception for a file that it cannot parse
        raise EmbedderError(f"{model.tokenizer} cannot be read: {_first_line(error)}") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(model.max_tokens)  # the rest of the text becomes further pieces
    return tokenizer


def _load_session(model: ModelFolder, threads: int) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbedderError(
            "The transformer embedder needs onnxruntime", "Install it with pip install 'webdocs-mcp[semantic]'."
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # its warnings are about its own graph, and go to standard error
    # Threads that wait for the next run by spinning doubled the CPU time of a query.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(model.weights), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises kinds of its own for each status of its engine
        raise EmbedderError(f"{model.weights} cannot be loaded: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
