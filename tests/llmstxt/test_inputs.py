"""The 78 inputs: what the page says is what the readers give (contract F1, F3; fault G1, G3)."""

from __future__ import annotations

import re

import pytest
from table import INPUTS, PAGE, row_of

from webdocs.llmstxt import LlmsTxtError, parse, render

ROWS = {row.split("|")[1].strip(): row for row in re.findall(r"^\| [a-z0-9-]+ \|.*\|$", PAGE.read_text("utf-8"), re.M)}
ROWS = {name: row for name, row in ROWS.items() if name not in ("input", "---")}


def test_the_page_has_a_row_for_each_input() -> None:
    assert list(ROWS) == list(INPUTS)


@pytest.mark.parametrize("name", INPUTS)
def test_an_input_gives_what_the_page_says(name: str) -> None:
    assert row_of(name) == ROWS[name]


@pytest.mark.parametrize("name", INPUTS)
def test_what_was_read_is_read_again_from_what_is_written(name: str) -> None:
    try:
        doc = parse(INPUTS[name])
    except LlmsTxtError:
        return
    assert parse(render(doc)) == doc


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("# Lamp\n## Guide\n- [a\\ ](https://lamp.test/)", id="escaped-blank-at-the-end-of-a-name"),
        pytest.param("# Lamp\ndetails\n##\x0c", id="form-feed-after-marks-is-no-heading"),
        pytest.param("# Lamp\n> a \nb", id="blank-at-the-end-of-a-line-of-the-description"),
        pytest.param("# Lamp # #\n## # #\n", id="titles-that-end-in-marks"),
    ],
)
def test_texts_that_once_changed_between_writing_and_reading(text: str) -> None:
    assert parse(render(parse(text))) == parse(text)
