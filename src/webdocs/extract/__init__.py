"""What of a fetched body is worth indexing?

`extract` turns a body into a `Page` of typed blocks; `to_markdown` is the same for one HTML page, as text.
"""

from __future__ import annotations

from webdocs.errors import ExtractError
from webdocs.extract.dispatch import extract, is_html
from webdocs.extract.formats import formats_here
from webdocs.extract.linked import links_of, text_of

__all__ = ["extract", "formats_here", "is_html", "links_of", "text_of", "to_markdown"]


def to_markdown(html: bytes, url: str) -> str:
    """The Markdown of a page's main content; empty if there is none.

    Args:
        html: The bytes of the page.
        url: Its URL, against which links are joined.
    """
    try:
        return extract(html, "text/html", url).markdown
    except ExtractError:
        return ""
