"""Markdown to what is indexed: identifiers survive, marks and targets go."""

# ruff: noqa: E501  (one row of a table stays on one line)

from __future__ import annotations

import pytest

from webdocs.chunk.plain import plain_of

PLAIN = {
    "identifiers-in-code": ("call `__init__` or `a.b.c(*args)`", "call __init__ or a.b.c(*args)"),
    "identifiers-in-escaped-text": (r"call \_\_init\_\_ with \*args and snake_case", "call __init__ with *args and snake_case"),
    "identifiers-in-bare-text": ("call __init__ of snake_case", "call __init__ of snake_case"),
    "emphasis": ("a **bold** and *slanted* ***both*** word", "a bold and slanted both word"),
    "code-in-bold": ("**`x*y*z`**", "x*y*z"),
    "links": ("see [the *guide*](https://t.test/a_(b)) now", "see the guide now"),
    "links-in-angle-brackets": ("see [it](<https://t.test/a_(b)>) now", "see it now"),
    "code-in-links": ("[`f(x)[0]`](https://t.test/)", "f(x)[0]"),
    "images": ("![Alt text](https://t.test/i.png)", "Alt text"),
    "images-in-links": ("[![Alt](https://t.test/i.png)](https://t.test/)", "Alt"),
    "brackets-that-are-no-link": ("a[0] and [x] (y)", "a[0] and [x] (y)"),
    "headings": ("## The `x` title\n\ntext", "The x title\n\ntext"),
    "fences": ("```python\nx = `a` * **b**\n# no heading\n```", "x = `a` * **b**\n# no heading"),
    "a-fence-in-a-fence": ("````\n```\nx\n```\n````", "```\nx\n```"),
    "fences-in-lists": ("- a\n\n  ```sh\n  *x*\n  ```", "- a\n\n  *x*"),
    "quotes": ("> **Note**\n>\n> Use `x`.", "Note\n\nUse x."),
    "tables": ("| a | b |\n| --- | --- |\n| `x\\|y` | [t](https://t.test/) |", "a b\nx|y t"),
    "breaks-in-cells": ("| a<br>b |\n| --- |", "a b"),
    "double-backticks": ("`` a`b ``", "a`b"),
    "stars-that-are-no-pair": ("2 * 3 * 4", "2 * 3 * 4"),
}  # fmt: skip


@pytest.mark.parametrize(("markdown", "plain"), PLAIN.values(), ids=PLAIN.keys())
def test_plain(markdown: str, plain: str) -> None:
    assert plain_of(markdown) == plain
