"""A second crawl of a real server: what is asked, what is indexed, what is deleted and why (contract D5, D6)."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from servers import LoopbackServer, Reply, Route
from webdocs.build import Application, open_application
from webdocs.ingest.recrawl import FULL_FETCH_AFTER, Recrawl
from webdocs.model import CONTENT_HASH_PREFIX, CrawlOptions, Job, KnownPage, Validators, page_id_of
from webdocs.settings import load_settings

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def html(title: str, *links: str, text: str = "", head: str = "") -> str:
    words = f"Enough words about {title} to make a paragraph that counts as the main content of a page."
    anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
    body = f"<main><h1>{title}</h1><p>{words}</p><p>{text}</p></main><footer>{anchors}</footer>"
    return f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


SITE: dict[str, Route] = {
    "/docs/": html("Start", "a", "b"),
    "/docs/a": html("Alpha", "c", "shared"),
    "/docs/b": html("Beta", "shared"),
    "/docs/c": html("Gamma", text="The zebra runs."),
    "/docs/shared": html("Shared"),
}
ALL = ["", "a", "b", "c", "shared"]


class Versioned(LoopbackServer):
    """Sends an ETag with each page, made of its body, and answers 304 where that comes back."""

    def _note(self, head: str) -> Route:
        route = super()._note(head)
        if not isinstance(route, str):
            return route
        etag = f'W/"{hash(route):x}"'
        sent = self.asked[-1].headers.get("if-none-match")
        return Reply(304, {"ETag": etag}) if sent == etag else Reply(200, {"ETag": etag}, route)


Opener = Callable[..., Application]


@pytest.fixture
def opener(tmp_path: Path) -> Iterator[Opener]:
    opened: list[Application] = []

    def open_with(**settings: str) -> Application:
        base = {"WEBDOCS_DB_PATH": str(tmp_path / "i.duckdb"), "WEBDOCS_EMBEDDER": "hashing"}
        opened.append(open_application(load_settings(base | settings)))
        return opened[-1]

    yield open_with
    for application in opened:
        application.close()


@pytest.fixture
def application(opener: Opener) -> Application:
    return opener()


def crawl(application: Application, server: LoopbackServer, **changes) -> Job:
    base = {"delay_s": 0.0, "allow_private": (server.socket,), "max_depth": None, "max_pages": 1000}
    job = application.service.submit(server.url("/docs/"), CrawlOptions(**{**base, **changes}))
    return application.service.watch(job.job_id, 30)


def stored(application: Application) -> list[str]:
    return [row.url.partition("/docs/")[2] for row in application.service.list_pages(limit=1000)]


def pruned(job: Job) -> dict[str, str]:
    return {page.url.partition("/docs/")[2]: page.reason for page in job.pruned}


# ---------------------------------------------------------------- the known losses of the first webdocs


def test_loss_a_root_that_answers_503_deletes_nothing(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes["/docs/"] = Reply(503)
        server.routes["/docs/c"] = Reply(404)
        job = crawl(application, server, concurrency=1)
    assert (job.status, job.pages_pruned, job.pruned) == ("failed", 0, ())
    assert stored(application) == ALL


def test_loss_a_parent_that_fails_does_not_delete_its_children(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes["/docs/a"] = Reply(403)
        job = crawl(application, server)
        assert "/docs/c" in server.targets[len(server.targets) // 2 :]
    assert (job.status, job.pages_pruned, job.pages_failed) == ("completed", 0, 1)
    assert job.pages_unchanged == 4  # the walk went on through the stored links of the page that failed
    assert stored(application) == ALL


def test_loss_a_smaller_max_depth_deletes_nothing_deeper(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        job = crawl(application, server, max_depth=1)
    assert (job.status, job.pages_unchanged, job.pages_pruned) == ("completed", 3, 0)
    assert stored(application) == ALL
    assert any("2 stored pages are kept" in note for note in job.notes)


def test_loss_a_shared_child_that_an_unchanged_page_still_links_stays(application: Application) -> None:
    """`shared` was discovered by `a`, which links to it no more; `b` answers 304 and does."""
    with Versioned(SITE) as server:
        crawl(application, server, concurrency=1)
        server.routes["/docs/a"] = html("Alpha", "c", text="changed")
        job = crawl(application, server)
    assert (job.pages_indexed, job.pages_unchanged, job.pages_pruned) == (1, 4, 0)
    assert stored(application) == ALL


# ---------------------------------------------------------------- D5


def test_D5_validators_go_back_verbatim_and_304_walks_all_stored_links(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        asked = len(server.asked)
        job = crawl(application, server)
        second = {item.target: item.headers.get("if-none-match", "") for item in server.asked[asked:]}
    assert (job.pages_crawled, job.pages_unchanged, job.pages_indexed) == (5, 5, 0)
    for path in ALL:
        assert second[f"/docs/{path}"] == f'W/"{hash(SITE[f"/docs/{path}"]):x}"'


def test_D5_an_unchanged_page_counts_against_max_pages(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        job = crawl(application, server, max_pages=2)
    assert (job.pages_unchanged, job.pages_pruned) == (2, 0)
    assert stored(application) == ALL


def test_D5_links_under_nofollow_are_stored_but_not_walked(application: Application) -> None:
    shut = html("Alpha", "c", "shared", head='<meta name="robots" content="nofollow">')
    with Versioned({**SITE, "/docs/a": shut}) as server:
        crawl(application, server)
        job = crawl(application, server)
    assert "/docs/c" not in server.targets
    assert (job.pages_unchanged, job.pages_pruned) == (4, 0)


def test_D5_a_page_with_equal_content_and_a_new_link_is_walked_anew_after_a_304(application: Application) -> None:
    """The content hash leaves navigation out; the stored links may not."""
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes |= {"/docs/b": html("Beta", "shared", "new"), "/docs/new": html("New")}
        second = crawl(application, server)
        third = crawl(application, server)
    assert (second.pages_indexed, second.pages_unchanged) == (1, 5)
    assert (third.pages_indexed, third.pages_unchanged, third.pages_pruned) == (0, 6, 0)
    assert stored(application) == ["", "a", "b", "c", "new", "shared"]


def test_fault_I1_a_page_without_validators_is_fetched_and_compared(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        crawl(application, server)
        server.routes["/docs/c"] = html("Gamma", text="The lemur climbs.")
        job = crawl(application, server)
        assert not any("if-none-match" in item.headers for item in server.asked)
    assert (job.pages_indexed, job.pages_unchanged, job.pages_pruned) == (1, 4, 0)
    assert application.service.search("lemur").hits[0].title == "Gamma"


def test_fault_I3_a_200_with_equal_content_takes_the_new_validators_alone(
    application: Application,
) -> None:
    with LoopbackServer(SITE) as server:
        crawl(application, server)
        server.routes["/docs/c"] = Reply(
            200, {"ETag": '"new"', "Last-Modified": "Mon, 30 Nov 2026 00:00:00 GMT"}, SITE["/docs/c"]
        )  # type: ignore[arg-type]
        before = application.service.counts()
        job = crawl(application, server)
        assert (job.pages_indexed, job.pages_unchanged, job.chunks_indexed) == (0, 5, 0)
        crawl(application, server)
        (last,) = [item.headers for item in server.asked if item.headers.get("if-none-match")]
    assert last["if-none-match"] == '"new"'
    assert last["if-modified-since"] == "Mon, 30 Nov 2026 00:00:00 GMT"
    assert application.service.counts() == before


def test_a_server_that_answers_304_unasked_is_a_fault_and_deletes_nothing(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes |= {"/docs/b": Reply(302, {"Location": "/docs/moved"}), "/docs/moved": Reply(304)}
        job = crawl(application, server)
    assert [(fault.url, fault.status) for fault in job.faults] == [(server.url("/docs/b"), 304)]
    assert (job.pages_unchanged, job.pages_pruned) == (4, 0)


# ---------------------------------------------------------------- D6


def test_fault_I6_a_page_that_is_gone_twice_goes_with_its_reason(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes["/docs/c"] = Reply(410)
        asked = len(server.targets)
        job = crawl(application, server)
        assert server.targets[asked:].count("/docs/c") == 2
        assert server.targets[-1] == "/docs/c"
    assert pruned(job) == {"c": "gone: status 410, again when asked a second time at the end of the crawl"}
    assert job.pages_pruned == 1
    assert stored(application) == ["", "a", "b", "shared"]
    assert (
        application.service.search("zebra").hits == ()
        or "zebra" not in application.service.search("zebra").hits[0].text
    )
    assert application.service.job(job.job_id) == job


def test_fault_I6_a_page_that_is_back_at_the_second_ask_stays(application: Application) -> None:
    answers = iter([Reply(404), SITE["/docs/c"]])

    class Flaky(LoopbackServer):
        is_flaky = False

        def _note(self, head: str) -> Route:
            route = super()._note(head)
            return next(answers) if self.is_flaky and self.asked[-1].target == "/docs/c" else route

    with Flaky(SITE) as server:
        crawl(application, server)
        server.is_flaky = True
        job = crawl(application, server)
    assert (job.pages_failed, job.pages_pruned) == (1, 0)
    assert stored(application) == ALL


def test_D6_gone_twice_goes_even_where_the_crawl_was_cut(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes["/docs/a"] = Reply(404)
        job = crawl(application, server, max_depth=1)
    assert list(pruned(job)) == ["a"]
    assert stored(application) == ["", "b", "c", "shared"]


def test_D6_a_page_that_nothing_links_any_more_goes_after_a_complete_crawl(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes["/docs/a"] = html("Alpha", "shared", text="changed")
        job = crawl(application, server)
    assert pruned(job) == {"c": "no page links to it any more"}
    assert stored(application) == ["", "a", "b", "shared"]


def test_D6_a_page_that_is_linked_under_nofollow_only_stays(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes["/docs/a"] = html("Alpha", "shared", text='<a rel="nofollow" href="c">to c</a>')
        asked = len(server.targets)
        job = crawl(application, server)
        assert "/docs/c" not in server.targets[asked:]
    assert job.pages_pruned == 0
    assert stored(application) == ALL


def test_D6_robots_that_shut_a_page_keep_it_and_what_it_links(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes["/robots.txt"] = Reply(200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /docs/a")
        job = crawl(application, server)
    assert job.pages_pruned == 0
    assert stored(application) == ALL
    assert any("1 stored page is kept" in note and "robots" in note for note in job.notes)


def test_D6_a_page_that_new_options_leave_out_is_kept_and_said(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        job = crawl(application, server, exclude=("*/docs/b",))
    assert job.pages_pruned == 0
    assert stored(application) == ALL
    assert any("1 stored page is kept" in note and "*/docs/b" in note for note in job.notes)


def test_D6_another_site_is_not_touched(application: Application) -> None:
    with Versioned(SITE) as server, Versioned(SITE) as other:
        crawl(application, server)
        crawl(application, other)
        server.routes["/docs/a"] = Reply(404)
        assert crawl(application, server).pages_pruned == 2
    assert application.service.sites()[0].pages + application.service.sites()[1].pages == 8


def test_a_sitemap_that_cannot_be_read_keeps_what_nothing_links(application: Application) -> None:
    listed = "<urlset><url><loc>{}</loc></url></urlset>"
    with Versioned(SITE) as server:
        xml = {"Content-Type": "application/xml"}
        server.routes |= {"/sitemap.xml": Reply(200, xml, listed.format(server.url("/docs/lone")))}
        server.routes["/docs/lone"] = html("Lone")
        crawl(application, server)
        assert "lone" in stored(application)
        server.routes["/sitemap.xml"] = Reply(403)
        assert crawl(application, server).pages_pruned == 0
        server.routes["/sitemap.xml"] = Reply(404)
        assert list(pruned(crawl(application, server))) == ["lone"]


def test_a_start_page_without_text_and_links_deletes_nothing(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes["/docs/"] = "<html><body><div id=app></div></body></html>"
        job = crawl(application, server)
    assert (job.status, job.pages_pruned) == ("failed", 0)
    assert stored(application) == ALL


def test_C_prune_missing_false_deletes_nothing(opener: Opener) -> None:
    application = opener(WEBDOCS_PRUNE_MISSING="false")
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes["/docs/a"] = Reply(404)
        asked = len(server.targets)
        job = crawl(application, server)
        assert server.targets[asked:].count("/docs/a") == 1
    assert job.pages_pruned == 0
    assert stored(application) == ALL


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        pytest.param(
            html("Gamma", text="The zebra runs."), ["", "a", "b", "new", "shared"], id="fault-I7-equal-content-moves"
        ),
        pytest.param(html("Sign in"), [*ALL[:4], "new", "shared"], id="other-content-keeps-the-stored-page"),
    ],
)
def test_fault_I7_a_redirect_from_a_stored_page(application: Application, body: str, kept: list[str]) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        server.routes |= {"/docs/c": Reply(301, {"Location": "/docs/new"}), "/docs/new": body}
        crawl(application, server)
        assert stored(application) == kept
        crawl(application, server)
    assert stored(application) == kept


def test_fault_I7_a_new_redirect_to_an_unchanged_page_is_its_alias_and_no_document(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        crawl(application, server)
        server.routes["/docs/"] = html("Start", "a", "b", "nickname")
        server.routes["/docs/nickname"] = Reply(302, {"Location": "/docs/c"})
        job = crawl(application, server)
    assert (job.pages_indexed, job.pages_pruned) == (0, 0)
    assert stored(application) == ALL


# ---------------------------------------------------------------- validators


@pytest.mark.parametrize(
    ("etag", "last_modified", "age", "expected"),
    [
        pytest.param('"1"', "", timedelta(0), {"http://s.test/a": Validators('"1"', "")}, id="an-etag"),
        pytest.param("", "Sun", timedelta(0), {"http://s.test/a": Validators("", "Sun")}, id="a-date"),
        pytest.param("", "", timedelta(0), {}, id="fault-I1-none"),
        pytest.param('"1"', "Sun", FULL_FETCH_AFTER, {}, id="fault-I2-a-full-fetch-once-a-month"),
    ],
)
def test_which_pages_are_asked_conditionally(etag: str, last_modified: str, age: timedelta, expected) -> None:
    made = f"{CONTENT_HASH_PREFIX}hash"
    page = KnownPage(page_id_of("s", "http://s.test/a"), "http://s.test/a", made, NOW - age, etag, last_modified)
    assert Recrawl("s", [page], {}).validators(NOW) == expected


@pytest.mark.parametrize("made", ["", "hash", "0:hash"], ids=["forgotten", "before-versions", "an-older-version"])
def test_fault_I2_a_page_that_this_version_did_not_make_is_asked_for_whole(made: str) -> None:
    page = KnownPage(page_id_of("s", "http://s.test/a"), "http://s.test/a", made, NOW, '"1"', "Sun")
    assert Recrawl("s", [page], {}).validators(NOW) == {}


def test_fault_I2_a_full_update_indexes_every_page_anew_and_the_next_one_none(application: Application) -> None:
    with Versioned(SITE) as server:
        crawl(application, server)
        (full,) = application.service.update(application.service.sites()[0].site, full=True)
        job = application.service.watch(full.job_id, 30)
        assert (job.status, job.pages_indexed, job.pages_unchanged, job.pages_pruned) == ("completed", 5, 0, 0)
        assert not any("if-none-match" in asked.headers for asked in server.asked)
        assert stored(application) == ALL
        assert crawl(application, server).pages_unchanged == 5


CUT_GZIP = Reply(headers={"Content-Encoding": "gzip"}, body=gzip.compress(b"<p>half a page</p>" * 99)[:-8])
STACKED = Reply(headers={"Content-Encoding": "gzip, gzip"}, body=html("Gamma"))


async def _short(writer: asyncio.StreamWriter) -> None:
    """Names a longer body than it sends, and closes."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n"
    writer.write(head + html("Gamma").encode())


@pytest.mark.parametrize(
    "broken",
    [
        # Tried again three times, with the back-off of a real crawl.
        pytest.param(CUT_GZIP, id="ssrf-40-truncated", marks=pytest.mark.slow),
        pytest.param(_short, id="ssrf-44-short-body", marks=pytest.mark.slow),
        pytest.param(STACKED, id="ssrf-39-stacked"),
    ],
)
def test_a_page_that_does_not_come_whole_leaves_the_stored_one(application: Application, broken: Route) -> None:
    with LoopbackServer(SITE) as server:
        crawl(application, server)
        server.routes["/docs/c"] = broken
        job = crawl(application, server, concurrency=1)
        assert (job.status, job.pages_failed, job.pages_pruned) == ("completed", 1, 0)
        assert "zebra" in application.service.page(server.url("/docs/c")).markdown
    assert stored(application) == ALL
