"""What do the generators' own additions to Markdown mean in HTML?

Admonitions and tabs of MkDocs, Docusaurus, VitePress and GitHub become the elements that the HTML emitter knows;
imports, exports and comments of MDX, which no reader sees, go. Code in fences stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

MAX_DEPTH = 20
"""Deepest nesting of containers that is read. Our choice: real pages stay under 4."""

_FENCE = re.compile(r" *(`{3,}|~{3,})(.*)")
_INDENTED = re.compile(r'( *)(?:!!!|\?\?\?\+?) +([\w-]+)[^"\n]*(?:"(.*)")? *$')
_TAB = re.compile(r'( *)===[!+]? +"(.+)" *$')
_COLONS = re.compile(r" *(:{3,}) *([\w-]+)(?: *\[(.*)\]| +([^{\n]+?))? *(?:\{.*\})? *$")
_COLONS_END = re.compile(r" *(:{3,}) *$")
_ALERT = re.compile(r" {0,3}> *\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\] *$", re.IGNORECASE)
_QUOTED = re.compile(r" {0,3}> ?")
_TABS = re.compile(r" *<(Tabs|CodeGroup|Steps\.Tabs)\b[^>]*> *$")
_TAB_ITEM = re.compile(r" *<(TabItem|Tab|Tabs\.Tab)\b([^>]*)> *$")
_LABEL = re.compile(r"""\b(?:label|title|value)=["']([^"']+)["']""")
_GROUP_LABEL = re.compile(r"\[([^\]]+)\]")
_MODULE = re.compile(
    r"""import\s+(?:[\w*{][^'"]*\sfrom\s+)?["'][^"']+["'];?\s*$|export\s+(?:default|const|let|function|\*|\{)"""
)
_JSX_COMMENT = re.compile(r"\{/\*(?!\s*#[\w.:-]+\s*\*/\}).*?\*/\}")  # a comment that is an id names its heading

Lines = list[str]


def to_commonmark(text: str) -> str:
    """The text with containers as HTML, around Markdown that a CommonMark parser reads."""
    return "\n".join(_Translation(0).run(text.replace("\r\n", "\n").split("\n")))


class _Translation:
    """One pass over the lines of a document or of a container in it."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._lines: Lines = []
        self._at = 0
        self._out: Lines = []

    def run(self, lines: Lines) -> Lines:
        self._lines = lines
        while self._at < len(lines):
            if not (self._take_fence(self._out) or self._take_module() or self._take_container()):
                self._out.append(_JSX_COMMENT.sub("", lines[self._at]))
                self._at += 1
        return self._out

    def _take_container(self) -> bool:
        if self._depth >= MAX_DEPTH:
            return False
        readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], None]], ...] = (
            (_INDENTED, self._indented),
            (_TAB, self._tabs_by_indent),
            (_COLONS, self._colons),
            (_ALERT, self._alert),
            (_TABS, self._tabs_by_tag),
        )
        line = self._lines[self._at]
        for pattern, read in readers:
            match = pattern.match(line)
            if match is not None:
                self._at += 1
                read(match)
                return True
        return False

    def _take_fence(self, out: Lines) -> bool:
        """Copy a fenced block as it is."""
        opening = _FENCE.match(self._lines[self._at])
        if opening is None or "`" in opening[2]:
            return False
        out.append(self._lines[self._at])
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            out.append(line)
            self._at += 1
            closing = _FENCE.match(line)
            if closing is not None and closing[1].startswith(opening[1]) and not closing[2].strip():
                break
        return True

    def _take_module(self) -> bool:
        """Leave out an import or export of MDX; an export goes on to the next empty line."""
        line = self._lines[self._at]
        if _MODULE.match(line) is None:
            return False
        self._at += 1
        while line.startswith("export") and self._at < len(self._lines) and self._lines[self._at].strip():
            self._at += 1
        return True

    # ------------------------------------------------------------ containers

    def _indented(self, match: re.Match[str]) -> None:
        body = self._take_indented(len(match[1]) + 4)
        self._admonition(match[2], match[3], body, match[1])

    def _tabs_by_indent(self, match: re.Match[str]) -> None:
        tabs = [(match[2], self._take_indented(len(match[1]) + 4))]
        while self._at < len(self._lines) and (following := _TAB.match(self._lines[self._at])):
            self._at += 1
            tabs.append((following[2], self._take_indented(len(match[1]) + 4)))
        self._tab_set(tabs, match[1])

    def _colons(self, match: re.Match[str]) -> None:
        body = self._take_until_colons(len(match[1]))
        if match[2] in ("code-group", "tabs"):
            self._tab_set(_fences_of(body), "")
        else:
            self._admonition(match[2], match[3] or match[4], body, "")

    def _alert(self, match: re.Match[str]) -> None:
        body: Lines = []
        while self._at < len(self._lines) and (mark := _QUOTED.match(self._lines[self._at])):
            body.append(self._lines[self._at][mark.end() :])
            self._at += 1
        self._admonition(match[1].lower(), None, body, "")

    def _tabs_by_tag(self, match: re.Match[str]) -> None:
        body = self._take_until(match[1])
        tabs: list[tuple[str, Lines]] = _fences_of(body) if match[1] == "CodeGroup" else []
        inner = _Translation(self._depth)
        inner._lines = body
        while inner._at < len(body):
            item = _TAB_ITEM.match(body[inner._at])
            inner._at += 1
            if item is not None:
                label = re.search(r"""\b(?:label|title)=["']([^"']+)["']""", item[2]) or _LABEL.search(item[2])
                tabs.append((label[1] if label else "Tab", _dedented(inner._take_until(item[1]))))
        self._tab_set(tabs, "") if tabs else self._out.extend(_Translation(self._depth + 1).run(body))

    # ------------------------------------------------------------ reading bodies

    def _take_indented(self, indent: int) -> Lines:
        body: Lines = []
        while self._at < len(self._lines):
            line = (
                self._lines[self._at].replace("\t", "    ", 1)
                if self._lines[self._at][:1] == "\t"
                else self._lines[self._at]
            )
            if line.strip() and not line.startswith(" " * indent):
                break
            body.append(line[indent:])
            self._at += 1
        return body

    def _take_until_colons(self, colons: int) -> Lines:
        """Up to the end mark of this container; containers in it may be marked by as many colons."""

        def change(line: str) -> int:
            if (end := _COLONS_END.match(line)) is not None and len(end[1]) >= colons:
                return -1
            start = _COLONS.match(line)
            return int(start is not None and len(start[1]) >= colons)

        return self._take_nested(change)

    def _take_until(self, tag: str) -> Lines:
        opening = re.compile(rf" *<{tag}\b[^>]*> *$")
        return self._take_nested(lambda line: (opening.match(line) is not None) - (line.strip() == f"</{tag}>"))

    def _take_nested(self, change: Callable[[str], int]) -> Lines:
        """Up to the line that closes what was open before; `change` says by how much a line deepens the nesting."""
        body: Lines = []
        depth = 1
        while self._at < len(self._lines):
            if self._take_fence(body):
                continue
            line = self._lines[self._at]
            self._at += 1
            depth += change(line)
            if depth == 0:
                break
            body.append(line)
        return body

    # ------------------------------------------------------------ writing

    def _admonition(self, kind: str, title: str | None, body: Lines, indent: str) -> None:
        name = escape((title or kind.capitalize()).strip())
        html = [f'<div class="admonition {escape(kind)}"><p class="admonition-title">{name}</p>', ""]
        self._write([*html, *_Translation(self._depth + 1).run(body), "", "</div>"], indent)

    def _tab_set(self, tabs: list[tuple[str, Lines]], indent: str) -> None:
        labels = "".join(f'<div role="tab">{escape(label)}</div>' for label, _ in tabs)
        html = [f'<div><div role="tablist">{labels}</div>']
        for _, body in tabs:
            html += ['<div role="tabpanel">', "", *_Translation(self._depth + 1).run(body), "", "</div>"]
        self._write([*html, "</div>"], indent)

    def _write(self, html: Lines, indent: str) -> None:
        self._out.extend(["", *(indent + line if line else line for line in html), ""])


def _fences_of(body: Lines) -> list[tuple[str, Lines]]:
    """Each fenced block of a code group under the name that stands behind its language."""
    tabs: list[tuple[str, Lines]] = []
    reader = _Translation(MAX_DEPTH)
    reader._lines = body
    while reader._at < len(body):
        fence: Lines = []
        if not reader._take_fence(fence):
            reader._at += 1
            continue
        language, _, rest = fence[0].strip().strip("`~").partition(" ")
        named = _GROUP_LABEL.search(rest)
        tabs.append((named[1] if named else rest.strip() or language or "Code", _dedented(fence)))
    return tabs


def _dedented(lines: Lines) -> Lines:
    indents = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    return [line[min(indents, default=0) :] for line in lines]
