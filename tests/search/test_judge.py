"""How an answer is scored: pages, sections and their means."""

from __future__ import annotations

import pytest

from webdocs.search.judge import Judged, is_same_page, judge, means_by_kind

SAME = [
    ("path-below-any-folder", "https://x.test/docs/a/b.html", "a/b.html", True),
    ("markdown-twin", "https://x.test/a/b.html.md", "a/b", True),
    ("folder-and-its-index", "https://x.test/a/", "a/index.html", True),
    ("part-of-a-name-is-no-path", "https://x.test/ab.html", "b.html", False),
    ("url-of-another-host", "https://x.test/a", "https://y.test/a", False),
    ("url-in-another-folder", "https://x.test/docs/a", "https://x.test/a", False),
    ("fragment-aside", "https://x.test/a#b", "https://x.test/a", True),
]


@pytest.mark.parametrize(("url", "judged", "same"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_which_pages_are_the_same(url: str, judged: str, same: bool) -> None:
    assert is_same_page(url, judged) is same


def test_a_verdict_counts_each_page_once_and_looks_ten_pages_deep() -> None:
    row = Judged("q", ("b", "c"))
    verdict = judge(row, ["https://x.test/a#1", "https://x.test/a#2", "https://x.test/b", "https://x.test/c"])
    assert (verdict.mrr_at_10, verdict.hit_at_5) == (0.5, 1.0)
    assert verdict.ndcg_at_5 == pytest.approx((1 / 1.58496 + 1 / 2) / (1 + 1 / 1.58496), abs=1e-4)
    late = judge(row, [f"https://x.test/z{n}" for n in range(10)] + ["https://x.test/b"])
    assert (late.mrr_at_10, late.hit_at_5, late.ndcg_at_5) == (0.0, 0.0, 0.0)


def test_a_section_is_right_on_its_page_alone() -> None:
    row = Judged("q", ("b",), {"b": frozenset({"here"})})
    assert judge(row, ["https://x.test/b#here"]).section_at_1 == 1.0
    second = judge(row, ["https://x.test/a#here", "https://x.test/b#here"])
    assert (second.section_at_1, second.section_at_5) == (0.0, 1.0)
    assert judge(Judged("q", ("b",)), ["https://x.test/b"]).section_at_5 is None


def test_means_are_taken_apart_by_kind_where_there_are_several() -> None:
    good, bad = judge(Judged("q", ("a",), kind="x"), ["https://x.test/a"], 10), judge(Judged("q", ("a",)), [], 30)
    means = means_by_kind([good, bad])
    assert set(means) == {"all", "x", "other"}
    assert (means["all"].mrr_at_10, means["all"].tokens, means["x"].hit_at_5) == (0.5, 20.0, 1.0)
    assert set(means_by_kind([good])) == {"all"}
