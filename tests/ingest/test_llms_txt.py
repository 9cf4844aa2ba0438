"""llms.txt and Markdown in a whole job against a real server, each scenario under its name (contract F4 to F9)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import LoopbackServer, Reply, Route
from webdocs.build import Application, open_application
from webdocs.crawl.fetch_http import HttpFetcher
from webdocs.llmstxt import Seed, SeedFile, discover, read_seeds
from webdocs.model import CrawlOptions, Job
from webdocs.settings import load_settings

WORDS = "Enough words to make a paragraph that counts as the main content of a page."
ROBOTS = "/robots.txt"


def html(title: str, *links: str, head: str = "", text: str = WORDS) -> str:
    anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
    main = f"<main><h1>{title}</h1><p>{text}</p></main><nav>{anchors}</nav>"
    return f"<html><head><title>{title}</title>{head}</head><body>{main}</body></html>"


def markdown(title: str, *links: str, text: str = WORDS, media_type: str = "text/markdown", **headers: str) -> Reply:
    anchors = " ".join(f"[to {link}]({link})" for link in links)
    body = f"# {title}\n\nMarkdown words. {text}\n\n{anchors}\n"
    return Reply(200, {"Content-Type": media_type, **headers}, body)


def llms_txt(*links: str) -> Reply:
    entries = "\n".join(f"- [page]({link}): what it says" for link in links)
    return Reply(200, {"Content-Type": "text/plain"}, f"# Project\n\n> A summary.\n\n## Docs\n\n{entries}\n")


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    opened = open_application(
        load_settings({"WEBDOCS_DB_PATH": str(tmp_path / "i.duckdb"), "WEBDOCS_EMBEDDER": "hashing"})
    )
    yield opened
    opened.close()


def crawl(application: Application, server: LoopbackServer, path: str = "/docs/guide", **changes) -> Job:
    base = {"delay_s": 0.0, "allow_private": (server.socket,), "max_depth": None, "max_pages": 1000, "concurrency": 1}
    job = application.service.submit(server.url(path), CrawlOptions(**{**base, **changes}))
    return application.service.watch(job.job_id, 30)


def update(application: Application) -> Job:
    (job,) = application.service.update(application.service.sites()[0].site)
    return application.service.watch(job.job_id, 30)


def stored(application: Application, server: LoopbackServer) -> list[str]:
    return [row.url.removeprefix(server.origin) for row in application.service.list_pages(limit=10_000)]


def text_of(application: Application, server: LoopbackServer, path: str) -> str:
    return application.service.page(server.url(path)).markdown


# ---------------------------------------------------------------- llms.txt Markdown parser


def seeds_of(body: str | bytes, media_type: str = "text/plain") -> SeedFile:
    """What is read of a list that a server gives."""
    with LoopbackServer({"/llms.txt": Reply(200, {"Content-Type": media_type}, body)}) as server:
        found = discover(server.url("/docs/guide"), fetcher=HttpFetcher(allow_private=(server.socket,)))
    return read_seeds(found.llms_txt or "")


def test_parse_complete_llms_txt() -> None:
    found = seeds_of(
        "# Lamp\n\n> Light from oil.\n\nMore of it.\n\n## Guide\n\n- [Wick](/wick): how to trim it\n- [Oil](/oil)\n\n"
        "## API\n\n- [Burn](/api/burn)\n\n## Optional\n\n- [History](/history): who lit it first\n"
    )
    assert (found.title, found.summary) == ("Lamp", "Light from oil.")
    assert found.seeds == (
        Seed("/wick", "Wick", "how to trim it", "Guide"),
        Seed("/oil", "Oil", "", "Guide"),
        Seed("/api/burn", "Burn", "", "API"),
        Seed("/history", "History", "who lit it first", "Optional", True),
    )


def test_parse_minimal_llms_txt() -> None:
    found = seeds_of("# Lamp\n- [Wick](/wick)\n")
    assert (found.title, found.seeds) == ("Lamp", (Seed("/wick", "Wick"),))


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        pytest.param("- [Wick](/wick)\n", "text/plain", id="no-h1-heading"),
        pytest.param("<!doctype html><h1>Lamp</h1><a href=/wick>Wick</a>", "text/html", id="html"),
        pytest.param("<!doctype html>\n# Lamp\n- [Wick](/wick)\n", "text/plain", id="html-labelled-text"),
        pytest.param(b"# Lamp\x00\x01\n- [Wick](/wick)\n", "text/plain", id="binary"),
    ],
)
def test_parse_invalid_content(body: str | bytes, media_type: str) -> None:
    assert seeds_of(body, media_type) == SeedFile()


# ---------------------------------------------------------------- automatic llms.txt detection


def test_llms_txt_found_at_subpath(application: Application, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "webdocs")
    routes = {"/docs/guide": html("Guide"), "/docs/listed": html("Listed"), "/docs/llms.txt": llms_txt("/docs/listed")}
    with LoopbackServer({**routes, "/llms.txt": llms_txt("/docs/other")}) as server:
        crawl(application, server)
        assert stored(application, server) == ["/docs/guide", "/docs/listed"]
        assert "/llms.txt" not in server.targets
    found = [record for record in caplog.records if record.message.startswith("llms_txt_found")]
    assert [record.levelname for record in found] == ["INFO"]


def test_llms_txt_found_at_site_root(application: Application, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "webdocs")
    routes = {"/docs/guide": html("Guide"), "/docs/listed": html("Listed"), "/llms.txt": llms_txt("/docs/listed")}
    with LoopbackServer(routes) as server:
        crawl(application, server)
        assert stored(application, server) == ["/docs/guide", "/docs/listed"]
        assert [target for target in server.targets if "llms" in target] == ["/docs/llms.txt", "/llms.txt"]
    assert any(record.message.startswith("llms_txt_found") for record in caplog.records)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Reply(404), id="404"),
        pytest.param(Reply(404, {"Content-Type": "text/markdown"}, "# T\n\n- [a](/docs/hidden)"), id="404-with-a-list"),
        pytest.param(Reply(500), id="error"),
        pytest.param(html("All is well", "/docs/hidden"), id="html"),
        pytest.param(
            Reply(200, {"Content-Type": "text/markdown"}, html("Index", "/docs/hidden")), id="html-named-markdown"
        ),
        pytest.param(Reply(200, {"Content-Type": "text/plain"}, "[a](/docs/hidden)"), id="no-title"),
        pytest.param(Reply(200, {"Content-Type": "text/plain"}, "# T\n"), id="no-link"),
        pytest.param(Reply(200, {"Content-Type": "text/plain"}, b"# T\n\x00\x01 [a](/docs/hidden)"), id="binary"),
        pytest.param(Reply(302, {"Location": "http://10.0.0.1/llms.txt"}), id="ssrf-33-redirect-to-a-private-address"),
        pytest.param(Reply(302, {"Location": "http://127.0.0.1:1/llms.txt"}), id="redirect-to-another-port"),
    ],
)
def test_llms_txt_not_found(application: Application, caplog: pytest.LogCaptureFixture, answer: Route) -> None:
    caplog.set_level(logging.DEBUG, "webdocs")
    routes = {"/docs/guide": html("Guide", "next"), "/docs/next": html("Next"), "/docs/hidden": html("Hidden")}
    with LoopbackServer({**routes, "/docs/llms.txt": answer, "/llms.txt": answer}) as server:
        job = crawl(application, server)
        assert (job.status, job.faults) == ("completed", ())
        assert stored(application, server) == ["/docs/guide", "/docs/next"]
    failed = [record for record in caplog.records if record.message.startswith("llms_txt_not_had")]
    assert [record.levelname for record in failed] == ["DEBUG", "DEBUG"]


def test_llms_txt_probe_during_non_web_strategy(application: Application) -> None:
    routes = {"/docs/llms-full.txt": markdown("All", media_type="text/plain"), "/docs/llms.txt": llms_txt("/docs/a")}
    with LoopbackServer(routes) as server:
        crawl(application, server, "/docs/llms-full.txt")
        assert "/docs/llms.txt" not in server.targets


def test_llms_txt_probe_skipped_during_refresh(application: Application) -> None:
    routes = {"/docs/guide": html("Guide"), "/docs/listed": html("Listed"), "/docs/llms.txt": llms_txt("/docs/listed")}
    with LoopbackServer(routes) as server:
        crawl(application, server)
        server.asked.clear()
        update(application)
        assert not [target for target in server.targets if target.endswith("llms.txt")]
        # F5: what only the list names is asked for again, so a complete refresh deletes none of it.
        assert "/docs/listed" in server.targets
        assert stored(application, server) == ["/docs/guide", "/docs/listed"]


def test_a_refresh_of_a_site_without_a_list_looks_for_none(application: Application) -> None:
    with LoopbackServer({"/docs/guide": html("Guide")}) as server:
        crawl(application, server)
        server.asked.clear()
        update(application)
        assert not [target for target in server.targets if target.endswith("llms.txt")]


# ---------------------------------------------------------------- seeding


def test_urls_seeded_and_crawled_with_link_following(application: Application) -> None:
    links = ("/docs/a", "/docs/b", "/docs/c", "/api/x", "http://other.test/y")
    routes = {
        "/docs/guide": html("Guide"),
        "/docs/a": html("A", "deep"),
        "/docs/b": html("B"),
        "/docs/c": html("C"),
        "/docs/deep": html("Deep"),
        "/llms.txt": llms_txt(*links),
    }
    with LoopbackServer(routes) as server:
        job = crawl(application, server)
        assert stored(application, server) == ["/docs/a", "/docs/b", "/docs/c", "/docs/deep", "/docs/guide"]
        depths = {path: application.service.page(server.url(path)).depth for path in stored(application, server)}
        assert depths == {"/docs/a": 0, "/docs/b": 0, "/docs/c": 0, "/docs/deep": 1, "/docs/guide": 0}
        assert job.notes == ()


def test_llms_txt_urls_respect_max_pages(application: Application) -> None:
    paths = [f"/docs/page-{number}x" for number in "abcdefghijklmnopqrstuvwxyz"]
    routes: dict[str, Route] = {path: html(path, text=f"{WORDS} {path}") for path in paths}
    with LoopbackServer({**routes, "/docs/guide": html("Guide"), "/llms.txt": llms_txt(*paths)}) as server:
        crawl(application, server, max_pages=10)
        pages = stored(application, server)
        assert (len(pages), "/docs/guide" in pages) == (10, True)


def test_duplicate_url_deduplication(application: Application) -> None:
    listed = llms_txt("/docs/guide", "/docs/guide#part", "/docs/guide?utm_source=llms")
    with LoopbackServer({"/docs/guide": html("Guide"), "/llms.txt": listed}) as server:
        crawl(application, server)
        assert stored(application, server) == ["/docs/guide"]
        assert server.targets.count("/docs/guide") == 1


def test_llms_txt_urls_outside_subpages_scope_are_dropped(application: Application) -> None:
    routes = {"/docs/guide": html("Guide"), "/api/reference": html("Reference"), "/docs/a": html("A")}
    with LoopbackServer({**routes, "/llms.txt": llms_txt("/api/reference", "/docs/a")}) as server:
        job = crawl(application, server)
        assert stored(application, server) == ["/docs/a", "/docs/guide"]
        assert (job.pages_skipped, job.faults, job.notes) == (0, (), ())


def test_exclude_patterns_hold_for_listed_pages(application: Application) -> None:
    routes = {"/docs/guide": html("Guide"), "/docs/a": html("A"), "/docs/b": html("B")}
    with LoopbackServer({**routes, "/llms.txt": llms_txt("/docs/a", "/docs/b")}) as server:
        crawl(application, server, exclude=("*/b",))
        assert stored(application, server) == ["/docs/a", "/docs/guide"]


def test_A10_a_dead_entry_is_not_the_root_and_does_not_end_the_job(application: Application) -> None:
    routes = {"/docs/guide": html("Guide"), "/docs/a": html("A"), "/docs/broken": Reply(500)}
    with LoopbackServer({**routes, "/llms.txt": llms_txt("/docs/dead", "/docs/broken", "/docs/a")}) as server:
        job = crawl(application, server)
        assert (job.status, job.error) == ("completed", "")
        assert stored(application, server) == ["/docs/a", "/docs/guide"]
        assert sorted(fault.url.removeprefix(server.origin) for fault in job.faults) == ["/docs/broken", "/docs/dead"]


def test_D7_a_root_that_fails_does_not_fail_the_job_that_llms_txt_gave_seeds(application: Application) -> None:
    with LoopbackServer({"/docs/a": html("A"), "/docs/llms.txt": llms_txt("a")}) as server:
        job = crawl(application, server)
        assert (job.status, [fault.status for fault in job.faults]) == ("completed", [404])
        assert stored(application, server) == ["/docs/a"]


def test_D7_a_root_that_fails_fails_the_job_when_every_seed_is_dead(application: Application) -> None:
    with LoopbackServer({"/docs/llms.txt": llms_txt("a")}) as server:
        assert crawl(application, server).status == "failed"


def test_links_are_joined_to_the_final_url_of_the_file(application: Application) -> None:
    routes = {
        "/docs/guide": html("Guide"),
        "/docs/v2/a": html("A"),
        "/docs/llms.txt": Reply(302, {"Location": "/docs/v2/llms.txt"}),
        "/docs/v2/llms.txt": llms_txt("a"),
    }
    with LoopbackServer(routes) as server:
        crawl(application, server)
        assert stored(application, server) == ["/docs/guide", "/docs/v2/a"]


def test_a_listed_page_in_scope_only_after_the_start_redirected_is_taken(application: Application) -> None:
    routes: dict[str, Route] = {"/en/b": html("B")}
    with LoopbackServer(routes) as target:
        target.routes |= {"/en/": html("Start"), "/en/llms.txt": Reply(404)}
        moved = {"/": Reply(302, {"Location": target.url("/en/")}), "/llms.txt": llms_txt(target.url("/en/b"))}
        with LoopbackServer(moved) as server:
            crawl(application, server, "/", allow_private=(server.socket, target.socket))
            assert stored(application, target) == ["/en/", "/en/b"]


# ---------------------------------------------------------------- bad input, row by row


async def endless(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n# T\n\n- [a](/docs/a)\n")
    while True:
        writer.write(b"- [more](/docs/a)\n" * 4000)
        await writer.drain()


async def fifty_megabytes(writer: asyncio.StreamWriter) -> None:
    size = 50 * 1024 * 1024
    writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {size}\r\n\r\n".encode())
    writer.write(b"# T\n\n- [a](/docs/a)\n" + b"x" * (4 * 1024 * 1024 + 1))
    await writer.drain()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(llms_txt("http://other.test/docs/a"), [], id="other-host-links-are-dropped"),
        pytest.param(llms_txt("http://127.0.0.1:2375/docs/"), [], id="ssrf-33-private-link-is-dropped"),
        pytest.param(llms_txt("http://127.0.0.1:2375/", "/docs/a"), ["/docs/a"], id="ssrf-33-the-others-go-on"),
        pytest.param(llms_txt("a", "./b", "../docs/c"), ["/docs/a", "/docs/b", "/docs/c"], id="relative-links"),
        pytest.param(llms_txt("<a b>"), ["/docs/a%20b"], id="links-with-spaces"),
        pytest.param(llms_txt("a_(b)"), ["/docs/a_(b)"], id="links-with-brackets"),
        pytest.param(llms_txt("javascript:x", "mailto:a@b.test", "data:,x", "/docs/a"), ["/docs/a"], id="no-web-links"),
        pytest.param(llms_txt(*[f"/docs/no-{n}" for n in range(3)], "/docs/a"), ["/docs/a"], id="dead-links"),
        pytest.param(endless, ["/docs/a"], id="endless-file-is-cut"),
        pytest.param(fifty_megabytes, ["/docs/a"], id="50-megabytes-are-cut"),
        pytest.param(
            llms_txt("/llms.txt", "/docs/llms-full.txt", "/docs/a"), ["/docs/a"], id="fault-G4-full-text-is-no-page"
        ),
    ],
)
def test_bad_input_costs_no_page(application: Application, answer: Route, expected: list[str]) -> None:
    names = ("/docs/a", "/docs/b", "/docs/c", "/docs/a%20b", "/docs/a_(b)")
    routes: dict[str, Route] = {name: html(name, text=f"{WORDS} {name}") for name in names}
    with LoopbackServer({**routes, "/docs/guide": html("Guide"), "/docs/llms.txt": answer}) as server:
        job = crawl(application, server)
        assert job.status == "completed"
        assert stored(application, server) == sorted([*expected, "/docs/guide"])


def test_ten_thousand_links_are_bounded_by_max_pages(application: Application) -> None:
    letters = "abcdefghij"
    paths = [f"/docs/{a}{b}{c}{d}" for a in letters for b in letters for c in letters for d in letters]
    routes: dict[str, Route] = {path: html(path, text=f"{WORDS} {path}") for path in paths[:30]}
    with LoopbackServer({**routes, "/docs/guide": html("Guide"), "/llms.txt": llms_txt(*paths)}) as server:
        job = crawl(application, server, max_pages=20)
        assert (len(stored(application, server)), job.status) == (20, "completed")
        assert len(server.targets) < 60


# ---------------------------------------------------------------- content negotiation


def test_every_page_request_names_markdown_with_q_values(application: Application) -> None:
    with LoopbackServer({"/docs/guide": html("Guide", "a"), "/docs/a": html("A")}) as server:
        crawl(application, server)
        accepted = {asked.headers["accept"] for asked in server.asked if asked.target in ("/docs/guide", "/docs/a")}
    assert accepted == {"text/markdown, text/html;q=0.9, */*;q=0.8"}


@pytest.mark.parametrize(
    ("media_type", "name"),
    [
        pytest.param("text/markdown; charset=utf-8", "server-returns-markdown-via-content-negotiation"),
        pytest.param("text/plain", "server-returns-text-plain-with-markdown-content"),
        pytest.param("text/x-markdown", "text-x-markdown"),
    ],
)
def test_server_returns_markdown(application: Application, media_type: str, name: str) -> None:
    page = markdown(name, text=f"A `code_1` span. {WORDS}", media_type=media_type)
    with LoopbackServer({"/docs/guide": page}) as server:
        crawl(application, server)
        assert text_of(application, server, "/docs/guide").startswith(f"# {name}\n\nMarkdown words. A `code_1` span.")


@pytest.mark.parametrize("media_type", ["text/html", "text/markdown", "text/plain"])
def test_server_ignores_accept_header_and_returns_html(application: Application, media_type: str) -> None:
    with LoopbackServer({"/docs/guide": Reply(200, {"Content-Type": media_type}, html("Guide"))}) as server:
        crawl(application, server)
        assert text_of(application, server, "/docs/guide") == f"# Guide\n\n{WORDS}"


def test_a_404_that_carries_markdown_is_a_404(application: Application) -> None:
    gone = Reply(404, {"Content-Type": "text/markdown"}, f"# Alternatives\n\n{WORDS}")
    with LoopbackServer({"/docs/guide": html("Guide", "old"), "/docs/old": gone}) as server:
        job = crawl(application, server)
        assert stored(application, server) == ["/docs/guide"]
        assert [fault.status for fault in job.faults] == [404]


def test_a_validator_of_the_markdown_does_not_go_with_the_html(application: Application) -> None:
    routes = {
        "/docs/guide": html("Guide"),
        "/docs/a.html": html("A"),
        "/docs/a.html.md": markdown("A", ETag='"of-the-markdown"'),
        "/llms.txt": llms_txt("/docs/a.html"),
    }
    with LoopbackServer(routes) as server:
        crawl(application, server)
        server.asked.clear()
        server.routes["/docs/a.html.md"] = Reply(404)
        update(application)
        sent = {asked.target: asked.headers.get("if-none-match") for asked in server.asked}
        assert (sent["/docs/a.html.md"], sent["/docs/a.html"]) == ('"of-the-markdown"', None)
        assert text_of(application, server, "/docs/a.html") == f"# A\n\n{WORDS}"


def test_an_unchanged_markdown_answers_304_for_its_page(application: Application) -> None:
    routes = {
        "/docs/guide": html("Guide"),
        "/docs/a.html.md": markdown("A", ETag='"1"'),
        "/llms.txt": llms_txt("/docs/a.html"),
    }
    with LoopbackServer(routes) as server:
        crawl(application, server)
        server.routes["/docs/a.html.md"] = Reply(304, {"ETag": '"1"'})
        job = update(application)
        assert (job.pages_unchanged, job.pages_failed) == (2, 0)
        assert stored(application, server) == ["/docs/a.html", "/docs/guide"]
