"""What does a notebook say: its prose, its code with the kernel's language, and what the code printed?

Reads nbformat 3 and 4. The cells become one Markdown text, since that is what their prose is written in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from webdocs.errors import ExtractError
from webdocs.extract.charset import decode
from webdocs.extract.markdown import extract_markdown
from webdocs.model import Page

MAX_OUTPUT_CHARS = 4_000
"""Our choice: longer output is a log or a dump; its start shows its form."""

_TEXT_OUTPUTS = ("text/markdown", "text/plain")
"""Of one output's forms the first of these is read: the others are pictures, or HTML beside the same as text."""

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def extract_notebook(body: bytes, content_type: str, url: str) -> Page:
    """Read one notebook.

    Raises:
        ExtractError: It is no JSON of a notebook, or its cells are empty.
    """
    try:
        notebook = json.loads(decode(body, content_type))
    except (ValueError, RecursionError) as error:
        raise ExtractError("the notebook is not valid JSON") from error
    cells = _cells_of(notebook)
    language = _language_of(notebook)
    parts = [part for cell in cells if isinstance(cell, dict) for part in _read_cell(cell, language)]
    return extract_markdown("\n\n".join(parts), url)


def _cells_of(notebook: object) -> list:
    if isinstance(notebook, dict):
        sheets = notebook.get("worksheets")  # nbformat 3
        holder = sheets[0] if isinstance(sheets, list) and sheets else notebook
        cells = holder.get("cells") if isinstance(holder, dict) else None
        if isinstance(cells, list):
            return cells
    raise ExtractError("the JSON is no notebook: it has no cells")


def _language_of(notebook: dict) -> str:
    metadata = _mapping(notebook.get("metadata"))
    named = _mapping(metadata.get("language_info")).get("name") or _mapping(metadata.get("kernelspec")).get("language")
    return named if isinstance(named, str) and re.fullmatch(r"[\w+#.-]{1,30}", named) else "python"


def _read_cell(cell: dict, language: str) -> Iterator[str]:
    source = _text(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "code":
        if source.strip():
            yield _fenced(source, language)
        yield from _read_outputs(cell.get("outputs"))
    elif kind == "heading":  # nbformat 3
        yield f"{'#' * max(1, min(6, _number(cell.get('level'))))} {source}"
    elif kind == "markdown" and source.strip():
        yield _closed(source)


def _read_outputs(outputs: object) -> Iterator[str]:
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        data = _mapping(output.get("data"))
        texts = (data.get(kind) for kind in _TEXT_OUTPUTS)
        if output.get("output_type") == "error":
            texts = [f"{output.get('ename', '')}: {output.get('evalue', '')}"]
        elif "text" in output:  # a stream, and every output of nbformat 3
            texts = [output["text"]]
        shown = _TERMINAL_CODES.sub("", next((text for text in map(_text, texts) if text.strip()), ""))
        if shown:
            yield _fenced(shown[:MAX_OUTPUT_CHARS], "")


def _fenced(code: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}{language}\n{code.rstrip(chr(10))}\n{mark}"


def _closed(markdown: str) -> str:
    """A cell ends what it opened: a fence left open would take in the next cells."""
    open_mark = ""
    for mark in _FENCE.findall(markdown):
        if not open_mark:
            open_mark = mark
        elif mark[0] == open_mark[0] and len(mark) >= len(open_mark):
            open_mark = ""
    return f"{markdown}\n{open_mark}" if open_mark else markdown


def _text(value: object) -> str:
    """A multi-line string is a list of lines in most notebooks."""
    if isinstance(value, list):
        return "".join(_strings(value))
    return value if isinstance(value, str) else ""


def _strings(values: Iterable[object]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))


def _mapping(value: object) -> dict:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> int:
    return value if isinstance(value, int) else 1
