"""Which lines stand on a PDF's page, and which of them are one paragraph, which are code?"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import pypdfium2 as pdfium

from webdocs.extract.composed import code_html

PARAGRAPH_GAP = 1.45
"""Lines whose distance is over this many times the usual one belong to two paragraphs. Our choice: set text has 1.0,
and half a line between paragraphs is the least that typographers use."""

SHORT_SHARE = 0.75
"""A line that ends a sentence and fills less than this of the widest line ends its paragraph."""

_MONOSPACED = re.compile(r"mono|courier|consol|menlo|typewriter|fixed|cmtt|code|inconsolata|lucidacons", re.IGNORECASE)
_HYPHENATED = re.compile(r"(?<=[a-z])[-\u2010\u00ad\ufffe\x02]$")
_BULLET = re.compile(r"^\s*[•◦▪‣●○·–-]\s+(?=\S)")
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it is set. `left`, `right` and `bottom` are in points, `bottom` from the foot of the page."""

    text: str
    left: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    size: float = 0.0
    is_code: bool = False


def read_lines(page: pdfium.PdfPage) -> list[Line]:
    """The page's lines of text in the file's order; none for a scan."""
    textpage = page.get_textpage()
    try:
        text = textpage.get_text_range()
        lines: list[Line] = []
        start = 0
        for raw in text.split("\n"):
            if raw.strip():
                lines.append(_read_line(textpage, raw, start))
            start += len(raw) + 1
        return lines
    finally:
        textpage.close()


def _read_line(textpage: pdfium.PdfTextPage, raw: str, start: int) -> Line:
    lead = len(raw) - len(raw.lstrip())
    last = len(raw.rstrip()) - 1
    try:
        left, bottom, _, _ = textpage.get_charbox(start + lead, loose=True)
        _, _, right, _ = textpage.get_charbox(start + last, loose=True)
    except pdfium.PdfiumError:
        left = bottom = right = 0.0
    size = pdfium.raw.FPDFText_GetFontSize(textpage, start + lead)
    text = _UNSEEN.sub("", raw.strip())
    return Line(text, left, right, bottom, size, bool(_MONOSPACED.search(_font_of(textpage, start + lead))))


def _font_of(textpage: pdfium.PdfTextPage, index: int) -> str:
    buffer = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    length = pdfium.raw.FPDFText_GetFontInfo(textpage, index, buffer, 128, flags)
    return buffer.value.decode("utf-8", "replace") if 0 < length <= 128 else ""


def write_html(lines: list[Line]) -> Iterator[str]:
    """Paragraphs, lists and code of these lines."""
    usual = _usual_gap(lines)
    width = max((line.right for line in lines), default=0.0)
    group: list[Line] = []
    for line in lines:
        if group and _parts_from(group[-1], line, usual, width):
            yield _group_html(group)
            group = []
        group.append(line)
    if group:
        yield _group_html(group)


def _parts_from(before: Line, line: Line, usual: float, width: float) -> bool:
    """True if a new block starts with this line."""
    if before.is_code != line.is_code:
        return True
    if line.is_code:
        return False
    if _BULLET.match(line.text) or abs(before.size - line.size) > 1:
        return True
    gap = before.bottom - line.bottom
    if usual and (gap > usual * PARAGRAPH_GAP or gap < -usual):
        return True
    return before.text.endswith((".", "!", "?")) and before.right < width * SHORT_SHARE


def _usual_gap(lines: list[Line]) -> float:
    gaps = sorted(before.bottom - line.bottom for before, line in pairwise(lines))
    positive = [gap for gap in gaps if gap > 1]
    return positive[len(positive) // 3] if positive else 0.0


def _group_html(group: list[Line]) -> str:
    if group[0].is_code:
        return code_html(_indented(group))
    bullet = _BULLET.match(group[0].text)
    text = _joined([line.text for line in group])
    return f"<ul><li>{escape(_BULLET.sub('', text))}</li></ul>" if bullet else f"<p>{escape(text)}</p>"


def _indented(group: list[Line]) -> str:
    """Code with the indentation that its place on the page shows: pdfium gives the text alone."""
    margin = min(line.left for line in group)
    return "\n".join(" " * round((line.left - margin) / _char_width(line)) + line.text for line in group)


def _char_width(line: Line) -> float:
    width = (line.right - line.left) / max(1, len(line.text))
    return width if width > 0.5 else 6.0


def _joined(texts: list[str]) -> str:
    """One paragraph: a word that was broken at a line's end is whole again."""
    joined = ""
    for text in texts:
        if _HYPHENATED.search(joined) and text[:1].islower():
            joined = joined[:-1] + text
        else:
            joined = f"{joined} {text}" if joined else text
    return joined
