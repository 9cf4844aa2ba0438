"""What of a fetched body is worth indexing?

`extract` makes a `Page` of typed blocks of one HTML page, and `to_markdown` its text; `read_body` does so for a body of
any type.
"""

from __future__ import annotations

from webdocs.errors import ExtractError
from webdocs.extract.dispatch import is_html, read_body
from webdocs.extract.formats import formats_here
from webdocs.extract.linked import links_of, text_of
from webdocs.model import Page

__all__ = ["extract", "formats_here", "is_html", "links_of", "read_body", "text_of", "to_markdown"]


def extract(html: bytes, url: str) -> Page:
    """The main content of a page as typed blocks, with its links and what its head says.

    Args:
        html: The bytes of the page.
        url: Its final URL, against which links are joined.

    Raises:
        ExtractError: There is no text to index in it.
    """
    return read_body(html, "text/html", url)


def to_markdown(html: bytes, url: str) -> str:
    """The Markdown of a page's main content; empty if there is none.

    Args:
        html: The bytes of the page.
        url: Its URL, against which links are joined.
    """
    try:
        return extract(html, url).markdown
    except ExtractError:
        return ""
