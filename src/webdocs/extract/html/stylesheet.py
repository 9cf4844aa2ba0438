"""What does the page's own `<style>` take out of sight for good?

Only rules of one class or id are read, outside of `@media` and its like, and only what nothing shows again counts: a
panel of a tab set, an answer that unfolds and a box that fades in are hidden until somebody acts, and are content.
Style sheets in files of their own are never fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from webdocs.extract.html.clean import take_out
from webdocs.extract.html.hidden import KEPT_HIDDEN_ROLES, hides, is_colourless

MAX_STYLE_CHARS = 512 * 1024
"""Our choice: more comes from a bundler and is no rule that an author wrote for this page."""

MAX_SHARE = 0.2
"""Our choice: where scripts run, what holds more of the page's text is the page itself, hidden until it is ready."""

_RULE = re.compile(r"([^{}]*)([{}])")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SIMPLE = re.compile(r"[a-z0-9]*[.#]-?[_a-z][\w-]*", re.IGNORECASE)
_NAME = re.compile(r"[.#]((?:\\.|[\w-])+)")
_HINT = re.compile(r"none|hidden|collapse|opacity|font-size|clip|-\d{3}|overflow|color|scale", re.IGNORECASE)
_SHOWING = re.compile(
    r"(?:^|[;\s])(?:display|visibility|opacity|font-size|clip|clip-path|left|top|right|height|max-height|width|position"
    r"|color|background(?:-color)?|transform|animation|transition)\s*:",
    re.IGNORECASE,
)
_MOVES = re.compile(r"animation|transition", re.IGNORECASE)
_SCREENS = frozenset(("", "all", "screen"))
_TELLING = "h1,h2,h3,h4,h5,h6,pre,table,dl,img"
_REFERRING = ("aria-controls", "aria-owns", "data-target", "data-bs-target", "for", "href")


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The hiding selectors, and the names that any other rule shows something by."""

    hiding: tuple[str, ...]
    shown: frozenset[str]


def drop_unshown(tree: LexborHTMLParser) -> None:
    """Take out what the page's own style hides and nothing shows; before styles and scripts are taken out."""
    text = "\n".join(node.text() for node in tree.css("style") if _is_for_screens(node))
    if not text or len(text) > MAX_STYLE_CHARS or not _HINT.search(text):
        return
    sheet = _read(_COMMENT.sub("", text))
    found = [node for selector in sheet.hiding for node in tree.css(selector)]
    if not found or tree.body is None:
        return
    judge = _Judge(tree, sheet)
    take_out([node for node in found if judge.is_unseen(node)])


def _is_for_screens(node: LexborNode) -> bool:
    return (node.attributes.get("media") or "").strip().lower() in _SCREENS


def _read(text: str) -> _Sheet:
    merged: dict[str, str] = {}
    shown: set[str] = set()
    for selectors, body, is_top in _rules(text):
        for selector in selectors.split(","):
            selector = selector.strip()
            if is_top and _SIMPLE.fullmatch(selector):
                merged[selector] = f"{merged.get(selector, '')};{body}"
            elif _SHOWING.search(body) and not _hides(body):
                shown.update(name.replace("\\", "") for name in _NAME.findall(selector))
    hiding = [selector for selector, body in merged.items() if _HINT.search(body) and _hides(body)]
    shown.update(
        name
        for selector, body in merged.items()
        if selector not in hiding and _SHOWING.search(body)
        for name in _NAME.findall(selector)
    )
    return _Sheet(tuple(hiding), frozenset(shown))


def _hides(body: str) -> bool:
    return not _MOVES.search(body) and (hides(body) or is_colourless(body))


def _rules(text: str) -> Iterator[tuple[str, str, bool]]:
    """Selectors, declarations, and whether no at-rule is around them."""
    around: list[str] = []
    for match in _RULE.finditer(text):
        if match[2] == "{":
            around.append(match[1].rpartition(";")[2].strip())
        elif around:
            selectors = around.pop()
            if not selectors.startswith("@"):
                yield selectors, match[1], not around


class _Judge:
    """Looks at one page's elements."""

    def __init__(self, tree: LexborHTMLParser, sheet: _Sheet) -> None:
        self._shown = sheet.shown
        self._scripts = " ".join(node.text() for node in tree.css("script:not([src])"))
        self._has_scripts = tree.css_first("script") is not None
        self._most_chars = MAX_SHARE * len(tree.body.text()) if tree.body is not None else 0
        self._referred = frozenset(
            name.lstrip("#")
            for node in tree.css(",".join(f"[{name}]" for name in _REFERRING))
            for attribute in _REFERRING
            for name in (node.attributes.get(attribute) or "").split()
        )

    def is_unseen(self, node: LexborNode) -> bool:
        """True if neither a rule, nor a state, nor a script of the page is seen to show it."""
        attrs = node.attributes
        own = {*(attrs.get("class") or "").split(), attrs.get("id") or ""} - {""}
        if attrs.get("role") in KEPT_HIDDEN_ROLES or any(":" in name for name in own):
            return False
        if not self._shown.isdisjoint(own) or not self._referred.isdisjoint(own) or attrs.get("style"):
            return False
        if not self._has_scripts:
            return node.tag != "img"
        if any(name in self._scripts for name in own):
            return False
        return node.css_first(_TELLING) is None and len(node.text()) <= self._most_chars
