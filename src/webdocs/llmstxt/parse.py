"""What does a well-formed llms.txt say? The strict reader."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from webdocs.errors import LlmsTxtError
from webdocs.llmstxt.lines import Line, is_html, items_of, read_lines
from webdocs.llmstxt.links import ENTRY, notes_of, target_of
from webdocs.llmstxt.records import FileEntry, LlmsTxt

OPTIONAL = "Optional"
"""Name of the section whose links may be left out (llmstxt.org, Format)."""

_QUOTE = re.compile(r" {0,3}> ?(.*)", re.DOTALL)
_INTERRUPTS = re.compile(r"\s*(?:[-*+]\s|\d+[.)]\s|>|#)")


def parse(text: str) -> LlmsTxt:
    """Read an llms.txt.

    What stands before the H1 is left out, as are fenced code and comments where links are read. Lists are bulleted,
    nested or not; the first link of an item is its entry, the rest of the item its notes.

    Args:
        text: The content of the file.

    Raises:
        LlmsTxtError: The text is empty, is an HTML page, or has no H1.
    """
    if not text.strip("\ufeff \t\r\n"):
        raise LlmsTxtError("the llms.txt is empty")
    if is_html(text):
        raise LlmsTxtError("the llms.txt is an HTML page")
    lines = read_lines(text)
    start = find_title(lines)
    if start is None:
        raise LlmsTxtError("the llms.txt has no H1 title", "Its first line must be `# Name of the project`.")
    rest = lines[start + 1 :]
    heads = [at for at, line in enumerate(rest) if line.level == 2]
    description, details = read_preamble(rest[: heads[0]] if heads else rest)
    sections: dict[str, list[FileEntry]] = {}
    for head, end in pairwise([*heads, len(rest)]):
        sections.setdefault(rest[head].name, []).extend(_read_entries(rest[head + 1 : end]))
    optional = sections.pop(OPTIONAL, [])
    return LlmsTxt(lines[start].name, description, details, sections, optional)


def find_title(lines: Sequence[Line]) -> int | None:
    """Index of the first H1 with a name."""
    return next((at for at, line in enumerate(lines) if line.level == 1 and line.name), None)


def read_preamble(lines: Sequence[Line]) -> tuple[str, str]:
    """Description and details of what stands between H1 and first H2."""
    at, description = 0, ""
    while not description:
        at = _skip_blank(lines, at)
        end = _end_of_quote(lines, at)
        if end == at:
            break
        description = "\n".join(_unquoted(line.text).rstrip() for line in lines[at:end]).strip()
        at = end
    return description, "\n".join(line.text for line in lines[_skip_blank(lines, at) :]).rstrip(" \t\n")


def _skip_blank(lines: Sequence[Line], at: int) -> int:
    while at < len(lines) and not lines[at].text.strip():
        at += 1
    return at


def _end_of_quote(lines: Sequence[Line], at: int) -> int:
    """Where the quote ends that begins here; a line without mark goes on with its paragraph (CommonMark 5.1)."""
    has_text = False
    while at < len(lines):
        line = lines[at]
        quote = None if line.is_masked else _QUOTE.match(line.text)
        is_lazy = has_text and not line.is_masked and line.text.strip() and not _INTERRUPTS.match(line.text)
        if quote is None and not is_lazy:
            break
        has_text = bool(quote[1].strip()) if quote else True
        at += 1
    return at


def _unquoted(text: str) -> str:
    quote = _QUOTE.match(text)
    return quote[1] if quote else text


def _read_entries(lines: Sequence[Line]) -> list[FileEntry]:
    return [
        FileEntry(_name_of(entry[1]), url, notes_of(entry[4]))
        for item in items_of(lines)
        if item[:1] in ("-", "*", "+") and (entry := ENTRY.match(item)) and (url := target_of(entry))
    ]


def _name_of(text: str) -> str:
    """A link's text; a blank at its end that is escaped stays, or the backslash would take the bracket."""
    name = text.strip()
    return text.lstrip() if name.endswith("\\") else name
