"""Which blocks stand on most pages of a source, and what is left of a page without them? Pure.

A banner, a sidebar or a feedback form that no selector knows would fill chunks, win searches and lend every page the
same words. It is told from content by one thing: it stands on most pages. What is found depends on the set of the
source's pages alone, not on their order, so it is looked for once, at the end of a crawl. The stored page keeps
everything.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from webdocs.model import Block, Page, PageBlocks

MOST_PAGES = 0.6
"""Share of a source's pages. Our choice: half could be one of two kinds of page (the functions of a reference), which
repeat a note because it holds for each; chrome stands on nearly all."""

MIN_PAGES = 5
"""Our choice: of fewer pages three or four may share a sentence because it is true of them."""

KEPT_KINDS = frozenset(("heading", "code", "table", "definition", "signature", "math"))
"""What defines things stays however often it stands: the same call or table of options belongs to each page. A
heading goes only with what it heads."""

NEVER = 0
"""The hash of a block that is never left out."""


def hashes_of(page: Page) -> tuple[int, ...]:
    """One hash a block, in order, of what it says."""
    return tuple(_hash_of(block) for block in page.blocks)


def find_repeated(pages: Sequence[PageBlocks]) -> frozenset[int]:
    """Hashes that stand on most pages."""
    counts: Counter[int] = Counter()
    for page in pages:
        counts.update(set(page.hashes))
    least = max(MIN_PAGES, MOST_PAGES * len(pages))
    return frozenset(number for number, count in counts.items() if count >= least and number != NEVER)


def find_stale(pages: Sequence[PageBlocks]) -> dict[str, frozenset[int]]:
    """Pages whose chunks leave out other blocks than they should now: page id to what they should leave out."""
    repeated = find_repeated(pages)
    wanted = {page.page_id: repeated.intersection(page.hashes) for page in pages}
    return {page.page_id: wanted[page.page_id] for page in pages if wanted[page.page_id] != page.left_out}


def without(page: Page, left_out: frozenset[int]) -> Page:
    """The page without these blocks; whole where nothing but headings would be left.

    A heading goes where all that it heads does, and only there: "See also" may stand on every page with its own links.
    """
    kept: list[Block] = []
    holding: set[int] = set()  # levels whose section, read from its end, has held something so far
    telling: set[int] = set()  # levels whose section has held something that stays
    for block in reversed(page.blocks):
        if block.kind == "heading":
            is_kept = block.level not in holding or block.level in telling
            holding -= _deeper(block.level)
            telling -= _deeper(block.level)
        else:
            is_kept = _hash_of(block) not in left_out
            holding |= _deeper(1)
            telling |= _deeper(1) if is_kept else set()
        if is_kept:
            kept.append(block)
    if all(block.kind == "heading" for block in kept):
        return page
    return replace(page, blocks=tuple(reversed(kept)))


def _deeper(level: int) -> set[int]:
    return set(range(level, 7))


def _hash_of(block: Block) -> int:
    if block.kind in KEPT_KINDS:
        return NEVER
    said = f"{block.kind}\x1f{block.markdown}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "big")
