"""Bytes to text: design section 3 (decode order)."""

from __future__ import annotations

import pytest

from webdocs.errors import ExtractError
from webdocs.extract.charset import decode

DECODED = {
    "bom-wins-over-a-lying-header [3]": (b"\xef\xbb\xbfna\xc3\xafve", "text/html; charset=latin1", "naïve"),
    "utf-16-by-its-mark [3]": ("naïve".encode("utf-16"), "text/html", "naïve"),
    "utf-16-big-endian-by-its-mark [3]": (b"\xfe\xff\x00h\x00i", "", "hi"),
    "http-charset-before-meta [3]": (
        '<meta charset="utf-8">Ñ'.encode("cp1252"),
        "text/html; charset=windows-1252",
        '<meta charset="utf-8">Ñ',
    ),
    "quoted-http-charset [3]": ("é".encode(), 'text/html; charset="utf-8"', "é"),
    "meta-when-the-header-is-silent [3]": (
        '<meta charset="shift_jis">日本'.encode("shift_jis"),
        "text/html",
        '<meta charset="shift_jis">日本',
    ),
    "meta-http-equiv [3]": (
        '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">да'.encode("koi8-r"),
        "",
        '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">да',
    ),
    "meta-found-behind-1024-bytes [3]": (
        b" " * 3000 + '<meta charset="koi8-r">да'.encode("koi8-r"),
        "",
        " " * 3000 + '<meta charset="koi8-r">да',
    ),
    "xml-declaration [3]": (
        '<?xml version="1.0" encoding="iso-8859-15"?>€'.encode("iso-8859-15"),
        "",
        '<?xml version="1.0" encoding="iso-8859-15"?>€',
    ),
    "a-header-that-lies-falls-through [3]": ("déjà vu".encode(), "text/html; charset=ascii-nonsense", "déjà vu"),
    "a-meta-that-lies-falls-to-the-guess [3]": (
        '<meta charset="utf-8"><p>naïve résumé, déjà vu in a page that lies about its encoding'.encode("cp1252"),
        "text/html",
        '<meta charset="utf-8"><p>naïve résumé, déjà vu in a page that lies about its encoding',
    ),
    "latin-1-means-windows-1252-on-the-web [3]": (b"\x93x\x94", "text/html; charset=iso-8859-1", "“x”"),
    "utf-8-without-any-label [3]": ("日本語".encode(), "", "日本語"),
    "a-guess-for-japanese-without-a-label [3]": (
        ("これは文字コードの宣言がない日本語のページです。" * 8).encode("shift_jis"),
        "",
        "これは文字コードの宣言がない日本語のページです。" * 8,
    ),
    "a-label-of-utf-16-in-ascii-bytes-is-not-true [3]": (b'<meta charset="utf-16">hi', "", '<meta charset="utf-16">hi'),
    "nothing-is-nothing": (b"", "text/html", ""),
}


@pytest.mark.parametrize(("body", "content_type", "text"), DECODED.values(), ids=DECODED.keys())
def test_decodes(body: bytes, content_type: str, text: str) -> None:
    assert decode(body, content_type) == text


BINARY = {
    "pdf-by-its-magic": (b"%PDF-1.7\n...", "PDF"),
    "zip-by-its-magic": (b"PK\x03\x04rest", "ZIP"),
    "gzip-by-its-magic": (b"\x1f\x8b\x08rest", "gzip"),
    "png-by-its-magic": (b"\x89PNG\r\n\x1a\n", "PNG"),
    "nul-bytes-outside-of-a-page": (b"text\x00text", "NUL"),
    "control-characters": (bytes(range(1, 9)) * 40, "control characters"),
}


@pytest.mark.parametrize(("body", "reason"), BINARY.values(), ids=BINARY.keys())
def test_refuses_binary(body: bytes, reason: str) -> None:
    with pytest.raises(ExtractError, match=reason):
        decode(body, "text/html")


def test_a_stray_nul_in_a_page_is_no_binary() -> None:
    assert "a\x00b" in decode(b"<html><p>a\x00b</p></html>", "text/html")
