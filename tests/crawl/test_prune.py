"""Keep or delete: every kind of evidence with its verdict (contract D6), and the laws that hold for all of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.crawl.prune import Evidence, Sight, SightKind, judge_pages

PRESENT = Sight("present")
GONE = Sight("gone", "status 404")
GONE_TWICE = Sight("gone_twice", "status 410")
FAILED = Sight("failed", "status 503")
REFUSED = Sight("refused", "robots: the site's robots.txt forbids it")
MOVED = Sight("moved", "http://s.test/new")


def evidence(
    sights: dict[str, Sight] | None = None,
    linked: str = "",
    stored: dict[str, str] | None = None,
    root_error: str = "",
    cut_by: str = "",
) -> Evidence:
    links = stored or {}
    return Evidence(sights or {}, set(linked), lambda page_id: links.get(page_id, ""), root_error, cut_by)


@pytest.mark.parametrize(
    ("seen", "is_kept", "words"),
    [
        pytest.param(evidence({"a": PRESENT}), True, "is there", id="D6-a-page-that-is-there"),
        pytest.param(evidence({"a": PRESENT}, cut_by="max_pages"), True, "is there", id="D6-there-in-a-cut-crawl"),
        pytest.param(evidence({"a": GONE_TWICE}, "a"), False, "status 410, again", id="D6-fault-I6-gone-twice-goes"),
        pytest.param(
            evidence({"a": GONE_TWICE}, "a", cut_by="max_pages"), False, "again", id="D6-gone-twice-goes-in-a-cut-crawl"
        ),
        pytest.param(
            evidence({"a": GONE_TWICE}, root_error="status 503"),
            True,
            "status 503",
            id="D6-root-failed-keeps-even-gone",
        ),
        pytest.param(evidence({"a": GONE}, "a"), True, "not confirmed", id="fault-I6-gone-once-keeps"),
        pytest.param(evidence({"a": GONE}), True, "not confirmed", id="fault-I6-gone-once-keeps-unlinked"),
        pytest.param(evidence({"a": FAILED}), True, "status 503", id="D6-fault-I6-failed-keeps"),
        pytest.param(evidence({"a": REFUSED}), True, "robots", id="D6-refused-keeps"),
        pytest.param(evidence(), False, "no page links", id="D6-linked-from-nowhere-goes"),
        pytest.param(evidence(linked="a"), True, "links to it", id="D6-linked-keeps"),
        pytest.param(evidence(cut_by="max_pages"), True, "max_pages", id="D6-truncated-crawl-keeps-unseen"),
        pytest.param(evidence(cut_by="max_depth"), True, "max_depth", id="D6-cut-by-depth-keeps-unseen"),
        pytest.param(evidence(cut_by="cancelled"), True, "cancelled", id="D6-cancelled-crawl-keeps-unseen"),
        pytest.param(evidence(root_error="status 503"), True, "status 503", id="D6-root-failed-keeps-everything"),
        pytest.param(evidence({"a": MOVED}, "a"), False, "http://s.test/new", id="fault-I7-moved-whole-goes"),
        pytest.param(evidence({"a": MOVED}, cut_by="max_pages"), True, "max_pages", id="fault-I7-cut-crawl-keeps"),
        pytest.param(
            evidence({"b": FAILED}, stored={"b": "a"}), True, "links to it", id="D6-a-failed-page-counts-with-its-links"
        ),
        pytest.param(
            evidence({"b": REFUSED}, stored={"b": "a"}), True, "links to it", id="a-refused-page-counts-with-its-links"
        ),
        pytest.param(
            evidence({"b": GONE}, stored={"b": "a"}), True, "links to it", id="gone-once-counts-with-its-links"
        ),
        pytest.param(
            evidence({"b": FAILED}, stored={"b": "c", "c": "a"}), True, "links to it", id="links-count-over-two-steps"
        ),
        pytest.param(
            evidence(linked="b", stored={"b": "a"}), True, "links to it", id="a-linked-page-that-was-not-asked-counts"
        ),
        pytest.param(
            evidence({"b": GONE_TWICE}, stored={"b": "a"}), False, "no page", id="a-page-that-goes-holds-nothing"
        ),
        pytest.param(
            evidence({"b": PRESENT}, stored={"b": "a"}), False, "no page", id="links-a-page-had-once-count-no-more"
        ),
        pytest.param(
            evidence(stored={"b": "a", "a": "b"}), False, "no page", id="two-forgotten-pages-do-not-hold-each-other"
        ),
    ],
)
def test_a_page_is_judged_by_what_was_seen(seen: Evidence, is_kept: bool, words: str) -> None:
    verdict = {verdict.page_id: verdict for verdict in judge_pages("abc", seen)}["a"]
    assert verdict.is_kept is is_kept
    assert words in verdict.reason


PAGES = "abcdef"
KINDS: tuple[SightKind, ...] = ("present", "gone", "gone_twice", "failed", "refused", "moved")
SIGHTS = st.dictionaries(st.sampled_from(PAGES), st.sampled_from(KINDS).map(lambda kind: Sight(kind, "why")))
LINKS = st.dictionaries(st.sampled_from(PAGES), st.text(PAGES, max_size=4))
ENDS = st.sampled_from(["", "max_pages", "max_depth", "cancelled"])
LINKED = st.text(PAGES, max_size=4)


def deleted(seen: Evidence) -> set[str]:
    return {verdict.page_id for verdict in judge_pages(PAGES, seen) if not verdict.is_kept}


@given(SIGHTS, LINKED, LINKS, st.sampled_from(["", "", "status 503"]), ENDS)
def test_nothing_is_deleted_without_a_reason(sights, linked, stored, root_error, cut_by) -> None:
    seen = evidence(sights, linked, stored, root_error, cut_by)
    verdicts = judge_pages(PAGES, seen)
    assert [verdict.page_id for verdict in verdicts] == list(PAGES)
    for verdict in verdicts:
        sight = sights.get(verdict.page_id)
        kind = sight.kind if sight else ""
        assert verdict.reason
        if verdict.is_kept or kind == "gone_twice":
            assert not (verdict.is_kept and kind == "gone_twice" and not root_error)
            continue
        assert kind in ("", "moved")
        assert not cut_by
        assert kind == "moved" or verdict.page_id not in linked
    assert not (root_error and any(not verdict.is_kept for verdict in verdicts))


@given(SIGHTS, LINKED, LINKS, ENDS.filter(bool))
def test_a_cut_crawl_deletes_no_more_than_a_complete_one(sights, linked, stored, cut_by) -> None:
    cut, whole = evidence(sights, linked, stored, cut_by=cut_by), evidence(sights, linked, stored)
    assert deleted(cut) <= deleted(whole)


@given(SIGHTS, LINKED, LINKED, LINKS, ENDS)
def test_one_more_link_never_deletes_a_page(sights, linked, more, stored, cut_by) -> None:
    before, after = (evidence(sights, links, stored, cut_by=cut_by) for links in (linked, linked + more))
    assert deleted(after) <= deleted(before)


@given(SIGHTS, LINKED, LINKS, ENDS, st.sampled_from(PAGES))
def test_a_page_that_fails_takes_no_other_with_it(sights, linked, stored, cut_by, page) -> None:
    """Against the same crawl in which that page was not asked for, or was there with its stored links."""
    failed = evidence({**sights, page: FAILED}, linked, stored, cut_by=cut_by)
    there = evidence({**sights, page: PRESENT}, linked + stored.get(page, ""), stored, cut_by=cut_by)
    unseen = evidence({key: value for key, value in sights.items() if key != page}, linked, stored, cut_by=cut_by)
    assert deleted(failed) == deleted(there)
    assert deleted(failed) <= deleted(unseen)
