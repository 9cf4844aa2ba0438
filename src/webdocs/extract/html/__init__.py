"""What does an HTML page say: its main content as typed blocks, its links, and what its head holds?"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from selectolax.lexbor import LexborHTMLParser

from webdocs.errors import ExtractError
from webdocs.extract.html.clean import is_hidden, take_out
from webdocs.extract.html.dom import HEADING_TAGS, Element, build
from webdocs.extract.html.emit import LAYOUT_IDS, Emitter
from webdocs.extract.html.metadata import read_metadata, title_of
from webdocs.extract.html.select import select_main
from webdocs.extract.html.source import prepare
from webdocs.extract.html.stylesheet import drop_unshown
from webdocs.extract.links import collect_links
from webdocs.extract.resolve import Resolver
from webdocs.model import Block, Page

_UNSEEN_TAGS = ["style", "template", "noscript"]


def extract_html(text: str, url: str) -> Page:
    """Read one page.

    Args:
        text: The decoded HTML.
        url: The final URL it was served from.

    Raises:
        ExtractError: The page has no text to index (an empty body, a shell that a script fills).
    """
    with _collector_paused():
        return _read(LexborHTMLParser(prepare(text)), url)


def _read(tree: LexborHTMLParser, url: str) -> Page:
    resolver = _resolver(tree, url)
    metadata = read_metadata(tree, resolver)
    drop_unshown(tree)
    _drop_unseen(tree)
    _drop_hidden_in_links(tree)
    main = select_main(tree)
    if main is None:
        raise ExtractError("the page has no body")
    copy = build(main, url)
    blocks = _blocks_of(copy.root, resolver)
    heading = _first_heading(copy.root)
    copy.release()
    if not blocks and not metadata.refresh:
        raise ExtractError("the page has no text outside of scripts and navigation")
    return Page(
        url=url,
        title=title_of(metadata, heading, url),
        blocks=blocks,
        links=collect_links(tree, copy.links, resolver, metadata.follow),
        language=metadata.language,
        description=metadata.description,
        canonical=metadata.canonical,
        refresh=metadata.refresh,
        alternate=metadata.alternate,
        index=metadata.index,
        follow=metadata.follow,
        modified_at=metadata.modified_at,
    )


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Look for no cycles while a page is read: the only ones are in the copy, which `release` takes apart.

    The collector went through the growing copy again and again: 91 pages a CPU-second with it, 96 without, and nothing
    for it to collect after 102 pages (measured). Other threads go without it for as long; should two read pages at
    once, the first to end lets it run again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _drop_unseen(tree: LexborHTMLParser) -> None:
    """Scripts and styles go before text is measured; TeX sources, which are scripts as well, stay."""
    tree.strip_tags(_UNSEEN_TAGS)
    for node in tree.css("script"):
        if not (node.attributes.get("type") or "").startswith("math/"):
            node.decompose()


def _drop_hidden_in_links(tree: LexborHTMLParser) -> None:
    """A link's text is indexed for the page that it leads to, so what is hidden in it goes."""
    marked = tree.css("a[href] [hidden],a[href] [style],a[href] [aria-hidden=true]")
    take_out([node for node in marked if is_hidden(node.tag or "", node.attributes)])


def _resolver(tree: LexborHTMLParser, url: str) -> Resolver:
    base = tree.css_first("base[href]")
    return Resolver(url, (base.attributes.get("href") or "") if base else "")


def _blocks_of(root: Element, resolver: Resolver) -> tuple[Block, ...]:
    emitter = Emitter(resolver)
    if root.tag != "body" and root.attr("id").lower() not in LAYOUT_IDS:
        emitter.note(root)
    emitter.flow(root.children)
    emitter.end()
    return tuple(emitter.blocks)


def _first_heading(root: Element) -> str:
    headings = (part for part in root.descendants() if part.tag in HEADING_TAGS)
    first = next((part for part in headings if part.text().strip()), None)
    return first.text() if first else ""
