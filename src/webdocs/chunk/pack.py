"""Which blocks go together into one chunk?

A chunk stays in one section and is filled in order; what belongs together (a definition and its text, a sentence ending
in a colon and the code it announces) is only torn apart if it does not fit. Headings go with what follows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile

from webdocs.chunk.plain import plain_of
from webdocs.chunk.section import Placed, Section, common_lineage, place_blocks
from webdocs.chunk.split import MIN_CHARS, split_block
from webdocs.model import Block, Chunk, Page
from webdocs.signature import DEFINING_KINDS

TINY_SHARE = 0.25
"""A section up to this share of a chunk may share one with its neighbour. Our choice: about 100 tokens, too little
for a vector of its own."""

SHARED_SHARE = 0.5
"""Shared chunks are filled up to this share only, so that each heading in them still weighs in the ranking."""

TOKEN_MARGIN = 0.9
"""Cut this much shorter than the token count asks for: tokens are not spread evenly over the text."""

MAX_ROUNDS = 8
"""How often text over the token limit is cut again; each round takes a tenth at least."""

HEADING_KINDS = DEFINING_KINDS | {"heading"}
"""What goes with what follows it."""

CountTokens = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """How large a chunk may be.

    Attributes:
        max_chars: Most characters of its text.
        overlap_chars: Most characters of whole sentences repeated where one paragraph had to be cut.
        max_tokens: Most tokens of its text, as the embedder counts.
    """

    max_chars: int = 1600
    overlap_chars: int = 0
    max_tokens: int = 512


Draft = list[Placed]


def pack(page: Page, limits: ChunkLimits, count_tokens: CountTokens) -> tuple[Chunk, ...]:
    """Cut a page into chunks.

    Args:
        page: The page with its blocks.
        limits: Sizes; both characters and tokens hold.
        count_tokens: Length of each text in the embedder's tokens; called once for a page whose chunks all
            fit, and once more for each round of cutting.

    Returns:
        The chunks in page order. Every block is in at least one; none ends on a heading.
    """
    drafts = _Packer(limits.max_chars, limits.overlap_chars).run(place_blocks(page))
    measured = _measure(drafts, limits, count_tokens)
    return tuple(_chunk(index, draft, tokens) for index, (draft, tokens) in enumerate(measured))


def _measure(drafts: list[Draft], limits: ChunkLimits, count_tokens: CountTokens) -> list[tuple[Draft, int]]:
    """Count tokens, and cut drafts that have too many until all fit."""
    counts = count_tokens([_text_of(draft) for draft in drafts]) if drafts else []
    measured = list(zip(drafts, counts, strict=True))
    for _ in range(MAX_ROUNDS):
        if all(count <= limits.max_tokens for _, count in measured):
            break
        cuts = [(count > limits.max_tokens, _cut_to_tokens(draft, count, limits), count) for draft, count in measured]
        fresh = [_text_of(draft) for is_cut, drafts, _ in cuts if is_cut for draft in drafts]
        recounted = iter(count_tokens(fresh))
        measured = [(draft, next(recounted) if is_cut else count) for is_cut, cut, count in cuts for draft in cut]
    return measured


def _cut_to_tokens(draft: Draft, tokens: int, limits: ChunkLimits) -> list[Draft]:
    if tokens <= limits.max_tokens:
        return [draft]
    max_chars = int(len(_text_of(draft)) * limits.max_tokens / tokens * TOKEN_MARGIN)
    return _Packer(max(max_chars, MIN_CHARS), limits.overlap_chars).run(draft)


class _Packer:
    """Fills drafts of at most `max_chars` characters."""

    def __init__(self, max_chars: int, overlap_chars: int) -> None:
        self._max_chars = max(max_chars, MIN_CHARS)
        self._overlap_chars = overlap_chars
        self._drafts: list[Draft] = []
        self._draft: Draft = []

    def run(self, placed: Sequence[Placed]) -> list[Draft]:
        """The drafts, in order."""
        for section, group in groupby(placed, key=lambda item: item.section):
            members = list(group)
            if self._draft and not self._may_share(section, _size(members)):
                self._flush()
            for unit in _units(members):
                self._add_unit(unit)
        self._end()
        return self._drafts

    def _end(self) -> None:
        """End the page; headings that nothing follows go to the chunk before, if they fit."""
        is_bare = all(item.block.kind == "heading" for item in self._draft)
        if self._drafts and is_bare and _size(self._drafts[-1] + self._draft) <= self._max_chars:
            self._drafts[-1].extend(self._draft)
            self._draft = []
        self._flush()

    def _may_share(self, section: Section, chars: int) -> bool:
        first = self._draft[0].section
        if all(item.block.kind == "heading" for item in self._draft):
            return _size(self._draft) <= self._max_chars // 2
        if section.parent not in (first.parent, first.number) or not self._is_whole():
            return False
        last = [item for item in self._draft if item.section is self._draft[-1].section]
        is_tiny = max(_size(last), chars) <= self._max_chars * TINY_SHARE
        return is_tiny and _size(self._draft) + chars <= self._max_chars * SHARED_SHARE

    def _is_whole(self) -> bool:
        """True if the draft starts where its section starts."""
        return not self._drafts or self._drafts[-1][-1].section.number != self._draft[0].section.number

    def _add_unit(self, unit: Draft) -> None:
        if self._fits(unit):
            self._draft.extend(unit)
            return
        self._flush_but_headings()
        if self._fits(unit):
            self._draft.extend(unit)
            return
        for item in unit:
            self._add_item(item)

    def _add_item(self, item: Placed) -> None:
        if not self._fits([item]) and len(item.block.markdown) <= self._max_chars:
            self._flush_but_headings()
        taken = _size(self._draft) + 2 if self._draft else 0
        if taken > self._max_chars // 2:
            self._flush()
            taken = 0
        for block in split_block(item.block, self._max_chars - taken, self._overlap_chars):
            part = replace(item, block=block)
            if not self._fits([part]):
                self._flush()
            self._draft.append(part)

    def _fits(self, items: Draft) -> bool:
        return _size(self._draft) + _size(items) + (2 if self._draft else 0) <= self._max_chars

    def _flush_but_headings(self) -> None:
        """End the draft; the headings and terms it ends with go on to what follows them."""
        kept: Draft = []
        while self._draft and self._draft[-1].block.kind in HEADING_KINDS:
            kept.insert(0, self._draft.pop())
        if not self._draft and _size(kept) > self._max_chars // 2:
            self._draft, kept = kept, []
        self._flush()
        self._draft = kept

    def _flush(self) -> None:
        if self._draft:
            self._drafts.append(self._draft)
        self._draft = []


def _units(members: Draft) -> list[Draft]:
    """What should not be torn apart: a heading and a block, a term and its text, "such as:" and the code after it."""
    units: list[Draft] = []
    is_open = False
    in_definition = False
    for item in members:
        kind = item.block.kind
        defines = kind in DEFINING_KINDS
        starts_definition = defines and not (units and units[-1][-1].block.kind in DEFINING_KINDS)
        in_definition = (in_definition or defines) and kind != "heading"
        joins = is_open or (in_definition and not starts_definition)
        if units and joins:
            units[-1].append(item)
        else:
            units.append([item])
        is_open = kind in ("heading", "tab") or (kind == "paragraph" and _announces(item.block.markdown))
    return units


def _announces(markdown: str) -> bool:
    """True for a paragraph that says what comes next: it ends in a colon, or is a label in bold."""
    return markdown.endswith((":", ":**")) or (
        markdown.startswith("**") and markdown.find("**", 2) == len(markdown) - 2
    )


def _size(items: Draft) -> int:
    return sum([len(item.block.markdown) + 2 for item in items]) - 2 if items else 0


def _chunk(position: int, draft: Draft, tokens: int) -> Chunk:
    text = _text_of(draft)
    start = _start_of(draft)
    return Chunk(
        position=position,
        heading_path=start.section.path,
        anchor=start.anchor,
        text=text,
        plain=plain_of(text),
        tokens=tokens,
        anchors=_anchors_of(draft),
        parents=_parents_of(draft),
    )


def _start_of(draft: Draft) -> Placed:
    """Where the chunk starts: the last of the headings it opens with, else its first block."""
    headings = list(takewhile(lambda item: item.block.kind == "heading", draft))
    return headings[-1] if headings and len(headings) < len(draft) else draft[0]


def _parents_of(draft: Draft) -> tuple[int, ...]:
    """The sections that hold the chunk. Headings that it opens or ends with have their text elsewhere, or none."""
    return common_lineage([item.section for item in draft if item.block.kind != "heading"] or [draft[-1].section])


def _anchors_of(draft: Draft) -> tuple[tuple[str, int], ...]:
    anchors: dict[str, int] = {}
    offset = 0
    for item in draft:
        for name in item.block.anchors:
            anchors.setdefault(name, offset)
        offset += len(item.block.markdown) + 2
    return tuple(anchors.items())


def _text_of(draft: Draft) -> str:
    parts = [item.block.markdown for item in draft]
    parts[-1] = _closing(draft[-1].block)
    return "\n\n".join(parts)


def _closing(block: Block) -> str:
    """A heading with nothing under it is content of its own (rustdoc lists implementations so), set in bold."""
    if block.kind != "heading":
        return block.markdown
    text = block.markdown.lstrip("#").strip()
    # Below level 3 bold marks would be longer than the ones they replace, and the size was counted with those.
    return text if "**" in text or block.level < 3 else f"**{text}**"
