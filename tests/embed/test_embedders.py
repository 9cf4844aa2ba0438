"""What every `Embedder` does; and that the bundled one reaches no network."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from webdocs.embed.hashing import HashingEmbedder
from webdocs.embed.static import StaticEmbedder
from webdocs.errors import EmbedderError
from webdocs.ports import Embedder


@pytest.fixture(scope="module", params=["static-256", "static-64", "hashing-32", "hashing-384"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    name, _, dim = request.param.partition("-")
    return StaticEmbedder(int(dim)) if name == "static" else HashingEmbedder(int(dim))


def test_rows_are_unit_length_float32(embedder: Embedder) -> None:
    vectors = embedder.embed(["create an index", "drop a table", "日本語"])
    assert vectors.shape == (3, embedder.dim)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("text", ["", " "])
def test_a_text_without_words_gives_no_nan(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed([text])).all()


def test_an_empty_list_gives_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dim)
    assert embedder.count_tokens([]) == []


def test_a_text_has_the_same_vector_alone_and_in_company(embedder: Embedder) -> None:
    alone = embedder.embed(["create an index"])[0]
    company = embedder.embed(["something else, longer than the other", "create an index"])[1]
    assert np.allclose(alone, company, atol=1e-6)


def test_shared_words_bring_texts_nearer(embedder: Embedder) -> None:
    query, near, far = embedder.embed(["create index", "how to create an index on a table", "bake bread at home"])
    assert query @ near > query @ far


def test_longer_texts_have_more_tokens(embedder: Embedder) -> None:
    short, long = embedder.count_tokens(["one two", "one two three four five six"])
    assert 0 < short < long


def test_a_huge_text_is_embedded(embedder: Embedder) -> None:
    assert np.isfinite(embedder.embed(["word " * 200_000])).all()


def test_identities_differ_where_vectors_do() -> None:
    identities = [StaticEmbedder(64).identity, StaticEmbedder(256).identity, HashingEmbedder(64).identity]
    assert len(set(identities)) == 3


def test_static_knows_a_paraphrase_that_shares_no_word() -> None:
    query, near, far = StaticEmbedder().embed(["delete rows", "remove records", "paint a fence"])
    assert query @ near > query @ far + 0.1


def test_static_refuses_a_length_that_it_has_not() -> None:
    with pytest.raises(EmbedderError, match="length 100"):
        StaticEmbedder(100)


def test_static_opens_no_socket_and_does_not_import_its_package() -> None:
    code = (
        "import sys\n"
        "def refuse(event, args):\n"
        "    if event.startswith('socket.'):\n"
        "        raise SystemExit(f'network: {event}')\n"
        "sys.addaudithook(refuse)\n"
        "from webdocs.embed.static import StaticEmbedder\n"
        "StaticEmbedder().embed(['a text'])\n"
        "print('wordllama' in sys.modules, 'huggingface_hub' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "False False", done.stderr + done.stdout
