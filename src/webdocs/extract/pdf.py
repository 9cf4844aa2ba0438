"""What does a PDF say, page by page? pdfium reads it; needs the extra `pdf`.

Each page can be cited as `#page=N`, which browsers open (RFC 8118, 3). Bookmarks become headings; without any, only
pages tell the places apart. A page without text is recognised by Tesseract where the system has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from html import escape

import pypdfium2 as pdfium

from webdocs.errors import ExtractError
from webdocs.extract.composed import page_of
from webdocs.extract.ocr import recognise
from webdocs.extract.pdf_text import Line, read_lines, write_html
from webdocs.model import Page

MAX_PAGES = 5_000
"""Our choice: the longest manuals known have some 5,000 pages (the x86 architecture's)."""

REPEATED_SHARE = 0.5
"""A first or last line on over half of the pages is a running title or foot, digits aside."""

MIN_REPEATED_PAGES = 3

_DIGITS = re.compile(r"\d+")

Bookmarks = dict[int, list[tuple[int, str]]]
"""Page index to (level from 0, title)."""


def extract_pdf(body: bytes, content_type: str, url: str) -> Page:
    """Read one PDF.

    Raises:
        ExtractError: It is damaged or locked, or a scan that nothing here can read.
    """
    with closing(_open(body)) as document:
        pages = _without_running_lines(_read_pages(document))
        bookmarks = _bookmarks_of(document)
        title = document.get_metadata_dict().get("Title", "").strip()
    html = "\n".join(_page_html(index, lines, bookmarks.get(index, [])) for index, lines in enumerate(pages))
    return page_of(html, url, title or _name_of(url))


def _open(body: bytes) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        reason = "it asks for a password" if "password" in str(error).lower() else "it is damaged"
        raise ExtractError(f"the PDF cannot be opened: {reason}") from error


def _read_pages(document: pdfium.PdfDocument) -> list[list[Line]]:
    """The lines of every page. An unreadable scan among pages with text is left out; scans alone are a fault."""
    pages: list[list[Line]] = []
    fault = ExtractError("the PDF has no text on its pages")
    for index in range(min(len(document), MAX_PAGES)):
        try:
            pages.append(_lines_of(document, index))
        except ExtractError as error:
            pages.append([])
            fault = error
    if not any(pages):
        raise fault
    return pages


def _lines_of(document: pdfium.PdfDocument, index: int) -> list[Line]:
    try:
        page = document[index]
    except pdfium.PdfiumError:
        return []  # one broken page of many is no reason to lose the others
    with closing(page):
        lines = read_lines(page)
        return lines or (recognise(page) if _has_picture(page) else [])


def _has_picture(page: pdfium.PdfPage) -> bool:
    """An empty page is empty; a scan is a picture."""
    return next(iter(page.get_objects(filter=[pdfium.raw.FPDF_PAGEOBJ_IMAGE])), None) is not None


def _bookmarks_of(document: pdfium.PdfDocument) -> Bookmarks:
    found: Bookmarks = {}
    for bookmark in document.get_toc():
        target = bookmark.get_dest()
        index = target.get_index() if target is not None else None
        title = " ".join(bookmark.get_title().split())
        if index is not None and title:
            found.setdefault(index, []).append((bookmark.level, title))
    return found


def _without_running_lines(pages: list[list[Line]]) -> list[list[Line]]:
    """The pages without the lines at top and foot that most of them share."""
    seen = Counter(key for lines in pages for key in {_key(line) for line in _edges(lines)})
    least = max(MIN_REPEATED_PAGES, len(pages) * REPEATED_SHARE)
    running = {key for key, count in seen.items() if count >= least}
    edges = [{id(line) for line in _edges(lines) if _key(line) in running} for lines in pages]
    return [[line for line in lines if id(line) not in gone] for lines, gone in zip(pages, edges, strict=True)]


def _edges(lines: list[Line]) -> list[Line]:
    return [*lines[:2], *lines[max(2, len(lines) - 2) :]]


def _key(line: Line) -> str:
    return _DIGITS.sub("#", line.text.strip().lower())


def _page_html(index: int, lines: list[Line], bookmarks: list[tuple[int, str]]) -> str:
    return f'<div id="page={index + 1}"></div>' + "".join(_parts(lines, bookmarks)) if lines else ""


def _parts(lines: list[Line], bookmarks: list[tuple[int, str]]) -> Iterator[str]:
    """A page's text with its headings: each where a line says the title, else at the top of the page."""
    at = sorted((_line_of(title, lines), order, level, title) for order, (level, title) in enumerate(bookmarks))
    start = 0
    for (line, count), _, level, title in at:
        yield from write_html(lines[start:line])
        start = max(start, line + count)
        yield f"<h{min(6, level + 1)}>{escape(title)}</h{min(6, level + 1)}>"
    yield from write_html(lines[start:])


def _line_of(title: str, lines: list[Line]) -> tuple[int, int]:
    """Where the title stands on its page, and over how many lines; (0, 0) where it does not."""
    wanted = _bare(title)
    for index, line in enumerate(lines):
        for count in (1, 2):
            said = _bare(" ".join(part.text for part in lines[index : index + count]))
            if said and (said == wanted or (said.endswith(wanted) and len(said) - len(wanted) <= 12)):
                return index, count
        if not line.text:
            continue
    return 0, 0


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _name_of(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]
