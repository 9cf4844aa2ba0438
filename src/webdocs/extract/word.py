"""What does a Word document say? mammoth makes HTML of its styles; needs the extra `office`."""

from __future__ import annotations

import io
import zipfile
from xml.parsers.expat import ExpatError

import mammoth

from webdocs.errors import ExtractError
from webdocs.extract.composed import page_of
from webdocs.model import Page

MAX_UNPACKED_BYTES = 200 * 1024 * 1024
"""Our choice: ten times the largest body that is fetched; an archive that claims more is a bomb."""

_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='Code'] => pre:separator('\\n')
p[style-name='Source Code'] => pre:separator('\\n')
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name='Preformatted Text'] => pre:separator('\\n')
p[style-name='Plain Text'] => pre:separator('\\n')
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
r[style-name='Verbatim Char'] => code
r[style-name='Source Text'] => code
r[style-name='HTML Code'] => code
"""
"""Styles of Word, LibreOffice and pandoc that mammoth does not map by itself."""


def extract_word(body: bytes, content_type: str, url: str) -> Page:
    """Read one .docx file.

    Raises:
        ExtractError: It is no Word document, or it has no text.
    """
    _check_archive(body)
    try:
        html = mammoth.convert_to_html(io.BytesIO(body), style_map=_STYLES, convert_image=_leave_out).value
    except (
        KeyError,
        ValueError,
        AttributeError,
        TypeError,
        IndexError,
        OSError,
        ExpatError,
        zipfile.BadZipFile,
    ) as error:
        raise ExtractError("the Word document is damaged") from error
    return page_of(html, url)


def _check_archive(body: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise ExtractError("the body is no Word document: it is not a ZIP archive") from error
    if not any(member.filename.startswith("word/") for member in members):
        raise ExtractError("the body is a ZIP archive without a Word document in it")
    if sum(member.file_size for member in members) > MAX_UNPACKED_BYTES:
        raise ExtractError(f"the Word document unpacks to over {MAX_UNPACKED_BYTES >> 20} MiB")


def _leave_out(image: object) -> list:
    """Pictures are not text; their alternative text is kept by mammoth only with their bytes."""
    return []
