"""Which extractor reads this body, and what if its label lies?"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from webdocs.errors import ExtractError
from webdocs.extract.charset import decode
from webdocs.extract.formats import Finder, Format, find_format, is_importable, is_readable, reader_of, suffix_of
from webdocs.extract.html import extract_html
from webdocs.extract.markdown import extract_markdown
from webdocs.extract.plain import extract_plain, is_markdown
from webdocs.model import Page

HTML_TYPES = frozenset(("text/html", "application/xhtml+xml", "application/xml", "text/xml"))
MARKDOWN_TYPES = frozenset(("text/markdown", "text/x-markdown", "text/plain"))
UNKNOWN_TYPES = frozenset(("", "application/octet-stream", "unknown/unknown"))
"""Labels that say nothing, for which the body decides."""

MARKDOWN_SUFFIXES = frozenset(("md", "mdx", "markdown", "mkd"))

_HTML_START = re.compile(
    r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta)\b", re.IGNORECASE | re.DOTALL
)
_SNIFFED_CHARS = 2048


def read_body(body: bytes, content_type: str, url: str, finder: Finder = is_importable) -> Page:
    """Make a page of a body.

    Args:
        body: The bytes of a 200, content coding removed.
        content_type: Its `Content-Type` header, parameters and all; may be empty.
        url: The final URL it came from.
        finder: Says whether an extra's library is installed.

    Raises:
        ExtractError: The type is not supported, the body is binary, or there is no text in it.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    path = _path_of(url)
    row = find_format(media_type, path, body)
    if row is not None and (is_readable(row, finder) or not _is_text(media_type)):
        return _read(row, body, content_type, url, finder)
    if row is None and media_type not in HTML_TYPES | MARKDOWN_TYPES | UNKNOWN_TYPES:
        raise ExtractError(f"the type {media_type} is not supported")
    text = decode(body, content_type)
    if not text.strip():
        raise ExtractError("the body is empty")
    if media_type in HTML_TYPES or is_html(text):
        return extract_html(text, url)
    if row is not None or _is_plain(text, media_type, path):
        return extract_plain(text, url)
    return extract_markdown(text, url)


def _read(row: Format, body: bytes, content_type: str, url: str, finder: Finder) -> Page:
    """Read a file by its format. What a site serves as the page of a source (`a.rst` as HTML) is a page."""
    if not is_readable(row, finder):
        raise ExtractError(row.remedy)
    if not row.magic and is_html(body[:_SNIFFED_CHARS].decode("latin-1")):
        return extract_html(decode(body, content_type), url)
    return reader_of(row)(body, content_type, url)


def _is_text(media_type: str) -> bool:
    """True for a label under which a file may be read as the text that it is, if nothing reads it better."""
    return media_type.startswith("text/")


def _is_plain(text: str, media_type: str, path: str) -> bool:
    """True for text that is not Markdown: neither its label, nor its ending, nor its marks say so (contract F6)."""
    return media_type == "text/plain" and suffix_of(path) not in MARKDOWN_SUFFIXES and not is_markdown(text)


def _path_of(url: str) -> str:
    try:
        return unquote(urlsplit(url).path)
    except ValueError:
        return ""


def is_html(text: str) -> bool:
    """True if the text starts as an HTML document does, whatever its label says."""
    return _HTML_START.match(text[:_SNIFFED_CHARS].lstrip("\ufeff \t\r\n")) is not None
