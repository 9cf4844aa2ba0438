"""The queue as a state machine: order, limits, redirects, retries, and what it can say about itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webdocs.crawl.frontier import MAX_LINKS_PER_PAGE, Frontier
from webdocs.crawl.pace import Pace
from webdocs.crawl.reading import Reading
from webdocs.crawl.scope import Scope
from webdocs.crawl.url import key_of
from webdocs.model import CrawlOptions, CrawlStep, Failed, Fetched, FetchOutcome, Gone, NotModified, Refused, Request

ROOT = "http://s.test/"


def make_frontier(
    start: str = ROOT, *, pages: int = 100, depth: int | None = None, delay_s: float = 0, **options
) -> Frontier:
    scope = Scope.of(start, CrawlOptions(**options))
    return Frontier(scope, Pace(delay_s), max_pages=pages, max_depth=depth)


def page(url: str, final_url: str = "", redirects: tuple[str, ...] = ()) -> Fetched:
    return Fetched(url, final_url or url, "text/html", b"", redirects=redirects)


def take(frontier: Frontier, now_s: float = 0.0) -> Request:
    step = frontier.next(now_s)
    assert isinstance(step, Request), step
    return step


def store(frontier: Frontier, *links: str) -> Request:
    """Take the next request and answer it with a page that has these links."""
    request = take(frontier)
    assert isinstance(frontier.done(request, page(request.url), 0.0), Fetched)
    frontier.add_links(request.url, request.depth, links)
    return request


def test_pages_come_breadth_first_with_parent_and_depth_d1() -> None:
    frontier = make_frontier()
    store(frontier, "/a", "/b")
    store(frontier, "/a1", "/b")
    store(frontier, "/b1")
    rest = [store(frontier), store(frontier)]
    assert [(request.url, request.depth, request.parent_url) for request in rest] == [
        ("http://s.test/a1", 2, "http://s.test/a"),
        ("http://s.test/b1", 2, "http://s.test/b"),
    ]
    assert frontier.next(0.0) is None
    assert frontier.stored == 5


def test_a_page_found_again_nearer_the_root_moves_forward() -> None:
    frontier = make_frontier()
    store(frontier, "/a", "/b")
    first, second = take(frontier), take(frontier)
    frontier.done(first, page(first.url), 0.0)
    frontier.add_links(first.url, 5, ["/x"])
    frontier.done(second, page(second.url), 0.0)
    frontier.add_links(second.url, 1, ["/x"])
    found = take(frontier)
    assert (found.url, found.depth, found.parent_url) == ("http://s.test/x", 2, "http://s.test/b")
    frontier.done(found, page(found.url), 0.0)
    assert frontier.next(0.0) is None


def test_spellings_of_one_page_are_asked_for_once_and_as_first_written_b8_b13() -> None:
    frontier = make_frontier()
    store(frontier, "/a?utm_source=x", "/a", "HTTP://S.TEST:80/a#part", "/a?highlight=y")
    assert store(frontier).url == "http://s.test/a?utm_source=x"
    assert frontier.next(0.0) is None


ASKED_AS_WRITTEN = [
    # id, links, what is asked for
    ("fault-B7-slash-at-the-end", ["/content/"], ["/content/"]),
    ("fault-B9-bare-host", ["http://s.test", "/", "http://s.test/#top"], []),
    ("fault-B10-fragments", ["/g#a", "/g#b", "/g"], ["/g"]),
    ("fault-B13-query-without-values", ["/p?variable", "/index.php?/a/=/o/"], ["/p?variable", "/index.php?/a/=/o/"]),
    ("fault-B13-tracking-is-sent-as-written", ["/a?utm_source=x"], ["/a?utm_source=x"]),
    (
        "fault-B16-url-10-pages-by-query",
        ["/api.page?page=a", "/api.page?page=b"],
        ["/api.page?page=a", "/api.page?page=b"],
    ),
]


@pytest.mark.parametrize(
    ("links", "asked"), [row[1:] for row in ASKED_AS_WRITTEN], ids=[row[0] for row in ASKED_AS_WRITTEN]
)
def test_a_page_is_asked_for_once_by_its_key_and_as_it_was_written(links: list[str], asked: list[str]) -> None:
    frontier = make_frontier()
    store(frontier, *links)
    assert [store(frontier).url for _ in asked] == [f"http://s.test{path}" for path in asked]
    assert frontier.next(0.0) is None


def test_nothing_is_asked_beyond_max_depth_and_the_report_says_so() -> None:
    frontier = make_frontier(depth=1)
    store(frontier, "/a")
    store(frontier, "/a/b", "/")
    assert frontier.next(0.0) is None
    assert frontier.truncated_by == "max_depth"


def test_a_page_too_deep_at_first_is_taken_when_found_nearer() -> None:
    frontier = make_frontier(depth=1)
    store(frontier, "/a")
    frontier.add_links("http://s.test/a", 1, ["/b"])
    frontier.add_links(ROOT, 0, ["/b"])
    store(frontier)
    assert store(frontier).url == "http://s.test/b"
    assert not frontier.is_truncated


def test_max_pages_counts_what_is_stored_and_what_may_be_a11() -> None:
    frontier = make_frontier(pages=3)
    store(frontier, "/a", "/b", "/c", "/d")
    one, two = take(frontier), take(frontier)
    assert frontier.next(0.0) == math.inf, "two in flight may fill the set"
    frontier.done(one, Gone(one.url, 404), 0.0)
    three = take(frontier)
    frontier.done(two, NotModified(two.url, two.url), 0.0)
    frontier.done(three, page(three.url), 0.0)
    assert frontier.next(0.0) is None
    assert (frontier.stored, frontier.queued, frontier.truncated_by) == (3, 1, "max_pages")


def test_a_set_that_just_fits_is_not_called_cut() -> None:
    frontier = make_frontier(pages=2)
    store(frontier, "/a")
    store(frontier, "/")
    assert frontier.next(0.0) is None
    assert not frontier.is_truncated


def test_two_urls_that_redirect_to_one_page_are_one_page_4() -> None:
    frontier = make_frontier()
    store(frontier, "/old", "/older", "/new")
    old, older = take(frontier), take(frontier)
    assert isinstance(frontier.done(old, page(old.url, "http://s.test/new", (old.url,)), 0.0), Fetched)
    settled = frontier.done(older, page(older.url, "http://s.test/new", (older.url,)), 0.0)
    assert isinstance(settled, Refused)
    assert (settled.rule, settled.final_url) == ("duplicate", "http://s.test/new")
    assert frontier.next(0.0) is None, "the target was in the queue, and is stored already"
    assert frontier.stored == 2


def test_a_page_that_a_redirect_brought_is_not_tried_again() -> None:
    frontier = make_frontier()
    store(frontier, "/old", "/new")
    old, new = take(frontier), take(frontier)
    frontier.done(old, page(old.url, new.url, (old.url,)), 0.0)
    settled = frontier.done(new, Failed(new.url, "x", 503, retryable=True), 0.0)
    assert isinstance(settled, Refused)
    assert frontier.next(0.0) is None
    assert frontier.queued == 0


def test_fault_A3_a_redirect_out_of_scope_is_judged_again() -> None:
    frontier = make_frontier()
    store(frontier, "/auth/go")
    request = take(frontier)
    settled = frontier.done(request, page(request.url, "http://other.test/"), 0.0)
    assert isinstance(settled, Refused)
    assert (settled.rule, settled.reason.partition(":")[0]) == ("scope", "host")
    assert frontier.stored == 1


def test_url_40_patterns_are_held_against_the_final_url_too() -> None:
    frontier = make_frontier(exclude=("/old/*",))
    store(frontier, "/a")
    request = take(frontier)
    settled = frontier.done(request, page(request.url, "http://s.test/old/a"), 0.0)
    assert isinstance(settled, Refused)
    assert settled.reason.startswith("exclude: ")


def test_the_start_redirect_moves_the_host_a5() -> None:
    frontier = make_frontier()
    request = take(frontier)
    assert isinstance(frontier.done(request, page(request.url, "http://www.s.test/"), 0.0), Fetched)
    frontier.add_links("http://www.s.test/", 0, ["/a", "http://s.test/b"])
    assert store(frontier).url == "http://www.s.test/a"
    assert frontier.next(0.0) is None


def test_a_retry_waits_and_the_rest_goes_on() -> None:
    frontier = make_frontier()
    store(frontier, "/a", "/b")
    failing = take(frontier)
    assert frontier.done(failing, Failed(failing.url, "x", 503, retryable=True), 0.0) is None
    assert store(frontier).url == "http://s.test/b"
    assert frontier.next(0.25) == 0.75
    assert frontier.queued == 1
    assert take(frontier, 1.0) == failing


def test_a_page_is_asked_for_four_times_at_most_d4() -> None:
    frontier = make_frontier()
    now_s, settled = 0.0, None
    while settled is None:
        request = take(frontier, now_s)
        settled = frontier.done(request, Failed(request.url, "x", 500, retryable=True), now_s)
        now_s += 10
    assert frontier.requests == 4
    assert isinstance(settled, Failed)
    assert frontier.next(now_s) is None
    assert frontier.queued == 0


def test_retry_after_slows_the_whole_host_and_no_other_d4() -> None:
    frontier = make_frontier(scope="domain")
    store(frontier, "/a", "/b", "http://o.s.test/c")
    first = take(frontier)
    frontier.done(first, Failed(first.url, "x", 429, True, retry_after_s=30.0), 0.0)
    assert take(frontier).url == "http://o.s.test/c"
    assert frontier.next(0.0) == 30.0


def test_requests_to_a_host_are_spaced() -> None:
    frontier = make_frontier(delay_s=2.0, scope="domain")
    take_root = take(frontier)
    frontier.done(take_root, page(take_root.url), 0.0)
    frontier.add_links(ROOT, 0, ["/a", "http://o.s.test/c"])
    assert take(frontier, 0.5).url == "http://o.s.test/c"
    assert frontier.next(0.5) == 1.5
    assert take(frontier, 2.0).url == "http://s.test/a"


def test_refused_links_are_counted_by_rule_once_a_link_a2() -> None:
    frontier = make_frontier("http://s.test/docs/")
    links = ["/blog/1", "/blog/2", "/blog/1#x", "http://o.test/", "/docs/a.png", "mailto:x@s.test"]
    store(frontier, *links, *links)
    assert {(refused.rule, refused.count) for refused in frontier.refused_links} == {
        ("folder", 2),
        ("host", 1),
        ("type", 1),
    }


def test_a_link_bomb_is_cut_ssrf_46() -> None:
    frontier = make_frontier()
    store(frontier, *(f"/{number}" for number in range(MAX_LINKS_PER_PAGE + 5)))
    assert frontier.queued == MAX_LINKS_PER_PAGE
    assert [(refused.rule, refused.count) for refused in frontier.refused_links] == [("page size", 5)]


def test_a_request_that_was_broken_off_counts_as_queued() -> None:
    frontier = make_frontier()
    request = take(frontier)
    frontier.put_back(request)
    assert (frontier.queued, frontier.requests) == (1, 0)
    assert take(frontier) == request


SETTLED = [
    ("a page with text is stored", Reading(links=("/a",)), Fetched, 1),
    ("fault-H7-a page without text is a fault", Reading(fault="the page has no text"), Failed, 0),
    ("E11-a page that asks not to be indexed is left out", Reading(index=False), Refused, 0),
]


@pytest.mark.parametrize(("reading", "kind", "stored"), [row[1:] for row in SETTLED], ids=[row[0] for row in SETTLED])
def test_what_a_page_says_settles_what_it_is(reading: Reading, kind: type, stored: int) -> None:
    frontier = make_frontier()
    request = take(frontier)
    arrived = frontier.done(request, page(request.url), 0.0)
    assert arrived is not None
    assert isinstance(frontier.settle(request, arrived, reading), kind)
    assert frontier.stored == stored


def test_a_304_to_what_was_not_asked_conditionally_is_a_fault() -> None:
    frontier = make_frontier()
    request = take(frontier)
    arrived = frontier.done(request, NotModified(request.url, request.url), 0.0)
    assert arrived is not None
    assert isinstance(frontier.settle(request, arrived, None), Failed)
    assert frontier.stored == 0


def test_a_page_broken_off_while_it_was_read_is_asked_for_again() -> None:
    frontier = make_frontier()
    request = take(frontier)
    arrived = frontier.done(request, page(request.url), 0.0)
    frontier.put_back(request, arrived)
    assert (frontier.queued, frontier.requests, frontier.stored) == (1, 0, 0)
    assert store(frontier) == request


def test_what_may_not_be_asked_is_refused_before_it_is_queued_d3() -> None:
    frontier = Frontier(
        Scope.of(ROOT, CrawlOptions()),
        Pace(0),
        max_pages=9,
        judge_known=lambda url: "robots: forbidden; ask" if url.endswith("/private") else "",
    )
    store(frontier, "/private", "/open")
    assert store(frontier).url == "http://s.test/open"
    assert frontier.next(0.0) is None
    assert [(refused.rule, refused.count) for refused in frontier.refused_links] == [("robots", 1)]


@dataclass
class RandomSite:
    """Links and outcomes of a small site, drawn at random; the walk over it is what the laws hold for."""

    links: dict[int, list[int]]
    fates: list[str]
    asked: list[str] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    stored: set[str] = field(default_factory=set)

    def answer(self, request: Request) -> FetchOutcome:
        number = int(request.url.rpartition("/")[2] or 0)
        match self.fates[number % len(self.fates)]:
            case "gone":
                return Gone(request.url, 404)
            case "broken":
                return Failed(request.url, "x", 500, retryable=True)
            case "moved":
                return page(request.url, f"http://s.test/{(number + 1) % 12}", (request.url,))
            case _:
                return page(request.url)

    def walk(self, frontier: Frontier, width: int) -> None:
        now_s = 0.0
        flying: list[Request] = []
        while True:
            step = frontier.next(now_s)
            if isinstance(step, Request) and len(flying) < width:
                flying.append(step)
                continue
            if isinstance(step, Request):
                frontier.put_back(step)
            if flying:
                self._land(frontier, flying.pop(0), now_s)
            elif step is None:
                return
            else:
                assert isinstance(step, float)
                assert math.isfinite(step), "nothing in flight, so time alone must help"
                now_s += step

    def _land(self, frontier: Frontier, request: Request, now_s: float) -> None:
        settled = frontier.done(request, self.answer(request), now_s)
        if settled is None:
            return
        self.asked.append(key_of(request.url))
        self.depths.append(request.depth)
        if isinstance(settled, Fetched):
            assert key_of(settled.final_url) not in self.stored, "stored twice"
            self.stored.add(key_of(settled.final_url))
            number = int(settled.final_url.rpartition("/")[2] or 0)
            frontier.add_links(settled.final_url, request.depth, [f"/{n}" for n in self.links.get(number, [])])


@settings(max_examples=60, deadline=None)
@given(
    links=st.dictionaries(st.integers(0, 11), st.lists(st.integers(0, 11), max_size=6)),
    fates=st.lists(st.sampled_from(["ok", "ok", "gone", "broken", "moved"]), min_size=1, max_size=12),
    pages=st.integers(1, 8),
    depth=st.none() | st.integers(0, 3),
    width=st.integers(1, 4),
)
def test_no_walk_breaks_a_limit_or_asks_twice(links, fates, pages, depth, width) -> None:
    site = RandomSite(links, fates)
    frontier = make_frontier(pages=pages, depth=depth)
    site.walk(frontier, width)
    assert len(site.asked) == len(set(site.asked))
    assert len(site.stored) == frontier.stored <= pages
    assert max(site.depths) <= (math.inf if depth is None else depth)
    assert frontier.queued == 0 or frontier.truncated_by == "max_pages"


def test_the_next_step_of_an_idle_frontier_is_to_wait_for_an_outcome() -> None:
    frontier = make_frontier()
    take(frontier)
    assert frontier.next(0.0) == pytest.approx(math.inf)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        pytest.param(Gone("http://s.test/a", 404), ["http://s.test/b"], id="21-canonical-gone-page-is-asked-anew"),
        pytest.param(page("http://s.test/a"), [], id="21-canonical-there-page-yields"),
    ],
)
def test_a_page_that_waited_when_the_crawl_was_broken_off_goes_on_waiting(
    answer: FetchOutcome, wanted: list[str]
) -> None:
    frontier = make_frontier()
    root = CrawlStep(ROOT, 0, None, "indexed", ROOT)
    waiting = CrawlStep("http://s.test/b", 1, ROOT, "refused", "http://s.test/a", rule="canonical")
    frontier.restore(root, ["/b"])
    frontier.restore(waiting, [])
    request = take(frontier)
    assert request.url == "http://s.test/a", "nothing but the waiting page names it"
    arrived = frontier.done(request, answer, 0.0)
    assert arrived is not None
    frontier.settle(request, arrived, Reading())
    rest = []
    while isinstance(step := frontier.next(0.0), Request):
        rest.append(step.url)
        frontier.done(step, page(step.url), 0.0)
    assert rest == wanted
