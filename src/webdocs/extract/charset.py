"""Which characters do these bytes mean?

The order is: magic bytes reject, byte order mark, HTTP charset, `<meta>` in the first 4 KiB, UTF-8,
a guess from the bytes, Windows-1252. A label that does not decode the body falls through to the next.
"""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from webdocs.errors import ExtractError

MAGIC = (
    (b"%PDF-", "a PDF file"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"RIFF", "a RIFF media file"),
    (b"wOF2", "a WOFF2 font"),
    (b"wOFF", "a WOFF font"),
    (b"\x00asm", "a WebAssembly module"),
    (b"\x7fELF", "an ELF program"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
)
"""First bytes of the files that sites link beside their pages (WHATWG MIME Sniffing 6, and each format's own)."""

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""UTF-32 before UTF-16: the mark of the first begins with that of the second."""

META_BYTES = 4096
"""How far a `<meta charset>` is looked for. The standard says 1,024 (HTML 13.2.3.2); pages put it later."""

SAMPLE_BYTES = 32 * 1024
"""How much is shown to the guesser: its time grows with the sample, its answer hardly changes after this."""

CONTROL_SHARE = 0.1
"""More control characters than this in the sample is binary. Our choice: text has next to none, noise a tenth."""

# WHATWG Encoding 4.2: what these labels mean on the web is the Windows code page.
WEB_ALIASES = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso_8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "iso-8859-9": "cp1254",
    "x-user-defined": "cp1252",
}

_META_CHARSET = re.compile(rb"""<meta[^>]{0,400}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)["']""")
_HTTP_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_CONTROLS = bytes(set(range(32)) - {0, 9, 10, 12, 13, 27})


def decode(body: bytes, content_type: str) -> str:
    """Decode a page.

    Args:
        body: The bytes as they were served, content coding removed.
        content_type: The `Content-Type` header, parameters and all; may be empty.

    Returns:
        The text without a byte order mark. Every body that is not binary decodes.

    Raises:
        ExtractError: The bytes are a known binary format, hold many NULs or are mostly control characters.
    """
    marked = _decode_marked(body)
    if marked is not None:
        return marked
    _reject_binary(body)
    for label in _labels(body, content_type):
        text = _decode_strict(body, label)
        if text is not None:
            return text
    text = _decode_strict(body, "utf-8")
    return text if text is not None else _decode_guessed(body)


def _decode_marked(body: bytes) -> str | None:
    for mark, encoding in BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    return None


def _reject_binary(body: bytes) -> None:
    for magic, name in MAGIC:
        if body.startswith(magic):
            raise ExtractError(f"the body is {name}, not a document")
    sample = body[:SAMPLE_BYTES]
    if not sample:
        return
    nuls = sample.count(0)
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if nuls > len(sample) * CONTROL_SHARE or (nuls and not _looks_like_markup(sample)):
        raise ExtractError("the body holds NUL bytes, so it is binary")
    if controls > len(sample) * CONTROL_SHARE:
        raise ExtractError("the body is mostly control characters, so it is binary")


def _looks_like_markup(sample: bytes) -> bool:
    """A stray NUL in a real page is replaced by the parser, as HTML 13.2.5 has it."""
    return b"<html" in sample[:META_BYTES].lower() or b"<!doctype html" in sample[:META_BYTES].lower()


def _labels(body: bytes, content_type: str) -> list[str]:
    labels = _HTTP_CHARSET.findall(content_type)
    head = body[:META_BYTES]
    labels += [label.decode("ascii") for label in _META_CHARSET.findall(head)[:1]]
    labels += [label.decode("ascii") for label in _XML_ENCODING.findall(head)]
    return labels


def _decode_strict(body: bytes, label: str) -> str | None:
    name = label.lower()
    name = WEB_ALIASES.get(name, name)
    if name.startswith(("utf-16", "utf16", "utf-32", "utf32")):
        return None  # the label itself could be read as ASCII, so it is not true (HTML 13.2.3.2)
    try:
        return body.decode(name)
    except (LookupError, ValueError):
        return None


def _decode_guessed(body: bytes) -> str:
    matches = from_bytes(body[:SAMPLE_BYTES])
    best = matches.best()
    western = next((match for match in matches if "cp1252" in (match.encoding, *match.could_be_from_charset)), None)
    if best is None or (western is not None and western.coherence >= best.coherence):
        return body.decode("cp1252", "replace")  # among equals the likeliest on the web
    try:
        return body.decode(best.encoding)
    except (LookupError, ValueError):
        return body.decode("cp1252", "replace")
