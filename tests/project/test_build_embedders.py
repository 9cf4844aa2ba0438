"""The composition root and the embedders (contract C, G2): which one is made, and what a change of it does."""

from __future__ import annotations

import logging
import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from contracts.records import indexed, page, source
from embedding_server import EmbeddingServer
from minilm import make_model_folder
from webdocs.build import open_application
from webdocs.errors import EmbedderError
from webdocs.settings import load_settings

SECRET = "sk-very-secret-0123456789"
NO_FILE = Path("/dev/null")


def environment(path: Path, **changes: str) -> dict[str, str]:
    return {"WEBDOCS_DB_PATH": str(path), **{f"WEBDOCS_{name}": value for name, value in changes.items()}}


def fill(settings: dict[str, str]) -> str:
    """Index one page as these settings do it; answers the identity of the embedder."""
    opened = open_application(load_settings(settings, file=NO_FILE))
    of = source()
    opened.store.save_source(of)
    item = indexed(page("https://docs.test/a", "Animals", "The zebra runs."), of)
    vectors = opened.embedders[0].embed([chunk.text for chunk in item.chunks])
    opened.store.replace_pages([replace(item, vectors=vectors, embedder=opened.embedders[0].identity)])
    identity = opened.store.generation().identity
    opened.close()
    return identity


def reopen(settings: dict[str, str], query: str = "zebra") -> tuple[str, str, str]:
    """Status and answering embedder, and how the first hit was found."""
    opened = open_application(load_settings(settings, file=NO_FILE))
    state = opened.service.reindex_state()
    method = opened.service.search(query).hits[0].method
    opened.close()
    return state.status, state.answering, method


def test_G2_the_embedder_of_before_is_made_again_to_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    identity = fill(environment(tmp_path / "i.duckdb", EMBEDDER="hashing", EMBED_DIM="64"))
    assert reopen(environment(tmp_path / "i.duckdb")) == ("needed", identity, "hybrid")
    (record,) = [record for record in caplog.records if record.levelno == logging.WARNING]
    for words in (identity, "static:l2_supercat:256", "webdocs reindex"):
        assert words in record.getMessage()


def test_G2_a_transformer_is_found_again_by_its_folder(tmp_path: Path) -> None:
    folder = make_model_folder(tmp_path / "minilm")
    identity = fill(environment(tmp_path / "i.duckdb", EMBEDDER="transformer", EMBED_MODEL=str(folder)))
    assert reopen(environment(tmp_path / "i.duckdb")) == ("needed", identity, "hybrid")
    shutil.rmtree(folder)
    assert reopen(environment(tmp_path / "i.duckdb")) == ("needed", "", "keyword")


def test_G2_an_endpoint_is_asked_again_without_the_key_of_another(tmp_path: Path) -> None:
    with EmbeddingServer() as server, EmbeddingServer(model="other", dim=32) as other:
        fill(environment(tmp_path / "i.duckdb", EMBEDDER="openai", EMBED_MODEL=server.model, EMBED_URL=server.url))
        settings = environment(tmp_path / "i.duckdb", EMBEDDER="openai", EMBED_MODEL="other", EMBED_URL=other.url)
        found = reopen({**settings, "WEBDOCS_EMBED_API_KEY": SECRET})
        assert found == ("needed", "openai:hash-embed:v1:64", "hybrid")
        assert {asked.headers.get("authorization") for asked in server.asked} == {None}
        assert {asked.headers.get("authorization") for asked in other.asked} == {f"Bearer {SECRET}"}


def test_G2_a_model_whose_weights_are_others_now_is_not_taken_for_the_one_of_before(tmp_path: Path) -> None:
    folder = make_model_folder(tmp_path / "minilm")
    fill(environment(tmp_path / "i.duckdb", EMBEDDER="transformer", EMBED_MODEL=str(folder)))
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}', encoding="utf-8")
    assert reopen(environment(tmp_path / "i.duckdb")) == ("needed", "", "keyword")


def test_C_a_key_is_never_in_the_database(tmp_path: Path) -> None:
    with EmbeddingServer(key=SECRET) as server:
        settings = environment(tmp_path / "i.duckdb", EMBEDDER="openai", EMBED_MODEL=server.model, EMBED_URL=server.url)
        fill({**settings, "WEBDOCS_EMBED_API_KEY": SECRET})
    assert SECRET.encode() not in (tmp_path / "i.duckdb").read_bytes()
    with duckdb.connect(str(tmp_path / "i.duckdb")) as raw:
        assert server.model in raw.execute("SELECT recipe FROM generation").fetchall()[0][0]


def test_C_openai_without_a_key_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="OPENAI_API_KEY"):
        open_application(load_settings(environment(tmp_path / "i.duckdb", EMBEDDER="openai"), file=NO_FILE))
    assert not (tmp_path / "i.duckdb").exists()
