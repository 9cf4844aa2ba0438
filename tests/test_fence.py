"""Fences in Markdown, as chunks, answers and pages see them."""

from __future__ import annotations

import pytest

from webdocs.fence import FenceReader

READ = [
    ("plain", "a\n```py\nb\n```\nc", ["text", "open", "code", "close", "text"]),
    ("tildes", "~~~ py `x`\n```\n~~~", ["open", "code", "close"]),
    ("longer-outside", "````\n```\n````", ["open", "code", "close"]),
    ("longer-close", "```\nx\n`````", ["open", "code", "close"]),
    ("other-mark-does-not-close", "```\n~~~\n```", ["open", "code", "close"]),
    ("text-after-the-mark-does-not-close", "```\n```py\n```", ["open", "code", "close"]),
    ("in-a-quote", "> ```\n> x\n> ```\ny", ["open", "code", "close", "text"]),
    ("in-a-list", "- ```\n  x\n  ```\n1. ```", ["open", "code", "close", "open"]),
    ("code-span-is-no-fence", "```x``` y", ["text"]),
    ("two-backticks", "``\nx", ["text", "text"]),
]


@pytest.mark.parametrize(("markdown", "kinds"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_each_line_is_text_code_or_a_mark(markdown: str, kinds: list[str]) -> None:
    reader = FenceReader()
    assert [reader.read(line) for line in markdown.split("\n")] == kinds


def test_an_open_fence_knows_its_end_and_its_beginning() -> None:
    reader = FenceReader()
    reader.read("- > ~~~~py")
    assert (reader.closing, reader.reopening) == ("  > ~~~~", "  > ~~~~py")
