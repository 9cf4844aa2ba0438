"""Which TeX was this formula set from?"""

from __future__ import annotations

from webdocs.extract.html.dom import Element
from webdocs.extract.html.hidden import strip_invisible
from webdocs.extract.html.names import names

MATH_CLASSES = names("math katex katex-mathml katex-display arithmatex")
"""Sphinx, pandoc, KaTeX, MkDocs."""

NUMBER_CLASSES = frozenset(("eqno", "katex-tag"))

_DELIMITERS = (("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$"))


def math_source(element: Element) -> str:
    """The TeX that a formula was set from; empty where the page does not carry it."""
    if element.tag == "script":
        return element.text().strip()
    for inner in element.descendants():
        if inner.tag == "annotation" and "tex" in inner.attr("encoding"):
            return inner.text().strip()
    text = strip_invisible(element.attr("alttext")) or element.text().strip()
    return _undelimited(text) or (text if element.attr("alttext") else "")


def display_math(element: Element) -> tuple[str, str] | None:
    """TeX and number of a formula that stands on lines of its own; None for any other element."""
    if MATH_CLASSES.isdisjoint(element.classes) or element.has_heading:
        return None
    parts = list(element.descendants())
    numbers = [part for part in parts if not NUMBER_CLASSES.isdisjoint(part.classes)]
    number = " ".join(part.text().strip() for part in numbers[:1])
    images = [part for part in parts if part.tag == "img" and part.attr("alt")]
    rest = "".join(_text_without(element, numbers)).strip()
    if len(images) == 1 and not rest:
        source = strip_invisible(images[0].attr("alt")).strip()
    else:
        source = _undelimited(rest) or math_source(element)
    return (source, number) if source else None


def _undelimited(text: str) -> str:
    """What stands between the marks of TeX; empty where there are none."""
    for left, right in _DELIMITERS:
        if text.startswith(left) and text.endswith(right) and len(text) > len(left) + len(right):
            return text[len(left) : -len(right)].strip()
    return ""


def _text_without(element: Element, left_out: list[Element]) -> list[str]:
    parts: list[str] = []
    for child in element.children:
        if isinstance(child, str):
            parts.append(child)
        elif child not in left_out:
            parts.extend(_text_without(child, left_out))
    return parts
