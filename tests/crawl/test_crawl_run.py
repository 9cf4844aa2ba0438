"""Whole crawls: a site in memory with an injected clock, and a real one on loopback."""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from clock import FakeTime
from servers import LoopbackServer, Reply
from webdocs.crawl import Crawl, CrawlReport, Reading
from webdocs.crawl.fetch_http import HttpFetcher
from webdocs.errors import FetchError, PatternError
from webdocs.model import CrawlOptions, Failed, Fetched, FetchOutcome, Gone, NotModified, Refused, Request, Validators

ROOT = "http://s.test/"
FAST = {"delay_s": 0.0}


@dataclass
class Site:
    """A Fetcher over a table: a URL to its links, an outcome, a redirect (`-> URL`), or outcomes in turn."""

    pages: Mapping[str, object]
    clock: FakeTime = field(default_factory=FakeTime)
    asked: list[tuple[str, float]] = field(default_factory=list)
    running: int = 0
    most_running: int = 0

    async def fetch(self, request: Request) -> FetchOutcome:
        self.asked.append((request.url, self.clock.now_s))
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        answer = self.pages.get(request.url)
        if isinstance(answer, list) and answer and not isinstance(answer[0], str):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        return self._outcome(request, answer)

    def _outcome(self, request: Request, answer: object) -> FetchOutcome:
        match answer:
            case None:
                return Gone(request.url, 404)
            case BaseException():
                raise answer
            case str() if answer.startswith("-> "):
                target = answer[3:]
                body = " ".join(self.pages[target])
                return Fetched(request.url, target, "text/html", body.encode(), redirects=(request.url,))
            case str():
                return Fetched(request.url, request.url, "text/plain", answer.encode())
            case list():
                return Fetched(request.url, request.url, "text/html", " ".join(answer).encode())
            case _:
                return answer

    async def aclose(self) -> None:
        pass

    @property
    def urls(self) -> list[str]:
        """The pages that were asked for."""
        return [url for url, _ in self.asked if not url.endswith(("/robots.txt", "/sitemap.xml"))]


async def read_links(fetched: Fetched) -> Reading:
    """The fake pages list their links."""
    return Reading(links=tuple(fetched.body.decode().split()))


@dataclass
class Reader:
    """Keeps every settled outcome."""

    outcomes: list[tuple[Request, FetchOutcome]] = field(default_factory=list)

    async def __call__(self, request: Request, outcome: FetchOutcome, reading: Reading | None, queued: int) -> None:
        self.outcomes.append((request, outcome))

    def of(self, url: str) -> FetchOutcome:
        """The one outcome of a URL."""
        (found,) = [outcome for request, outcome in self.outcomes if request.url == url]
        return found


def walk(site: Site, start: str = ROOT, **options) -> tuple[CrawlReport, Reader]:
    reader = Reader()
    settings = CrawlOptions(**{**FAST, **options})
    report = asyncio.run(
        Crawl(start, settings, site, read_links, reader, clock=site.clock, sleep=site.clock.sleep).run()
    )
    return report, reader


def failed(url: str, status: int | None = 500, *, retryable: bool = True, after_s: float | None = None) -> Failed:
    return Failed(url, f"status {status}", status, retryable, after_s)


def test_a_site_is_walked_whole_each_page_once_d1() -> None:
    site = Site({ROOT: ["/a", "/b#x"], f"{ROOT}a": ["/b", "/"], f"{ROOT}b": ["/c"], f"{ROOT}c": []})
    report, reader = walk(site)
    assert sorted(site.urls) == [ROOT, f"{ROOT}a", f"{ROOT}b", f"{ROOT}c"]
    assert (report.pages_fetched, report.requests, report.pages_queued, report.truncated_by) == (4, 4, 0, "")
    assert {request.url: (request.depth, request.parent_url) for request, _ in reader.outcomes} == {
        ROOT: (0, None),
        f"{ROOT}a": (1, ROOT),
        f"{ROOT}b": (1, ROOT),
        f"{ROOT}c": (2, f"{ROOT}b"),
    }
    assert report.has_root
    assert report.notes == ()


def test_fault_A9_D7_a_page_that_fails_never_ends_the_crawl() -> None:
    forbidden = failed(f"{ROOT}a", 403, retryable=False)
    site = Site(
        {ROOT: ["/a", "/gone", "/b", "/odd"], f"{ROOT}a": forbidden, f"{ROOT}b": [], f"{ROOT}odd": FetchError("odd")}
    )
    report, _ = walk(site)
    assert (report.pages_fetched, report.pages_failed, report.pages_gone) == (2, 2, 1)
    assert {(fault.url, fault.status) for fault in report.faults} == {
        (f"{ROOT}a", 403),
        (f"{ROOT}gone", 404),
        (f"{ROOT}odd", None),
    }


@pytest.mark.parametrize(
    ("root", "says"),
    [
        (Failed(ROOT, "the server forbids the page", 403), "forbids"),
        (Gone(ROOT, 404), "404"),
        (Refused(ROOT, "address", "the host is this machine"), "this machine"),
    ],
)
def test_a_root_that_gives_no_page_is_reported_as_such_d7(root: FetchOutcome, says: str) -> None:
    report, _ = walk(Site({ROOT: root}))
    assert report.root == root
    assert not report.has_root
    assert says in report.root_error


def test_failures_are_retried_with_back_off_d4() -> None:
    flaky = [failed(f"{ROOT}a"), failed(f"{ROOT}a"), Fetched(f"{ROOT}a", f"{ROOT}a", "text/html", b"")]
    site = Site({ROOT: ["/a"], f"{ROOT}a": flaky})
    report, reader = walk(site)
    assert report.pages_fetched == 2
    assert [at_s for url, at_s in site.asked if url == f"{ROOT}a"] == [0.0, 1.0, 3.0]
    assert isinstance(reader.of(f"{ROOT}a"), Fetched), "only the settled outcome is told"


def test_retry_after_is_waited_for_d4() -> None:
    busy = [failed(f"{ROOT}a", 429, after_s=30.0), Fetched(f"{ROOT}a", f"{ROOT}a", "text/html", b"")]
    site = Site({ROOT: ["/a", "/b"], f"{ROOT}a": busy, f"{ROOT}b": []})
    walk(site, concurrency=1)
    assert {(url, at_s) for url, at_s in site.asked if at_s > 0} == {(f"{ROOT}a", 30.0), (f"{ROOT}b", 30.0)}


def test_requests_to_one_host_are_spaced_and_hosts_run_side_by_side_d4() -> None:
    other = "http://o.s.test/"
    site = Site({ROOT: ["/a", "/b", other], f"{ROOT}a": [], f"{ROOT}b": [], other: []})
    walk(site, delay_s=2.0, scope="domain")
    at_s = dict(site.asked)
    assert (at_s[ROOT], at_s[f"{ROOT}sitemap.xml"], at_s[f"{ROOT}a"], at_s[f"{ROOT}b"]) == (0.0, 2.0, 4.0, 6.0)
    assert at_s[f"{other}robots.txt"] == 0.0


def test_a_crawl_delay_of_robots_txt_wins_when_it_is_longer_d3() -> None:
    pages = {f"{ROOT}robots.txt": "User-agent: *\nCrawl-delay: 2.5\nDisallow:", ROOT: ["/a"], f"{ROOT}a": []}
    site = Site(pages)
    walk(site, delay_s=1.0)
    assert (dict(site.asked)[f"{ROOT}sitemap.xml"], dict(site.asked)[f"{ROOT}a"]) == (2.5, 5.0)


def test_no_more_requests_run_at_once_than_asked_for() -> None:
    site = Site({ROOT: [f"/{n}" for n in range(20)], **{f"{ROOT}{n}": [] for n in range(20)}})
    walk(site, concurrency=3)
    assert site.most_running == 3


def test_robots_txt_is_asked_for_once_and_obeyed_before_queueing_and_fetching_d3() -> None:
    robots = "User-agent: *\nDisallow: /private\nUser-agent: webdocs\nDisallow: /secret"
    site = Site({f"{ROOT}robots.txt": robots, ROOT: ["/private", "/secret"], f"{ROOT}private": ["/secret/x"]})
    report, _ = walk(site)
    assert [url for url, _ in site.asked].count(f"{ROOT}robots.txt") == 1
    assert site.urls == [ROOT, f"{ROOT}private"]
    assert [(refused.rule, refused.count) for refused in report.refused_links] == [("robots", 2)]


def test_a_redirect_to_what_robots_txt_forbids_is_no_page() -> None:
    robots = "User-agent: *\nDisallow: /secret"
    site = Site({f"{ROOT}robots.txt": robots, ROOT: ["/a"], f"{ROOT}a": f"-> {ROOT}secret", f"{ROOT}secret": []})
    _, reader = walk(site)
    outcome = reader.of(f"{ROOT}a")
    assert isinstance(outcome, Refused)
    assert outcome.rule == "robots"


def test_fault_E2_a_robots_txt_of_each_origin_is_asked_for() -> None:
    start = "http://s.test:8443/"
    site = Site({start: []})
    walk(site, start)
    assert site.asked[0][0] == "http://s.test:8443/robots.txt"


@pytest.mark.parametrize(
    "answer",
    [failed("", 503), failed("", 429, after_s=5.0), failed("", None)],
    ids=["fault-E1-503", "fault-E4-429", "D3-time-out"],
)
def test_a_robots_txt_that_is_unreachable_forbids_everything_and_names_the_setting(answer: Failed) -> None:
    site = Site({f"{ROOT}robots.txt": answer, ROOT: []})
    report, _ = walk(site)
    assert [url for url, _ in site.asked] == [f"{ROOT}robots.txt"] * 4, "asked, and retried three times"
    assert isinstance(report.root, Refused)
    assert report.root.rule == "robots"
    assert "WEBDOCS_RESPECT_ROBOTS" in report.root_error


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_fault_E2_a_robots_txt_that_answers_4xx_allows_everything(status: int) -> None:
    site = Site({f"{ROOT}robots.txt": failed("", status, retryable=False), ROOT: []})
    assert walk(site)[0].has_root


def test_a_robots_txt_that_comes_back_is_obeyed() -> None:
    allow_all = Fetched(f"{ROOT}robots.txt", f"{ROOT}robots.txt", "text/plain", b"")
    report, _ = walk(Site({f"{ROOT}robots.txt": [failed("", 503), allow_all], ROOT: []}))
    assert report.has_root


def test_ssrf_31_a_robots_txt_that_leads_to_a_private_address_forbids() -> None:
    refused = Refused(f"{ROOT}robots.txt", "address", "a redirect leads where it may not")
    report, _ = walk(Site({f"{ROOT}robots.txt": refused, ROOT: []}))
    assert isinstance(report.root, Refused)
    assert "redirect" in report.root_error


def test_robots_txt_is_not_asked_for_when_the_operator_says_so() -> None:
    site = Site({f"{ROOT}robots.txt": "User-agent: *\nDisallow: /", ROOT: []})
    report, _ = walk(site, respect_robots=False)
    assert report.has_root
    assert [url for url, _ in site.asked] == [ROOT, f"{ROOT}sitemap.xml"]


def test_fault_A2_a_lone_page_says_which_rule_refused_how_many_links() -> None:
    start = "http://s.test/docs/start"
    report, _ = walk(Site({start: ["/blog/1", "/blog/2", "http://o.test/"]}), start)
    assert report.pages_fetched == 1
    (note,) = report.notes
    assert "3 links were refused" in note
    assert "2 by folder: outside /docs/" in note
    assert "hostname" in note


def test_url_11_url_26_what_the_default_excludes_drop_is_reported_also_beside_excludes_of_the_user() -> None:
    links = [
        "/a",
        "/search.html?q=x",
        "/_sources/a.rst.txt",
        "/_modules/a",
        "/print.html",
        "/all.html",
    ]
    site = Site({ROOT: links, f"{ROOT}a": []})
    report, _ = walk(site, exclude=("*/other",))
    assert site.urls == [ROOT, f"{ROOT}a"]
    (note,) = report.notes
    assert "2 by the rule 'source view'" in note
    assert "Start at such a page" in note


def test_a_cut_crawl_keeps_its_pages_and_names_the_limit_a11() -> None:
    site = Site({ROOT: [f"/{n}" for n in range(30)], **{f"{ROOT}{n}": [] for n in range(30)}})
    report, _ = walk(site, max_pages=10)
    assert (report.pages_fetched, report.truncated_by, report.pages_queued) == (10, "max_pages", 21)
    assert any("max_pages=10" in note for note in report.notes)


def test_max_depth_zero_is_the_start_page_alone() -> None:
    report, _ = walk(Site({ROOT: ["/a"], f"{ROOT}a": []}), max_depth=0)
    assert (report.pages_fetched, report.truncated_by) == (1, "max_depth")


def test_the_start_redirect_takes_scheme_and_host_along_a5() -> None:
    www = "https://www.s.test/"
    site = Site({ROOT: f"-> {www}", www: ["/a", f"{www}b"], f"{www}a": [], f"{www}b": []})
    report, _ = walk(site)
    assert report.pages_fetched == 3
    assert report.notes == ()


def test_the_start_redirect_to_another_site_is_one_page_and_a_remark_a8() -> None:
    other = "http://other.test/"
    site = Site({ROOT: f"-> {other}", other: [f"{other}a", "/b"], f"{other}a": []})
    report, _ = walk(site)
    assert report.pages_fetched == 1
    assert "another site, http://other.test/" in report.notes[0]


def test_the_walk_goes_on_through_the_links_of_an_unchanged_page_d5() -> None:
    site = Site({ROOT: NotModified(ROOT, ROOT), f"{ROOT}a": []})
    options = CrawlOptions(**FAST)
    stored = {ROOT: Reading(links=("/a",))}
    report = asyncio.run(
        Crawl(
            ROOT, options, site, read_links, Reader(), clock=site.clock, sleep=site.clock.sleep, recall=stored.get
        ).run()
    )
    assert (report.pages_unchanged, report.pages_fetched) == (1, 1)
    assert report.has_root


def test_validators_go_with_the_request_of_their_own_url_d5() -> None:
    class Writing(Site):
        async def fetch(self, request: Request) -> FetchOutcome:
            sent[request.url] = (request.etag, request.last_modified)
            return await super().fetch(request)

    sent: dict[str, tuple[str, str]] = {}
    site = Writing({ROOT: ["/a", "/b"], f"{ROOT}a": [], f"{ROOT}b": []})
    given = {f"{ROOT}a": Validators('W/"1"', "Sun"), f"{ROOT}c": Validators('"3"')}
    one = Crawl(
        ROOT,
        CrawlOptions(**FAST),
        site,
        read_links,
        Reader(),
        clock=site.clock,
        sleep=site.clock.sleep,
        validators=given,
    ).run()
    asyncio.run(one)
    assert (sent[ROOT], sent[f"{ROOT}a"], sent[f"{ROOT}b"]) == (("", ""), ('W/"1"', "Sun"), ("", ""))
    assert sent[f"{ROOT}robots.txt"] == ("", "")


def test_the_walk_goes_on_through_what_is_stored_of_a_failed_page_d6() -> None:
    stored = {f"{ROOT}a": Reading(links=("/b",))}
    site = Site({ROOT: ["/a"], f"{ROOT}a": failed(f"{ROOT}a", 403, retryable=False), f"{ROOT}b": []})
    one = Crawl(
        ROOT,
        CrawlOptions(**FAST),
        site,
        read_links,
        Reader(),
        clock=site.clock,
        sleep=site.clock.sleep,
        recall=stored.get,
    ).run()
    report = asyncio.run(one)
    assert (report.pages_fetched, report.pages_failed) == (2, 1)


def test_pages_are_asked_again_at_the_end_with_the_same_manners_d6() -> None:
    site = Site({ROOT: ["/a"], f"{ROOT}robots.txt": "User-agent: *\nDisallow: /shut"})

    async def run() -> dict[str, FetchOutcome]:
        one = Crawl(
            ROOT, CrawlOptions(delay_s=2.0), site, read_links, Reader(), clock=site.clock, sleep=site.clock.sleep
        )
        await one.run()
        return await one.ask_again([f"{ROOT}a", f"{ROOT}shut", f"{ROOT}b"])

    answers = asyncio.run(run())
    assert [type(answer) for answer in answers.values()] == [Gone, Refused, Gone]
    times = [at_s for url, at_s in site.asked if url in (f"{ROOT}a", f"{ROOT}b")]
    assert [later - sooner for sooner, later in itertools.pairwise(times)] == [2.0, 4.0]
    assert f"{ROOT}shut" not in site.urls


def test_asking_again_ends_when_the_crawl_is_cancelled_g4() -> None:
    class Hanging(Site):
        async def fetch(self, request: Request) -> FetchOutcome:
            if request.url == f"{ROOT}slow":
                cancelled.set()
                await asyncio.Event().wait()
            return await super().fetch(request)

    async def run() -> dict[str, FetchOutcome]:
        options = CrawlOptions(**FAST)
        one = Crawl(
            ROOT, options, site, read_links, Reader(), clock=site.clock, sleep=site.clock.sleep, cancelled=cancelled
        )
        await one.run()
        return await one.ask_again([f"{ROOT}a", f"{ROOT}slow", f"{ROOT}b"])

    cancelled = asyncio.Event()
    site = Hanging({ROOT: []})
    assert list(asyncio.run(run())) == [f"{ROOT}a"]


def test_an_event_ends_the_crawl_with_what_it_has_g4() -> None:
    site = Site({ROOT: [f"/{n}" for n in range(9)], **{f"{ROOT}{n}": [] for n in range(9)}})
    cancelled = asyncio.Event()

    async def on_page(request: Request, outcome: FetchOutcome, reading: Reading | None, queued: int) -> None:
        if request.url == f"{ROOT}1":
            cancelled.set()

    options = CrawlOptions(concurrency=1, **FAST)
    report = asyncio.run(
        Crawl(
            ROOT, options, site, read_links, on_page, clock=site.clock, sleep=site.clock.sleep, cancelled=cancelled
        ).run()
    )
    assert (report.truncated_by, report.pages_fetched, report.pages_queued) == ("cancelled", 3, 7)
    assert any("Ended early" in note for note in report.notes)


def test_an_event_breaks_off_what_is_under_way() -> None:
    class Hanging(Site):
        async def fetch(self, request: Request) -> FetchOutcome:
            if request.url == f"{ROOT}a":
                cancelled.set()
                await asyncio.Event().wait()
            return await super().fetch(request)

    cancelled = asyncio.Event()
    site = Hanging({ROOT: ["/a"]})
    report = asyncio.run(
        Crawl(
            ROOT,
            CrawlOptions(**FAST),
            site,
            read_links,
            Reader(),
            clock=site.clock,
            sleep=site.clock.sleep,
            cancelled=cancelled,
        ).run()
    )
    assert (report.pages_fetched, report.pages_queued, report.truncated_by) == (1, 1, "cancelled")


def test_a_cancelled_task_leaves_a_consistent_report() -> None:
    class Hanging(Site):
        async def fetch(self, request: Request) -> FetchOutcome:
            if request.url == f"{ROOT}a":
                task.cancel()
                await asyncio.Event().wait()
            return await super().fetch(request)

    site = Hanging({ROOT: ["/a"]})
    run = Crawl(ROOT, CrawlOptions(**FAST), site, read_links, Reader(), clock=site.clock, sleep=site.clock.sleep)

    async def main() -> None:
        nonlocal task
        task = asyncio.create_task(run.run())
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asyncio.all_tasks()) == 1, "nothing outlives the crawl"

    task: asyncio.Task = None  # type: ignore[assignment]
    asyncio.run(main())
    report = run.report()
    assert (report.pages_fetched, report.pages_queued, report.truncated_by) == (1, 1, "cancelled")


def test_what_the_reader_raises_ends_the_crawl_and_nothing_is_left_running() -> None:
    async def on_page(request: Request, outcome: FetchOutcome, reading: Reading | None, queued: int) -> None:
        raise RuntimeError("the store is gone")

    async def main() -> None:
        site = Site({ROOT: []})
        with pytest.raises(RuntimeError, match="the store is gone"):
            await Crawl(
                ROOT, CrawlOptions(**FAST), site, read_links, on_page, clock=site.clock, sleep=site.clock.sleep
            ).run()
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())


def test_a_bad_pattern_stops_a_crawl_before_it_starts() -> None:
    with pytest.raises(PatternError):
        Crawl(ROOT, CrawlOptions(exclude=("/[/",)), Site({}), read_links, Reader())


OPTIONS = [
    ("max_pages", {"max_pages": 2}, 2),
    ("max_depth", {"max_depth": 0}, 1),
    ("scope", {"scope": "hostname"}, 5),
    ("path_prefix", {"path_prefix": "/docs/a"}, 3),
    ("include", {"include": ("*/b",)}, 2),
    ("exclude", {"exclude": ("/docs/a*",)}, 2),
    ("none", {}, 4),
]


@pytest.mark.parametrize(("options", "pages"), [row[1:] for row in OPTIONS], ids=[row[0] for row in OPTIONS])
def test_every_option_has_its_effect_a12(options: dict, pages: int) -> None:
    start = "http://s.test/docs/"
    names = ["a", "a/x", "b"]
    links = ["/docs/a", "/docs/a/x", "/docs/b", "/blog"]
    site = Site({start: links, "http://s.test/blog": [], **{f"{start}{name}": [] for name in names}})
    assert walk(site, start, **options)[0].pages_fetched == pages


def test_a_crawl_whose_time_is_up_ends_with_what_it_has_and_says_how_to_go_on_e() -> None:
    site = Site({ROOT: ["/a", "/b", "/c"], **{f"{ROOT}{name}": [] for name in "abc"}})
    report, _ = walk(site, delay_s=1.0, respect_robots=False, reads_sitemaps=False, time_limit_s=1.5)
    assert (report.pages_fetched, report.truncated_by, report.pages_queued) == (2, "time", 2)
    assert report.has_root
    assert report.notes == (
        "Cut after 1.5 s: 2 more known pages were not asked for. "
        "Crawl again to go on: what is stored is asked for conditionally",
    )


def test_a_page_under_way_when_the_time_is_up_is_broken_off_and_stays_queued_e() -> None:
    async def hang(request: Request) -> FetchOutcome:
        await asyncio.Event().wait()
        raise AssertionError

    site = Site({ROOT: []})
    site.fetch = hang
    report, reader = walk(site, respect_robots=False, time_limit_s=600.0)
    assert (report.truncated_by, report.pages_queued, report.root, reader.outcomes) == ("time", 1, None, [])
    assert site.clock.now_s == 600


def test_a_crawl_asks_nothing_again_once_its_time_is_up_e() -> None:
    async def main() -> dict[str, FetchOutcome]:
        site = Site({ROOT: ["/a"], f"{ROOT}a": []})
        options = CrawlOptions(delay_s=1.0, respect_robots=False, reads_sitemaps=False, time_limit_s=0.5)
        one = Crawl(ROOT, options, site, read_links, Reader(), clock=site.clock, sleep=site.clock.sleep)
        assert (await one.run()).truncated_by == "time"
        return await one.ask_again([f"{ROOT}gone"])

    assert asyncio.run(main()) == {}


def test_a_crawl_may_leave_the_sitemaps_unread_e() -> None:
    site = Site({ROOT: ["/a"], f"{ROOT}a": [], f"{ROOT}sitemap.xml": "http://s.test/hidden", f"{ROOT}hidden": []})
    report, _ = walk(site, reads_sitemaps=False)
    assert report.pages_fetched == 2
    assert f"{ROOT}sitemap.xml" not in dict(site.asked)


def test_a_crawl_logs_its_start_and_end_and_nothing_secret(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="webdocs"):
        walk(Site({ROOT: []}))
    assert [record.message.split()[0] for record in caplog.records] == ["crawl_started", "robots_read", "crawl_ended"]


# ---------------------------------------------------------------- real sockets


async def read_hrefs(fetched: Fetched) -> Reading:
    return Reading(links=tuple(re.findall(r'href="([^"]*)"', fetched.body.decode())))


def test_a_real_site_is_crawled_over_loopback() -> None:
    routes = {
        "/robots.txt": Reply(headers={"Content-Type": "text/plain"}, body="User-agent: *\nDisallow: /no\n"),
        "/docs/": '<a href="a.html">a</a> <a href="old">o</a> <a href="/no">n</a> <a href="dead">d</a>',
        "/docs/a.html": '<a href="./">up</a> <a href="b.html?utm_source=x">b</a> <a href="b.html">b</a>',
        "/docs/b.html?utm_source=x": "end",
        "/docs/old": Reply(301, {"Location": "/docs/a.html"}),
        "/no": "no",
    }

    async def run(server: LoopbackServer) -> CrawlReport:
        fetcher = HttpFetcher(allow_private=(server.socket,))
        try:
            return await Crawl(server.url("/docs/"), CrawlOptions(**FAST), fetcher, read_hrefs, Reader()).run()
        finally:
            await fetcher.aclose()

    with LoopbackServer(routes) as server:
        report = asyncio.run(run(server))
    assert (report.pages_fetched, report.pages_gone, report.pages_failed) == (3, 1, 0)
    assert "/no" not in server.targets
    assert server.targets[:2] == ["/robots.txt", "/docs/"]
    assert server.targets.count("/docs/b.html?utm_source=x") == 1
    assert "/docs/b.html" not in server.targets
