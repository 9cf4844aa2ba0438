"""The wire to an embedding endpoint: one request with its retries, and what each refusal means in words.

The protocol is that of OpenAI (`POST {base}/embeddings`), which Ollama, vLLM, LM Studio, llama.cpp, Text Embeddings
Inference and most gateways speak as well.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import numpy as np
from numpy.typing import NDArray

from webdocs.errors import EmbedderError

logger = logging.getLogger(__name__)

RETRIES = 4
"""Our choice: with waits of 1, 2, 4 and 8 s this outlasts a restart of the server and a short burst limit."""

MAX_WAIT_S = 60.0
"""Our choice: the longest Retry-After that is obeyed; the rate limits of the large providers are by the minute."""

_RETRYABLE = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_TOO_LONG = (
    "context length",
    "maximum context",
    "too long",
    "too large",
    "exceeds the",
    "maximum sequence",
    "max_tokens",
)
"""What servers say of a text that is over the model's limit; the status alone, 400, says nothing."""

_UNKNOWN = ("not found", "does not exist", "not exist", "unknown", "no such", "invalid model", "not support")

_MAX_SHOWN_CHARS = 200


class TooLongError(EmbedderError):
    """The endpoint refused a text for its length; the caller cuts it."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the endpoint is and what it is asked for.

    Attributes:
        url: Base, as `https://api.openai.com/v1`.
        model: Name of the model there.
        dimensions: Asked for where it is not 0; else the model's own length.
    """

    url: str
    model: str
    dimensions: int = 0


class Endpoint:
    """A client of one endpoint. Thread-safe.

    Args:
        address: What is asked where.
        api_key: Sent as a bearer token, unless it is empty.
        timeout_s: Longest wait for one answer.
        sleep: Waits before a retry.
    """

    def __init__(
        self, address: Address, api_key: str, timeout_s: float, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._address = address
        self._has_key = bool(api_key)
        self._sleep = sleep
        self._timeout_s = timeout_s
        base = address.url.rstrip("/").removesuffix("/embeddings")
        self._url = f"{base}/embeddings"
        try:
            host = httpx2.URL(self._url).host
            headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
            # A proxy for the outside is none for this machine. A redirect could carry the key elsewhere.
            self._client = httpx2.Client(
                headers=headers,
                timeout=timeout_s,
                follow_redirects=False,
                trust_env=host not in ("127.0.0.1", "localhost", "::1"),
            )
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise EmbedderError(f"{self._url} is no URL", "Correct WEBDOCS_EMBED_URL.") from error

    def embed(self, texts: Sequence[str], retries: int = RETRIES) -> NDArray[np.float32]:
        """(len(texts), n) float32, as the model gives them.

        Raises:
            TooLongError: a text is over the model's limit.
            EmbedderError: there is no answer, or none that is of use.
        """
        body: dict[str, Any] = {"model": self._address.model, "input": list(texts), "encoding_format": "float"}
        if self._address.dimensions:
            body["dimensions"] = self._address.dimensions
        return self._vectors(self._ask(body, retries), len(texts))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, body: dict[str, Any], retries: int) -> httpx2.Response:
        for attempt in range(retries + 1):
            is_last = attempt == retries
            try:
                response = self._client.post(self._url, json=body)
            except httpx2.TransportError as error:
                if is_last:
                    raise self._unreachable(error) from error
                reason, wait_s = type(error).__name__, 2.0**attempt
            else:
                if response.status_code not in _RETRYABLE or is_last:
                    return self._accept(response)
                reason = f"status {response.status_code}"
                wait_s = _retry_after_s(response.headers.get("retry-after", ""), 2.0**attempt)
            logger.info("embedding_retried url=%s reason=%s wait_s=%.1f", self._url, reason, wait_s)
            self._sleep(wait_s)
        raise AssertionError("the last attempt answers or raises")

    def _unreachable(self, error: httpx2.TransportError) -> EmbedderError:
        if isinstance(error, httpx2.TimeoutException):
            return EmbedderError(
                f"The embedding endpoint {self._url} did not answer within {self._timeout_s:g} s",
                "See whether it is overloaded, or raise WEBDOCS_EMBED_TIMEOUT.",
            )
        if isinstance(error, httpx2.UnsupportedProtocol):
            return EmbedderError(f"{self._url} is no URL of HTTP", "Correct WEBDOCS_EMBED_URL.")
        return EmbedderError(
            f"The embedding endpoint {self._url} cannot be reached: {_one_line(str(error) or type(error).__name__)}",
            "Start its server, or correct WEBDOCS_EMBED_URL.",
        )

    def _accept(self, response: httpx2.Response) -> httpx2.Response:
        """A good response. Raises for any other."""
        status = response.status_code
        if status == 200:
            return response
        said = _message_of(response)
        if status in (400, 413, 422) and any(words in said.lower() for words in _TOO_LONG):
            raise TooLongError(f"The model {self._address.model!r} refuses a text as too long ({said})")
        model, url = self._address.model, self._url
        if status in (401, 403):
            # What the server says is not repeated: some quote parts of the key.
            what = "refused the key that was sent" if self._has_key else "asks for a key, and none was sent"
            raise EmbedderError(
                f"The embedding endpoint {url} {what} (HTTP {status})",
                "Set WEBDOCS_EMBED_API_KEY, or OPENAI_API_KEY for OpenAI itself, in the environment.",
            )
        if "model" in said.lower() and (status == 404 or any(words in said.lower() for words in _UNKNOWN)):
            raise EmbedderError(
                f"The embedding endpoint {url} does not offer the model {model!r} (HTTP {status}: {said})",
                f"Correct WEBDOCS_EMBED_MODEL; for Ollama: ollama pull {model}.",
            )
        if status in (404, 405) or 300 <= status < 400:
            raise EmbedderError(
                f"There is no embedding endpoint at {url} (HTTP {status})",
                "WEBDOCS_EMBED_URL is the address before /embeddings, mostly one that ends in /v1.",
            )
        raise EmbedderError(
            f"The embedding endpoint {url} answered HTTP {status}{f': {said}' if said else ''}", "Look at its own log."
        )

    def _vectors(self, response: httpx2.Response, count: int) -> NDArray[np.float32]:
        try:
            rows = sorted(response.json()["data"], key=lambda row: row["index"])
            vectors = np.array([row["embedding"] for row in rows], np.float32)
        except (ValueError, KeyError, TypeError) as error:
            raise self._unusable("is no list of embeddings") from error
        if vectors.ndim != 2 or len(vectors) != count:
            raise self._unusable(f"has {len(vectors)} embeddings for {count} texts")
        if not np.isfinite(vectors).all():
            raise self._unusable("has numbers that are not finite")
        return vectors

    def _unusable(self, what: str) -> EmbedderError:
        return EmbedderError(
            f"The answer of the embedding endpoint {self._url} {what}",
            f"See whether {self._address.model!r} is a model for embeddings.",
        )


def _retry_after_s(value: str, otherwise_s: float) -> float:
    """Seconds to wait: Retry-After in seconds or as a date (RFC 9110, 10.2.3), else `otherwise_s`."""
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return otherwise_s
        seconds = (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), MAX_WAIT_S) if seconds == seconds else otherwise_s


def _message_of(response: httpx2.Response) -> str:
    """What the server says of a fault: `{"error": {"message": ...}}`, `{"error": ...}`, `{"message": ...}`."""
    try:
        body = response.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        return ""
    error = body.get("error", body) if isinstance(body, dict) else ""
    message = error.get("message") or error.get("detail") or "" if isinstance(error, dict) else error
    return _one_line(str(message))


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_MAX_SHOWN_CHARS].rstrip(".")
