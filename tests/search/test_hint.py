"""What is said where nothing was found, or a name is unknown (contract A3, B1)."""

from __future__ import annotations

import pytest

from contracts.records import source
from webdocs.search.hint import MAX_NAMES, closest, hint_of

NAMES = ("python", "django", "docs.postgresql.org")


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        pytest.param("pyton", "python", id="a-letter-missing"),
        pytest.param("Django", "django", id="another-case"),
        pytest.param("postgresql", "docs.postgresql.org", id="a-part-of-the-name"),
        pytest.param("python3", "python", id="more-than-the-name"),
        pytest.param("rust", "", id="nothing-near"),
        pytest.param("", "", id="no-name"),
    ],
)
def test_the_name_that_was_probably_meant(asked: str, near: str) -> None:
    assert closest(asked, NAMES) == near


def test_an_empty_index_says_how_to_add_a_site() -> None:
    assert hint_of((), "", "", ()) == "Nothing is indexed yet: `webdocs add URL` adds a site."


def test_the_hint_names_missing_words_the_filter_and_what_there_is() -> None:
    assert hint_of((source("a.test", "2"), source("b.test")), "a.test", "2", ("qwert",)) == (
        "No passage has: qwert. Only a.test 2 was searched; leave it out to search everything. "
        "Indexed: a.test 2, b.test. Try other words: those of the documentation, a name from the API, fewer of them."
    )


def test_a_long_list_of_sites_is_cut() -> None:
    many = [source(f"s{number:02}.test") for number in range(MAX_NAMES + 3)]
    assert " and 3 more." in hint_of(many, "", "", ())
