"""What does a scanned page say? Tesseract reads its picture, where the system has it."""

from __future__ import annotations

import shutil
import subprocess

import pypdfium2 as pdfium

from webdocs.errors import ExtractError
from webdocs.extract.pdf_text import Line

SCALE = 300 / 72
"""300 dots an inch, what Tesseract's documentation asks for; PDF points are 1/72 inch."""

MAX_PIXELS = 40_000_000
"""Our choice: four times an A4 page at 300 dots an inch; a poster is drawn smaller."""

PAGE_TIMEOUT_S = 60.0
"""Our choice: a dense page takes some seconds on one core."""


def recognise(page: pdfium.PdfPage) -> list[Line]:
    """The lines on the picture of a page; an empty line parts paragraphs.

    Raises:
        ExtractError: The system has no Tesseract, or it fails.
    """
    program = shutil.which("tesseract")
    if program is None:
        raise ExtractError("the PDF is a scan without text; install the program tesseract to have it read")
    try:
        done = subprocess.run(  # noqa: S603 - the program that the system calls tesseract, no shell
            [program, "stdin", "stdout"], input=_picture(page), capture_output=True, timeout=PAGE_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ExtractError("the PDF is a scan without text, and tesseract could not read it") from error
    return _lines(done.stdout.decode("utf-8", "replace"))


def _picture(page: pdfium.PdfPage) -> bytes:
    """The page in grey as a portable grey map (netpbm's PGM, binary)."""
    width, height = page.get_size()
    scale = min(SCALE, (MAX_PIXELS / max(1.0, width * height)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        rows = bytes(bitmap.buffer)
        if bitmap.stride != bitmap.width:
            starts = range(0, bitmap.stride * bitmap.height, bitmap.stride)
            rows = b"".join(rows[start : start + bitmap.width] for start in starts)
        return b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + rows
    finally:
        bitmap.close()


def _lines(text: str) -> list[Line]:
    """Tesseract parts paragraphs by empty lines; a gap in height says the same to the reader of lines."""
    lines: list[Line] = []
    bottom = 0.0
    for raw in text.replace("\f", "\n").split("\n"):
        bottom -= 10.0
        if raw.strip():
            lines.append(Line(raw.strip(), 0.0, 1.0, bottom))
    return lines
