"""What does a plain text file say: which lines are prose, which are code, tables or drawings, which are titles?"""

from __future__ import annotations

import re
from html import escape

from webdocs.extract.composed import code_html, page_of
from webdocs.model import Page

_MARKDOWN_SIGNS = re.compile(
    r"\A---\n|^#{1,6} \S|^ {0,3}(?:```|~~~)|\[[^\]\n]+\]\([^)\s]+\)|^\|.*\|$|\*\*\S[^*\n]*\S\*\*|(?<!`)`[^`\n]+`(?!`)",
    re.MULTILINE,
)
"""What stands in Markdown and hardly in text that is none. Titles and lists look the same in both."""

_COLUMNS = re.compile(r"\S(?: {3,}|\t+)\S")
_DRAWN = re.compile(r"[│├└┌┐─═║]|^\s*[+|][-=+|]", re.MULTILINE)
_UNDERLINE = re.compile(r"^(=+|-+|~+|\^+)\s*$")
_LEVELS = {"=": 1, "-": 2, "~": 3, "^": 4}
_ITEM = re.compile(r"^\s{0,3}(?:[-*•+]|\d{1,3}[.)])\s+")
_ORDERED = re.compile(r"^\s*\d")


def is_markdown(text: str) -> bool:
    """True if a text file is written in Markdown, as far as its marks tell."""
    return _MARKDOWN_SIGNS.search(text) is not None


def extract_plain(text: str, url: str) -> Page:
    """Read one text file without marks.

    Raises:
        ExtractError: There is no text in it.
    """
    clean = text.expandtabs(8).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    parts = [part for part in re.split(r"\n(?:[ \t]*\n)+", clean.strip("\n")) if part.strip()]
    margin = min((_indent(part) for part in parts), default=0)
    return page_of("\n".join(_merged([_read_part(part, margin) for part in parts])), url)


def _read_part(part: str, margin: int) -> str:
    lines = part.rstrip().split("\n")
    title = _read_title(lines)
    if title:
        return title
    if _is_preformatted(lines, part, margin):
        return code_html("\n".join(line[margin:].rstrip() for line in lines))
    if _ITEM.match(lines[0]):
        return _read_list(lines)
    return f"<p>{escape(' '.join(line.strip() for line in lines))}</p>"


def _read_title(lines: list[str]) -> str:
    """A line that is underlined; what follows it in the same part is prose."""
    underline = _UNDERLINE.match(lines[1].strip()) if len(lines) > 1 else None
    if underline is None or len(underline[1]) < min(3, len(lines[0].strip())) or not lines[0].strip():
        return ""
    level = _LEVELS[underline[1][0]]
    rest = " ".join(line.strip() for line in lines[2:])
    return f"<h{level}>{escape(lines[0].strip())}</h{level}>" + (f"<p>{escape(rest)}</p>" if rest else "")


def _is_preformatted(lines: list[str], part: str, margin: int) -> bool:
    """Indented deeper than the text around it, set in columns, or drawn."""
    if _DRAWN.search(part) or sum(1 for line in lines if _COLUMNS.search(line.strip())) * 2 > len(lines):
        return True
    return _indent(part) >= margin + 4 and not _ITEM.match(lines[0].strip())


def _read_list(lines: list[str]) -> str:
    items: list[str] = []
    for line in lines:
        match = _ITEM.match(line)
        if match or not items:
            items.append(line[match.end() :] if match else line)
        else:
            items[-1] += " " + line.strip()
    tag = "ol" if _ORDERED.match(lines[0]) else "ul"
    return f"<{tag}>{''.join(f'<li>{escape(item.strip())}</li>' for item in items)}</{tag}>"


def _merged(parts: list[str]) -> list[str]:
    """Code with an empty line in it is one block."""
    merged: list[str] = []
    for part in parts:
        if merged and part.startswith("<pre>") and merged[-1].startswith("<pre>"):
            merged[-1] = merged[-1].removesuffix("</code></pre>") + "\n\n" + part.removeprefix("<pre>\n<code>")
        else:
            merged.append(part)
    return merged


def _indent(part: str) -> int:
    return min((len(line) - len(line.lstrip()) for line in part.split("\n") if line.strip()), default=0)
