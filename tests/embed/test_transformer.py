"""The transformer on a real small model: what its folder decides, and what a bad folder says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from minilm import make_model_folder
from webdocs.embed.hub import find_model
from webdocs.embed.transformer import TransformerEmbedder
from webdocs.errors import EmbedderError


def load(folder: Path, changes: dict[str, object] | None = None) -> TransformerEmbedder:
    return TransformerEmbedder(str(make_model_folder(folder, changes)), threads=1)


def test_it_knows_a_paraphrase_that_shares_no_word(tmp_path: Path) -> None:
    embedder = load(tmp_path / "minilm")
    query = embedder.embed_query("How do I get rid of rows?")
    near, far = embedder.embed(["DELETE removes records from a table", "Paint the fence green"])
    assert query @ near > query @ far + 0.2


def test_the_vectors_are_those_that_the_model_is_known_for(tmp_path: Path) -> None:
    """Cosines of this pair from the model card's own example; int8 weights move them by about a hundredth."""
    first, second = load(tmp_path / "minilm").embed(["That is a happy person", "That is a very happy person"])
    assert first @ second == pytest.approx(0.943, abs=0.02)


def test_limits_are_those_of_the_folder(tmp_path: Path) -> None:
    embedder = load(tmp_path / "minilm")
    assert (embedder.dim, embedder.max_tokens) == (384, 254)
    assert embedder.identity.startswith("transformer:minilm:384:mean:")


IDENTITIES = [
    pytest.param({"1_Pooling/config.json": {"pooling_mode_cls_token": True}}, id="other-pooling"),
    pytest.param({"sentence_bert_config.json": {"max_seq_length": 128}}, id="other-limit"),
    pytest.param({"config_sentence_transformers.json": {"prompts": {"document": "passage: "}}}, id="passage-prefix"),
]


@pytest.mark.parametrize("changes", IDENTITIES)
def test_what_changes_a_vector_changes_the_identity(tmp_path: Path, changes: dict[str, object]) -> None:
    plain, other = load(tmp_path / "a" / "minilm"), load(tmp_path / "b" / "minilm", changes)
    text = ["create an index " * 100]
    assert not np.allclose(plain.embed(text), other.embed(text), atol=1e-3)
    assert plain.identity != other.identity


def test_a_query_prefix_changes_queries_and_not_the_identity(tmp_path: Path) -> None:
    prompts = {"config_sentence_transformers.json": {"prompts": {"query": "query: "}}}
    plain, other = load(tmp_path / "a" / "minilm"), load(tmp_path / "b" / "minilm", prompts)
    assert np.allclose(plain.embed_query("query: an index"), other.embed_query("an index"), atol=1e-5)
    assert np.allclose(plain.embed(["an index"]), other.embed(["an index"]), atol=1e-5)
    assert plain.identity == other.identity


@pytest.mark.parametrize("pooling", ["cls", "max", "lasttoken"])
def test_each_pooling_ignores_the_padding(tmp_path: Path, pooling: str) -> None:
    key = {"cls": "pooling_mode_cls_token", "max": "pooling_mode_max_tokens", "lasttoken": "pooling_mode_lasttoken"}
    embedder = load(tmp_path / "minilm", {"1_Pooling/config.json": {key[pooling]: True}})
    alone = embedder.embed(["an index"])[0]
    company = embedder.embed(["an index", "a text of some more words than the other one has"])[0]
    assert np.allclose(alone, company, atol=1e-4)


def test_what_stands_behind_the_limit_counts_too(tmp_path: Path) -> None:
    embedder = load(tmp_path / "minilm")
    filler = "the configuration of the server " * 60
    assert embedder.count_tokens([filler])[0] > embedder.max_tokens
    query = embedder.embed_query("bread dough in the oven")
    plain, with_end = embedder.embed([filler, filler + "bread dough in the oven " * 20])
    assert query @ with_end > query @ plain + 0.1


BAD_FOLDERS = [
    pytest.param({"modules.json": [{"type": "sentence_transformers.models.Dense"}]}, "has a Dense layer", id="dense"),
    pytest.param({"config.json": "{"}, "config.json cannot be read", id="broken-json"),
    pytest.param(
        {"1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}},
        "pooling mean \\+ cls",
        id="two-poolings",
    ),
]


@pytest.mark.parametrize(("changes", "message"), BAD_FOLDERS)
def test_a_folder_that_cannot_be_used_says_why(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(EmbedderError, match=message):
        load(tmp_path / "minilm", changes)


BROKEN_FILES = [
    pytest.param("model.onnx", None, "has no ONNX weights", id="no-weights"),
    pytest.param("tokenizer.json", None, "has no tokenizer.json", id="no-tokenizer"),
    pytest.param("model.onnx", b"not a graph", "cannot be loaded", id="broken-weights"),
    pytest.param("tokenizer.json", b"{}", "cannot be read", id="broken-tokenizer"),
]


@pytest.mark.parametrize(("name", "content", "message"), BROKEN_FILES)
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    folder = make_model_folder(tmp_path / "minilm")
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    with pytest.raises(EmbedderError, match=message):
        TransformerEmbedder(str(folder))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="no model folder"):
        TransformerEmbedder(str(tmp_path / "none"))


def test_a_length_over_the_models_own_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="vectors of 384, not of 512"):
        TransformerEmbedder(str(make_model_folder(tmp_path / "minilm")), dim=512)


def test_a_folder_is_its_own_name_and_a_name_that_no_hub_has_is_refused() -> None:
    assert find_model("/models/minilm") == "/models/minilm"
    with pytest.raises(EmbedderError, match="no name of a model"):
        find_model("hub:a/b/c/d")


def test_it_opens_no_socket(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "def refuse(event, args):\n"
        "    if event.startswith('socket.'):\n"
        "        raise SystemExit(f'network: {event}')\n"
        "sys.addaudithook(refuse)\n"
        "from webdocs.embed.transformer import TransformerEmbedder\n"
        "print(TransformerEmbedder(sys.argv[1]).embed(['a text']).shape)\n"
    )
    folder = make_model_folder(tmp_path / "minilm")
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "(1, 384)", done.stderr + done.stdout
