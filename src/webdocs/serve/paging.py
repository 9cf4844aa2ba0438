"""Which piece of a page is answered? Cuts Markdown at block borders and finds a section in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webdocs.fence import FenceReader

CHARS_PER_TOKEN = 4.0
"""English prose in the usual tokenizers (OpenAI's rule of thumb); code is denser, see `answer_text`."""

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_REPEAT_SUFFIX = re.compile(r"[-_]\d+$")


@dataclass(frozen=True, slots=True)
class PageSlice:
    """A piece of a text. `next_offset` is where the rest begins, None at the end."""

    text: str
    offset: int
    next_offset: int | None
    total_chars: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a page: its level, its text without marks, and where its line begins."""

    level: int
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str
    in_fence: bool


def _lines(markdown: str) -> Iterator[_Line]:
    """Every line; the fence marks themselves count as inside."""
    reader = FenceReader()
    start = 0
    for raw in markdown.splitlines(keepends=True):
        yield _Line(start, raw, reader.read(raw.rstrip("\r\n")) != "text")
        start += len(raw)


def cut_page(markdown: str, offset: int, max_chars: int) -> PageSlice:
    """The piece from `offset` of at most `max_chars`, cut between two blocks where one fits.

    A block longer than that is cut at a line, a line longer than that in its middle.
    """
    total = len(markdown)
    start = min(max(offset, 0), total)
    limit = start + max(max_chars, 1)
    if limit >= total:
        return PageSlice(markdown[start:], start, None, total)
    end = _last_border(markdown, start, limit)
    return PageSlice(markdown[start:end], start, end, total)


def cut_whole(markdown: str, max_chars: int) -> str:
    """A beginning of at most `max_chars` that stands for itself: cut between blocks or lines, an open fence closed.

    Empty if not even the first line fits.
    """
    reader = FenceReader()
    kept: list[str] = []
    safe: list[str] = []
    size = 0
    for line in markdown.split("\n"):
        size += len(line) + 1
        if size > max_chars:
            break
        kept.append(line)
        reader.read(line)
        closing = [reader.closing] if reader.opening else []
        if size + sum(map(len, closing)) <= max_chars and line != reader.opening:
            safe = [*kept, *closing]
    text = "\n".join(safe).rstrip()
    return text or _begin_paragraph(markdown, max_chars)


def _begin_paragraph(markdown: str, max_chars: int) -> str:
    """The beginning of a long line of prose, cut at a word; a part of a table's row or of code tells nothing."""
    if markdown.lstrip().startswith(("|", "`", "~")):
        return ""
    begun = markdown[: max_chars - 2].partition("\n")[0].rpartition(" ")[0]
    return f"{begun} …" if begun.strip() else ""


def _last_border(markdown: str, start: int, limit: int) -> int:
    blocks = [line.start for line in _block_starts(markdown) if start < line.start <= limit]
    if blocks:
        return blocks[-1]
    newline = markdown.rfind("\n", start, limit)
    return newline + 1 if newline >= start else limit


def _block_starts(markdown: str) -> Iterator[_Line]:
    is_after_blank = False
    was_in_fence = False
    for line in _lines(markdown):
        if is_after_blank and not was_in_fence and line.text.strip():
            yield line
        is_after_blank = not line.text.strip()
        was_in_fence = line.in_fence and is_after_blank


def headings_of(markdown: str) -> tuple[Heading, ...]:
    """The headings outside fences, in order."""
    found = []
    for line in _lines(markdown):
        match = None if line.in_fence else _HEADING.match(line.text.rstrip("\r\n"))
        if match:
            found.append(Heading(len(match[1]), _plain(match[2]), line.start))
    return tuple(found)


def _plain(text: str) -> str:
    return re.sub(r"[`*\\]", "", _LINK.sub(r"\1", text)).strip()


def find_section(markdown: str, name: str) -> tuple[int, int] | None:
    """Where a section begins and ends: a heading by its text or anchor, else a signature by its anchor.

    Anchors are compared by their letters and digits, because generators build them from the heading
    in different ways (`getting-started`, `getting_started`, `Getting.Started`). A section ends at the next
    heading of its level or above.
    """
    headings = headings_of(markdown)
    for key in dict.fromkeys((_key(name), _key(_REPEAT_SUFFIX.sub("", name)))):
        for place, heading in enumerate(headings):
            if key and _key(heading.text) == key:
                after = (other.start for other in headings[place + 1 :] if other.level <= heading.level)
                return heading.start, next(after, len(markdown))
    return None if re.search(r"\s", name) else _find_signature(markdown, headings, name)


def _find_signature(markdown: str, headings: tuple[Heading, ...], name: str) -> tuple[int, int] | None:
    """API anchors (`asyncio.TaskGroup`) name a signature: a code block that holds the whole name or its end."""
    last = name.rpartition(".")[2]
    wanted = re.compile(rf"(?<![\w.]){re.escape(name)}\b|\b{re.escape(last)}\(")
    opening: _Line | None = None
    for line in _lines(markdown):
        opening = (opening or line) if line.in_fence else None
        if last and opening is not None and wanted.search(line.text):
            return opening.start, next((h.start for h in headings if h.start > line.start), len(markdown))
    return None


def _key(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
