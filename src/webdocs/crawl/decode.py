"""What was sent under a content coding, never more than a cap, and was it sent whole?

Decoding runs while the bytes arrive and stops at the cap on decoded bytes: a few KB can hold gigabytes. A stream
that ends before its own end mark is an error: half a page would replace the whole one that is stored.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli

from webdocs.errors import FetchError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPTED_CODINGS = "gzip, br, zstd"

_STEP_BYTES = 1024 * 1024
"""Most bytes that one step of a decoder puts out; the peak above the cap. Our choice."""

MAX_ZSTD_WINDOW_BYTES = 8 * 1024 * 1024
"""RFC 9659, 3: no server may use more for a content coding."""


class BodyTooLargeError(FetchError):
    """The decoded body passes the cap."""


class Coding(Protocol):
    """One content coding's decoder."""

    def steps(self, data: bytes) -> Iterator[bytes]:
        """Decode what came, in steps of bounded size."""
        ...

    @property
    def is_complete(self) -> bool:
        """True once the stream's own end was seen."""
        ...


class _Identity:
    is_complete = True

    def steps(self, data: bytes) -> Iterator[bytes]:
        yield data


class _Gzip:
    def __init__(self) -> None:
        self._member = zlib.decompressobj(wbits=31)

    @property
    def is_complete(self) -> bool:
        return self._member.eof

    def steps(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._member.eof:
                # Members may follow one another (RFC 1952, 2.2); padding after the last is passed over.
                if not data.startswith(b"\x1f"):
                    return
                self._member = zlib.decompressobj(wbits=31)
            yield self._member.decompress(data, _STEP_BYTES)
            data = self._member.unused_data if self._member.eof else self._member.unconsumed_tail


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    @property
    def is_complete(self) -> bool:
        return self._stream.is_finished()

    def steps(self, data: bytes) -> Iterator[bytes]:
        if self._stream.is_finished():
            return
        yield self._stream.process(data, output_buffer_limit=_STEP_BYTES)
        while not self._stream.can_accept_more_data():
            yield self._stream.process(b"", output_buffer_limit=_STEP_BYTES)


class _Zstd:
    def __init__(self) -> None:
        self._frame = self._new()

    @staticmethod
    def _new() -> zstd.ZstdDecompressor:
        window_log = MAX_ZSTD_WINDOW_BYTES.bit_length() - 1
        return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: window_log})

    @property
    def is_complete(self) -> bool:
        return self._frame.eof

    def steps(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._frame.eof:
                self._frame = self._new()
            yield self._frame.decompress(data, _STEP_BYTES)
            while not self._frame.eof and not self._frame.needs_input:
                yield self._frame.decompress(b"", _STEP_BYTES)
            data = self._frame.unused_data if self._frame.eof else b""


_CODINGS: dict[str, type[Coding]] = {
    "": _Identity,
    "identity": _Identity,
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "br": _Brotli,
    "zstd": _Zstd,
}

_DECODER_ERRORS: tuple[type[Exception], ...] = (zlib.error, brotli.error, zstd.ZstdError)


class BodyDecoder:
    """Collects one body.

    Args:
        content_encoding: The header as sent; empty without one.
        max_bytes: Cap on decoded bytes.

    Raises:
        FetchError: A coding that was not asked for, or several on top of each other.
    """

    def __init__(self, content_encoding: str, max_bytes: int) -> None:
        names = [name for part in content_encoding.lower().split(",") if (name := part.strip())]
        if len(names) > 1:
            raise FetchError(f"the body is encoded several times over ({', '.join(names)})")
        name = names[0] if names else ""
        if name not in _CODINGS:
            raise FetchError(f"the content coding {name!r} was not asked for")
        self._name = name
        self._coding = _CODINGS[name]()
        self._max_bytes = max_bytes
        self._size = 0
        self._parts: list[bytes] = []

    def feed(self, data: bytes) -> None:
        """Take what arrived.

        Raises:
            BodyTooLargeError: The cap is passed.
            FetchError: The bytes are not what the coding says.
        """
        try:
            for part in self._coding.steps(data):
                self._parts.append(part)
                self._size += len(part)
                if self._size > self._max_bytes:
                    raise BodyTooLargeError(f"the body is larger than {self._max_bytes} bytes")
        except _DECODER_ERRORS as exc:
            raise FetchError(f"the body is no valid {self._name}") from exc

    def finish(self) -> bytes:
        """The whole body.

        Raises:
            FetchError: The coding's end mark is missing; nothing at all counts as an empty body.
        """
        if not self._coding.is_complete and self._size + len(self._parts) > 0:
            raise FetchError(f"the {self._name} body ends before its end", retryable=True)
        return b"".join(self._parts)

    def cut(self) -> bytes:
        """What was decoded so far, up to the cap."""
        return b"".join(self._parts)[: self._max_bytes]
