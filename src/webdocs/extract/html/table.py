"""How does a table become Markdown: which cell stands in which column, and which row is the header?"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from webdocs.extract.html.code import code_of
from webdocs.extract.html.dom import HEADING_TAGS, Element
from webdocs.extract.html.inline import InlineWriter, code_span
from webdocs.extract.html.names import names

MAX_COLUMNS = 100
"""Most columns of a table. Our choice: the widest compatibility table seen has 31; `colspan=1000` makes no sense."""

MAX_REPEATED_CHARS = 60
"""A cell that spans rows is repeated in each of them up to this length, so that every row can be read alone."""

GRID_COLUMNS = {"two-column-summary": 2, "three-column-summary": 3, "four-column-summary": 4}
"""Classes of the standard doclet since JDK 16."""

LAYOUT_TABLES = names("field-list footnote citation layout mlabels memname options")
"""Classes of tables that only place things: docutils, Doxygen."""

_BLOCKS_OF_LAYOUT = frozenset(("table", "pre", "ul", "ol", "dl"))
_CODE_TABLES = frozenset(("highlighttable", "rouge-table", "lntable"))
_ROW_GROUPS = frozenset(("thead", "tbody", "tfoot"))
_BREAKS = re.compile(r"(?:\s*<br>\s*)+")


@dataclass(slots=True)
class Row:
    """A row with its cells in columns. `heading` is the cell of a row that only carries a heading."""

    cells: list[str] = field(default_factory=list)
    is_header: bool = False
    heading: Element | None = None


def caption_of(table: Element) -> Element | None:
    """Its caption, if it has one."""
    return next((child for child in table.elements if child.tag == "caption"), None)


def rows_of(table: Element, writer: InlineWriter) -> list[Row]:
    """All rows with spans resolved; rows without any text are left out."""
    grid = _Grid(writer)
    for child in table.elements:
        if child.tag == "tr":
            grid.add_row(child, in_head=False)
        elif child.tag in _ROW_GROUPS:
            for row in child.elements:
                if row.tag == "tr":
                    grid.add_row(row, in_head=child.tag == "thead")
            grid.end_group()
    return [row for row in grid.rows if row.heading or any(row.cells)]


def grid_rows_of(grid: Element, writer: InlineWriter) -> list[Row]:
    """Rows of Javadoc's summaries, which are `div`s laid out by a class that names the number of columns."""
    columns = next((GRID_COLUMNS[name] for name in grid.classes if name in GRID_COLUMNS), 1)
    rows: list[Row] = []
    for index, cell in enumerate(grid.elements):
        if index % columns == 0:
            rows.append(Row(is_header=cell.has_class("table-header")))
        writer.note_ids(cell)
        rows[-1].cells.append(cell_markdown(cell, writer))
    return rows


def only_code(table: Element) -> Element | None:
    """The `pre` of a table that only lays out code beside its line numbers."""
    if not _CODE_TABLES.isdisjoint(table.classes):
        return next((part for part in reversed(list(table.descendants())) if part.tag == "pre"), None)
    return None


def is_layout(table: Element) -> bool:
    """True if the table only places its cells on the page."""
    if table.attr("role") in ("presentation", "none") or not LAYOUT_TABLES.isdisjoint(table.classes):
        return True
    parts = list(table.descendants())
    cells = [part for part in parts if part.tag in ("td", "th")]
    rows = sum(1 for part in parts if part.tag == "tr")
    has_blocks = any(part.tag in _BLOCKS_OF_LAYOUT or part.tag in HEADING_TAGS for part in parts)
    return (len(cells) <= 2 or rows == 1) and has_blocks and all(cell.tag == "td" for cell in cells)


def is_cell_of(part: Element, table: Element) -> bool:
    """True for a cell of this table, not of one nested in it."""
    if part.tag not in ("td", "th"):
        return False
    above = part.parent
    while above is not None and above.tag != "table":
        above = above.parent
    return above is table


def table_markdown(rows: list[Row]) -> str:
    """A pipe table; its first two lines are the header, empty where the table has none."""
    width = max(1, *(_last_filled(row.cells) for row in rows))
    header = rows[0].cells if rows[0].is_header else []
    body = rows[1:] if rows[0].is_header else rows
    lines = [_line(header, width), "|" + " --- |" * width]
    lines += [_line(row.cells, width) for row in body]
    return "\n".join(lines)


def cell_markdown(cell: Element, writer: InlineWriter) -> str:
    """What stands in a cell, on one line: paragraphs and code lines apart by `<br>`, pipes escaped."""
    parts: list[str] = []
    _gather_cell(cell, writer, parts)
    text = _BREAKS.sub("<br>", "<br>".join(part for part in parts if part))
    return text.replace("  \n", "<br>").replace("\n", " ").replace("\\|", "|").replace("|", "\\|")


class _Grid:
    """Fills the columns row by row (HTML 4.9.12)."""

    def __init__(self, writer: InlineWriter) -> None:
        self.rows: list[Row] = []
        self._writer = writer
        self._hanging: dict[int, tuple[int, str]] = {}  # column -> rows it still hangs into, its text

    def add_row(self, element: Element, *, in_head: bool) -> None:
        cells = [cell for cell in element.elements if cell.tag in ("td", "th")]
        self._writer.note_ids(element)
        if len(cells) == 1 and cells[0].has_heading and not self._hanging:
            self.rows.append(Row(heading=cells[0]))
            return
        row = Row(is_header=in_head or (bool(cells) and all(cell.tag == "th" for cell in cells)))
        for cell in cells:
            self._place(row, cell)
        self._fill_hanging(row)
        self.rows.append(row)

    def end_group(self) -> None:
        """Cells do not hang out of their row group."""
        self._hanging.clear()

    def _place(self, row: Row, cell: Element) -> None:
        self._fill_hanging(row)
        self._writer.note_ids(cell)
        text = cell_markdown(cell, self._writer)
        repeated = text if len(text) <= MAX_REPEATED_CHARS else ""
        row_span = _span(cell.attr("rowspan"), 65534)
        column_span = _span(cell.attr("colspan"), MAX_COLUMNS)
        for offset in range(column_span):
            if len(row.cells) >= MAX_COLUMNS and text:
                row.cells[-1] += f"<br>{text}" if offset == 0 else ""
                break
            if row_span > 1:
                self._hanging[len(row.cells)] = (row_span - 1, repeated if offset == 0 else "")
            row.cells.append(text if offset == 0 else "")

    def _fill_hanging(self, row: Row) -> None:
        while (column := len(row.cells)) in self._hanging:
            rows_left, text = self._hanging.pop(column)
            if rows_left > 1:
                self._hanging[column] = (rows_left - 1, text)
                # The row that is being filled must not meet the cell again.
            row.cells.append(text)


def _last_filled(cells: list[str]) -> int:
    return next((index for index in range(len(cells), 0, -1) if cells[index - 1]), 0)


def _span(value: str, limit: int) -> int:
    digits = value.strip()
    return max(1, min(limit, int(digits[:7]))) if digits.isdecimal() else 1


def _line(cells: list[str], width: int) -> str:
    padded = cells[:width] + [""] * (width - len(cells))
    return "| " + " | ".join(padded) + " |"


def _gather_cell(element: Element, writer: InlineWriter, parts: list[str]) -> None:
    run: list[Element | str] = []
    for child in element.children:
        if isinstance(child, str) or not child.is_block:
            run.append(child)
            continue
        parts.append(writer.render(run))
        run = []
        writer.note_ids(child)
        _gather_block(child, writer, parts)
    parts.append(writer.render(run))


def _gather_block(child: Element, writer: InlineWriter, parts: list[str]) -> None:
    if child.tag == "pre":
        parts.extend(code_span(line) for line in code_of(child).split("\n"))
    elif child.tag == "li":
        inner: list[str] = []
        _gather_cell(child, writer, inner)
        text = "<br>".join(part for part in inner if part)
        parts.append(f"- {text}" if text else "")
    elif child.tag == "tr":
        parts.append(" ".join(cell_markdown(cell, writer) for cell in child.elements))
    elif child.tag in HEADING_TAGS or child.tag == "dt":
        parts.append(writer.render(child.children))
    else:
        _gather_cell(child, writer, parts)
