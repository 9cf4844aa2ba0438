"""What of the parsed tree is worth walking? A small tree of our own, cleaned and bounded in depth.

The parser's tree is walked once, without recursion; what comes out is plain Python, so that the emitter can recurse
over it without asking the parser again. Elements deeper than `MAX_DEPTH` are taken apart: their text stays,
in the last element that was kept, so a page nested 100,000 deep costs no stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from webdocs.extract.html import clean
from webdocs.extract.html.hidden import strip_invisible
from webdocs.extract.html.names import CLASS_STRINGS, classes_of, names

MAX_DEPTH = 90
"""Deepest element kept. Real pages stay under 45; the emitter needs up to five Python frames a level, of 1,000."""

BLOCK_TAGS = names(
    """
    address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre section summary table tbody
    td tfoot th thead tr ul caption legend search
    """
)
"""Elements that stand on lines of their own (HTML 15.3, display: block, list-item and table parts)."""

HEADING_TAGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))

LINE_CLASSES = frozenset(("ec-line",))
"""Lines of highlighters that end a line with its element, not with a newline (Expressive Code)."""

_CODE_TAGS = frozenset(("pre", "code"))
_COLOURING = frozenset(("class", "style"))
_TAG = re.compile(r"<[^>]*>?")
_COLOUR_TAG = re.compile(r'<span(?: class="(?P<names>[^"]*)")?(?: style="(?P<style>[^"]*)")?>')


class Element:
    """One kept element.

    Attributes:
        permalink: Fragment of the permalink mark that was dropped from it; the site's own citation of this place.
        has_block: A descendant is a block, so the element cannot be set as running text.
        has_heading: A descendant is a heading.
    """

    __slots__ = ("attrs", "children", "classes", "has_block", "has_heading", "parent", "permalink", "tag")

    def __init__(self, tag: str, attrs: dict[str, str | None], parent: Element | None) -> None:
        self.tag = tag
        self.attrs = attrs
        self.parent = parent
        self.children: list[Element | str] = []
        self.classes = classes_of(attrs.get("class") or "") if attrs else ()
        self.permalink = ""
        self.has_block = False
        self.has_heading = False

    @property
    def is_block(self) -> bool:
        """True if it must be set on lines of its own."""
        return self.has_block or self.tag in BLOCK_TAGS

    @property
    def elements(self) -> list[Element]:
        """Children that are elements."""
        return [child for child in self.children if child.__class__ is Element]

    def attr(self, name: str) -> str:
        """Value of an attribute; empty if it is missing."""
        return self.attrs.get(name) or ""

    def has_class(self, name: str) -> bool:
        """True if it carries this class."""
        return name in self.classes

    def descendants(self) -> Iterator[Element]:
        """Every element below it, in document order."""
        for child in self.children:
            if child.__class__ is Element:
                yield child
                if child.children:
                    yield from child.descendants()

    def text(self) -> str:
        """All of its text as it stands, white space included."""
        children = self.children
        if len(children) == 1 and isinstance(children[0], str):
            return children[0]
        return "".join([child if isinstance(child, str) else child.text() for child in children])


@dataclass(frozen=True, slots=True)
class Main:
    """The main element's copy.

    Attributes:
        root: The element.
        links: `mem_id` of each link that was kept in it.
        elements: All that is in it.
    """

    root: Element
    links: set[int]
    elements: list[Element]

    def release(self) -> None:
        """Forget who is whose parent, so that the tree goes at once and not when the collector comes by."""
        for element in self.elements:
            element.parent = None


def build(main: LexborNode, page_url: str) -> Main:
    """Copy the main element without what `clean` drops."""
    root = Element(main.tag or "div", main.attributes, None)
    walk = _Walk(root, page_url)
    walk.run(main)
    return Main(root, walk.kept_links, walk.elements)


class _Walk:
    """Every element and text passes here, so what is asked of each is asked once and cheapest first."""

    def __init__(self, root: Element, page_url: str) -> None:
        self.kept_links: set[int] = set()
        self.elements: list[Element] = []
        self._page_path = page_url.partition("#")[0]
        self._parent = root
        self._depth = 0
        self._is_muted = False
        # Where to go on after a subtree: the next sibling, its parent in our tree, its depth.
        self._resume: list[tuple[LexborNode | None, Element, int, bool]] = []

    def run(self, main: LexborNode) -> None:
        node = main.first_child
        while True:
            while node is None:
                if not self._resume:
                    return
                node, self._parent, self._depth, self._is_muted = self._resume.pop()
            tag = node.tag or "-"
            if tag == "-text":
                if not self._is_muted:
                    self._parent.children.append(strip_invisible(node.text_content or ""))
                node = node.next
                continue
            child = self._visit(node, tag)
            first = node.first_child if child is not None else None
            if child is None or first is None:
                node = node.next
                continue
            if tag in _CODE_TAGS and (text := _coloured_text(node, child)):
                child.children.append(strip_invisible(text))
                node = node.next
                continue
            self._resume.append((node.next, self._parent, self._depth, self._is_muted))
            if child is not self._parent:
                self._parent, self._depth = child, self._depth + 1
            node = first

    def _visit(self, node: LexborNode, tag: str) -> Element | None:
        """Take a node over; the element to go down into, if any."""
        if tag[0] == "-":
            if tag == "-comment":
                self._read_comment(node.comment_content or "")
            return None
        if self._is_muted or tag in clean.DROPPED_TAGS:
            return None
        attrs = node.attributes
        if (attrs or tag in clean.CONTROLS) and clean.is_dropped(tag, attrs, node):
            return None
        if tag == "a":
            if self._is_permalink(attrs, node):
                return None
            self.kept_links.add(node.mem_id)
        if tag == "span" and _is_code(self._parent) and _is_highlight(attrs):
            return self._parent  # colours say nothing, and are most elements of many pages
        return self._add_element(tag, attrs)

    def _add_element(self, tag: str, attrs: dict[str, str | None]) -> Element:
        if self._depth >= MAX_DEPTH:
            if tag in BLOCK_TAGS or tag == "br":
                self._parent.children.append(" ")
            return self._parent
        child = Element(tag, attrs, self._parent)
        self.elements.append(child)
        self._parent.children.append(child)
        if tag in BLOCK_TAGS:
            _mark_ancestors(child, tag in HEADING_TAGS)
        return child

    def _is_permalink(self, attrs: dict[str, str | None], node: LexborNode) -> bool:
        if not clean.is_permalink(attrs, node, self._page_path):
            return False
        fragment = unquote((attrs.get("href") or "").partition("#")[2])  # an id is not percent-encoded
        place = self._parent
        while place.tag not in BLOCK_TAGS and place.parent is not None:
            place = place.parent
        place.permalink = place.permalink or fragment or attrs.get("id") or ""
        return True

    def _read_comment(self, comment: str) -> None:
        word = comment.strip().lower()
        if word in ("noindex", "googleoff: index", "googleoff: all"):
            self._is_muted = True
        elif word in ("/noindex", "googleon: index", "googleon: all"):
            self._is_muted = False


def _coloured_text(node: LexborNode, element: Element) -> str:
    """The text of code in which nothing but colour is marked up; empty for any other element.

    Most elements of many pages are such marks, and their source repeats a few dozen tags.
    """
    if not _is_code(element) or not (source := node.html):
        return ""
    start = source.index(">") + 1
    inner = set(_TAG.findall(source, start, source.rindex("<")))
    return node.text() if all(map(_is_colour, inner)) else ""


@lru_cache(maxsize=CLASS_STRINGS)
def _is_colour(tag: str) -> bool:
    """True for the source of a tag that only colours, and for the end of one."""
    marks = _COLOUR_TAG.fullmatch(tag)
    if marks is None:
        return tag == "</span>"
    return LINE_CLASSES.isdisjoint(classes_of(marks["names"] or "")) and clean.is_colour(
        marks["names"] or "", marks["style"] or ""
    )


def _is_code(element: Element) -> bool:
    if element.tag == "code" and element.parent is not None:
        element = element.parent
    return element.tag == "pre"


def _is_highlight(attrs: dict[str, str | None]) -> bool:
    """True if nothing but colour would be lost with the element."""
    return not attrs or (attrs.keys() <= _COLOURING and LINE_CLASSES.isdisjoint(classes_of(attrs.get("class") or "")))


def _mark_ancestors(element: Element, is_heading: bool) -> None:
    above = element.parent
    while above is not None and not (above.has_block and (above.has_heading or not is_heading)):
        above.has_block = True
        above.has_heading = above.has_heading or is_heading
        above = above.parent
