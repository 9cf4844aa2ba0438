"""A whole job on a real server: what is indexed, what is reported, what a second crawl leaves (contract D, G)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from clock import FakeTime
from extract.files import Words, pdf
from servers import LoopbackServer, Reply
from webdocs.build import Application, open_application
from webdocs.errors import PatternError, UnknownNameError, UrlError
from webdocs.model import CrawlOptions, Job
from webdocs.settings import load_settings


def html(title: str, body: str, head: str = "") -> str:
    return f"<html><head><title>{title}</title>{head}</head><body><main><h1>{title}</h1>{body}</main></body></html>"


WORDS = "<p>Enough words to make a paragraph that counts as the main content of a page.</p>"

SITE = {
    "/docs/": html("Start", f'<a href="a">Alpha page</a> <a href="b">Beta page</a> <a href="gone">x</a> {WORDS}'),
    "/docs/a": html("Alpha", f'<a href="c">Gamma page</a> {WORDS} <p>The zebra runs.</p>'),
    "/docs/b": html("Beta", f'{WORDS}<h2 id="care">Walrus care</h2><p>The walrus swims and eats fish.</p>'),
    "/docs/c": html("Gamma", f"{WORDS} <p>Nothing but gamma rays.</p>"),
}


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    time = FakeTime()
    settings = load_settings({"WEBDOCS_DB_PATH": str(tmp_path / "i.duckdb"), "WEBDOCS_EMBEDDER": "hashing"})
    opened = open_application(settings, clock=time, sleep=time.sleep)
    yield opened
    opened.close()


def options(server: LoopbackServer, **changes) -> CrawlOptions:
    base = {"delay_s": 0.0, "allow_private": (server.socket,), "max_depth": None, "max_pages": 1000}
    return CrawlOptions(**{**base, **changes})


def crawl(application: Application, server: LoopbackServer, path: str = "/docs/", **changes) -> Job:
    job = application.service.submit(server.url(path), options(server, **changes))
    return application.service.watch(job.job_id, 30)


def stored(application: Application) -> list[str]:
    return [row.url.partition("/docs/")[2] for row in application.service.list_pages(limit=1000)]


def test_a_site_becomes_cited_answers(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        job = crawl(application, server)
        assert (job.status, job.pages_indexed, job.pages_failed) == ("completed", 4, 1)
        assert [(fault.url, fault.status) for fault in job.faults] == [(server.url("/docs/gone"), 404)]
        assert stored(application) == ["", "a", "b", "c"]
        hit = application.service.search("walrus care").hits[0]
        assert hit.anchor_url == server.url("/docs/b#care")
        assert hit.heading_path == ("Beta", "Walrus care")
        assert "eats fish" in hit.text
        assert hit.site == f"127.0.0.1:{server.port}/docs"


def test_5_8_a_linked_pdf_is_indexed_and_cited_by_its_page(application: Application) -> None:
    manual = pdf([[Words("The wombat digs.", 700)], [Words("The kestrel hovers over fields.", 700)]], title="Manual")
    routes = {
        "/docs/": html("Start", f'<a href="manual.pdf">Manual</a> <a href="scan">Scan</a> {WORDS}'),
        "/docs/manual.pdf": Reply(200, {"Content-Type": "application/octet-stream"}, manual),
        "/docs/scan": Reply(200, {"Content-Type": "application/pdf"}, b"%PDF-1.4 broken"),
    }
    with LoopbackServer(routes) as server:
        job = crawl(application, server)
        assert (job.pages_indexed, job.pages_failed) == (2, 1)
        assert job.faults[0].reason == "the PDF cannot be opened: it is damaged"
        hit = application.service.search("kestrel").hits[0]
        assert hit.anchor_url == server.url("/docs/manual.pdf#page=2")


def test_D1_a_page_keeps_its_first_discoverer_and_depth(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        crawl(application, server)
        gamma = application.service.page(server.url("/docs/c"))
        alpha = application.service.page(server.url("/docs/a"))
        start = application.service.page(server.url("/docs/"))
    assert (start.depth, start.parent_id) == (0, None)
    assert (alpha.depth, alpha.parent_id) == (1, start.page_id)
    assert (gamma.depth, gamma.parent_id) == (2, alpha.page_id)


def test_G1_crawling_three_times_leaves_the_same_rows_and_indexes_once(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        first = crawl(application, server)
        before = application.service.counts()
        again = [crawl(application, server) for _ in range(2)]
    assert first.pages_indexed == 4
    assert [(job.pages_indexed, job.pages_unchanged) for job in again] == [(0, 4), (0, 4)]
    assert application.service.counts() == before
    assert len(application.service.sites()) == 1


def test_fault_I1_a_changed_page_is_indexed_again_and_only_it(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        crawl(application, server)
        server.routes["/docs/c"] = html("Gamma", f"{WORDS} <p>The lemur climbs.</p>")
        job = application.service.update(f"127.0.0.1:{server.port}/docs")[0]
        job = application.service.watch(job.job_id, 30)
    assert (job.pages_indexed, job.pages_unchanged) == (1, 3)
    assert application.service.search("lemur").hits[0].title == "Gamma"


def test_D6_an_update_deletes_what_is_gone_and_says_why(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        crawl(application, server)
        del server.routes["/docs/c"]
        job = crawl(application, server)
    assert stored(application) == ["", "a", "b"]
    assert [(page.url, page.reason[:16]) for page in job.pruned] == [(server.url("/docs/c"), "gone: status 404")]


@pytest.mark.parametrize(
    ("route", "words"),
    [
        pytest.param(Reply(404), "no such page", id="D7-root-404"),
        pytest.param(Reply(403), "403", id="D7-root-403"),
        pytest.param(
            Reply(200, {"Content-Type": "application/zip"}, b"PK\x03\x04" + bytes(99)),
            "zip",
            id="fault-H8-no-document",
        ),
        pytest.param(Reply(200, {"Content-Type": "text/html"}, b""), "", id="fault-H7-root-empty"),
    ],
)
def test_D7_a_root_that_fails_fails_the_job_with_its_reason(application: Application, route: Reply, words: str) -> None:
    with LoopbackServer({**SITE, "/docs/": route}) as server:
        job = crawl(application, server)
    assert job.status == "failed"
    assert server.url("/docs/") in job.error
    assert words in job.error
    assert application.service.counts() == (0, 0)


def test_D7_a_site_that_never_gave_a_page_is_in_no_list_and_its_job_says_why(application: Application) -> None:
    with LoopbackServer({}) as server:
        job = crawl(application, server)
    assert application.service.sites() == ()
    assert [(kept.job_id, kept.status) for kept in application.service.jobs()] == [(job.job_id, "failed")]


def test_D7_a_host_that_does_not_answer_is_said_before_its_robots_txt(application: Application) -> None:
    with LoopbackServer({}) as server:
        url, opened = server.url("/docs/"), options(server)
    job = application.service.watch(application.service.submit(url, opened).job_id, 30)
    assert job.error.startswith(f"{url} could not be indexed: the host does not answer: ")
    assert "WEBDOCS_RESPECT_ROBOTS" in job.error


def test_D7_a_root_that_fails_later_changes_nothing_stored(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        crawl(application, server)
        before = application.service.counts()
        server.routes["/docs/"] = Reply(404)
        assert crawl(application, server).status == "failed"
    assert application.service.counts() == before


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(Reply(200, {"Content-Type": "text/html"}, b""), "", id="fault-H7-empty-body"),
        pytest.param(
            Reply(200, {"Content-Type": "text/html"}, b"\x00\x01\x02" * 500), "", id="fault-H8-binary-labelled-html"
        ),
        pytest.param(Reply(500), "500", id="D7-server-error"),
    ],
)
def test_D7_a_page_that_fails_is_listed_and_the_crawl_goes_on(
    application: Application, body: Reply, reason: str
) -> None:
    with LoopbackServer({**SITE, "/docs/b": body, "/docs/gone": html("Back", WORDS)}) as server:
        job = crawl(application, server)
    assert job.status == "completed"
    assert job.pages_indexed == 4
    (fault,) = job.faults
    assert fault.url == server.url("/docs/b")
    assert reason in fault.reason
    assert fault.reason


def test_fault_A9_a_page_that_was_forbidden_is_asked_for_again_by_the_next_update(application: Application) -> None:
    with LoopbackServer({**SITE, "/docs/b": Reply(403)}) as server:
        first = crawl(application, server)
        assert (first.status, stored(application)) == ("completed", ["", "a", "c"])
        assert (server.url("/docs/b"), 403) in [(fault.url, fault.status) for fault in first.faults]
        server.routes["/docs/b"] = SITE["/docs/b"]
        again = crawl(application, server)
        assert stored(application) == ["", "a", "b", "c"]
    assert (again.pages_indexed, again.pages_unchanged) == (1, 3)


def test_fault_A10_a_dead_entry_of_a_list_of_pages_does_not_fail_the_job(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        listed = "".join(f"<url><loc>{server.url(path)}</loc></url>" for path in ("/docs/dead", "/docs/lone"))
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'
        server.routes["/sitemap.xml"] = Reply(200, {"Content-Type": "application/xml"}, sitemap)
        server.routes["/docs/lone"] = html("Lone", WORDS)
        job = crawl(application, server)
        assert (job.status, stored(application)) == ("completed", ["", "a", "b", "c", "lone"])
        assert server.url("/docs/dead") in [fault.url for fault in job.faults]


def test_fault_B22_what_failed_in_one_crawl_is_no_part_of_a_later_one(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        failed = crawl(application, server, "/docs/gone")
        server.routes["/docs/gone"] = html("Back", WORDS)
        later = crawl(application, server)
        assert (failed.status, later.status) == ("failed", "completed")
        assert later.faults == ()
        assert "gone" in stored(application)


@pytest.mark.parametrize(
    ("head", "pages"),
    [
        pytest.param(
            '<meta name="robots" content="noindex">', ["", "b", "c"], id="E11-noindex-is-not-stored-but-followed"
        ),
        pytest.param(
            '<meta name="robots" content="nofollow">', ["", "a", "b"], id="E11-nofollow-is-stored-not-followed"
        ),
        pytest.param('<meta name="robots" content="none">', ["", "b"], id="none-is-both"),
    ],
)
def test_a_pages_own_robots_wishes_are_kept(application: Application, head: str, pages: list[str]) -> None:
    routes = {**SITE, "/docs/a": html("Alpha", f'<a href="c">Gamma page</a> {WORDS}', head)}
    with LoopbackServer(routes) as server:
        crawl(application, server)
        assert stored(application) == pages


@pytest.mark.parametrize(
    ("changes", "pages", "note"),
    [
        pytest.param({"max_pages": 2}, ["", "a"], "max_pages=2", id="fault-A11-cut-by-pages"),
        pytest.param({"max_depth": 1}, ["", "a", "b"], "max_depth=1", id="cut-by-depth"),
        pytest.param({"exclude": ("*/b",)}, ["", "a", "c"], None, id="fault-A12-exclude"),
        pytest.param({"include": ("*/docs/a",)}, ["", "a"], None, id="fault-A12-include-but-the-start"),
    ],
)
def test_limits_and_patterns_take_effect_and_say_so(application, changes, pages, note) -> None:
    with LoopbackServer(SITE) as server:
        job = crawl(application, server, **changes)
        assert stored(application) == pages
    if note:
        assert any(note in remark for remark in job.notes)


def test_D3_robots_is_obeyed_and_only_the_operator_overrides_it(application: Application) -> None:
    routes = {**SITE, "/robots.txt": Reply(200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /docs/b")}
    with LoopbackServer(routes) as server:
        crawl(application, server)
        assert stored(application) == ["", "a", "c"]
        assert "/docs/b" not in server.targets
        crawl(application, server, respect_robots=False)
        assert stored(application) == ["", "a", "b", "c"]


def test_a_redirected_page_is_stored_once_under_its_final_url(application: Application) -> None:
    routes = {**SITE, "/docs/a": Reply(302, {"Location": "/docs/c"})}
    with LoopbackServer(routes) as server:
        crawl(application, server)
        assert stored(application) == ["", "b", "c"]
        assert server.url("/docs/c") in [hit.url for hit in application.service.search("alpha").hits]  # by link text


def test_a_redirect_to_a_page_that_is_here_already_is_its_alias(application: Application) -> None:
    routes = {
        "/docs/": html("Start", f'<a href="c">Gamma page</a> <a href="far">far</a> {WORDS}'),
        "/docs/c": html("Gamma", f"{WORDS} <p>Nothing but gamma rays.</p>"),
        "/docs/far": html("Far", f'<a href="late">quokka habits</a> {WORDS}'),
        "/docs/late": Reply(302, {"Location": "/docs/c"}),
    }
    with LoopbackServer(routes) as server:
        crawl(application, server)
        assert stored(application) == ["", "c", "far"]
        assert server.url("/docs/c") in [hit.url for hit in application.service.search("quokka").hits]


@pytest.mark.parametrize(
    ("url", "error"),
    [
        pytest.param("ftp://docs.test/", UrlError, id="A1-scheme"),
        pytest.param("http://", UrlError, id="A1-unparsable"),
        pytest.param("http://127.0.0.1:9/docs/", UrlError, id="A1-refused-port-and-address"),
        pytest.param("http://169.254.169.254/", UrlError, id="A1-metadata"),
        pytest.param("http://localhost:8000/", UrlError, id="A1-localhost"),
        pytest.param("http://[::1]:8000/", UrlError, id="A1-loopback-v6"),
    ],
)
def test_A1_a_url_that_can_never_be_crawled_is_refused_at_once(application: Application, url: str, error) -> None:
    with pytest.raises(error) as caught:
        application.service.submit(url, CrawlOptions())
    assert str(caught.value)
    assert application.service.jobs() == ()
    assert application.service.sites() == ()


def test_a_bad_pattern_is_refused_at_once(application: Application) -> None:
    with pytest.raises(PatternError):
        application.service.submit("https://docs.test/", CrawlOptions(exclude=("/(/",)))
    assert application.service.sites() == ()


def test_G4_a_cancelled_job_keeps_what_it_indexed(application: Application) -> None:
    release = asyncio.Event()

    async def hang(_writer: asyncio.StreamWriter) -> None:
        await release.wait()

    routes = {**SITE, "/docs/c": hang}
    with LoopbackServer(routes) as server:
        job = application.service.submit(server.url("/docs/"), options(server))
        while "/docs/c" not in server.targets:
            application.service.watch(job.job_id, 0.05)
        application.service.cancel(job.job_id)
        ended = application.service.watch(job.job_id, 10)
        assert (ended.status, ended.pages_indexed) == ("cancelled", 3)
        assert stored(application) == ["", "a", "b"]


def test_one_source_is_not_crawled_twice_at_once(application: Application) -> None:
    async def hang(_writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    with LoopbackServer({"/docs/": hang}) as server:
        first = application.service.submit(server.url("/docs/"), options(server))
        second = application.service.submit(server.url("/docs/"), options(server))
        assert second.job_id == first.job_id
        application.service.cancel(first.job_id)
        assert application.service.watch(first.job_id, 10).status == "cancelled"


def test_closing_interrupts_the_job_and_keeps_its_pages(tmp_path: Path) -> None:
    async def hang(_writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    settings = load_settings({"WEBDOCS_DB_PATH": str(tmp_path / "i.duckdb"), "WEBDOCS_EMBEDDER": "hashing"})
    with LoopbackServer({**SITE, "/docs/c": hang}) as server:
        first = open_application(settings)
        job = first.service.submit(server.url("/docs/"), options(server))
        while "/docs/c" not in server.targets:
            first.service.watch(job.job_id, 0.05)
        first.close()
    again = open_application(settings)
    assert again.service.job(job.job_id).status == "interrupted"
    assert stored(again) == ["", "a", "b"]
    again.close()


def test_removing_a_site_leaves_nothing_of_it(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        job = crawl(application, server)
        assert application.service.remove(job.site) == 4
    assert application.service.counts() == (0, 0)
    assert application.service.search("walrus").hits == ()
    with pytest.raises(UnknownNameError):
        application.service.remove(job.site)


def test_versions_of_one_site_stand_side_by_side(application: Application) -> None:
    with LoopbackServer(SITE) as server:
        for version in ("1", "2"):
            job = application.service.submit(server.url("/docs/"), options(server), name="zoo", version=version)
            application.service.watch(job.job_id, 30)
        assert [(site.site, site.version, site.pages) for site in application.service.sites()] == [
            ("zoo", "1", 4),
            ("zoo", "2", 4),
        ]
        assert {hit.version for hit in application.service.search("walrus", site="zoo", version="2").hits} == {"2"}
        assert application.service.remove("zoo", version="1") == 4
        assert [site.version for site in application.service.sites()] == ["2"]


@pytest.mark.parametrize("call", ["page", "job", "cancel"])
def test_unknown_ids_are_said(application: Application, call: str) -> None:
    with pytest.raises(UnknownNameError):
        getattr(application.service, call)("0123456789abcdef")
