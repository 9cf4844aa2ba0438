"""How is a block that is larger than a chunk cut, so that each part still is Markdown?"""

from __future__ import annotations

import re
from dataclasses import replace

from webdocs.chunk.plain import plain_line
from webdocs.fence import FenceReader
from webdocs.model import Block
from webdocs.signature import DEFINING_KINDS

MIN_CHARS = 24
"""Smallest size that is cut to. Our choice: below it fence marks and table headers would be all there is."""

_PROTECTED = re.compile(
    r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|!?\[(?:[^\[\]]|\[[^\]]*\])*\]\((?:<[^<>]*>|(?:[^()\s]|\([^()\s]*\))*)\)|\*\*[^*]+\*\*|\*[^*\s][^*]*\*",
    re.DOTALL,
)
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？]")
_SPACE = re.compile(r"\s+")
_ITEM = re.compile(r"^(?:[-*+]|\d{1,9}[.)]) ")
_PIPE = re.compile(r"(?<!\\)\|")


def split_block(block: Block, max_chars: int, overlap_chars: int = 0) -> list[Block]:
    """Parts of a block of at most `max_chars` each, in order; the block itself if it fits.

    Args:
        block: Any block.
        max_chars: Most characters of a part; sizes under `MIN_CHARS` count as `MIN_CHARS`.
        overlap_chars: Most characters of whole sentences that a part of a paragraph repeats of the one before.

    Returns:
        The parts. The first carries the anchors.
    """
    max_chars = max(max_chars, MIN_CHARS)
    if len(block.markdown) <= max_chars:
        return [block]
    parts = _split(block, max_chars, overlap_chars)
    parts = [part for part in parts if part.markdown.strip()]
    return [replace(part, anchors=block.anchors if index == 0 else ()) for index, part in enumerate(parts)]


def _split(block: Block, max_chars: int, overlap_chars: int) -> list[Block]:
    if block.kind == "code":
        return [replace(block, markdown=part) for part in _split_fence(block.markdown, max_chars)]
    if block.kind == "table":
        return _split_table(block, max_chars)
    if block.kind == "list":
        return [replace(block, markdown=part) for part in _split_list(block.markdown, max_chars)]
    if block.kind in ("quote", "admonition"):
        return [replace(block, markdown=part) for part in _split_quote(block.markdown, max_chars)]
    if block.kind == "heading":
        text = block.markdown.lstrip("#").lstrip()
        return [Block("paragraph", part) for part in split_text(text, max_chars)]
    if block.kind in DEFINING_KINDS and block.markdown.startswith("`"):
        return [replace(block, markdown=part) for part in _split_code_span(block.markdown, max_chars)]
    return [replace(block, markdown=part) for part in split_text(block.markdown, max_chars, overlap_chars)]


# ---------------------------------------------------------------- text


def split_text(text: str, max_chars: int, overlap_chars: int = 0) -> list[str]:
    """Cut prose at sentence ends, else at spaces, at last anywhere; never inside code or a link that fits."""
    sentences = _cut_at(text, _SENTENCE_END)
    pieces: list[str] = []
    for sentence in sentences:
        pieces.extend([sentence] if len(sentence.rstrip()) <= max_chars else _words_of(sentence, max_chars))
    return _join_sentences(pieces, max_chars, overlap_chars)


def _words_of(sentence: str, max_chars: int) -> list[str]:
    pieces: list[str] = []
    for word in _cut_at(sentence, _SPACE):
        pieces.extend([word] if len(word.rstrip()) <= max_chars else _hard_cut(word, max_chars))
    return pieces


def _hard_cut(word: str, max_chars: int) -> list[str]:
    """A word, link or code span that is too long for any part: at its spaces, else anywhere."""
    pieces: list[str] = []
    while len(word) > max_chars:
        at = word.rfind(" ", 1, max_chars) + 1 or max_chars
        pieces.append(word[:at])
        word = word[at:]
    return [*pieces, word]


def _cut_at(text: str, boundary: re.Pattern[str]) -> list[str]:
    protected = [match.span() for match in _PROTECTED.finditer(text)]
    pieces: list[str] = []
    start = 0
    index = 0
    for match in boundary.finditer(text):
        while index < len(protected) and protected[index][1] <= match.start():
            index += 1
        if index < len(protected) and protected[index][0] < match.end() and match.start() < protected[index][1]:
            continue
        pieces.append(text[start : match.end()])
        start = match.end()
    return [*pieces, text[start:]] if start < len(text) else pieces


def _join_sentences(pieces: list[str], max_chars: int, overlap_chars: int) -> list[str]:
    """Fill parts with pieces that carry their own white space; a part starts with the end of the one before."""
    parts: list[str] = []
    current: list[str] = []
    for piece in pieces:
        if current and len("".join(current).rstrip()) + _gap(current) + len(piece.rstrip()) > max_chars:
            parts.append("".join(current))
            current = _tail(current, min(overlap_chars, max_chars - len(piece.rstrip()) - 1))
        current.append(piece)
    parts.append("".join(current))
    return [part.strip() for part in parts if part.strip()]


def _gap(current: list[str]) -> int:
    return len(current[-1]) - len(current[-1].rstrip())


def _tail(pieces: list[str], max_chars: int) -> list[str]:
    taken: list[str] = []
    for piece in reversed(pieces[1:]):
        if sum(map(len, taken)) + len(piece) > max_chars:
            break
        taken.insert(0, piece)
    return taken


# ---------------------------------------------------------------- code


def _split_fence(markdown: str, max_chars: int) -> list[str]:
    """Cut code at line ends; each part is a fence of its own."""
    opening, *lines, closing = markdown.split("\n")
    budget = max(1, max_chars - len(opening) - len(closing) - 2)
    parts: list[list[str]] = [[]]
    size = 0
    for line in lines:
        for piece in _hard_cut(line, budget) if len(line) > budget else [line]:
            if parts[-1] and size + len(piece) + 1 > budget:
                parts.append([])
                size = 0
            parts[-1].append(piece)
            size += len(piece) + (len(parts[-1]) > 1)
    return ["\n".join([opening, *part, closing]) for part in parts if any(line.strip() for line in part)]


def _split_code_span(markdown: str, max_chars: int) -> list[str]:
    mark = markdown[: len(markdown) - len(markdown.lstrip("`"))]
    inner = markdown[len(mark) : len(markdown) - len(mark)].strip()
    pieces = _split_plain(inner, max_chars - 2 * len(mark) - 2)
    return [f"{mark} {piece} {mark}" if "`" in piece else f"{mark}{piece}{mark}" for piece in pieces]


def _split_plain(text: str, max_chars: int) -> list[str]:
    return [piece.strip() for piece in _hard_cut(text, max(1, max_chars)) if piece.strip()]


# ---------------------------------------------------------------- tables


def _split_table(block: Block, max_chars: int) -> list[Block]:
    """Cut between rows and repeat the header; a row that fits no part is set as one line a cell."""
    lines = block.markdown.split("\n")
    header, rows = lines[: block.header_lines], lines[block.header_lines :]
    head_chars = sum(len(line) + 1 for line in header)
    parts: list[Block] = []
    current: list[str] = []
    for row in rows:
        if head_chars + len(row) > max_chars:
            parts.extend(_flush_table(block, header, current))
            parts.extend(_row_as_text(header[0] if header else "", row, max_chars))
            current = []
            continue
        if head_chars + sum(len(line) + 1 for line in current) + len(row) > max_chars:
            parts.extend(_flush_table(block, header, current))
            current = []
        current.append(row)
    return parts + _flush_table(block, header, current)


def _flush_table(block: Block, header: list[str], rows: list[str]) -> list[Block]:
    return [replace(block, markdown="\n".join([*header, *rows]))] if rows else []


def _row_as_text(header: str, row: str, max_chars: int) -> list[Block]:
    names = _cells_of(header)
    blocks: list[Block] = []
    for index, cell in enumerate(_cells_of(row)):
        if not cell:
            continue
        name = names[index] if index < len(names) else ""
        is_short = name and len(name) < max_chars // 4
        text = f"**{plain_line(name)}:** {cell}" if is_short else cell
        text = text.replace("<br>", "  \n").replace("\\|", "|")
        blocks.extend(Block("paragraph", part) for part in split_text(text, max_chars))
    return blocks


def _cells_of(row: str) -> list[str]:
    return [cell.strip() for cell in _PIPE.split(row.strip())[1:-1]]


# ---------------------------------------------------------------- lists and quotes


def _split_list(markdown: str, max_chars: int) -> list[str]:
    """Cut between the outermost items."""
    items: list[list[str]] = []
    reader = FenceReader()
    for line in markdown.split("\n"):
        kind = reader.read(line)
        if not items or (kind in ("text", "open") and _ITEM.match(line)):
            items.append([])
        items[-1].append(line)
    return _pack_lines(items, max_chars, separator="\n")


def _split_quote(markdown: str, max_chars: int) -> list[str]:
    """Cut between the outermost paragraphs of a quote."""
    paragraphs: list[list[str]] = [[]]
    reader = FenceReader()
    for line in markdown.split("\n"):
        kind = reader.read(line)
        if kind == "text" and line == ">":
            paragraphs.append([])
        else:
            paragraphs[-1].append(line)
    return _pack_lines([lines for lines in paragraphs if lines], max_chars, separator="\n>\n")


def _pack_lines(groups: list[list[str]], max_chars: int, separator: str) -> list[str]:
    parts: list[str] = []
    current = ""
    for group in groups:
        text = "\n".join(group)
        if current and len(current) + len(separator) + len(text) <= max_chars:
            current += separator + text
            continue
        if current:
            parts.append(current)
        *whole, current = [text] if len(text) <= max_chars else _split_group(group, max_chars)
        parts.extend(whole)
    return [part.strip("\n") for part in [*parts, current] if part.strip()]


def _split_group(lines: list[str], max_chars: int) -> list[str]:
    """One item or paragraph, at line ends; an open fence is closed and opened again."""
    parts: list[list[str]] = [[]]
    reader = FenceReader()
    for line in lines:
        kind = reader.read(line)
        end = len(reader.closing) + 1 if reader.opening else 0
        budget = max(1, max_chars - end - (len(reader.reopening) + 1 if kind == "code" else 0))
        for piece in _pieces_of(line, kind, budget):
            size = sum(len(part) + 1 for part in parts[-1])
            if parts[-1] and kind != "close" and size + len(piece) + end > max_chars:
                if kind == "code":
                    parts[-1].append(reader.closing)
                parts.append([reader.reopening] if kind == "code" else [])
            parts[-1].append(piece)
    return ["\n".join(_dedented(part)) for part in parts if part]


def _pieces_of(line: str, kind: str, budget: int) -> list[str]:
    if len(line) <= budget:
        return [line]
    prefix = re.match(r"[ >]*", line)
    lead = prefix[0] if prefix and len(prefix[0]) < budget // 2 else ""
    room = budget - len(lead)
    rest = line[len(lead) :]
    pieces = _hard_cut(rest, room) if kind == "code" else split_text(rest, room)
    return [lead + piece for piece in pieces]


def _dedented(lines: list[str]) -> list[str]:
    """A part that starts in mid-item must not look like indented code."""
    indents = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    cut = min(indents, default=0)
    return [line[cut:] if line.strip() else line for line in lines]
