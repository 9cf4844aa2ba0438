"""What every `Embedder` does."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embedding_server import EmbeddingServer
from minilm import make_model_folder
from webdocs.embed.endpoint import Address
from webdocs.embed.hashing import HashingEmbedder
from webdocs.embed.remote import RemoteEmbedder
from webdocs.embed.static import StaticEmbedder
from webdocs.embed.transformer import TransformerEmbedder
from webdocs.ports import Embedder

EMBEDDERS = ("static-256", "static-64", "hashing-32", "hashing-384", "transformer-0", "transformer-128", "openai-64")


@pytest.fixture(scope="module", params=EMBEDDERS)
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    name, _, dim = request.param.partition("-")
    with contextlib.ExitStack() as stack:
        match name:
            case "static":
                yield StaticEmbedder(int(dim))
            case "hashing":
                yield HashingEmbedder(int(dim))
            case "transformer":
                folder = make_model_folder(tmp_path_factory.mktemp("models") / "minilm")
                yield TransformerEmbedder(str(folder), int(dim), threads=1)
            case _:
                server = stack.enter_context(EmbeddingServer(dim=int(dim)))
                yield stack.enter_context(contextlib.closing(RemoteEmbedder(Address(server.url, server.model))))


def test_rows_are_unit_length_float32(embedder: Embedder) -> None:
    vectors = embedder.embed(["create an index", "drop a table", "日本語"])
    assert vectors.shape == (3, embedder.dim)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_query_gives_one_unit_vector(embedder: Embedder) -> None:
    vector = embedder.embed_query("create an index")
    assert vector.shape == (embedder.dim,)
    assert vector.dtype == np.float32
    assert np.isclose(np.linalg.norm(vector), 1, atol=1e-5)


@pytest.mark.parametrize("text", ["", " ", "\n\t"], ids=["empty", "a-space", "line-ends"])
def test_a_text_without_words_gives_zeros(embedder: Embedder, text: str) -> None:
    assert not embedder.embed([text]).any()
    assert not embedder.embed_query(text).any()


def test_an_empty_text_in_company_changes_no_other(embedder: Embedder) -> None:
    with_empty = embedder.embed(["create an index", "", "drop a table"])
    without = embedder.embed(["create an index", "drop a table"])
    assert np.allclose(with_empty[[0, 2]], without, atol=1e-5)


def test_an_empty_list_gives_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dim)
    assert embedder.count_tokens([]) == []


def test_a_text_has_the_same_vector_alone_and_in_company(embedder: Embedder) -> None:
    alone = embedder.embed(["create an index"])[0]
    company = embedder.embed(["something else, longer than the other", "create an index"])[1]
    assert np.allclose(alone, company, atol=1e-5)


def test_many_texts_come_back_in_their_order(embedder: Embedder) -> None:
    texts = [f"table number {number} " * (1 + number % 7) for number in range(150)]
    together = embedder.embed(texts)
    for row in (0, 63, 64, 65, 149):
        assert np.allclose(embedder.embed([texts[row]])[0], together[row], atol=1e-5)


def test_shared_words_bring_texts_nearer(embedder: Embedder) -> None:
    query = embedder.embed_query("create index")
    near, far = embedder.embed(["how to create an index on a table", "bake bread at home"])
    assert query @ near > query @ far


def test_longer_texts_have_more_tokens(embedder: Embedder) -> None:
    short, long = embedder.count_tokens(["one two", "one two three four five six"])
    assert 0 < short < long


def test_a_text_over_the_limit_is_embedded(embedder: Embedder) -> None:
    text = "create an index " * embedder.max_tokens
    assert embedder.count_tokens([text])[0] > embedder.max_tokens
    vector = embedder.embed([text])[0]
    assert np.isclose(np.linalg.norm(vector), 1, atol=1e-5)
    near, far = embedder.embed(["create an index", "bake bread at home"])
    assert vector @ near > vector @ far


def test_a_huge_text_is_embedded(embedder: Embedder) -> None:
    assert np.isfinite(embedder.embed(["word " * 200_000])).all()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(max_size=60), max_size=4))
def test_whatever_the_text_rows_are_unit_or_zero(embedder: Embedder, texts: list[str]) -> None:
    norms = np.linalg.norm(embedder.embed(texts), axis=1)
    assert norms.shape == (len(texts),)
    assert (np.isclose(norms, 1, atol=1e-4) | (norms == 0)).all()
    assert all(count >= 0 for count in embedder.count_tokens(texts))
