"""Which piece of a page is answered: cuts at block borders, sections by heading or anchor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.serve.paging import cut_page, find_section, headings_of

FENCED = "One.\n\n```python\na = 1\n\nb = 2\n```\n\nTwo.\n"

CUTS = [
    ("fits-whole", "One.\n\nTwo.", 0, 100, "One.\n\nTwo.", None),
    ("between-blocks", "One.\n\nTwo.\n\nThree.", 0, 12, "One.\n\nTwo.\n\n", 12),
    ("block-border-before-the-limit", "One.\n\nTwo.\n\nThree.", 0, 15, "One.\n\nTwo.\n\n", 12),
    ("from-an-offset", "One.\n\nTwo.\n\nThree.", 12, 100, "Three.", None),
    ("never-at-a-blank-line-in-a-fence", FENCED, 0, 28, "One.\n\n", 6),
    ("never-in-a-quoted-fence", "One.\n\n> ```\n> a\n>\n> b\n> ```\n", 0, 20, "One.\n\n", 6),
    ("fence-that-does-not-fit-is-cut-at-a-line", FENCED, 6, 18, "```python\na = 1\n\n", 23),
    ("long-line-is-cut-in-its-middle", "x" * 50, 0, 20, "x" * 20, 20),
    ("offset-past-the-end", "One.", 99, 10, "", None),
    ("negative-offset-is-the-start", "One.", -5, 10, "One.", None),
]


@pytest.mark.parametrize(
    ("markdown", "offset", "max_chars", "text", "next_offset"), [row[1:] for row in CUTS], ids=[row[0] for row in CUTS]
)
def test_b3_a_piece_ends_at_a_border(
    markdown: str, offset: int, max_chars: int, text: str, next_offset: int | None
) -> None:
    piece = cut_page(markdown, offset, max_chars)
    assert (piece.text, piece.next_offset) == (text, next_offset)
    assert piece.total_chars == len(markdown)


@given(st.text(alphabet="ab \n`~#", max_size=300), st.integers(1, 50))
def test_the_pieces_make_the_page(markdown: str, max_chars: int) -> None:
    text, offset = "", 0
    while True:
        piece = cut_page(markdown, offset, max_chars)
        assert len(piece.text) <= max_chars
        text += piece.text
        if piece.next_offset is None:
            break
        assert piece.next_offset > offset
        offset = piece.next_offset
    assert text == markdown


PAGE = """# Guide

Intro.

## Getting `started` here

Start.

### Sub-part

Sub.

## [Linked](https://x.test/) heading ##

Linked.

```python
# not a heading
```

## API

```
asyncio.TaskGroup(name)
```

A group.

```
create_task(coro)
```

Creates.
"""

SECTIONS = [
    ("heading-text", "Getting started here", "## Getting `started` here", "Sub."),
    ("heading-text-in-other-case", "getting STARTED here", "## Getting `started` here", "Sub."),
    ("anchor-with-dashes", "getting-started-here", "## Getting `started` here", "Sub."),
    ("anchor-with-underscores", "getting_started_here", "## Getting `started` here", "Sub."),
    ("repeated-anchor", "sub-part-1", "### Sub-part", "Sub."),
    ("section-ends-at-its-level", "sub-part", "### Sub-part", "Sub."),
    ("linked-heading", "linked-heading", "## [Linked](https://x.test/) heading ##", "```"),
    ("last-section", "api", "## API", "Creates."),
    ("signature-by-its-whole-name", "asyncio.TaskGroup", "```\nasyncio.TaskGroup(name)", "Creates."),
    ("signature-by-the-end-of-its-name", "asyncio.TaskGroup.create_task", "```\ncreate_task(coro)", "Creates."),
]


@pytest.mark.parametrize(("name", "begins", "ends"), [row[1:] for row in SECTIONS], ids=[row[0] for row in SECTIONS])
def test_b3_a_section_is_found(name: str, begins: str, ends: str) -> None:
    place = find_section(PAGE, name)
    assert place is not None
    text = PAGE[place[0] : place[1]].strip()
    assert (text.startswith(begins), text.endswith(ends)) == (True, True), text


@pytest.mark.parametrize("name", ["nope", "", "not a heading", "-", "(", "..."])
def test_b3_no_section_of_that_name(name: str) -> None:
    assert find_section(PAGE, name) is None


def test_headings_are_plain_text() -> None:
    assert [(heading.level, heading.text) for heading in headings_of(PAGE)] == [
        (1, "Guide"),
        (2, "Getting started here"),
        (3, "Sub-part"),
        (2, "Linked heading"),
        (2, "API"),
    ]
