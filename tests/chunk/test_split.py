"""Oversize blocks: each part is Markdown of its own."""

from __future__ import annotations

import pytest

from webdocs.chunk.split import split_block
from webdocs.model import Block

SPLITS = {
    "code-at-line-ends-with-its-language": (
        Block("code", "```py\naaaaaaaaaa\nbbbbbbbbbb\ncccccccccc\n```"),
        32,
        ["```py\naaaaaaaaaa\nbbbbbbbbbb\n```", "```py\ncccccccccc\n```"],
    ),
    "table-with-its-header": (
        Block("table", "| h |\n| - |\n| aaaaaaaaaa |\n| bbbbbbbbbb |", header_lines=2),
        30,
        ["| h |\n| - |\n| aaaaaaaaaa |", "| h |\n| - |\n| bbbbbbbbbb |"],
    ),
    "a-row-that-fits-nowhere-is-laid-out-as-text": (
        Block("table", "| h |\n| - |\n| aaaaaaaaaaaaaaa bbbbbbbbbbbbbbb |", header_lines=2),
        30,
        ["**h:** aaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbb"],
    ),
    "list-at-items": (
        Block("list", "- aaaaaaaaaa\n  - aaa\n- bbbbbbbbbb\n- cccccccccc"),
        26,
        ["- aaaaaaaaaa\n  - aaa", "- bbbbbbbbbb\n- cccccccccc"],
    ),
    "code-in-an-item-is-closed-and-opened-again": (
        Block("list", "- a\n\n  ```sh\n  aaaaaaaaaaaa\n  bbbbbbbbbbbb\n  ```"),
        36,
        ["- a\n\n  ```sh\n  aaaaaaaaaaaa\n  ```", "```sh\nbbbbbbbbbbbb\n```"],
    ),
    "quote-at-paragraphs": (
        Block("quote", "> aaaaaaaaaa\n>\n> bbbbbbbbbb\n>\n> cccccccccc"),
        28,
        ["> aaaaaaaaaa\n>\n> bbbbbbbbbb", "> cccccccccc"],
    ),
    "paragraph-at-sentence-ends": (
        Block("paragraph", "One two three. Four five six. Seven eight."),
        30,
        ["One two three. Four five six.", "Seven eight."],
    ),
    "sentence-at-spaces": (
        Block("paragraph", "aaaa bbbb cccc dddd eeee ffff"),
        24,
        ["aaaa bbbb cccc dddd eeee", "ffff"],
    ),
    "never-in-a-link": (
        Block("paragraph", "Aaaaaa bbbb [cc dd. Ee](https://t.test/) f."),
        30,
        ["Aaaaaa bbbb", "[cc dd. Ee](https://t.test/)", "f."],
    ),
    "japanese-at-its-full-stop": (
        Block("paragraph", "あ" * 20 + "。" + "い" * 20 + "。"),
        30,
        ["あ" * 20 + "。", "い" * 20 + "。"],
    ),
    "a-word-without-end": (Block("paragraph", "x" * 60), 24, ["x" * 24, "x" * 24, "x" * 12]),
    "a-signature-stays-code": (
        Block("signature", "`function(aaaaaa, bbbbbb, cccccc)`"),
        24,
        ["`function(aaaaaa,`", "`bbbbbb, cccccc)`"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("block", "max_chars", "parts"), SPLITS.values(), ids=SPLITS.keys())
def test_splits(block: Block, max_chars: int, parts: list[str]) -> None:
    assert [part.markdown for part in split_block(block, max_chars)] == parts


def test_overlap_repeats_whole_sentences_of_prose_only() -> None:
    prose = Block("paragraph", "One two. Three four. Five six seven. Eight.", anchors=("p",))
    parts = split_block(prose, 26, overlap_chars=12)
    assert [part.markdown for part in parts] == ["One two. Three four.", "Five six seven. Eight."]
    parts = split_block(prose, 30, overlap_chars=13)
    assert [part.markdown for part in parts] == ["One two. Three four.", "Three four. Five six seven.", "Eight."]
    assert [part.anchors for part in parts] == [("p",), (), ()]


def test_a_block_that_fits_is_itself() -> None:
    block = Block("paragraph", "x" * 24)
    assert split_block(block, 24) == [block]
