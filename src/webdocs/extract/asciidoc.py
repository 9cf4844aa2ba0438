"""What does an AsciiDoc source say? Titles, blocks, lists and tables become HTML, line by line.

It follows the AsciiDoc language as Asciidoctor documents it. Files are not included and conditions count as met, since
neither is known here. Attributes that the file sets are filled in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape

from webdocs.errors import ExtractError
from webdocs.extract.asciidoc_inline import fill, to_html
from webdocs.extract.asciidoc_table import table_html
from webdocs.extract.charset import decode
from webdocs.extract.composed import code_html, page_of
from webdocs.model import Page

MAX_DEPTH = 40
"""Our choice: blocks nested deeper are a trap."""

_TITLE = re.compile(r"^(={1,6}|#{1,6})\s+(\S.*)$")
_ATTRIBUTE = re.compile(r"^:(!?[\w-]+)(!?):(?:\s+(.*))?$")
_ANCHOR = re.compile(r"^\[\[([\w:.-]+)(?:,.*)?\]\]\s*$")
_STYLE = re.compile(r"^\[([^\[\]].*|)\]\s*$")
_ID = re.compile(r"#([\w:.-]+)")
_BLOCK_TITLE = re.compile(r"^\.([^\s.].*)$")
_FENCE = re.compile(r"^(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```+)(.*)$")
_TABLE = re.compile(r"^[|,:!]={3,}\s*$")
_ADMONITION = re.compile(r"^(NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+(.*)$", re.DOTALL)
_ADMONITIONS = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")
_ITEM = re.compile(r"^\s*(\*{1,5}|-|\.{1,5}|\d+\.)\s+(\S.*)$")
_TERM = re.compile(r"^\s*(\S.*?)(:{2,4}|;;)(?:\s+(.*))?$")
_SKIPPED = re.compile(r"^(?://(?!/)|(?:include|ifdef|ifndef|ifeval|endif|toc)::)")
_CALLOUT = re.compile(r"\s*(?://|#|;;|--)?\s*<[\d.]+>(?=\s*(?:<[\d.]+>\s*)*$)", re.MULTILINE)
_CALLOUT_ITEM = re.compile(r"^<[\d.]+>\s+(\S.*)$")


@dataclass(slots=True)
class _Style:
    """What the lines before a block say about it."""

    words: list[str] = field(default_factory=list)
    id: str = ""
    title: str = ""

    @property
    def name(self) -> str:
        return re.split(r"[#.%]", self.words[0], maxsplit=1)[0] if self.words else ""


def extract_asciidoc(body: bytes, content_type: str, url: str) -> Page:
    """Read one AsciiDoc file.

    Raises:
        ExtractError: There is no text in it.
    """
    text = decode(body, content_type)
    if not text.strip():
        raise ExtractError("the body is empty")
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    return page_of(_Reader({}).read(lines), url)


class _Reader:
    """Reads a run of lines; nested blocks are read by a reader of their own with the same attributes."""

    def __init__(self, attributes: dict[str, str], depth: int = 0) -> None:
        self._attributes = attributes
        self._depth = depth
        self._out: list[str] = []
        self._style = _Style()
        self._lines: list[str] = []
        self._at = 0

    def read(self, lines: list[str]) -> str:
        """The HTML of these lines."""
        if self._depth > MAX_DEPTH:
            return f"<p>{escape(' '.join(lines))}</p>"
        self._lines = lines
        while self._at < len(lines):
            line = lines[self._at]
            if not line.strip() or line.strip() in ("'''", "<<<", "+") or _SKIPPED.match(line):
                self._at += 1
            elif not self._read_metadata(line):
                self._read_block(line)
                self._style = _Style()
        return "\n".join(self._out)

    def _read_metadata(self, line: str) -> bool:
        """Attributes, ids, styles and titles of blocks; true if the line was one of them."""
        if match := _ATTRIBUTE.match(line):
            self._attributes[match[1].strip("!").lower()] = fill(match[3] or "", self._attributes)
        elif match := _ANCHOR.match(line):
            self._style.id = match[1]
        elif match := _STYLE.match(line):
            self._note_style(match[1])
        elif match := _BLOCK_TITLE.match(line):
            self._style.title = match[1]
        else:
            return False
        self._at += 1
        return True

    def _note_style(self, text: str) -> None:
        words = [word.strip() for word in text.split(",")]
        self._style.words = self._style.words or words
        found = _ID.search(words[0]) or re.search(r"\bid=\"?([\w:.-]+)", text)
        self._style.id = found[1] if found else self._style.id

    def _read_block(self, line: str) -> None:
        if (match := _TITLE.match(line)) and self._style.name != "discrete-code":
            self._read_title(match)
        elif _TABLE.match(line):
            self._emit_title()
            options = ",".join(self._style.words)
            self._out.append(table_html(self._until(line.strip()), options, self._inline, self._nested))
        elif match := _FENCE.match(line):
            self._read_fenced(match)
        elif _is_item(line):
            self._emit_title()
            self._read_list()
        elif line[0] in " \t":
            self._emit_title()
            self._out.append(code_html(_dedented(self._paragraph())))
        else:
            self._read_paragraph()

    def _read_title(self, match: re.Match[str]) -> None:
        level = len(match[1])
        text = match[2].removesuffix(match[1]).strip()
        own = f' id="{escape(self._style.id)}"' if self._style.id else ""
        self._out.append(f"<h{level}{own}>{self._inline(text)}</h{level}>")
        self._at += 1
        if level == 1 and match[1] == "=":
            self._skip_author()

    def _skip_author(self) -> None:
        """Author and revision stand right below the document's title, before the first empty line."""
        while self._at < len(self._lines) and self._lines[self._at].strip():
            line = self._lines[self._at]
            if not self._read_metadata(line):
                self._at += 1

    def _read_fenced(self, match: re.Match[str]) -> None:
        mark = match[1]
        content = self._until(mark if mark[0] != "`" else mark.rstrip())
        style = self._style.name
        if mark[0] == "/" or (mark[0] == "+" and style != "stem"):
            return
        self._emit_title(is_admonition=style in _ADMONITIONS)
        is_open = mark == "--" or mark[0] in "=*_"
        if mark[0] in "-.`+" and not (mark == "--" and style not in ("source", "listing", "literal")):
            self._out.append(self._code(content, match[2].strip() if mark[0] == "`" else ""))
        elif style in _ADMONITIONS:
            self._out.append(_admonition(style, self._nested(content), self._inline(self._style.title)))
        elif mark[0] == "_" or style in ("quote", "verse"):
            self._out.append(f"<blockquote>{self._nested(content)}</blockquote>")
        elif is_open:
            own = f' id="{escape(self._style.id)}"' if self._style.id else ""
            self._out.append(f"<div{own}>{self._nested(content)}</div>")

    def _code(self, content: list[str], named: str = "") -> str:
        words = self._style.words
        language = named or (words[1] if len(words) > 1 and self._style.name in ("source", "") else "")
        language = language or (self._attributes.get("source-language", "") if self._style.name == "source" else "")
        is_name = re.fullmatch(r"[\w+#.-]{1,30}", language) is not None
        return code_html(_CALLOUT.sub("", "\n".join(content)), language if is_name else "")

    def _read_paragraph(self) -> None:
        style = self._style.name
        lines = self._paragraph()
        self._emit_title(is_admonition=style in _ADMONITIONS)
        text = "\n".join(lines)
        if style in ("source", "listing", "literal"):
            self._out.append(self._code(lines))
        elif match := _ADMONITION.match(text):
            self._out.append(_admonition(match[1], f"<p>{self._inline(match[2])}</p>", ""))
        elif style in _ADMONITIONS:
            self._out.append(_admonition(style, f"<p>{self._inline(text)}</p>", self._inline(self._style.title)))
        elif style in ("quote", "verse"):
            self._out.append(f"<blockquote><p>{self._inline(text)}</p></blockquote>")
        else:
            own = f' id="{escape(self._style.id)}"' if self._style.id else ""
            self._out.append(f"<p{own}>{self._inline(text).replace(' +' + chr(10), '<br>')}</p>")

    def _read_list(self) -> None:
        """Items with their depth; what is attached by `+` or indented belongs to the item before it."""
        depths: list[str] = []
        html: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith("//") and not self._lines[self._at - 1].strip():
                break  # a comment after an empty line keeps two lists apart
            if not line.strip() or _SKIPPED.match(line):
                self._at += 1
                continue
            marker, parts = _item_of(line)
            if not marker:
                break
            self._at += 1
            self._open_item(marker, depths, html)
            html.append(self._item_html(marker, parts))
        while depths:
            html.append(_closing(depths.pop()))
        self._out.append("".join(html))

    def _open_item(self, marker: str, depths: list[str], html: list[str]) -> None:
        """Open a list for a marker that is new, or close those inside the list that the marker goes on with."""
        if marker in depths:
            while depths[-1] != marker:
                html.append(_closing(depths.pop()))
            html.append("" if _is_term(marker) else "</li>")
        else:
            depths.append(marker)
            html.append("<dl>" if _is_term(marker) else "<ol>" if _is_ordered(marker) else "<ul>")
            return
        if _is_term(marker):
            html.append("</dd>")

    def _item_html(self, marker: str, parts: tuple[str, str]) -> str:
        term, text = parts
        said = " ".join([text, *self._continuation()]).strip()
        attached = self._attached()
        body = (f"<p>{self._inline(said)}</p>" if attached else self._inline(said)) + attached if said else attached
        if _is_term(marker):
            return f"<dt>{self._inline(term)}</dt><dd>{body}"
        return f"<li>{body}"

    def _continuation(self) -> list[str]:
        """The rest of the item's own paragraph."""
        found: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            starts_other = _is_item(line) or _FENCE.match(line) or _TABLE.match(line) or _STYLE.match(line)
            if not line.strip() or line.strip() == "+" or starts_other:
                break
            if not _SKIPPED.match(line):
                found.append(line.strip())
            self._at += 1
        return found

    def _attached(self) -> str:
        """Blocks that a line with a lone `+` attaches to the item."""
        parts: list[str] = []
        while self._at < len(self._lines) and self._lines[self._at].strip() == "+":
            reader = _Reader(self._attributes, self._depth + 1)
            parts.append(reader.read_one(self._lines, self._at + 1))
            self._at = reader.position
        return "".join(parts)

    def read_one(self, lines: list[str], start: int) -> str:
        """The HTML of one block from this line on; `position` then says where it ended."""
        self._lines, self._at = lines, start
        while self._at < len(lines):
            line = lines[self._at]
            if not line.strip():
                break
            if not self._read_metadata(line):
                if self._depth <= MAX_DEPTH:
                    self._read_block(line)
                else:
                    self._at += 1
                break
        return "".join(self._out)

    @property
    def position(self) -> int:
        """Index of the first line that was not read."""
        return self._at

    def _paragraph(self) -> list[str]:
        start = self._at
        while self._at < len(self._lines) and self._lines[self._at].strip() not in ("", "+"):
            line = self._lines[self._at]
            if self._at > start and (_FENCE.match(line) or _TABLE.match(line) or _STYLE.match(line)):
                break
            self._at += 1
        return [line for line in self._lines[start : self._at] if not _SKIPPED.match(line)]

    def _until(self, mark: str) -> list[str]:
        """The lines up to the closing mark, or to the end where it is missing."""
        start = self._at + 1
        end = next((at for at in range(start, len(self._lines)) if self._lines[at].strip() == mark), len(self._lines))
        self._at = end + 1
        return self._lines[start:end]

    def _emit_title(self, *, is_admonition: bool = False) -> None:
        if self._style.title and not is_admonition:
            self._out.append(f"<p><strong>{self._inline(self._style.title)}</strong></p>")

    def _inline(self, text: str) -> str:
        return to_html(text, self._attributes)

    def _nested(self, lines: list[str]) -> str:
        return _Reader(self._attributes, self._depth + 1).read(lines)


def _is_item(line: str) -> bool:
    return bool(_item_of(line)[0])


def _item_of(line: str) -> tuple[str, tuple[str, str]]:
    """Marker, and term and text, of a list's item; an empty marker for any other line."""
    if match := _CALLOUT_ITEM.match(line):
        return "<1>", ("", match[1])
    if match := _ITEM.match(line):
        return ("1." if match[1][0].isdigit() else match[1]), ("", match[2])
    if (match := _TERM.match(line)) and "://" not in match[1] + match[2] and not match[1].startswith("image"):
        return match[2], (match[1], match[3] or "")
    return "", ("", "")


def _is_term(marker: str) -> bool:
    return marker[0] in ":;"


def _is_ordered(marker: str) -> bool:
    return marker[0] in ".1<"


def _closing(marker: str) -> str:
    return "</dd></dl>" if _is_term(marker) else "</li></ol>" if _is_ordered(marker) else "</li></ul>"


def _admonition(kind: str, html: str, title: str) -> str:
    heading = title or kind.capitalize()
    return f'<div class="admonition {kind.lower()}"><p class="admonition-title">{heading}</p>{html}</div>'


def _dedented(lines: list[str]) -> str:
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines)
