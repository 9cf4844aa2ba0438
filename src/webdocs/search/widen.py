"""How much of its section does the best hit show? Pure.

A long section is stored as several passages. Where the whole of it is small, all of it is shown; where it is not, at
least what stands between the cited place and the passage, so that a hit does not begin in mid-definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from webdocs.model import StoredChunk

SECTION_TOKENS = 800
"""Our choice: two passages of the usual size; with it the mean answer stays below 2,500 tokens."""


REACH = 4
"""Passages looked at on either side. They are read by id, which an index serves; a whole section by its page would scan
the table (9 ms at 30,000 passages)."""


def widen(chunk: StoredChunk, near: Sequence[StoredChunk], anchor: str, max_tokens: int) -> StoredChunk:
    """The passage with what belongs to it, as one passage.

    Args:
        chunk: The passage that was found.
        near: Passages with ids near its own, itself among them, by id.
        anchor: The place on the page that is cited.
        max_tokens: Most tokens of the text.
    """
    section = _section(chunk, near)
    is_whole = all(abs(part.position - chunk.position) < REACH for part in section)
    for run in (section if is_whole else (), _since(chunk, section, anchor)):
        if len(run) > 1 and sum(part.tokens + 1 for part in run) <= max_tokens:
            return _joined(chunk, run)
    return chunk


def _section(chunk: StoredChunk, near: Sequence[StoredChunk]) -> Sequence[StoredChunk]:
    """What of the innermost section around the passage is near it."""
    number = chunk.parents[0]
    return [part for part in near if part.page_id == chunk.page_id and number in part.parents]


def _since(chunk: StoredChunk, section: Sequence[StoredChunk], anchor: str) -> Sequence[StoredChunk]:
    """The passages from the one in which the cited place begins to the one that was found."""
    begins = [part.position for part in section if any(name == anchor for name, _ in part.anchors)]
    first = min(begins, default=chunk.position)
    return [part for part in section if first <= part.position <= chunk.position]


def _joined(chunk: StoredChunk, run: Sequence[StoredChunk]) -> StoredChunk:
    text = run[0].text
    for part in run[1:]:
        text = _append(text, part.text)
    return replace(chunk, text=text, tokens=sum(part.tokens + 1 for part in run), position=run[0].position)


def _append(text: str, more: str) -> str:
    """Two passages as one text; a table that was split between them says its header once."""
    header = more.split("\n", 2)
    table = text.rpartition("\n\n")[2].split("\n")
    if len(header) == 3 and header[1].startswith("|") and header[:2] == table[:2]:
        return f"{text}\n{header[2]}"
    return f"{text}\n\n{more}"
