"""Under which headings does each block of a page stand, and which anchor cites it?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webdocs.chunk.plain import plain_line
from webdocs.model import Block, Page
from webdocs.signature import permalink_of

PAGE_ANCHOR = "page="
"""A page of a PDF is cited as `#page=N` (RFC 8118, 3); it names the place better than the heading pages before."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what follows it up to the next one. `parent` is the number of the section around it, or -1."""

    number: int
    parent: int
    level: int
    path: tuple[str, ...]
    anchor: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A block where it stands. `anchor` is the innermost id that cites its place."""

    block: Block
    section: Section
    anchor: str


def place_blocks(page: Page) -> list[Placed]:
    """Every block with its section, in order."""
    top = Section(0, -1, 0, (_root_of(page),), "")
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
        elif block.kind == "signature":
            # A definition whose ids do not spell its name is cited by its section, as the text around it is.
            anchor = permalink_of(block.markdown, block.anchors) or above[-1].anchor
        placed.append(Placed(block, above[-1], anchor))
    return placed


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
    return Section(number, parent.number, heading.level, path, anchor)


def _fold(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()
