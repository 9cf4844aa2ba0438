"""Is this element a note, a tip, a warning, and what is its title?"""

from __future__ import annotations

from functools import lru_cache

from webdocs.extract.html.dom import HEADING_TAGS, Element
from webdocs.extract.html.names import CLASS_STRINGS, names

ADMONITION_CLASSES = names(
    """
    admonition admonitionblock custom-block theme-admonition starlight-aside callout nextra-callout
    markdown-alert notecard admon admonition-block
    """
)
"""Sphinx and MkDocs, AsciiDoc, VitePress, Docusaurus, Starlight, Nextra, GitHub, MDN."""

KINDS = (
    "note", "warning", "tip", "caution", "important", "danger", "info", "hint", "attention", "error", "seealso",
    "success", "example", "question", "bug", "abstract", "failure", "details",
)  # fmt: skip

BARE_KINDS = frozenset(("note", "warning", "tip", "caution", "important"))
"""Kinds that DocBook, Apache and rustdoc write as the only class of a `div`."""

_TAGS = frozenset(("div", "aside", "section", "details", "blockquote"))
_TITLE_LEVELS = 6


def kind_of(element: Element) -> str | None:
    """The kind of an admonition, `note` if it says none; None for any other element."""
    return _kind_of_classes(element.classes) if element.classes and element.tag in _TAGS else None


@lru_cache(maxsize=CLASS_STRINGS)
def _kind_of_classes(classes: tuple[str, ...]) -> str | None:
    names = [name.lower() for name in classes]
    if ADMONITION_CLASSES.isdisjoint(names) and not (len(names) == 1 and names[0] in BARE_KINDS):
        return None
    joined = " ".join(names)
    return next((kind for kind in KINDS if kind in joined), "note")


def split_title(element: Element) -> tuple[Element | None, list[Element | str]]:
    """The title and the rest; the title is taken out of the tree."""
    title = _find_title(element, 0)
    if title is not None and title.parent is not None:
        title.parent.children = [child for child in title.parent.children if child is not title]
    # AsciiDoc sets title and text beside each other, in a table.
    beside = next((part for part in element.descendants() if part.tag == "td" and part.has_class("content")), None)
    return title, beside.children if beside is not None and element.has_class("admonitionblock") else element.children


def _find_title(element: Element, level: int) -> Element | None:
    """The first element called title or heading, before anything else was said."""
    for child in element.children:
        if isinstance(child, str):
            if child.strip():
                return None
            continue
        if _is_title(child):
            return child
        found = _find_title(child, level + 1) if level < _TITLE_LEVELS and child.tag != "pre" else None
        if found is not None or child.text().strip():
            return found
    return None


def _is_title(element: Element) -> bool:
    if element.tag in HEADING_TAGS or element.tag == "summary":
        return True
    return any("title" in name.lower() or "heading" in name.lower() for name in element.classes)
