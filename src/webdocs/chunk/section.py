"""Under which headings does each block of a page stand, and which anchor cites it?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from webdocs.chunk.plain import plain_line
from webdocs.model import Block, Page
from webdocs.signature import DEFINING_KINDS, permalink_of

PAGE_ANCHOR = "page="
"""A page of a PDF is cited as `#page=N` (RFC 8118, 3); it names the place better than the heading pages before."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what follows it up to the next one.

    `lineage` is its number on the page, then those of the sections around it, up to 0, the page as a whole.
    """

    lineage: tuple[int, ...]
    level: int
    path: tuple[str, ...]
    anchor: str

    @property
    def number(self) -> int:
        """Its place among the page's sections."""
        return self.lineage[0]

    @property
    def parent(self) -> int:
        """Number of the section around it; -1 for the page."""
        return self.lineage[1] if len(self.lineage) > 1 else -1


@dataclass(frozen=True, slots=True)
class Placed:
    """A block where it stands. `anchor` is the innermost id that cites its place."""

    block: Block
    section: Section
    anchor: str


def place_blocks(page: Page) -> list[Placed]:
    """Every block with its section, in order."""
    top = Section((0,), 0, (_root_of(page),), "")
    above = [top]
    placed: list[Placed] = []
    anchor = ""
    count = 1
    for block in page.blocks:
        if block.kind == "heading":
            while len(above) > 1 and above[-1].level >= block.level:
                above.pop()
            above.append(_open_section(block, above[-1], count, top.path[0]))
            anchor = above[-1].anchor
            count += 1
        elif block.anchors and block.anchors[0].startswith(PAGE_ANCHOR):
            anchor = block.anchors[0]
        elif block.kind in DEFINING_KINDS:
            # A definition whose ids do not spell its name is cited by its section, as the text around it is.
            anchor = permalink_of(block.markdown, block.anchors) or above[-1].anchor
        placed.append(Placed(block, above[-1], anchor))
    return placed


def common_lineage(sections: Sequence[Section]) -> tuple[int, ...]:
    """Numbers of the sections that hold all of these, innermost first; sections hold themselves."""
    shared = set(sections[0].lineage).intersection(*(section.lineage for section in sections[1:]))
    return tuple(number for number in sections[0].lineage if number in shared)


def _root_of(page: Page) -> str:
    """The page's first heading if it is of the first level, else its title."""
    first = next((block for block in page.blocks if block.kind == "heading"), None)
    return plain_line(first.markdown) if first is not None and first.level == 1 else page.title or page.url


def _open_section(heading: Block, parent: Section, number: int, title: str) -> Section:
    text = plain_line(heading.markdown)
    is_title = parent.level == 0 and _fold(text) == _fold(title)
    path = parent.path if is_title else (*parent.path, text)
    # A heading without an id is cited by the section around it, which at least is near.
    anchor = heading.anchors[0] if heading.anchors else parent.anchor
    return Section((number, *parent.lineage), heading.level, path, anchor)


def _fold(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()
