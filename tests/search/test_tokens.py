"""Which terms does a text have? Each row is a kind of word."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.search.tokens import MAX_TERM_CHARS, count_terms, count_wanted, is_identifier_like, query_terms, terms_of


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        pytest.param("Creating indexes", ("creat", "index"), id="prose-is-stemmed"),
        pytest.param("the index of a table", ("index", "tabl"), id="function-words-are-left-out"),
        pytest.param("SELECT FOR UPDATE", ("select", "for", "updat"), id="a-function-word-in-capitals-is-a-keyword"),
        pytest.param("pg_stat_activity", ("pg_stat_activity", "pg", "stat", "activ"), id="snake-case-whole-and-parts"),
        pytest.param("createIndex", ("createindex", "creat", "index"), id="camel-case-whole-and-parts"),
        pytest.param("HTTPServer", ("httpserver", "http", "server"), id="an-acronym-before-a-word"),
        pytest.param("os.path.join()", ("os.path.join", "os", "path", "join"), id="a-dotted-name"),
        pytest.param("std::vec", ("std::vec", "std", "vec"), id="a-scoped-name"),
        pytest.param("--no-verify", ("no-verify", "no", "verifi"), id="an-option"),
        pytest.param("__init__", ("__init__", "init"), id="a-dunder"),
        pytest.param("C++ and C#", ("c++", "c", "c#"), id="languages-named-by-marks"),
        pytest.param("version 3.11", ("version", "3.11", "3", "11"), id="a-version"),
        pytest.param("server's", ("server",), id="a-possessive"),
        pytest.param("ends here. Next", ("end", "here", "next"), id="a-full-stop-is-no-part-of-a-word"),
        pytest.param("Café", ("cafe",), id="diacritics-fold"),
        pytest.param("日本語", ("日本", "本語"), id="unspaced-script-by-bigrams"),
        pytest.param("to be or not", ("not",), id="mostly-function-words"),
        pytest.param("the of", ("the", "of"), id="a-query-of-function-words-keeps-them"),
        pytest.param("...", (), id="marks-alone"),
    ],
)
def test_terms(text: str, terms: tuple[str, ...]) -> None:
    assert query_terms(text) == terms


def test_counts_keep_fields_apart() -> None:
    counts = count_terms("index index table", ["Index", "Guide"])
    assert dict(zip(counts.terms, zip(counts.body, counts.heading, strict=True), strict=True)) == {
        "index": (2, 1),
        "tabl": (1, 0),
        "guid": (0, 1),
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("pg_dump", True, id="snake-case"),
        pytest.param("generate_series function", True, id="an-identifier-among-words"),
        pytest.param("vacuum", True, id="one-word"),
        pytest.param("--force push", True, id="an-option"),
        pytest.param("useState hook", True, id="camel-case"),
        pytest.param("PEP 484", True, id="a-number"),
        pytest.param("how do I undo a commit", False, id="a-question"),
        pytest.param("row level security policy", False, id="words"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_identifier_like(query: str, expected: bool) -> None:
    assert is_identifier_like(query) is expected


@given(st.text(max_size=300))
def test_any_text_gives_bounded_lower_case_terms(text: str) -> None:
    for term in terms_of(text):
        assert 0 < len(term) <= MAX_TERM_CHARS
        assert not any(char.isspace() for char in term)


@given(st.text(max_size=200))
def test_a_document_holds_the_terms_of_a_query_quoted_from_it(text: str) -> None:
    assert set(query_terms(text)) <= set(terms_of(text)) or not terms_of(text)


@given(st.text(max_size=300), st.text(max_size=60))
def test_wanted_terms_are_counted_as_all_terms_are(text: str, query: str) -> None:
    wanted = set(query_terms(query)) | set(terms_of(text)[::3])
    all_counts = Counter(terms_of(text))
    assert count_wanted(text, wanted) == {term: all_counts[term] for term in wanted if term in all_counts}


SAMPLE = """Connecting connections; createIndex HTTPServer os.path.join dying lies tying skies idly early only User's
pg_stat_activity naïve Straße ﬁle state-of-the-art C++ c# x1 IEEE754 news YAML yaml's running Runs"""


def test_each_wanted_term_of_real_words_is_counted() -> None:
    for term, count in Counter(terms_of(SAMPLE)).items():
        assert count_wanted(SAMPLE, {term}) == {term: count}
