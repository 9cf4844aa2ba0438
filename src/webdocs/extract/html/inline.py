"""How does running text become Markdown that means the same?

Pieces are joined with noncharacters (U+FDD0...) as marks for code, emphasis and links, and `finish` turns the marks
into Markdown once both neighbours of each are known. `dom` has taken these characters out of the page's own text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from webdocs.extract.html.dom import HEADING_TAGS, Element
from webdocs.extract.html.formula import MATH_CLASSES, math_source
from webdocs.extract.html.hidden import strip_invisible
from webdocs.extract.resolve import Resolver

CODE_TAGS = frozenset(("code", "tt", "kbd", "samp", "literal"))
STRONG_TAGS = frozenset(("strong", "b"))
EMPHASIS_TAGS = frozenset(("em", "i", "cite", "var", "dfn"))

BREAK = "\ufdd8"
_STRONG, _STRONG_END = "\ufdd0", "\ufdd1"
_EM, _EM_END = "\ufdd2", "\ufdd3"
_LINK, _IMAGE, _TARGET = "\ufdd4", "\ufdd9", "\ufdd5"
_CODE, _CODE_END = "\ufdd6", "\ufdd7"

_MARKED = re.compile("[\ufdd0-\ufdef]")
_SPACES = "\t\n\r\f\v\xa0"
_ESCAPED = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)"  # a backslash that would escape
    r"|`"
    r"|\*(?=\S)|(?<=\S)\*"  # a star beside a word
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore at a word's edge; snake_case stays
    r"|<(?=[a-zA-Z/!?])"
    r"|&(?=#?\w+;)"
    r"|~(?=~)|(?<=~)~"
)
_NEEDS_ESCAPE = re.compile(r"[\\`*_<&~]")
_LINE_START = re.compile(r"^(?=(?:[#]{1,6}|[-+*])(?:\s|$)|>|={3,}\s*$|-{3,}\s*$|~~~|\[[^\]]+\]:)", re.MULTILINE)
_ORDERED_START = re.compile(r"^(\d{1,9})(?=[.)](?:\s|$))", re.MULTILINE)
_LINE_MARKS = "#-+*>=~["
_EXPONENT = re.compile(r"[-−+]?\w{1,3}")


@dataclass(slots=True)
class InlineWriter:
    """Renders runs of inline content; gathers the ids that it passes.

    Attributes:
        resolver: Joins links and image sources.
        ids: Ids of the elements rendered since the list was last emptied.
    """

    resolver: Resolver
    ids: list[str] = field(default_factory=list)

    def render(self, nodes: list[Element | str], *, in_link: bool = False) -> str:
        """Markdown of a run, on one line but for forced breaks; empty if nothing is to be seen."""
        return finish(self.raw(nodes, in_link))

    def raw(self, nodes: list[Element | str], in_link: bool) -> str:
        """The run with its marks."""
        if len(nodes) == 1:  # most runs are one text
            node = nodes[0]
            return escape(node) if isinstance(node, str) else self._element(node, in_link)
        return "".join([escape(node) if isinstance(node, str) else self._element(node, in_link) for node in nodes])

    def _element(self, element: Element, in_link: bool) -> str:
        tag = element.tag
        if element.attrs or element.permalink:
            self.note_ids(element)
        if tag in CODE_TAGS or tag == "pre":
            return self._code(element, in_link)
        if tag == "a":
            return self._link(element, in_link)
        if tag == "br":
            return BREAK
        if tag == "img":
            return self._image(element)
        if tag in ("math", "script") or not MATH_CLASSES.isdisjoint(element.classes):
            source = math_source(element)
            if source:
                return f"{_CODE}{source}{_CODE_END}" if in_link else math_markdown(source)
        return self._marked(element, self.raw(element.children, in_link))

    def _marked(self, element: Element, inner: str) -> str:
        tag = element.tag
        if tag in STRONG_TAGS:
            return _wrap(inner, _STRONG, _STRONG_END)
        if tag in EMPHASIS_TAGS:
            return _wrap(inner, _EM, _EM_END)
        if tag == "sup" and _EXPONENT.fullmatch(inner) and not inner.isalpha():
            return f"^{inner}"
        if tag == "q":
            return f"“{inner}”"
        if tag == "input":
            return "[x] " if "checked" in element.attrs else "[ ] "
        if tag in ("wbr", "rp", "label"):
            return ""
        # docutils sets a term's type apart by style only
        return f" {inner} " if element.is_block or element.has_class("classifier") else inner

    def _code(self, element: Element, in_link: bool) -> str:
        only = element.children[0] if len(element.children) == 1 else None
        if isinstance(only, str):
            return _code_piece(only)
        if only is not None and only.tag == "a" and not in_link:
            target = self._target(only)
            if target:
                self.note_ids(only)
                label = finish(_code_piece(only.text()))
                return f"{_LINK}{label}{_TARGET}{target})" if label else ""
        for inner in element.descendants():
            self.note_ids(inner)
        return _code_piece(element.text())

    def _link(self, element: Element, in_link: bool) -> str:
        target = "" if in_link else self._target(element)
        raw = self.raw(element.children, in_link or bool(target))
        if not target:
            return raw
        label = finish(raw).replace("\n", " ")
        if not label:
            return ""
        label = _escape_unbalanced(label).replace("](", _TARGET)
        left = " " if collapse(raw[0]) == " " else ""
        right = " " if raw[-1:].isspace() else ""
        return f"{left}{_LINK}{label}{_TARGET}{target}){right}"

    def _target(self, element: Element) -> str:
        href = element.attrs.get("href")
        return destination(self.resolver.resolve(href)) if href else ""

    def _image(self, element: Element) -> str:
        alt = collapse(strip_invisible(element.attr("alt"))).strip()
        source = element.attr("src") or element.attr("data-src")
        if element.has_class("math") and alt:
            return math_markdown(alt)
        if not source or source.lstrip().startswith("data:"):
            return escape(alt)
        url = self.resolver.resolve(source)
        if not url or ("alt" in element.attrs and not alt):
            return ""  # an empty alt says that the image carries no content (HTML 4.8.4.4)
        return f"{_IMAGE}{_escape_unbalanced(escape(alt))}{_TARGET}{destination(url)})"

    def note_ids(self, element: Element) -> None:
        """Remember the places that an element can be cited by."""
        attrs = element.attrs
        if not attrs:
            return
        name = attrs.get("id") or (attrs.get("name") if element.tag == "a" else None)
        if name and element.tag not in ("input", "label", "img"):
            self.ids.append(name)
        elif element.permalink and element.tag in HEADING_TAGS:
            self.ids.append(element.permalink)


def escape(text: str) -> str:
    """Text in which no character means Markdown, but for what only means it at the start of a line."""
    return _ESCAPED.sub(r"\\\g<0>", text) if _NEEDS_ESCAPE.search(text) else text


def escape_line_starts(text: str) -> str:
    """A paragraph none of whose lines is a heading, list, quote or rule."""
    if not text or ("\n" not in text and text[0] not in _LINE_MARKS and not text[0].isdecimal()):
        return text
    return _ORDERED_START.sub(r"\1\\", _LINE_START.sub(r"\\", text))


def collapse(text: str) -> str:
    """Each run of white space as one space. On short texts this takes a tenth of the time of a pattern."""
    for char in _SPACES:
        if char in text:
            text = text.replace(char, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def code_span(text: str) -> str:
    """A code span on one line, in backticks longer than any run inside."""
    text = collapse(text).strip()
    if not text:
        return ""
    if "`" not in text:
        return f"`{text}`"
    longest = max(len(run) for run in re.findall("`+", text))
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    mark = "`" * (longest + 1)
    return f"{mark}{pad}{text}{pad}{mark}"


def destination(url: str) -> str:
    """A link destination; in angle brackets where brackets in the URL would end it (fault J7)."""
    if not url:
        return ""
    url = url.replace("|", "%7C")
    return f"<{url}>" if "(" in url or ")" in url or " " in url else url


def math_markdown(source: str) -> str:
    """A formula's TeX on one line, marked as such."""
    return f"${collapse(source)}$"


def finish(raw: str) -> str:
    """Collapse white space and turn the marks into Markdown."""
    text = collapse(raw)
    if text.isascii() or not _MARKED.search(text):
        return text.replace("](", "\\](").strip(" ") if "](" in text else text.strip(" ")
    text = text.replace(_CODE_END + _CODE, "")
    text = _emphasize(text, _STRONG, _STRONG_END, "**")
    text = _emphasize(text, _EM, _EM_END, "*")
    if _CODE in text or "](" in text:
        text = _CODE_OR_BRACKET.sub(_code_or_bracket, text)
    text = text.replace("!" + _LINK, "\\!" + _LINK)
    text = text.replace(_LINK, "[").replace(_IMAGE, "![").replace(_TARGET, "](")
    if BREAK in text:
        text = re.sub(f" *(?:{BREAK} *)+", BREAK, text).strip(BREAK + " ").replace(BREAK, "  \n")
    return text.strip(" ")


_CODE_OR_BRACKET = re.compile(f"{_CODE}([^{_CODE_END}]*){_CODE_END}|" + r"\]\(")


def _code_or_bracket(match: re.Match[str]) -> str:
    return "\\](" if match[1] is None else code_span(match[1])


def _code_piece(text: str) -> str:
    text = collapse(text)
    inner = text.strip()
    if not inner:
        return text
    left = " " if text[0] == " " else ""
    right = " " if text[-1] == " " else ""
    return f"{left}{_CODE}{inner}{_CODE_END}{right}"


def _wrap(inner: str, start: str, end: str) -> str:
    """Put marks around text, white space left outside; marks of the same kind inside go."""
    inner = inner.replace(start, "").replace(end, "")
    stripped = inner.strip(" \t\n\r\f\xa0" + BREAK)
    if not stripped:
        return inner
    head, _, tail = inner.partition(stripped)
    return f"{head}{start}{stripped}{end}{tail}"


def _emphasize(text: str, start: str, end: str, mark: str) -> str:
    """Turn marks into stars where they would open and close (CommonMark 6.2); elsewhere only the text stays."""
    if start not in text:
        return text
    text = text.replace(end + start, "")
    pieces: list[str] = []
    rest = text
    while start in rest:
        before, _, rest = rest.partition(start)
        inner, _, rest = rest.partition(end)
        pieces.append(before)
        previous = "".join(pieces[-2:])[-1:]
        can_mark = _can_open(previous, inner[:1]) and _can_open(rest[:1], inner[-1:])
        pieces.append(f"{mark}{inner}{mark}" if can_mark and inner else inner)
    return "".join(pieces) + rest


def _can_open(outside: str, inside: str) -> bool:
    """True if a run of stars between the two is flanking: punctuation inside needs none of a word outside."""
    return inside.isalnum() or not outside.isalnum()


def _escape_unbalanced(label: str) -> str:
    depth = 0
    for char in label:
        depth += (char == "[") - (char == "]")
        if depth < 0:
            break
    return label if depth == 0 else re.sub(r"(?<!\\)([\[\]])", r"\\\1", label)
