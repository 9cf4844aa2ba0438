"""The rules of training that need no torch: where text may come from, what a word is, how a passage is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import packages
from windows import windows_of, with_path
from words import words_of

JUDGES = ("postgresql", "python3", "django", "git", "react", "fastapi", "vite", "tailwind")
PERMISSIVE = ("Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "MIT", "public domain")


@pytest.mark.parametrize("judge", JUDGES)
def test_no_manual_that_judges_is_trained_on(judge: str) -> None:
    """Provenance: issue 7, item 1."""
    assert not [name for name in packages() if judge in name]


@pytest.mark.parametrize("package", sorted(packages()))
def test_each_package_is_under_a_permissive_licence(package: str) -> None:
    """Provenance: issue 7, item 1."""
    licence = packages()[package]["licence"].removesuffix(" WITH LLVM-exception")
    assert all(part in PERMISSIVE for part in licence.split(" OR "))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("getElementById", ["get", "element", "by", "id"], id="camel-case-is-split"),
        pytest.param("HTTPServer", ["http", "server"], id="an-acronym-ends-where-a-word-begins"),
        pytest.param("max_line_length=80", ["max", "line", "length", "80"], id="marks-and-digits-split"),
        pytest.param("Café naïve", ["cafe", "naive"], id="marks-over-letters-go"),
        pytest.param("数据库 索引", [], id="chinese-has-no-words-here"),
        pytest.param("файл config", ["config"], id="only-latin-letters-count"),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    """Provenance: issue 7, the trial's camelCase split and the bar on text that is not English."""
    assert words_of(text) == words


@given(st.text(max_size=3000))
def test_windows_hold_every_word_once_in_order(text: str) -> None:
    """A law: cutting loses nothing."""
    assert " ".join(windows_of(text)).split() == text.split()


@pytest.mark.parametrize(("words", "count"), [(1, 1), (60, 1), (240, 3), (320, 4)])
def test_a_window_is_about_four_hundred_characters(words: int, count: int) -> None:
    """Provenance: issue 7, windows."""
    assert len(windows_of("word " * words)) == count


def test_a_window_stands_under_its_headings() -> None:
    """Provenance: issue 7, windows."""
    assert with_path("It is off.", ("Guide", "Cache")) == "Guide - Cache\nIt is off."
