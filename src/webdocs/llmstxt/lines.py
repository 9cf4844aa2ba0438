"""Which lines of an llms.txt mean something? Line ends, byte order mark, front matter, fences and comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n(?:(?!---[ \t]*(?:\n|\Z)).*\n)*?---[ \t]*(?:\n|\Z)")
MAX_EMPTY_LINES = 100
"""Our choice: no text has more in a row, and a megabyte of them would cost a second."""

_EMPTY_RUN = re.compile(rf"\n{{{MAX_EMPTY_LINES + 1},}}")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})")
_HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_HEADING = re.compile(r" {0,3}(#{1,2})(?:(?=[ \t])|\Z)")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*\Z")
_BULLET = re.compile(r"\s*[-*+]\s")
_NEITHER_TEXT = ("#", ">", "- ", "* ", "+ ", "|")


@dataclass(frozen=True, slots=True)
class Line:
    """One line. `level` is 1 or 2 for a heading, whose name is `name`; `is_masked` in a fence or a comment."""

    text: str
    level: int = 0
    name: str = ""
    is_masked: bool = False


def is_html(text: str) -> bool:
    """True if the text starts as an HTML document does."""
    return _HTML.match(text[:2048].lstrip("\ufeff")) is not None


def read_lines(text: str) -> list[Line]:
    """The lines of a file, headings found, without byte order mark and front matter.

    NUL is read as U+FFFD (CommonMark 0.31, 2.3), and more empty lines in a row than 100 are left out. An underlined
    title becomes one heading line.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")
    text = _EMPTY_RUN.sub("\n" * MAX_EMPTY_LINES, text)
    if front := _FRONT_MATTER.match(text):
        text = text[front.end() :]
    return list(_with_underlined(_masked(text.split("\n"))))


def read_raw_lines(text: str) -> list[Line]:
    """The lines of a longer file as they are, front matter and all."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _EMPTY_RUN.sub("\n" * MAX_EMPTY_LINES, text)
    return list(_masked(text.split("\n")))


def _masked(lines: Iterable[str]) -> Iterator[Line]:
    fence, in_comment = "", False
    for text in lines:
        start = text.lstrip(" ")
        if fence:
            yield Line(text, is_masked=True)
            if _closes(start, fence):
                fence = ""
        elif in_comment or start.startswith("<!--"):
            yield Line(text, is_masked=True)
            in_comment = "-->" not in text
        elif start.startswith(("```", "~~~")) and (opened := _FENCE.match(text)):
            fence = opened[1]
            yield Line(text, is_masked=True)
        elif start.startswith("#") and (heading := _HEADING.match(text)):
            yield Line(text, len(heading[1]), _name_of(text[heading.end() :]))
        else:
            yield Line(text)


def _name_of(rest: str) -> str:
    """A heading's text, the closing marks off (CommonMark 4.2)."""
    name = rest.strip(" \t")
    without_marks = name.rstrip("#")
    return (without_marks if not without_marks or without_marks[-1] in " \t" else name).strip()


def _closes(start: str, fence: str) -> bool:
    run = start.rstrip()
    return len(run) >= len(fence) and run == fence[0] * len(run)


def _with_underlined(lines: Iterator[Line]) -> Iterator[Line]:
    """Join `Title` and `====` below it into a heading."""
    held: Line | None = None
    for line in lines:
        if held is not None and _UNDERLINE.match(line.text) and not line.is_masked and _is_paragraph(held):
            yield Line(f"# {held.text.strip()}", 1, held.text.strip())
            held = None
            continue
        if held is not None:
            yield held
        held = line
    if held is not None:
        yield held


def _is_paragraph(line: Line) -> bool:
    text = line.text.strip()
    return bool(text) and not line.is_masked and not line.level and not text.startswith(_NEITHER_TEXT)


def items_of(lines: Iterable[Line]) -> Iterator[str]:
    """List items and other lines, each with the indented lines that go on from it, joined by a blank."""
    held: list[str] = []
    for line in lines:
        text = line.text
        if held and text[:1] in (" ", "\t") and not line.is_masked and text.strip() and not _BULLET.match(text):
            held.append(text.strip())
            continue
        if held:
            yield held[0] if len(held) == 1 else " ".join(held)
        held = [text.strip()] if text and not line.is_masked else []
    if held:
        yield " ".join(held)
