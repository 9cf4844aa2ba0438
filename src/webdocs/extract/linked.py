"""Where does a body lead? Its links alone, at a tenth of the cost of reading the page."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from webdocs.errors import ExtractError
from webdocs.extract.charset import decode
from webdocs.extract.dispatch import MARKDOWN_TYPES, is_html, read_body
from webdocs.extract.html.metadata import read_metadata
from webdocs.extract.links import collect_links
from webdocs.extract.resolve import Resolver


def links_of(body: bytes, content_type: str, url: str) -> tuple[str, ...]:
    """What may be followed from here: distinct absolute URLs with their fragments, in the page's order.

    Args:
        body: The bytes of a 200, content coding removed. What is no text has no links.
        content_type: Its `Content-Type` header; may be empty.
        url: The final URL it came from.
    """
    try:
        text = decode(body, content_type)
        if content_type.partition(";")[0].strip().lower() in MARKDOWN_TYPES and not is_html(text):
            page = read_body(body, content_type, url)
            return tuple(dict.fromkeys(link.url for link in page.links if link.follow))
    except ExtractError:
        return ()
    tree = LexborHTMLParser(text)
    base = tree.css_first("base[href]")
    resolver = Resolver(url, (base.attributes.get("href") or "") if base else "")
    links = collect_links(tree, set(), resolver, read_metadata(tree, resolver).follow)
    return tuple(dict.fromkeys(link.url for link in links if link.follow))


def text_of(body: bytes, content_type: str) -> str:
    """The body as text, whatever charset it came in; empty for what is no text."""
    try:
        return decode(body, content_type)
    except ExtractError:
        return ""
