"""How is an llms.txt written, so that `parse` gives the same back?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from webdocs.llmstxt.links import write_target
from webdocs.llmstxt.parse import OPTIONAL
from webdocs.llmstxt.records import FileEntry, LlmsTxt

_CLOSING = re.compile(r"(?:^|[ \t])#+$")


def render(doc: LlmsTxt) -> str:
    """The file's text. For every text that parses, `parse(render(parse(text))) == parse(text)`.

    Args:
        doc: What it holds; names, titles and notes are one line each, as `parse` gives them.
    """
    parts = [write_heading(1, doc.title)]
    if doc.description:
        parts.append("\n".join(f"> {line}".rstrip() for line in doc.description.split("\n")))
    if doc.details:
        parts.append(doc.details)
    sections = [*doc.sections.items(), *([(OPTIONAL, doc.optional)] if doc.optional else [])]
    for name, entries in sections:
        parts.append(write_heading(2, name))
        if entries:
            parts.append("\n".join(write_entries(entries)))
    return "\n\n".join(parts) + "\n"


def write_heading(level: int, name: str) -> str:
    """A heading; one that ends in marks gets a closing mark, so that they stay."""
    return f"{'#' * level} {name}{' #' if _CLOSING.search(name) else ''}".rstrip()


def write_entries(entries: Iterable[FileEntry]) -> Iterator[str]:
    """A line for each entry."""
    for entry in entries:
        notes = f": {entry.notes}" if entry.notes else ""
        yield f"- [{entry.name}]({write_target(entry.url)}){notes}"
