"""What fits into an answer: the budget is kept, and what was cut is said (contract B1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.model import StoredChunk
from webdocs.search.answer import HEAD_MARGIN_TOKENS, MIN_HIT_TOKENS, anchor_url_of, compose_answer
from webdocs.search.fuse import Ranked
from webdocs.search.place import Place


def count_words(texts: Sequence[str]) -> list[int]:
    return [len(re.findall(r"\S+", text)) for text in texts]


def found(*texts: str) -> list[tuple[Ranked, StoredChunk, Place]]:
    moment = datetime(2026, 11, 29, tzinfo=UTC)
    return [
        (
            Ranked(number, number, 1.0 / (number + 1), "hybrid"),
            StoredChunk(
                number, f"{number:016x}", "s", "1", f"https://s.test/{number}", "T", ("T", "H"), "h", (), 0, text,
                count_words([text])[0], moment,
            ),
            Place("h", ("T", "H")),
        )
        for number, text in enumerate(texts)
    ]  # fmt: skip


HEAD_TOKENS = count_words(["T > H https://s.test/0#h | s 1 | fetched 2026-11-29"])[0] + HEAD_MARGIN_TOKENS

LONG = "\n".join(f"line {n} has six words here" for n in range(100))


@pytest.mark.parametrize(
    ("texts", "max_tokens", "n_hits", "cut"),
    [
        pytest.param(["a b", "c d"], None, 2, "", id="no-budget-no-cut"),
        pytest.param(["a b", "c d"], 2 * HEAD_TOKENS + 4, 2, "", id="it-fits-to-the-token"),
        pytest.param(["a b", "c d"], 2 * HEAD_TOKENS + 3, 1, "1 more found did not fit", id="one-token-short"),
        pytest.param(
            [LONG, "c"], 400, 1, "the last passage was cut and 1 more found did not fit", id="a-long-one-is-cut"
        ),
        pytest.param(["a b"], 10, 0, "1 more found did not fit", id="no-room-for-any"),
        pytest.param([], 100, 0, "", id="nothing-found"),
    ],
)
def test_the_budget_decides(texts, max_tokens, n_hits, cut) -> None:
    answer = compose_answer("q", found(*texts), max_tokens, count_words)
    assert len(answer.hits) == n_hits
    assert answer.cut == cut


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        pytest.param(LONG, "line 0 has", id="prose"),
        pytest.param("```python\nimport a\nimport b\n```" + " x" * 90, "python", id="code"),
        pytest.param("| a | b |\n| --- | --- |\n" + "| c | d |\n" * 40, "a b", id="a-table"),
    ],
)
def test_b1_the_best_hit_is_there_in_part_wherever_its_citation_leaves_room(text: str, begins: str) -> None:
    answer = compose_answer("q", found(text, "b"), HEAD_TOKENS + 5, count_words)
    (hit,) = answer.hits
    assert (hit.text[: len(begins)], hit.truncated) == (begins, True)
    assert answer.tokens <= HEAD_TOKENS + 5
    assert answer.cut == "the last passage was cut and 1 more found did not fit"


def test_b1_a_word_longer_than_the_budget_is_cut_inside() -> None:
    ((ranked, chunk, place),) = found("x" * 4000)
    passage = (ranked, replace(chunk, tokens=1000), place)
    answer = compose_answer("q", [passage], 40, lambda texts: [len(text) // 4 for text in texts])
    assert (answer.hits[0].text[:3], answer.hits[0].truncated, answer.tokens <= 40) == ("xxx", True, True)


def test_a_hit_cites_its_section() -> None:
    (hit,) = compose_answer("q", found("a"), None, count_words).hits
    assert (hit.url, hit.anchor_url) == ("https://s.test/0", "https://s.test/0#h")
    assert (hit.heading_path, hit.site, hit.version, hit.truncated) == (("T", "H"), "s", "1", False)


def test_b1_a_long_paragraph_is_cut_at_a_word() -> None:
    prose = " ".join(f"word{n}" for n in range(300))
    (hit,) = compose_answer("q", found(prose), HEAD_TOKENS + MIN_HIT_TOKENS, count_words).hits
    assert hit.text == " ".join(f"word{n}" for n in range(MIN_HIT_TOKENS - 9)) + " …"
    assert hit.truncated


def test_a_row_of_a_table_is_never_cut() -> None:
    row = "|" + " ".join(f"word{n}" for n in range(300)) + "|"
    answer = compose_answer("q", found("a", row), 2 * HEAD_TOKENS + 1 + MIN_HIT_TOKENS, count_words)
    assert (len(answer.hits), answer.cut) == (1, "1 more found did not fit")


def test_a_cut_passage_ends_at_a_line_and_closes_its_fence() -> None:
    code = "intro\n```python\n" + "\n".join(f"value_{n} = compute({n}) # note {n}" for n in range(200)) + "\n```"
    (hit,) = compose_answer("q", found(code), HEAD_TOKENS + MIN_HIT_TOKENS + 50, count_words).hits
    assert hit.truncated
    assert hit.text.endswith("\n```")
    assert hit.text.count("```") == 2
    assert all(line in code.split("\n") for line in hit.text.split("\n"))


def test_a_fence_in_a_quote_is_closed_in_its_quote() -> None:
    code = "intro\n> ```python\n" + "\n".join(f"> value_{n} = compute({n}) # note {n}" for n in range(200)) + "\n> ```"
    (hit,) = compose_answer("q", found(code), HEAD_TOKENS + MIN_HIT_TOKENS + 50, count_words).hits
    assert hit.text.endswith("\n> ```")
    assert hit.text.count("```") == 2


@given(st.lists(st.text("ab \n`", max_size=1500), max_size=6), st.integers(1, 900))
def test_an_answer_never_exceeds_its_budget(texts: list[str], max_tokens: int) -> None:
    answer = compose_answer("q", found(*texts), max_tokens, count_words)
    assert answer.tokens <= max_tokens
    outer = 0 if answer.hits and answer.hits[0].heading_path == ("T", "H") else 2  # the words of "T >"
    expected = sum(HEAD_TOKENS + count_words([hit.text])[0] for hit in answer.hits)
    assert answer.tokens == (expected - outer if answer.hits else 0)


@pytest.mark.parametrize(
    ("anchor", "url"),
    [
        pytest.param("", "https://s.test/a", id="top-of-the-page"),
        pytest.param("SQL-SELECT", "https://s.test/a#SQL-SELECT", id="case-is-kept"),
        pytest.param("a b", "https://s.test/a#a%20b", id="a-space"),
        pytest.param("str.join()", "https://s.test/a#str.join()", id="marks-that-a-fragment-may-hold"),
        pytest.param("ключ", "https://s.test/a#%D0%BA%D0%BB%D1%8E%D1%87", id="other-scripts"),
    ],
)
def test_anchor_urls(anchor: str, url: str) -> None:
    assert anchor_url_of("https://s.test/a", anchor) == url
