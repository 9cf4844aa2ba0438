"""Pages and their Markdown: which of the two is asked for, and that both are one document (contract F7, F9; G6, G8)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.test_llms_txt import WORDS, crawl, html, llms_txt, markdown, stored, text_of, update
from servers import LoopbackServer, Reply, Route
from webdocs.build import Application, open_application
from webdocs.settings import load_settings

MISSING = Reply(404)
EVERYTHING = "every name has an answer here, whatever it is, and this is what all of them are told"


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    opened = open_application(
        load_settings({"WEBDOCS_DB_PATH": str(tmp_path / "i.duckdb"), "WEBDOCS_EMBEDDER": "hashing"})
    )
    yield opened
    opened.close()


def listed(*links: str, **routes: Route) -> dict[str, Route]:
    """A site whose list names these links; `routes` are below `/docs/`, with `__` for a dot and `_` for a slash."""
    named = {"/docs/" + name.replace("__", ".").replace("_", "/"): route for name, route in routes.items()}
    return {"/docs/": html("Start"), "/llms.txt": llms_txt(*links), **named}


# ---------------------------------------------------------------- Markdown URL preference for llms.txt pages


def test_successful_md_fetch(application: Application) -> None:
    site = listed("/docs/guide.html", guide__html=html("Guide"), guide__html__md=markdown("Guide"))
    with LoopbackServer(site) as server:
        crawl(application, server, "/docs/")
        assert text_of(application, server, "/docs/guide.html").startswith("# Guide\n\nMarkdown words.")
        assert stored(application, server) == ["/docs/", "/docs/guide.html"]
        assert "/docs/guide.html" not in server.targets


@pytest.mark.parametrize(
    ("answer", "start"),
    [
        pytest.param(html("Guide"), "# Guide\n\nEnough words", id="and-html-comes"),
        pytest.param(markdown("Guide"), "# Guide\n\nMarkdown words.", id="and-markdown-comes"),
    ],
)
def test_md_url_not_available_fallback_uses_content_negotiation(
    application: Application, answer: Route, start: str
) -> None:
    with LoopbackServer(listed("/docs/guide.html", guide__html=answer)) as server:
        crawl(application, server, "/docs/")
        assert text_of(application, server, "/docs/guide.html").startswith(start)
        accepted = [asked.headers["accept"] for asked in server.asked if asked.target.startswith("/docs/guide.html")]
        assert accepted == ["text/markdown, text/html;q=0.9, */*;q=0.8"] * 2


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(html("Oops"), id="md-url-returns-html-misconfigured-server"),
        pytest.param(Reply(200, {"Content-Type": "text/markdown"}, html("Oops")), id="html-labelled-markdown"),
        pytest.param(Reply(200, {"Content-Type": "application/json"}, '{"a": "b"}'), id="no-text-type"),
        pytest.param(markdown("Oops", **{"Content-Disposition": "attachment"}), id="a-file-to-save"),
        pytest.param(markdown("Oops", **{"X-Robots-Tag": "noindex"}), id="asks-not-to-be-indexed"),
        pytest.param(Reply(200, {"Content-Type": "text/markdown"}, "# Guide\n"), id="stub-of-a-title"),
        pytest.param(Reply(200, {"Content-Type": "text/markdown"}, ""), id="empty"),
        pytest.param(
            Reply(200, {"Content-Type": "text/plain"}, f"Page not found. {WORDS}"), id="soft-404-by-its-words"
        ),
        pytest.param(Reply(200, {"Content-Type": "text/plain"}, b"\x00\x01\x02" * 99), id="binary"),
        pytest.param(Reply(302, {"Location": "/docs/login"}), id="fault-G8-redirect-to-html"),
        pytest.param(Reply(302, {"Location": "http://10.0.0.1/a.md"}), id="ssrf-33-redirect-to-a-private-address"),
        pytest.param(Reply(410), id="fault-G8-gone"),
        pytest.param(Reply(403), id="forbidden"),
    ],
)
def test_markdown_that_does_not_do_gives_the_original(application: Application, answer: Route) -> None:
    site = listed("/docs/guide.html", guide__html=html("Guide"), guide__html__md=answer, login=html("Log in"))
    with LoopbackServer(site) as server:
        job = crawl(application, server, "/docs/")
        assert text_of(application, server, "/docs/guide.html") == f"# Guide\n\n{WORDS}"
        assert stored(application, server) == ["/docs/", "/docs/guide.html"]
        assert (job.status, job.faults) == ("completed", ())


def test_non_llms_txt_pages_skip_md_attempt(application: Application) -> None:
    site = listed("/docs/a.html", a__html=html("A", "b.html"), b__html=html("B"), b__html__md=markdown("B"))
    with LoopbackServer(site) as server:
        crawl(application, server, "/docs/")
        assert "/docs/b.html.md" not in server.targets
        assert "/docs/b.html" in server.targets


@pytest.mark.parametrize("link", ["/docs/guide/", "/docs/guide"])
def test_md_url_for_directory_like_url(application: Application, link: str) -> None:
    site = listed(link, guide_index__html__md=markdown("Guide"))
    with LoopbackServer(site) as server:
        crawl(application, server, "/docs/")
        assert text_of(application, server, link).startswith("# Guide\n\nMarkdown words.")


def test_a_start_page_that_is_listed_is_asked_for_as_markdown(application: Application) -> None:
    with LoopbackServer(listed("/docs/", index__html__md=markdown("Start", "a"), a=html("A"))) as server:
        crawl(application, server, "/docs/")
        assert stored(application, server) == ["/docs/", "/docs/a"]
        assert "/docs/" not in server.targets


# ---------------------------------------------------------------- llms.txt file exclusion from indexing


@pytest.mark.parametrize(
    "patterns",
    [
        pytest.param((), id="llms-txt-excluded-from-indexing"),
        pytest.param(("*/nothing",), id="llms-txt-excluded-even-with-custom-exclude-patterns"),
    ],
)
def test_fault_G5_llms_txt_is_neither_stored_nor_counted(application: Application, patterns: tuple[str, ...]) -> None:
    links = ("/docs/llms.txt", "/docs/LLMS.txt", "/docs/llms-full.txt", "a")
    site = {"/docs/": html("Start", *links), "/docs/a": html("A"), "/docs/llms.txt": llms_txt("/docs/a")}
    with LoopbackServer(site) as server:
        crawl(application, server, "/docs/", exclude=patterns, max_pages=2)
        assert stored(application, server) == ["/docs/", "/docs/a"]


# ---------------------------------------------------------------- one document (F9, G6, urls 35)


@pytest.mark.parametrize(
    ("twin", "page"),
    [
        pytest.param("/docs/a.md", "/docs/a", id="url-35-a.md"),
        pytest.param("/docs/a.md", "/docs/a/", id="url-35-a.md-of-a-folder"),
        pytest.param("/docs/a.md", "/docs/a.html", id="url-35-a.md-of-a-file"),
        pytest.param("/docs/a.html.md", "/docs/a.html", id="url-35-a.html.md"),
        pytest.param("/docs/a/index.md", "/docs/a/", id="url-35-index.md"),
        pytest.param("/docs/a/index.html.md", "/docs/a/", id="url-35-index.html.md"),
    ],
)
@pytest.mark.parametrize("way", ["twin-first", "page-first", "listed", "both-listed", "listed-and-linked"])
def test_fault_G6_page_and_twin_are_one_document_under_the_human_url(
    application: Application, twin: str, page: str, way: str
) -> None:
    links = {"twin-first": (twin, page), "page-first": (page, twin), "listed-and-linked": (page, twin)}.get(way, ())
    named = {"listed": (twin,), "both-listed": (page, twin), "listed-and-linked": (twin,)}.get(way, ())
    routes: dict[str, Route] = {page: html("A"), twin: markdown("A"), "/docs/": html("Start", *links)}
    with LoopbackServer({**routes, "/llms.txt": llms_txt(*named)} if named else routes) as server:
        crawl(application, server, "/docs/")
        assert stored(application, server) == ["/docs/", page]
        asked = [each.target for each in server.asked if each.method == "GET"]
        assert (page in asked, twin in asked) == ((False, True) if named else (True, False))


def test_a_markdown_file_without_a_page_is_a_page(application: Application) -> None:
    site = {"/docs/": html("Start", "a.md"), "/docs/a.md": markdown("A", "b.md"), "/docs/b.md": markdown("B")}
    with LoopbackServer(site) as server:
        crawl(application, server, "/docs/")
        assert stored(application, server) == ["/docs/", "/docs/a.md", "/docs/b.md"]


def test_a_listed_markdown_file_without_a_page_is_shown_under_its_own_url(application: Application) -> None:
    with LoopbackServer(listed("/docs/a.md", "/docs/b.md", a__md=markdown("A"), b__md=markdown("B"))) as server:
        crawl(application, server, "/docs/")
        assert stored(application, server) == ["/docs/", "/docs/a.md", "/docs/b.md"]


def test_a_host_that_answers_any_name_does_not_say_where_a_page_is(application: Application) -> None:
    class Obliging(LoopbackServer):
        def _note(self, head: str) -> Route:
            route = super()._note(head)
            is_missing = isinstance(route, Reply) and route.status == 404
            return html("Application", text=EVERYTHING) if is_missing and ".txt" not in self.targets[-1] else route

    with Obliging(listed("/docs/a.md", a__md=markdown("A"))) as server:
        crawl(application, server, "/docs/")
        assert stored(application, server) == ["/docs/", "/docs/a.md"]


def test_a_host_that_answers_any_name_with_a_text_has_no_markdown(application: Application) -> None:
    class Obliging(LoopbackServer):
        def _note(self, head: str) -> Route:
            route = super()._note(head)
            is_missing = isinstance(route, Reply) and route.status == 404
            is_markdown = self.targets[-1].endswith(".md")
            return markdown("Anything", text=EVERYTHING) if is_missing and is_markdown else route

    with Obliging(listed("/docs/a.html", "/docs/b.html", a__html=html("A"), b__html=html("B"))) as server:
        crawl(application, server, "/docs/")
        assert text_of(application, server, "/docs/a.html") == f"# A\n\n{WORDS}"
        assert len([target for target in server.targets if "webdocs-" in target]) == 1
        assert "/docs/b.html.md" not in server.targets


def test_fault_G8_a_host_without_markdown_is_soon_asked_for_no_more(application: Application) -> None:
    names = [f"/docs/{name}.html" for name in "abcdefgh"]
    pages: dict[str, Route] = {name: html(name, text=f"{WORDS} {name}") for name in names}
    with LoopbackServer({**listed(*names), **pages}) as server:
        crawl(application, server, "/docs/")
        assert len(stored(application, server)) == 9
        assert len([target for target in server.targets if target.endswith(".md")]) == 3


def test_a_site_with_twins_is_crawled_without_its_html(application: Application) -> None:
    names = ["a", "b", "c", "d"]
    site: dict[str, Route] = {"/docs/": html("Start", *names), "/docs/llms.txt": llms_txt(*[f"{n}.md" for n in names])}
    for name in names:
        site |= {f"/docs/{name}": html(name, *names), f"/docs/{name}.md": markdown(name, *[f"{n}.md" for n in names])}
    with LoopbackServer(site) as server:
        crawl(application, server, "/docs/", concurrency=4)
        assert stored(application, server) == ["/docs/", "/docs/a", "/docs/b", "/docs/c", "/docs/d"]
        pages = [asked.target for asked in server.asked if asked.method == "GET" and asked.target.startswith("/docs/")]
        got = sorted(page for page in pages if page not in ("/docs/", "/docs/llms.txt"))
        assert got == ["/docs/a.md", "/docs/b.md", "/docs/c.md", "/docs/d.md"]
        server.asked.clear()
        job = update(application)
        assert stored(application, server) == ["/docs/", "/docs/a", "/docs/b", "/docs/c", "/docs/d"]
        assert job.pages_indexed == 0
        assert not [asked for asked in server.asked if asked.method == "HEAD"]


# ---------------------------------------------------------------- rel=alternate


HEAD = '<link rel="alternate" type="text/markdown" href="{}">'


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(html("A", "nav", head=HEAD.format("a-as.md")), id="url-35-in-the-head"),
        pytest.param(
            Reply(
                200,
                {"Link": '</style.css>; rel=preload, <a-as.md>; rel="alternate"; type="text/markdown"'},
                html("A", "nav"),
            ),
            id="url-35-in-the-link-header",
        ),
    ],
)
def test_a_named_alternate_gives_the_text_and_the_page_its_links(application: Application, page: Route) -> None:
    routes = {"/docs/": html("Start", "a"), "/docs/a": page, "/docs/nav": html("Nav"), "/docs/a-as.md": markdown("A")}
    with LoopbackServer(routes) as server:
        crawl(application, server, "/docs/")
        assert text_of(application, server, "/docs/a").startswith("# A\n\nMarkdown words.")
        assert stored(application, server) == ["/docs/", "/docs/a", "/docs/nav"]


@pytest.mark.parametrize(
    "alternate",
    [
        pytest.param(MISSING, id="fault-G8-404"),
        pytest.param(Reply(307, {"Location": "/docs/"}), id="fault-G8-307-elsewhere"),
        pytest.param(Reply(307, {"Location": "http://10.0.0.1/"}), id="ssrf-33-private"),
        pytest.param(html("Other"), id="html"),
        pytest.param(Reply(200, {"Content-Type": "text/markdown"}, "# A\n\nLoading"), id="stub"),
        pytest.param(markdown("A", text="But not half of what the page says."), id="poorer-than-its-html"),
    ],
)
def test_an_alternate_that_does_not_do_loses_to_the_html(application: Application, alternate: Route) -> None:
    page = html("A", head=HEAD.format("/docs/a-as.md"), text=WORDS * 6)
    with LoopbackServer({"/docs/": html("Start", "a"), "/docs/a": page, "/docs/a-as.md": alternate}) as server:
        job = crawl(application, server, "/docs/")
        assert text_of(application, server, "/docs/a") == f"# A\n\n{WORDS * 6}"
        assert (stored(application, server), job.faults) == (["/docs/", "/docs/a"], ())


def test_a_host_whose_twin_is_poorer_is_not_asked_for_another(application: Application) -> None:
    routes: dict[str, Route] = {"/docs/": html("Start", "a", "b")}
    for name in "ab":
        routes[f"/docs/{name}"] = html(name, head=HEAD.format(f"{name}-as.md"), text=f"{name} {WORDS * 6}")
        routes[f"/docs/{name}-as.md"] = markdown(name)
    with LoopbackServer(routes) as server:
        crawl(application, server, "/docs/")
        assert [target for target in server.targets if target.endswith(".md")] == ["/docs/a-as.md"]


def test_an_alternate_on_another_host_is_not_asked_for(application: Application) -> None:
    page = html("A", head=HEAD.format("http://127.0.0.1:1/a.md"))
    with LoopbackServer({"/docs/": html("Start", "a"), "/docs/a": page}) as server:
        assert crawl(application, server, "/docs/").faults == ()
