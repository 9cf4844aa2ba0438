"""Which extractor reads this body, and what if its label lies?"""

from __future__ import annotations

import re

from webdocs.errors import ExtractError
from webdocs.extract.charset import decode
from webdocs.extract.html import extract_html
from webdocs.extract.markdown import extract_markdown
from webdocs.model import Page

HTML_TYPES = frozenset(("text/html", "application/xhtml+xml", "application/xml", "text/xml"))
MARKDOWN_TYPES = frozenset(("text/markdown", "text/x-markdown", "text/plain"))
UNKNOWN_TYPES = frozenset(("", "application/octet-stream", "unknown/unknown"))
"""Labels that say nothing, for which the body decides."""

_HTML_START = re.compile(
    r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta)\b", re.IGNORECASE | re.DOTALL
)
_SNIFFED_CHARS = 2048


def extract(body: bytes, content_type: str, url: str) -> Page:
    """Make a page of a body.

    Args:
        body: The bytes of a 200, content coding removed.
        content_type: Its `Content-Type` header, parameters and all; may be empty.
        url: The final URL it came from.

    Raises:
        ExtractError: The type is not supported, the body is binary, or there is no text in it.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type not in HTML_TYPES | MARKDOWN_TYPES | UNKNOWN_TYPES:
        raise ExtractError(f"the type {media_type} is not supported")
    text = decode(body, content_type)
    if not text.strip():
        raise ExtractError("the body is empty")
    if media_type in HTML_TYPES or is_html(text):
        return extract_html(text, url)
    return extract_markdown(text, url)


def is_html(text: str) -> bool:
    """True if the text starts as an HTML document does, whatever its label says."""
    return _HTML_START.match(text[:_SNIFFED_CHARS].lstrip("\ufeff \t\r\n")) is not None
