"""Which label does each panel of a tab set carry? (fault G10)

Three ways are in use: WAI-ARIA roles (Docusaurus, Starlight, Nextra, sphinx-tabs), inputs with labels before the panels
(sphinx-design, sphinx-inline-tabs), and a row of labels before a row of panels (MkDocs Material, VitePress).
"""

from __future__ import annotations

from webdocs.extract.html.dom import Element
from webdocs.extract.html.names import names

TAB_SETS = names(
    """
    tabbed-set sd-tab-set tab-set vp-code-group code-group sphinx-tabs tabs tabs-container
    """
)

_PANEL_CLASSES = frozenset(
    ["tabbed-block", "tabbed-content", "sd-tab-content", "tab-content", "sphinx-tabs-panel", "tab-panel"]
)
_PANEL_ROWS = frozenset(["tabbed-content", "blocks"])
_MAX_TABS = 50


def find_tabs(element: Element) -> list[tuple[str, Element]] | None:
    """`(label, panel)` of each tab; None if the element is no tab set."""
    if element.tag not in ("div", "section", "starlight-tabs") or not _may_be_set(element):
        return None
    parts = list(element.descendants())
    labels = [part for part in parts if _is_label(part)]
    panels = _panels(parts)
    if not labels or len(labels) != len(panels) or len(panels) > _MAX_TABS:
        return None
    tabs = list(zip(labels, panels, strict=True))
    if sum(_length(label) + _length(panel) for label, panel in tabs) != _length(element):
        return None  # something else stands here as well, so the set is further down
    return [(label.text().strip(), panel) for label, panel in tabs]


def _length(element: Element) -> int:
    return len("".join(element.text().split()))


def _may_be_set(element: Element) -> bool:
    if not TAB_SETS.isdisjoint(element.classes) or element.tag == "starlight-tabs":
        return True
    return any(_has_tablist(child) for child in element.elements)


def _has_tablist(element: Element) -> bool:
    return any(part.attrs.get("role") == "tablist" for part in (element, *element.elements))


def _is_label(part: Element) -> bool:
    return part.attr("role") == "tab" or part.tag == "label"


def _panels(parts: list[Element]) -> list[Element]:
    by_role = [part for part in parts if part.attr("role") == "tabpanel"]
    if by_role:
        return by_role
    row = next((part for part in parts if not _PANEL_ROWS.isdisjoint(part.classes)), None)
    if row is not None and (row.has_class("blocks") or any(child.has_class("tabbed-block") for child in row.elements)):
        return row.elements
    return [part for part in parts if not _PANEL_CLASSES.isdisjoint(part.classes)]
