"""What a folder with an ONNX transformer says of itself: weights, tokenizer, pooling, limits, prefixes.

The layout is that of sentence-transformers, as it lies in a hub: `tokenizer.json` and `config.json` at the top, the
weights beside them or in `onnx/`, and where the model's authors wrote them `modules.json`, `1_Pooling/config.json`,
`sentence_bert_config.json` and `config_sentence_transformers.json`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from webdocs.errors import EmbedderError

Pooling = Literal["mean", "cls", "max", "lasttoken"]

WEIGHTS = (
    *("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"),
    *("model_int8.onnx", "onnx/model_int8.onnx", "onnx/model_qint8_avx512_vnni.onnx", "onnx/model_quint8_avx2.onnx"),
)
"""Where weights lie, the first that is there: the names of the exporters of Optimum and sentence-transformers."""

CONFIG_FILES = (
    *("tokenizer.json", "tokenizer_config.json", "config.json", "modules.json", "1_Pooling/config.json"),
    *("sentence_bert_config.json", "config_sentence_transformers.json"),
)
"""What is read beside the weights."""

_KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")
_POOLINGS: tuple[Pooling, ...] = ("mean", "cls", "max", "lasttoken")
_POOLING_KEYS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}

_SHIFTED_POSITIONS = ("roberta", "xlm-roberta", "camembert", "mpnet")
"""Kinds whose first position is the padding token's number and one: they read so many tokens fewer than they say."""

DEFAULT_MAX_TOKENS = 512
"""The length that BERT was trained for (Devlin et al., 2019), for a model whose files name none."""

_READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """One model on disk.

    Attributes:
        name: The folder's name, for people.
        weights: The ONNX file.
        tokenizer: `tokenizer.json`.
        pooling: How one vector is made of the tokens' vectors.
        max_tokens: Longest text in tokens, special ones among them.
        pad_id: Number of the padding token.
        query_prefix: Stands before each query.
        passage_prefix: Stands before each passage.
        digest: Twelve hex digits over all that a passage's vector depends on.
    """

    name: str
    weights: Path
    tokenizer: Path
    pooling: Pooling
    max_tokens: int
    pad_id: int
    query_prefix: str
    passage_prefix: str
    digest: str


def read_model_folder(path: Path) -> ModelFolder:
    """What lies in a folder, or around one ONNX file in it.

    Raises:
        EmbedderError: something is missing, damaged, or of a kind that cannot be run here.
    """
    folder, weights = _locate(path)
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        raise EmbedderError(f"The model folder {folder} has no tokenizer.json", _REMEDY)
    _check_modules(folder)
    pooling = _pooling(folder)
    query_prefix, passage_prefix = _prefixes(folder)
    max_tokens = _max_tokens(folder)
    return ModelFolder(
        name=folder.resolve().name,
        weights=weights,
        tokenizer=tokenizer,
        pooling=pooling,
        max_tokens=max_tokens,
        pad_id=int(_read_json(folder / "config.json").get("pad_token_id") or 0),
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
        digest=_digest(weights, tokenizer, f"{pooling}\n{max_tokens}\n{passage_prefix}"),
    )


_REMEDY = "Name a folder with model.onnx and tokenizer.json by WEBDOCS_EMBED_MODEL."


def _locate(path: Path) -> tuple[Path, Path]:
    """The folder and the weights in it."""
    if path.is_file():
        return (path.parent.parent if path.parent.name == "onnx" else path.parent), path
    if not path.is_dir():
        raise EmbedderError(f"There is no model folder {path}", _REMEDY)
    for name in WEIGHTS:
        if (path / name).is_file():
            return path, path / name
    raise EmbedderError(f"The model folder {path} has no ONNX weights ({WEIGHTS[0]} or {WEIGHTS[1]})", _REMEDY)


def _check_modules(folder: Path) -> None:
    modules = _read_json(folder / "modules.json", [])
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    unknown = [kind for kind in kinds if kind not in _KNOWN_MODULES]
    if unknown:
        raise EmbedderError(
            f"The model in {folder} has a {unknown[0]} layer behind its transformer, which is not run here",
            "Take a model of a transformer and a pooling, or serve this one behind WEBDOCS_EMBEDDER=openai.",
        )


def _pooling(folder: Path) -> Pooling:
    config = _read_json(folder / "1_Pooling" / "config.json")
    named = [config["pooling_mode"]] if isinstance(config.get("pooling_mode"), str) else []
    named += [mode for key, mode in _POOLING_KEYS.items() if config.get(key)]
    if not named:
        return "mean"  # the default of sentence-transformers for a bare transformer
    for mode in _POOLINGS:
        if named == [mode]:
            return mode
    raise EmbedderError(f"The pooling {' + '.join(named)} of the model in {folder} is not known here", _REMEDY)


def _max_tokens(folder: Path) -> int:
    config = _read_json(folder / "config.json")
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in _SHIFTED_POSITIONS:
        positions -= int(config.get("pad_token_id") or 0) + 1
    limits = [_read_json(folder / "sentence_bert_config.json").get("max_seq_length"), positions]
    known = [limit for limit in limits if isinstance(limit, int) and limit > 2]
    return min(known, default=DEFAULT_MAX_TOKENS)


def _prefixes(folder: Path) -> tuple[str, str]:
    prompts = _read_json(folder / "config_sentence_transformers.json").get("prompts") or {}
    passage = prompts.get("document") or prompts.get("passage") or ""
    return str(prompts.get("query") or ""), str(passage)


def _read_json(path: Path, missing: Any = None) -> Any:
    """A JSON file of the folder; `missing`, or an empty table, where it is not there."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {} if missing is None else missing
    except (OSError, ValueError) as error:
        raise EmbedderError(f"{path} cannot be read: {error}", _REMEDY) from error


def _digest(weights: Path, tokenizer: Path, rest: str) -> str:
    digest = hashlib.sha256(rest.encode())
    # Weights over 2 GB lie in files of their own beside the graph.
    parts = sorted(weights.parent.glob(f"{weights.name}_data*"))
    try:
        for path in (weights, *parts, tokenizer):
            with path.open("rb") as file:
                while block := file.read(_READ_BYTES):
                    digest.update(block)
    except OSError as error:
        raise EmbedderError(f"{error.filename} cannot be read: {error.strerror}", _REMEDY) from error
    return digest.hexdigest()[:12]
