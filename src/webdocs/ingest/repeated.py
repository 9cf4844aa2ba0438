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

UNTOLD_KINDS = frozenset(("code", "table", "signature", "math"))
"""Blocks that define things stay however often they stand: the same call or table of options belongs to each page."""

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

    A heading that stands on most pages ("See also") is content unless all that it heads is left out with it.
    """
    kept: list[Block] = []
    for block in reversed(page.blocks):
        is_repeated = _hash_of(block) in left_out
        if block.kind == "heading":
            heads_nothing = not kept or (kept[-1].kind == "heading" and kept[-1].level <= block.level)
            if is_repeated and heads_nothing:
                continue
        elif is_repeated:
            continue
        kept.append(block)
    if all(block.kind == "heading" for block in kept):
        return page
    return replace(page, blocks=tuple(reversed(kept)))


def _hash_of(block: Block) -> int:
    if block.kind in UNTOLD_KINDS:
        return NEVER
    said = f"{block.kind}\x1f{block.level}\x1f{block.markdown}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "big")
