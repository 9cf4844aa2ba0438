"""The remote embedder against an endpoint on loopback: what is sent, what is tried again, what each refusal says."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest

from embedding_server import EmbeddingServer, Fault, SilentServer
from webdocs.embed.endpoint import Address
from webdocs.embed.hashing import HashingEmbedder
from webdocs.embed.remote import MAX_INPUTS, MAX_REQUEST_TOKENS, RemoteEmbedder, estimate_tokens
from webdocs.errors import EmbedderError

SECRET = "sk-very-secret-0123456789"


class Waits:
    """Writes down the seconds instead of waiting."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@contextlib.contextmanager
def connected(
    server: EmbeddingServer, *, model: str = "", dimensions: int = 0, key: str = "", max_tokens: int = 512
) -> Iterator[tuple[RemoteEmbedder, Waits]]:
    waits = Waits()
    address = Address(server.url, model or server.model, dimensions)
    with contextlib.closing(RemoteEmbedder(address, api_key=key, max_tokens=max_tokens, sleep=waits)) as embedder:
        yield embedder, waits


# ---------------------------------------------------------------- what is sent


def test_vectors_are_taken_by_their_index_and_made_unit_length() -> None:
    with EmbeddingServer(dim=64) as server, connected(server) as (embedder, _):
        texts = ["create an index", "drop a table", "bake bread"]
        assert np.allclose(embedder.embed(texts), HashingEmbedder(64).embed(texts), atol=1e-6)


def test_requests_are_cut_by_count() -> None:
    with EmbeddingServer() as server, connected(server) as (embedder, _):
        embedder.embed(["word"] * (2 * MAX_INPUTS + 1))
        assert [len(asked.texts) for asked in server.asked[1:]] == [MAX_INPUTS, MAX_INPUTS, 1]


def test_requests_are_cut_by_tokens() -> None:
    with EmbeddingServer() as server, connected(server) as (embedder, _):
        embedder.embed(["word " * 500] * 40)
        sizes = [sum(map(estimate_tokens, asked.texts)) for asked in server.asked[1:]]
        assert max(sizes) <= MAX_REQUEST_TOKENS
        assert len(sizes) == 3


def test_a_long_text_is_sent_in_pieces_between_words_and_nothing_of_it_is_lost() -> None:
    text = " ".join(f"word{number}" for number in range(300))
    with EmbeddingServer() as server, connected(server, max_tokens=200) as (embedder, _):
        embedder.embed([text])
        pieces = server.asked[-1].texts
        assert len(pieces) > 1
        assert "".join(pieces) == text
        assert all(estimate_tokens(piece) <= 200 for piece in pieces)
        assert all(piece.startswith(" word") for piece in pieces[1:])


def test_a_text_that_the_endpoint_finds_too_long_is_halved_and_the_others_are_sent_whole() -> None:
    with EmbeddingServer(max_words=60) as server, connected(server) as (embedder, _):
        vectors = embedder.embed(["short text", "word " * 100, "another one"])
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        assert np.allclose(vectors[[0, 2]], HashingEmbedder(64).embed(["short text", "another one"]), atol=1e-6)
        assert max(len(text.split()) for text in server.asked[-1].texts) <= 60


def test_a_wanted_length_is_asked_for_and_else_no_length_is_named() -> None:
    with EmbeddingServer(dim=64) as server:
        with connected(server) as (embedder, _):
            assert (embedder.dim, server.asked[-1].dimensions) == (64, None)
        with connected(server, dimensions=32) as (embedder, _):
            assert (embedder.dim, server.asked[-1].dimensions) == (32, 32)


def test_the_key_is_sent_as_a_bearer_token_and_stands_nowhere_else(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with EmbeddingServer(key=SECRET) as server, connected(server, key=SECRET) as (embedder, _):
        server.faults.append(Fault(503))
        embedder.embed(["a text"])
        assert server.asked[-1].headers["authorization"] == f"Bearer {SECRET}"
        assert SECRET not in embedder.identity + repr(embedder) + caplog.text


def test_without_a_key_no_authorization_is_sent() -> None:
    with EmbeddingServer() as server, connected(server):
        assert "authorization" not in server.asked[0].headers


def test_the_identity_holds_model_and_length_and_no_address() -> None:
    with EmbeddingServer() as server, connected(server) as (embedder, _):
        assert embedder.identity == "openai:hash-embed:v1:64"


@pytest.mark.parametrize("ending", ["", "/", "/embeddings"], ids=["base", "base-with-slash", "whole-address"])
def test_the_address_may_be_given_in_each_usual_form(ending: str) -> None:
    with EmbeddingServer() as server:
        RemoteEmbedder(Address(server.url + ending, server.model)).close()
        assert server.asked[0].path == "/v1/embeddings"


# ---------------------------------------------------------------- what is tried again


def _in_30_s() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)


RETRIED = [
    pytest.param([Fault(429, headers={"Retry-After": "7"})], 7, 7, id="seconds-of-a-429-are-obeyed"),
    pytest.param([Fault(503, headers={"Retry-After": _in_30_s()})], 0, 30, id="a-date-is-obeyed"),
    pytest.param([Fault(429, headers={"Retry-After": "86400"})], 60, 60, id="a-day-is-cut-to-a-minute"),
    pytest.param([Fault(429, headers={"Retry-After": "soon"})], 1, 1, id="what-is-no-time-counts-as-none"),
    pytest.param([Fault(429, headers={"Retry-After": "-5"})], 0, 0, id="a-negative-time-is-none"),
    pytest.param([Fault(500), Fault(502), Fault(503), Fault(504)], 15, 15, id="server-faults-wait-longer-each-time"),
]


@pytest.mark.parametrize(("faults", "least_s", "most_s"), RETRIED)
def test_passing_faults_are_waited_out(faults: list[Fault], least_s: float, most_s: float) -> None:
    with EmbeddingServer() as server, connected(server) as (embedder, waits):
        server.faults += faults
        assert embedder.embed(["a text"]).any()
        assert len(waits.seconds) == len(faults)
        assert least_s <= sum(waits.seconds) <= most_s


def test_faults_that_stay_end_with_what_the_server_says() -> None:
    with EmbeddingServer() as server, connected(server) as (embedder, waits):
        server.faults += [Fault(429, {"error": {"message": "Rate limit reached."}})] * 5
        with pytest.raises(EmbedderError, match="HTTP 429: Rate limit reached"):
            embedder.embed(["a text"])
        assert waits.seconds == [1, 2, 4, 8]


def test_a_query_is_tried_only_once_more() -> None:
    with EmbeddingServer() as server, connected(server) as (embedder, waits):
        server.faults += [Fault(503)] * 2
        with pytest.raises(EmbedderError, match="HTTP 503"):
            embedder.embed_query("a question")
        assert waits.seconds == [1]


def test_a_server_that_has_gone_is_named() -> None:
    with EmbeddingServer() as server:
        embedder = RemoteEmbedder(Address(server.url, server.model), sleep=Waits())
    with contextlib.closing(embedder), pytest.raises(EmbedderError, match="cannot be reached"):
        embedder.embed(["a text"])


# ---------------------------------------------------------------- what a bad start says

Change = Callable[[EmbeddingServer], None]


def _answers(fault: Fault) -> Change:
    return lambda server: server.faults.extend([fault] * 2)


BAD_STARTS = [
    pytest.param({"key": ""}, None, "asks for a key, and none was sent", "WEBDOCS_EMBED_API_KEY", id="no-key"),
    pytest.param({"key": "sk-old"}, None, "refused the key that was sent", "WEBDOCS_EMBED_API_KEY", id="wrong-key"),
    pytest.param({"model": "nomic"}, None, "does not offer the model 'nomic'", "ollama pull nomic", id="wrong-model"),
    pytest.param(
        {"dimensions": 48}, None, "vectors of 64 numbers, not of 48", "WEBDOCS_EMBED_DIM=64", id="wrong-length"
    ),
    pytest.param({}, _answers(Fault(404, "not here")), "no embedding endpoint", "ends in /v1", id="wrong-path"),
    pytest.param({}, _answers(Fault(302, "", {"Location": "/x"})), "no embedding endpoint", "/v1", id="redirect"),
    pytest.param({}, _answers(Fault(200, "<html>")), "is no list of embeddings", "for embeddings", id="a-web-page"),
    pytest.param({}, _answers(Fault(200, {"data": []})), "has 0 embeddings for 1 texts", "for embeddings", id="none"),
    pytest.param(
        {},
        _answers(Fault(200, {"data": [{"index": 0, "embedding": [float("nan")] * 64}]})),
        "numbers that are not finite",
        "for embeddings",
        id="not-a-number",
    ),
    pytest.param(
        {},
        _answers(Fault(400, {"error": "This model does not support embeddings"})),
        "does not offer the model",
        "WEBDOCS_EMBED_MODEL",
        id="a-model-for-chat",
    ),
    pytest.param({}, _answers(Fault(500, {"error": "out of memory"})), "HTTP 500: out of memory", "log", id="fault"),
]


@pytest.mark.parametrize(("options", "change", "what", "remedy"), BAD_STARTS)
def test_a_bad_start_says_in_one_line_what_and_what_to_do(
    options: dict[str, object], change: Change | None, what: str, remedy: str
) -> None:
    with EmbeddingServer(key=SECRET, obeys_dimensions=False) as server:
        if change is not None:
            change(server)
        with pytest.raises(EmbedderError) as caught, connected(server, **{"key": SECRET, **options}):  # type: ignore[arg-type]
            pass
        message = str(caught.value)
        assert what in caught.value.what
        assert remedy in caught.value.remedy
        assert "\n" not in message
        assert SECRET not in message and "sk-old" not in message


@pytest.mark.parametrize(
    ("url", "what"),
    [
        pytest.param("http://127.0.0.1:1/v1", "cannot be reached", id="nobody-listens"),
        pytest.param("http://[::1/v1", "is no URL", id="no-url"),
    ],
)
def test_an_endpoint_that_cannot_be_reached_is_named(url: str, what: str) -> None:
    with pytest.raises(EmbedderError, match=what):
        RemoteEmbedder(Address(url, "any"), sleep=Waits())


def test_a_server_that_does_not_answer_in_time_is_named() -> None:
    with SilentServer() as server, pytest.raises(EmbedderError, match=r"did not answer within 0\.05 s"):
        RemoteEmbedder(Address(server.url, "any"), timeout_s=0.05, sleep=Waits())


# ---------------------------------------------------------------- how long is a text?


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        pytest.param("The quick brown fox jumps over the lazy dog.", 10, 14, id="prose"),
        pytest.param("max_connections", 2, 6, id="an-identifier"),
        pytest.param("索引を作成する", 6, 8, id="unspaced-script"),
        pytest.param("", 0, 0, id="nothing"),
    ],
)
def test_a_text_is_estimated_rather_too_long(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most
