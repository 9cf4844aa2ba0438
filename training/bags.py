"""The model in training: one vector an entry of the vocabulary, a text is the sum under square roots of counts."""

from __future__ import annotations

import numpy as np
import torch
from tokenizers import Tokenizer

from corpus import WORK
from words import words_of

MAX_TOKENS = 160


class Texts:
    """Texts as bags: for each, the entries that stand in it and the square roots of how often."""

    def __init__(self, texts: list[str], tokenizer: Tokenizer) -> None:
        """Tokenise once; the bags lie one behind the other."""
        encoded = tokenizer.encode_batch_fast([" ".join(words_of(text)) for text in texts])
        ids, weights, ends = [], [], []
        total = 0
        for one in encoded:
            found, counts = np.unique(np.asarray(one.ids[:MAX_TOKENS], np.int64), return_counts=True)
            ids.append(found)
            weights.append(np.sqrt(counts).astype(np.float32))
            total += len(found)
            ends.append(total)
        self.ids = np.concatenate(ids) if ids else np.zeros(0, np.int64)
        self.weights = np.concatenate(weights) if weights else np.zeros(0, np.float32)
        self.ends = np.array(ends)
        self.starts = np.r_[0, self.ends[:-1]]

    def bags(self, rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Entries, weights and offsets of some texts."""
        lengths = self.ends[rows] - self.starts[rows]
        offsets = np.r_[0, np.cumsum(lengths)[:-1]]
        places = np.repeat(self.starts[rows] - offsets, lengths) + np.arange(lengths.sum())
        return torch.from_numpy(self.ids[places]), torch.from_numpy(self.weights[places]), torch.from_numpy(offsets)


def load_tokenizer() -> Tokenizer:
    """The one that start.py wrote."""
    return Tokenizer.from_file(str(WORK / "tokenizer.json"))


def embed(table: np.ndarray, texts: list[str], tokenizer: Tokenizer) -> np.ndarray:
    """Normalised vectors under a table."""
    bags = Texts(texts, tokenizer)
    ids, weights, offsets = bags.bags(np.arange(len(texts)))
    with torch.inference_mode():
        found = torch.nn.functional.embedding_bag(
            ids, torch.from_numpy(table), offsets, mode="sum", per_sample_weights=weights
        ).numpy()
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
