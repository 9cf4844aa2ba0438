"""Content codings: whole or not at all, and never more than the cap. Numbers are rows of the SSRF cases."""

from __future__ import annotations

import contextlib
import gzip
import sys
import tracemalloc
from collections.abc import Callable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.crawl.decode import BodyDecoder, BodyTooLargeError
from webdocs.errors import FetchError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b"".join(b"<p>paragraph %d of the manual</p>" % number for number in range(1000))
ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def decode(coding: str, data: bytes, *, step: int = 1000, max_bytes: int = 10**6) -> bytes:
    decoder = BodyDecoder(coding, max_bytes)
    for start in range(0, len(data), step):
        decoder.feed(data[start : start + step])
    return decoder.finish()


@pytest.mark.parametrize("coding", ENCODERS)
@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_a_body_comes_back_whole_however_it_arrives(coding: str, step: int) -> None:
    assert decode(coding, ENCODERS[coding](TEXT), step=step) == TEXT


def test_codings_have_their_other_names() -> None:
    assert decode("X-GZIP", gzip.compress(TEXT)) == TEXT
    assert decode("identity", TEXT) == TEXT
    assert decode("", b"") == b""


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_members_that_follow_one_another_are_one_body(coding: str) -> None:
    encode = ENCODERS[coding]
    assert decode(coding, encode(b"one ") + encode(b"two")) == b"one two"


def test_padding_after_gzip_is_passed_over() -> None:
    assert decode("gzip", gzip.compress(TEXT) + b"\0" * 64) == TEXT


@pytest.mark.parametrize("coding", ENCODERS)
@pytest.mark.parametrize("missing", [1, 4, 40])
def test_half_a_body_is_an_error_40(coding: str, missing: int) -> None:
    with pytest.raises(FetchError, match="ends before its end"):
        decode(coding, ENCODERS[coding](TEXT)[:-missing])


@pytest.mark.parametrize("coding", ENCODERS)
def test_plain_text_under_a_coding_is_an_error_40(coding: str) -> None:
    with pytest.raises(FetchError):
        decode(coding, TEXT)


def test_a_flipped_checksum_is_an_error() -> None:
    data = bytearray(gzip.compress(TEXT))
    data[-8] ^= 1
    with pytest.raises(FetchError, match="no valid gzip"):
        decode("gzip", bytes(data))


@pytest.mark.parametrize("header", ["gzip, gzip", "br,gzip", "deflate", "compress", "nonsense"])
def test_a_coding_that_was_not_asked_for_is_refused_39(header: str) -> None:
    with pytest.raises(FetchError):
        BodyDecoder(header, 1000)


@pytest.mark.parametrize("coding", ENCODERS)
def test_a_bomb_is_cut_at_the_cap_of_decoded_bytes_38(coding: str) -> None:
    bomb = ENCODERS[coding](b"\0" * 30_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(BodyTooLargeError):
            decode(coding, bomb, step=65536, max_bytes=1_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000 + 8_000_000


def test_a_zstd_window_beyond_the_rfc_is_refused() -> None:
    encoder = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27})
    with pytest.raises(FetchError, match="no valid zstd"):
        decode("zstd", encoder.compress(TEXT) + encoder.flush())


def test_what_was_decoded_before_the_cap_can_be_kept() -> None:
    decoder = BodyDecoder("", 10)
    with pytest.raises(BodyTooLargeError):
        decoder.feed(b"0123456789abc")
    assert decoder.cut() == b"0123456789"


@given(st.binary(max_size=400), st.sampled_from(sorted(ENCODERS)), st.integers(1, 50))
def test_any_bytes_survive_the_round_trip(data: bytes, coding: str, step: int) -> None:
    assert decode(coding, ENCODERS[coding](data), step=step) == data


@given(st.binary(max_size=200), st.sampled_from(sorted(ENCODERS)))
def test_garbage_is_an_error_or_a_body_and_nothing_else(data: bytes, coding: str) -> None:
    with contextlib.suppress(FetchError):
        assert isinstance(decode(coding, data), bytes)
