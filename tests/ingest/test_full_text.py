"""llms-full.txt as a source of its own: its parts are pages (issue of llms.txt, 5; fault G4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.test_llms_txt import WORDS, crawl, html, stored, update
from servers import LoopbackServer, Reply
from webdocs.build import Application, open_application
from webdocs.llmstxt import split_full
from webdocs.settings import load_settings


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    opened = open_application(
        load_settings({"WEBDOCS_DB_PATH": str(tmp_path / "i.duckdb"), "WEBDOCS_EMBEDDER": "hashing"})
    )
    yield opened
    opened.close()


FILE = "/docs/llms-full.txt"
WITH_SOURCES = f"# A\nSource: ORIGIN/docs/a\n\n{WORDS} apples\n\n# B\n\nSource: ORIGIN/docs/b\n\n{WORDS} pears\n"
FRONT = "---\ntitle: {}\nurl: {}\n---\n\n{}\n\n"
WITH_FRONT = FRONT.format("A", "ORIGIN/docs/a", WORDS) + FRONT.format("B", "ORIGIN/docs/b", f"{WORDS} pears")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("# A\n\none\n\n# B\n\ntwo", [("A", ""), ("B", "")], id="h1"),
        pytest.param("<SYSTEM>Read this.</SYSTEM>\n\n# A\n\none", [("A", "")], id="system-line"),
        pytest.param("# A\nSource: http://s.test/a\n\none", [("A", "http://s.test/a")], id="source-line"),
        pytest.param("# A\n\nURL: <http://s.test/a>\n\none", [("A", "http://s.test/a")], id="url-line-after-a-gap"),
        pytest.param(
            "# A\nSource: http://s.test/a\n\none\n\n# Not a page\n\ntwo\n\n# B\nSource: http://s.test/b\n\nthree",
            [("A", "http://s.test/a"), ("B", "http://s.test/b")],
            id="h1-without-source-belongs-to-its-page",
        ),
        pytest.param(
            "---\ntitle: A\nurl: http://s.test/a\n---\none\n\n---\n\ntwo\n---\ntitle: B\n---\nthree",
            [("", "http://s.test/a"), ("", "")],
            id="front-matter-and-a-rule",
        ),
        pytest.param("# A\n\n```\n# no page\nSource: http://s.test/x\n```\n", [("A", "")], id="marks-in-a-fence"),
        pytest.param("> About.\n\n# A\n\none", [("", ""), ("A", "")], id="preamble"),
        pytest.param("words alone", [("", "")], id="no-mark"),
        pytest.param("", [], id="empty"),
    ],
)
def test_a_file_is_split_at_its_marks(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(part.title, part.url) for part in split_full(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(WITH_SOURCES, ["/docs/a", "/docs/b"], id="source-lines"),
        pytest.param(WITH_FRONT, ["/docs/a", "/docs/b"], id="front-matter"),
        pytest.param(
            f"# One\n\n{WORDS}\n\n# Two\n\n{WORDS} more\n\n# Two\n\nand {WORDS}",
            [f"{FILE}#/one", f"{FILE}#/two", f"{FILE}#/two-2"],
            id="no-urls-cite-the-file",
        ),
        pytest.param(
            f"# A\nSource: http://other.test/a\n\n{WORDS}", [f"{FILE}#/a"], id="another-sites-url-is-not-believed"
        ),
        pytest.param(f"{WITH_SOURCES}\n{WITH_SOURCES}", ["/docs/a", "/docs/b"], id="fault-G4-twice-in-the-file"),
    ],
)
def test_a_full_text_becomes_its_pages(application: Application, text: str, expected: list[str]) -> None:
    with LoopbackServer({"/docs/a": html("No")}) as server:
        body = text.replace("ORIGIN", server.origin)
        server.routes[FILE] = Reply(200, {"Content-Type": "text/plain"}, body)
        job = crawl(application, server, FILE)
        assert job.status == "completed"
        assert [path for path in stored(application, server) if path in expected] == expected
        assert [target for target in server.targets if target != "/robots.txt"] == [FILE]


def test_a_page_of_a_full_text_is_found_and_cited_under_its_url(application: Application) -> None:
    with LoopbackServer({}) as server:
        body = WITH_SOURCES.replace("ORIGIN", server.origin)
        server.routes[FILE] = Reply(200, {"Content-Type": "text/plain"}, body)
        crawl(application, server, FILE)
        hit = application.service.search("pears").hits[0]
        assert (hit.url, hit.title) == (server.url("/docs/b"), "B")
        assert "Source:" not in hit.text


def test_an_update_of_a_full_text_takes_what_came_and_deletes_what_went(application: Application) -> None:
    with LoopbackServer({}) as server:
        body = WITH_SOURCES.replace("ORIGIN", server.origin)
        server.routes[FILE] = Reply(200, {"Content-Type": "text/plain"}, body)
        crawl(application, server, FILE)
        job = update(application)
        assert (job.pages_indexed, job.pages_unchanged, job.pages_pruned) == (0, 2, 0)
        server.routes[FILE] = Reply(200, {"Content-Type": "text/plain"}, body.partition("# B")[0])
        update(application)
        assert stored(application, server) == ["/docs/a"]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Reply(404), id="not-there"),
        pytest.param(html("All is well"), id="html"),
        pytest.param(Reply(200, {"Content-Type": "text/plain"}, b"\x00\x01" * 500), id="binary"),
        pytest.param(Reply(200, {"Content-Type": "text/plain"}, ""), id="empty"),
        pytest.param(Reply(200, {"Content-Type": "text/plain"}, b"x" * (21 * 1024 * 1024)), id="too-large"),
    ],
)
def test_a_full_text_that_is_none_fails_the_job_with_its_reason(application: Application, answer: Reply | str) -> None:
    with LoopbackServer({FILE: answer}) as server:
        job = crawl(application, server, FILE)
        assert (job.status, bool(job.error)) == ("failed", True)


def test_max_pages_bounds_the_parts(application: Application) -> None:
    text = "\n\n".join(f"# Page {name}\n\n{WORDS} {name}" for name in "abcdefgh")
    with LoopbackServer({FILE: Reply(200, {"Content-Type": "text/plain"}, text)}) as server:
        crawl(application, server, FILE, max_pages=3)
        assert len(stored(application, server)) == 3
