"""Paths that a site invents. Ids name rows of the fault log and of the URL cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.crawl.scope import Scope
from webdocs.crawl.trap import NumberedPages, judge_repeats
from webdocs.crawl.url import join
from webdocs.model import CrawlOptions

JUDGED = [
    ("url-28-one-segment-three-times", "/x/x/x", True),
    ("url-28-with-a-slash-at-the-end", "/x/x/x/", True),
    ("twice-is-none", "/x/x/", False),
    ("url-29-run-of-two", "/a/b/a/b/a/b", True),
    ("url-29-run-of-two-and-a-half", "/a/b/a/b/a", False),
    ("url-29-run-of-three", "/a/b/c/a/b/c/a/b/c/", True),
    ("url-29-empty-segments", "////", True),
    ("fault-C2-empty-segments-below-a-page", "/docs////x", True),
    ("one-empty-segment", "/docs//x", False),
    ("fault-C1-below-a-folder", "/infra/www/infra/www/infra/www/", True),
    ("fault-C4-host-as-a-folder", "/docs/www.x.test/www.x.test/www.x.test/", True),
    ("fault-C5-counter", "/c/1/1/1", True),
    ("spelled-otherwise", "/%78/x/%58/x", False),
    ("spelled-with-escapes", "/%78/x/%78", True),
    ("three-times-but-not-in-a-row", "/a/x/b/x/c/x", False),
    ("date", "/2011/11/11/release", False),
    ("package-path", "/pkg/pkg/pkg.html", False),
    ("root", "/", False),
    ("query-is-no-path", "/a?p=/x/x/x", False),
]


@pytest.mark.parametrize(("path", "is_trap"), [row[1:] for row in JUDGED], ids=[row[0] for row in JUDGED])
def test_a_run_of_segments_three_times_is_a_trap(path: str, is_trap: bool) -> None:
    assert judge_repeats(f"http://s.test{path}").startswith("trap: ") is is_trap


def test_url_29_fault_C2_dot_segments_never_reach_the_rule() -> None:
    assert join("http://s.test/a/", "./././.") == "http://s.test/a/"


NAMES = st.text("abcd", min_size=1, max_size=3)


@given(st.lists(NAMES, max_size=4), st.lists(NAMES, min_size=1, max_size=5), st.lists(NAMES, max_size=4))
def test_any_run_three_times_in_a_row_is_found_wherever_it_stands(
    before: list[str], run: list[str], after: list[str]
) -> None:
    assert judge_repeats("http://s.test/" + "/".join([*before, *run * 3, *after]))


@given(st.lists(NAMES, max_size=9, unique=True))
def test_a_path_of_different_segments_never_is(segments: list[str]) -> None:
    assert judge_repeats("http://s.test/" + "/".join([*segments, *segments])) == ""


def test_the_scope_names_the_rule_and_a_start_of_that_kind_lifts_it() -> None:
    plain = Scope.of("http://s.test/", CrawlOptions())
    meant = Scope.of("http://s.test/x/x/x/", CrawlOptions())
    assert plain.judge("http://s.test/a/x/x/x").partition(":")[0] == "trap"
    assert meant.judge("http://s.test/x/x/x/page") == ""


# ---------------------------------------------------------------- URLs that differ in their digits alone

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November")


def calendar(number: int) -> bytes:
    month = (*MONTHS, "December")[number % 12]
    year = 2026 + number // 12
    return f"<h1>Events in the month of {month} {year}</h1><p>No events on day {number % 28 + 1} so far.</p>".encode()


def proposal(number: int) -> bytes:
    word = "".join(chr(ord("a") + int(digit)) for digit in str(number))
    return f"<nav>The index of all the proposals</nav><p>This one is about the matter of {word}.</p>".encode()


def test_url_27_a_calendar_is_closed_once_its_text_repeats() -> None:
    numbered = NumberedPages()
    taken = 0
    while not numbered.judge(f"http://s.test/calendar/{2026 + taken // 12}/{taken % 12 + 1}"):
        numbered.note_page(f"http://s.test/calendar/{2026 + taken // 12}/{taken % 12 + 1}", calendar(taken))
        taken += 1
        assert taken < 1000, "never closed"
    assert 50 <= taken <= 62
    assert numbered.judge("http://s.test/calendar/3000/1").startswith("trap: ")
    assert numbered.judge("http://s.test/archive/3000/1") == ""
    assert numbered.judge("http://s.test/calendar/") == ""


def test_url_27_numbered_documents_with_text_of_their_own_are_never_cut() -> None:
    numbered = NumberedPages()
    for number in range(5000):
        numbered.note_page(f"http://s.test/pep-{number}/", proposal(number))
    assert numbered.judge("http://s.test/pep-9999/") == ""


def test_plain_text_is_judged_whole() -> None:
    numbered = NumberedPages()
    for number in range(60):
        numbered.note_page(f"http://s.test/m/{number}.md", b"# Nothing to be seen on this page, go on")
    assert numbered.judge("http://s.test/m/61.md").startswith("trap: ")


@pytest.mark.parametrize(("new", "is_closed"), [(9, True), (10, False)], ids=["under-a-fifth", "a-fifth"])
def test_url_27_a_fifth_of_the_last_fifty_pages_must_be_new(new: int, is_closed: bool) -> None:
    numbered = NumberedPages()
    for number in range(50):
        assert numbered.judge("http://s.test/99") == ""
        numbered.note_text(f"http://s.test/{number}", is_new=number < new)
    assert bool(numbered.judge("http://s.test/99")) is is_closed


def test_digits_of_the_host_and_the_fragment_make_no_pattern() -> None:
    numbered = NumberedPages()
    for number in range(60):
        numbered.note_text(f"http://127.0.0.1:8000/page#{number}", is_new=False)
    assert numbered.judge("http://127.0.0.1:8000/page") == ""
