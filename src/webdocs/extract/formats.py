"""Which formats are there beside HTML and Markdown, and which of them can be read here?

One row a format. A row whose library is missing names the extra that brings it; installing the extra is all it takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from webdocs.model import Formats, Page

Reader = Callable[[bytes, str, str], Page]
"""Body, `Content-Type` and final URL to page; raises ExtractError."""

Finder = Callable[[str], bool]
"""True if the module of this name can be imported."""


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file.

    Attributes:
        name: As a message calls it, with its article.
        reader: `module:function`, imported at the first use.
        media_types: Labels under which it is served.
        suffixes: Endings of its files, lower case, without the dot.
        needs: Module without which it cannot be read; empty where webdocs suffices.
        extra: Extra of this project that installs the module.
        magic: First bytes of every such file; empty where there are none.
    """

    name: str
    reader: str
    media_types: frozenset[str]
    suffixes: frozenset[str]
    needs: str = ""
    extra: str = ""
    magic: bytes = b""

    @property
    def remedy(self) -> str:
        """What to do where the library is missing; empty where there is nothing to install."""
        return f"{self.name} is read by an extra: pip install 'webdocs-mcp[{self.extra}]'" if self.extra else ""


def _row(
    name: str, reader: str, types: str, suffixes: str, needs: str = "", extra: str = "", magic: bytes = b""
) -> Format:
    names = frozenset(types.split()), frozenset(suffixes.split())
    return Format(name, f"webdocs.extract.{reader}", *names, needs, extra, magic)


FORMATS: tuple[Format, ...] = (
    _row("a PDF file", "pdf:extract_pdf", "application/pdf application/x-pdf", "pdf", "pypdfium2", "pdf", b"%PDF-"),
    _row(
        "a Word document",
        "word:extract_word",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "docx",
        "mammoth",
        "office",
    ),
    _row("a notebook", "notebook:extract_notebook", "application/x-ipynb+json application/x-jupyter", "ipynb"),
    _row(
        "a reStructuredText file",
        "rst:extract_rst",
        "text/x-rst text/prs.fallenstein.rst",
        "rst rest",
        "docutils",
        "rst",
    ),
    _row("an AsciiDoc file", "asciidoc:extract_asciidoc", "text/asciidoc text/x-asciidoc", "adoc asciidoc"),
)

SAYS_NOTHING = frozenset(
    ("", "application/octet-stream", "binary/octet-stream", "unknown/unknown", "text/plain", "application/json")
)
"""Labels that servers put on files which they do not know (nginx, Apache, object stores): the ending decides."""

_SUFFIX = re.compile(r"\.(\w+)(?:\.txt)?$")
"""Sphinx serves the source of `a.rst` as `a.rst.txt`."""


def is_importable(module: str) -> bool:
    """True if the module is installed; it is not imported."""
    return find_spec(module) is not None


def find_format(media_type: str, path: str, body: bytes) -> Format | None:
    """The format of a file, by its label, else by its ending, else by its first bytes.

    Args:
        media_type: Without parameters, lower case; may be empty.
        path: Of the URL.
        body: Of which only the start is read.
    """
    labelled = next((row for row in FORMATS if media_type in row.media_types), None)
    if labelled is not None or media_type not in SAYS_NOTHING:
        return labelled
    suffix = suffix_of(path)
    by_suffix = next((row for row in FORMATS if suffix in row.suffixes), None)
    return by_suffix or next((row for row in FORMATS if row.magic and body.startswith(row.magic)), None)


def suffix_of(path: str) -> str:
    """The ending of a file's name, lower case, without the dot; empty if it has none."""
    match = _SUFFIX.search(path.rpartition("/")[2].lower())
    return match[1] if match else ""


def is_readable(row: Format, finder: Finder = is_importable) -> bool:
    """True if nothing needs to be installed to read such a file."""
    return not row.needs or finder(row.needs)


def formats_here(finder: Finder = is_importable) -> Formats:
    """What of the table can be read here, as the crawl needs to know it."""
    here = [row for row in FORMATS if is_readable(row, finder)]
    missing = [row for row in FORMATS if not is_readable(row, finder)]
    return Formats(
        suffixes=_union(row.suffixes for row in here),
        media_types=_union(row.media_types for row in here),
        missing={name: row.remedy for row in missing for name in (*row.suffixes, *row.media_types)},
    )


@cache
def reader_of(row: Format) -> Reader:
    """The function that reads such files; imports its module."""
    module, _, name = row.reader.partition(":")
    return getattr(import_module(module), name)


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)
