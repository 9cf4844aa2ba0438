"""An embedding endpoint on loopback, as OpenAI and Ollama offer it: it answers, or it fails as told.

with EmbeddingServer(dim=64) as server:
    RemoteEmbedder(Address(server.url, server.model))
    server.asked[0].texts == ("probe",)
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from webdocs.embed.hashing import HashingEmbedder


@dataclass(frozen=True, slots=True)
class Fault:
    """One answer in place of the vectors; a body of another type than text goes out as JSON."""

    status: int = 200
    body: Any = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived; header names in lower case."""

    path: str
    headers: Mapping[str, str]
    texts: tuple[str, ...]
    dimensions: int | None


class EmbeddingServer:
    """Gives the vectors of `HashingEmbedder`, in reverse order with their index, as the protocol allows.

    Args:
        dim: Length of a vector, unless the request says another and `obeys_dimensions`.
        model: The one model it has.
        key: The bearer token that it asks for; empty asks for none.
        max_words: A longer text is refused as OpenAI does it; 0 refuses none.
        obeys_dimensions: False for a server that does not know the field.
    """

    def __init__(
        self,
        *,
        dim: int = 64,
        model: str = "hash-embed:v1",
        key: str = "",
        max_words: int = 0,
        obeys_dimensions: bool = True,
    ) -> None:
        self.dim = dim
        self.model = model
        self.key = key
        self.max_words = max_words
        self.obeys_dimensions = obeys_dimensions
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        """Answered first, one a request."""
        self._connections: list[socket.socket] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> EmbeddingServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        for connection in self._connections:
            with contextlib.suppress(OSError):  # closed by the client before
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The base address of the protocol."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, asked: Asked, model: str) -> Fault:
        """What goes back for a request."""
        if self.faults:
            return self.faults.pop(0)
        if asked.path != "/v1/embeddings":
            return Fault(404, "404 page not found")
        if self.key and asked.headers.get("authorization") != f"Bearer {self.key}":
            return Fault(
                401, {"error": {"message": f"Incorrect API key provided: {asked.headers.get('authorization')}"}}
            )
        if model != self.model:
            return Fault(404, {"error": {"message": f'model "{model}" not found, try pulling it first'}})
        if self.max_words and any(len(text.split()) > self.max_words for text in asked.texts):
            said = f"This model's maximum context length is {self.max_words} tokens"
            return Fault(400, {"error": {"message": said, "type": "invalid_request_error"}})
        dim = asked.dimensions if asked.dimensions and self.obeys_dimensions else self.dim
        vectors = HashingEmbedder(dim).embed(asked.texts) * 3  # not all models give unit vectors
        rows = [{"index": index, "embedding": row} for index, row in enumerate(vectors.tolist())]
        return Fault(body={"object": "list", "data": rows[::-1], "model": model})

    def _handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                server._connections.append(self.connection)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.path, headers, tuple(body["input"]), body.get("dimensions"))
                server.asked.append(asked)
                fault = server.answer(asked, body["model"])
                sent = (fault.body if isinstance(fault.body, str) else json.dumps(fault.body)).encode()
                self.send_response(fault.status)
                for name, value in fault.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


class SilentServer:
    """Takes connections and never says a word."""

    def __enter__(self) -> SilentServer:
        self._socket = socket.create_server(("127.0.0.1", 0))
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    @property
    def url(self) -> str:
        """The base address of the protocol."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
