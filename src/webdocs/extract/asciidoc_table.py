"""Which rows and cells do the lines between two `|===` hold?"""

from __future__ import annotations

import re
from collections.abc import Callable

_CELL = re.compile(r"(?:(?<=\s)|^)((?:\d+(?:\.\d+)?|\.\d+)[+*])?([<^>.]*)([aehlmsdv])?(?<!\\)\|", re.MULTILINE)
_COLUMNS = re.compile(r"cols=\"?([^\"\]]+)\"?")
_REPEATED = re.compile(r"(\d+)\*")

Cell = tuple[int, int, str, str]
"""Columns and rows that it spans, style, text."""


def table_html(lines: list[str], options: str, inline: Callable[[str], str], nested: Callable[[list[str]], str]) -> str:
    """A table.

    Args:
        lines: Between its marks.
        options: What the lines before it say: `cols="1,2",options="header"`.
        inline: Makes HTML of a cell's text.
        nested: Makes HTML of a cell that holds blocks (style `a`).
    """
    cells = _cells_of("\n".join(lines))
    width = _width(options, lines)
    rows = _rows_of(cells, width)
    is_headed = "header" in options or (len(lines) > 1 and lines[0].strip() != "" and lines[1].strip() == "")
    html = [_row_html(row, is_headed and number == 0, inline, nested) for number, row in enumerate(rows)]
    return f"<table>{''.join(html)}</table>"


def _cells_of(text: str) -> list[Cell]:
    matches = list(_CELL.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text)]
    cells: list[Cell] = []
    for match, end in zip(matches, ends, strict=True):
        content = text[match.end() : end].strip().replace("\\|", "|")
        number = match[1] or ""
        if number.endswith("*"):
            cells += [(1, 1, match[3] or "", content)] * min(int(number[:-1].partition(".")[0] or 1), 100)
        else:
            across, _, down = number.rstrip("+").partition(".")
            cells.append((int(across or 1), int(down or 1), match[3] or "", content))
    return cells


def _width(options: str, lines: list[str]) -> int:
    """Columns as the options say, else as many as the first line has cells."""
    match = _COLUMNS.search(options)
    if match:
        parts = [part for part in match[1].strip().split(",") if part.strip()] or [match[1]]
        return sum(int(found[1]) if (found := _REPEATED.match(part.strip())) else 1 for part in parts)
    first = next((line for line in lines if line.strip()), "")
    return max(1, sum(across for across, _, _, _ in _cells_of(first)))


def _rows_of(cells: list[Cell], width: int) -> list[list[Cell]]:
    """Cells in rows of `width` columns; cells of the rows above that reach down take their place."""
    rows: list[list[Cell]] = []
    row: list[Cell] = []
    reaching: list[int] = []
    taken = 0
    for cell in cells:
        row.append(cell)
        taken += cell[0]
        if taken >= width:
            reaching = [left - 1 for left in reaching if left > 1]
            reaching += [down - 1 for across, down, _, _ in row if down > 1 for _ in range(across)]
            rows.append(row)
            row, taken = [], len(reaching)
    return [*rows, row] if row else rows


def _row_html(row: list[Cell], is_head: bool, inline: Callable[[str], str], nested: Callable[[list[str]], str]) -> str:
    parts: list[str] = []
    for across, down, style, text in row:
        tag = "th" if is_head or style == "h" else "td"
        spans = f' colspan="{across}"' * (across > 1) + f' rowspan="{down}"' * (down > 1)
        html = nested(text.split("\n")) if style == "a" else inline(text)
        parts.append(f"<{tag}{spans}>{f'<code>{html}</code>' if style in ('m', 'l') and html else html}</{tag}>")
    return f"<tr>{''.join(parts)}</tr>"
