"""How much of its section the best hit shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from webdocs.model import StoredChunk
from webdocs.search.widen import REACH, widen

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def chunk(position: int, text: str, tokens: int = 100, *anchors: str) -> StoredChunk:
    places = tuple((anchor, 0) for anchor in anchors)
    return StoredChunk(
        position, "p", "s", "1", "https://s.test/p", "T", ("T",), "a", places, position, text, tokens, NOW
    )


SECTION = [chunk(0, "# One", 100, "one"), chunk(1, "two", 100, "two"), chunk(2, "three"), chunk(3, "four")]


@pytest.mark.parametrize(
    ("anchor", "max_tokens", "text"),
    [
        pytest.param("two", 404, "# One\n\ntwo\n\nthree\n\nfour", id="the-whole-section-fits-to-the-token"),
        pytest.param("two", 403, "two\n\nthree", id="from-the-cited-place-on"),
        pytest.param("one", 303, "# One\n\ntwo\n\nthree", id="from-a-place-two-passages-before"),
        pytest.param("one", 302, "three", id="too-far-before"),
        pytest.param("elsewhere", 303, "three", id="a-place-that-is-not-in-the-section"),
    ],
)
def test_the_passage_is_widened_as_far_as_the_budget_goes(anchor: str, max_tokens: int, text: str) -> None:
    wide = widen(SECTION[2], SECTION, anchor, max_tokens)
    assert wide.text == text
    assert wide.tokens <= max_tokens


def test_a_table_that_was_split_says_its_header_once() -> None:
    head = "| a | b |\n| --- | --- |\n"
    parts = [chunk(0, f"Intro\n\n{head}| 1 | 2 |"), chunk(1, f"{head}| 3 | 4 |")]
    assert widen(parts[0], parts, "", 500).text == f"Intro\n\n{head}| 1 | 2 |\n| 3 | 4 |"


def test_another_page_and_another_section_are_left_out() -> None:
    parts = [replace(SECTION[0], page_id="o"), replace(SECTION[1], parents=(3, 0)), replace(SECTION[2], parents=(2, 0))]
    assert widen(parts[2], parts, "", 500).text == "three"


def test_a_section_that_goes_on_out_of_reach_is_not_taken_for_whole() -> None:
    long = [chunk(number, str(number), 10) for number in range(REACH + 1)]
    assert widen(long[0], long, "", 500).text == "0"


def test_a_section_of_one_passage_is_that_passage() -> None:
    assert widen(SECTION[0], SECTION[:1], "one", 500) is SECTION[0]
