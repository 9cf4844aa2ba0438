"""What code stands in this element, byte for byte, and in which language?"""

from __future__ import annotations

import re
from itertools import islice

from webdocs.extract.html.dom import LINE_CLASSES, Element
from webdocs.extract.html.names import names

WRAPPER_LEVELS = 4
"""How far above a `pre` its wrapper may name the language (Sphinx 2, Docusaurus 3)."""

MAX_LANGUAGE_CHARS = 30
"""Longest name taken for a language; the longest in Pygments' list is 27."""

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight|sourceCode|brush:|src)[-: ]+([\w+#.]+)"
)
_NO_LANGUAGE = names(
    """
    default none text plaintext plain txt nohighlight no-highlight source notranslate
    """
)
_HIGHLIGHTERS = frozenset(("hljs", "prettyprint", "shiki", "prism"))


def code_of(element: Element) -> str:
    """The text of the code, without a newline before or after."""
    lines = [part for part in element.descendants() if not LINE_CLASSES.isdisjoint(part.classes)]
    if lines:
        return "\n".join(_text(line).rstrip("\n") for line in lines).rstrip("\n")
    return _text(element).removeprefix("\n").rstrip("\n")


def language_of(element: Element) -> str:
    """The language as the page names it on the code, in it or around it; empty if it names none."""
    for candidate in _candidates(element):
        named = candidate.attr("data-lang") or candidate.attr("data-language")
        language = named or _language_in(candidate)
        if language:
            is_named = language.lower() not in _NO_LANGUAGE and len(language) <= MAX_LANGUAGE_CHARS
            return language if is_named and "`" not in language and not language.isspace() else ""
    return ""


def fenced(code: str, language: str = "") -> str:
    """A fence that the code cannot close."""
    longest = max((len(run) for run in re.findall(r"^\s*(`{3,})", code, re.MULTILINE)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}{language}\n{code}\n{mark}"


def _candidates(element: Element) -> list[Element]:
    found = [element, *(child for child in element.elements if child.tag == "code")]
    above = element.parent
    for _ in range(WRAPPER_LEVELS):
        if above is None or above.tag in ("body", "html", "main", "article"):
            break
        found.append(above)
        above = above.parent
    return found


def _language_in(candidate: Element) -> str:
    if not candidate.classes:
        return ""
    if candidate.tag in ("pre", "code") and "rust" in candidate.classes:
        return "rust"
    match = _LANGUAGE.search(candidate.attr("class"))
    if match:
        return match[1]
    return _bare_language(candidate) if candidate.tag in ("pre", "code") else ""


def _bare_language(candidate: Element) -> str:
    """highlight.js writes `class="hljs python"` and pandoc `class="sourceCode python"`."""
    after = [name for name in candidate.classes if name not in _HIGHLIGHTERS]
    if len(after) == 1 and len(after) < len(candidate.classes) and after[0].isalnum():
        return after[0]
    return ""


def _text(element: Element) -> str:
    parts: list[str] = []
    _gather(element, parts)
    return "".join(parts)


def _gather(element: Element, parts: list[str]) -> None:
    for child in element.children:
        if isinstance(child, str):
            parts.append(child)
        elif child.tag == "br":
            parts.append("\n")
        else:
            is_line = child.tag in ("div", "li", "p", "tr")
            if is_line and parts and not _ends_line(parts):
                parts.append("\n")
            _gather(child, parts)


def _ends_line(parts: list[str]) -> bool:
    last = next((part for part in islice(reversed(parts), 3) if part), "\n")
    return last.endswith("\n")
