"""Pages that are read and not stored: lists of names, and what a site answers to any name (rows 11, 30; C7)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import LoopbackServer, Reply, Route
from webdocs.build import Application, open_application
from webdocs.model import CrawlOptions, Job
from webdocs.settings import load_settings


def html(title: str, *links: str, text: str = "", head: str = "") -> str:
    words = f"Enough words about {title} to make a paragraph that counts as the main content of a page."
    anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
    return f"<html><head><title>{title}</title>{head}</head><body><main><h1>{title}</h1><p>{words}</p>{text}{anchors}"


class CatchAll(LoopbackServer):
    """Answers 200 to any name but those of the crawl's own files: with a page that names it and has relative links."""

    says = "Page not found"
    is_on = True

    def _note(self, head: str) -> Route:
        route = super()._note(head)
        target = self.asked[-1].target
        if target in self.routes or not self.is_on or target in ("/robots.txt", "/sitemap.xml"):
            return route
        return html(self.says, "more/", "deeper/still", text=f"<p>There is nothing under {target}.</p>")


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    opened = open_application(
        load_settings({"WEBDOCS_DB_PATH": str(tmp_path / "i.duckdb"), "WEBDOCS_EMBEDDER": "hashing"})
    )
    yield opened
    opened.close()


def crawl(application: Application, server: LoopbackServer, path: str = "/docs/", **changes) -> Job:
    base = {"delay_s": 0.0, "allow_private": (server.socket,), "max_depth": None, "max_pages": 100}
    job = application.service.submit(server.url(path), CrawlOptions(**{**base, **changes}))
    return application.service.watch(job.job_id, 60)


def stored(application: Application) -> list[str]:
    return [row.url.partition("/docs/")[2] for row in application.service.list_pages(limit=1000)]


def invented(server: LoopbackServer) -> list[str]:
    return [target for target in server.targets if "webdocs-no-such-page" in target]


SITE: dict[str, Route] = {
    "/docs/": html("Start", "a", "b", "dead", "gone.html"),
    "/docs/a": html("Alpha", "b", "dead/link"),
    "/docs/b": html("Beta"),
}


def test_url_30_an_error_page_with_200_is_not_stored_and_its_links_are_not_followed(application: Application) -> None:
    with CatchAll(SITE) as server:
        job = crawl(application, server)
        assert stored(application) == ["", "a", "b"]
        assert not [target for target in server.targets if "more" in target or "deeper" in target]
        assert len(invented(server)) == 2, "one for plain names, one for .html"
    assert any("3 by soft 404: " in note for note in job.notes)
    assert job.pages_skipped == 3


def test_url_30_a_site_that_answers_its_start_page_to_any_name(application: Application) -> None:
    class StartPage(CatchAll):
        def _note(self, head: str) -> Route:
            route = super()._note(head)
            return route if self.asked[-1].target in (*self.routes, "/robots.txt") else self.routes["/docs/"]

    with StartPage(SITE) as server:
        crawl(application, server)
        assert stored(application) == ["", "a", "b"]


def test_fault_C7_a_stub_for_any_markdown_name_is_no_page(application: Application) -> None:
    class Stubs(CatchAll):
        says = "Moved"

    routes = {"/docs/": html("Start", "a.md", "b.md", "c.md", "real.md"), "/docs/real.md": html("Real")}
    with Stubs(routes) as server:
        crawl(application, server)
        assert stored(application) == ["", "real.md"]
        assert len(invented(server)) == 1


def test_url_30_nothing_is_asked_of_a_site_whose_pages_differ(application: Application) -> None:
    routes = {name: route for name, route in SITE.items() if name != "/docs/dead"}
    with LoopbackServer(routes) as server:
        crawl(application, server)
        assert invented(server) == []


def test_url_30_pages_that_say_the_same_stay_where_the_site_answers_404(application: Application) -> None:
    routes = {"/docs/": html("Start", "a", "b"), "/docs/a": html("Page not found"), "/docs/b": html("Beta")}
    with LoopbackServer(routes) as server:
        crawl(application, server)
        assert stored(application) == ["", "a", "b"]
        assert len(invented(server)) == 1


def test_url_30_the_invented_name_obeys_robots_txt(application: Application) -> None:
    robots = Reply(200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /docs/webdocs-")
    with CatchAll({**SITE, "/robots.txt": robots}) as server:
        crawl(application, server)
        assert invented(server) == []


def test_url_30_D6_a_stored_page_that_turns_into_an_error_page_is_kept_and_so_is_what_it_links(
    application: Application,
) -> None:
    routes = {**SITE, "/docs/b": html("Beta", "child"), "/docs/child": html("Child")}
    with CatchAll(routes) as server:
        crawl(application, server)
        before = stored(application)
        del server.routes["/docs/b"]
        job = crawl(application, server)
        assert stored(application) == before == ["", "a", "b", "child"]
    assert job.pruned == ()
    assert any("soft 404" in note and "kept" in note for note in job.notes)


def test_url_11_an_index_page_is_not_stored_and_its_links_are_followed(application: Application) -> None:
    routes = {
        "/docs/": html("Start", "genindex.html"),
        "/docs/genindex.html": html("Index", "a"),
        "/docs/a": html("Alpha"),
    }
    with LoopbackServer(routes) as server:
        job = crawl(application, server)
        again = crawl(application, server)
        assert stored(application) == ["", "a"]
    assert any("1 by index page: left out by default" in note for note in job.notes)
    assert again.pruned == (), "what only the index links is linked"


def test_url_11_a_start_at_an_index_page_has_it(application: Application) -> None:
    with LoopbackServer({"/docs/genindex.html": html("Index", "a"), "/docs/a": html("Alpha")}) as server:
        crawl(application, server, "/docs/genindex.html")
        assert stored(application) == ["a", "genindex.html"]
