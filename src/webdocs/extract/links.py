"""Which links does the page have, in its main content and in the chrome around it?"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from webdocs.extract.html.hidden import strip_invisible
from webdocs.extract.resolve import Resolver
from webdocs.model import Link

MAX_LINKS = 10_000
"""Most links kept of one page. Our choice: twice the largest index pages seen; more is a trap or a dump."""

MAX_URL_CHARS = 2048
"""Longest link kept: the crawl asks for none longer, and a page of megabyte links would be stored with them."""

MAX_TEXT_CHARS = 300
"""Longest link text kept: a whole card may be a link, and its text is not a name any more."""

_UNFOLLOWED = frozenset(("nofollow", "ugc", "sponsored"))
"""Values of `rel` by which a page does not vouch for the link (RFC 6596's registry, Google's additions of 2019)."""


def collect_links(tree: LexborHTMLParser, main_links: set[int], resolver: Resolver, follow: bool) -> tuple[Link, ...]:
    """All links of a page in document order, each (URL, text) once.

    Args:
        tree: The whole parsed page.
        main_links: `mem_id` of the links that belong to the main content.
        resolver: Joins hrefs.
        follow: The page's own wish; false makes every link unfollowed.
    """
    links: dict[tuple[str, str], Link] = {}
    for node in tree.css("a[href],area[href]"):
        attrs = node.attributes
        url = resolver.resolve(attrs.get("href") or "")
        if not url or len(url) > MAX_URL_CHARS:
            continue
        text = _text_of(node, attrs)
        in_main = node.mem_id in main_links
        known = links.get((url, text))
        if known is not None and (known.in_main or not in_main):
            continue
        links[url, text] = Link(url, text, in_main, follow and _is_followed(attrs.get("rel")))
        if len(links) >= MAX_LINKS:
            break
    return tuple(links.values())


def _is_followed(rel: str | None) -> bool:
    return not rel or _UNFOLLOWED.isdisjoint(rel.lower().split())


def _text_of(node: LexborNode, attrs: dict[str, str | None]) -> str:
    text = " ".join(strip_invisible(node.text()).split())
    if not text:
        image = node.css_first("img[alt]")
        text = (image.attributes.get("alt") if image else None) or attrs.get("alt") or attrs.get("title") or ""
        text = strip_invisible(text).strip()
    return text[:MAX_TEXT_CHARS]
