"""Contract D1: pages fetched one by one from one domain are one source, each kept, updated and deleted by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import LoopbackServer, Reply
from webdocs.build import Application, open_application
from webdocs.ingest.site import make_page_group, make_source
from webdocs.model import CrawlOptions, Job
from webdocs.settings import load_settings
from webdocs.store.duckdb.database import utc_now

WORDS = "<p>Enough words to make a paragraph that counts as the main content of a page.</p>"


def page(title: str, word: str = "plain") -> str:
    return f'<title>{title}</title><main><h1>{title}</h1>{WORDS}<p>The {word} word.</p><a href="/docs/c">c</a></main>'


SITE = {"/docs/a": page("Alpha"), "/docs/b": page("Beta"), "/api/c": page("Gamma"), "/docs/c": page("Linked")}


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    opened = open_application(
        load_settings({"WEBDOCS_DB_PATH": str(tmp_path / "i.duckdb"), "WEBDOCS_EMBEDDER": "hashing"})
    )
    yield opened
    opened.close()


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(SITE) as running:
        yield running


def submit(application: Application, server: LoopbackServer, path: str, **changes) -> Job:
    options = CrawlOptions(**{"max_pages": 1, "delay_s": 0.0, "allow_private": (server.socket,), **changes})
    return application.service.watch(application.service.submit(server.url(path), options).job_id, 30)


def update(application: Application, server: LoopbackServer) -> Job:
    (job,) = application.service.update(server.socket)
    return application.service.watch(job.job_id, 30)


def stored(application: Application) -> list[str]:
    return [row.title for row in application.service.list_pages()]


def test_D1_pages_of_one_domain_are_one_source(application: Application, server: LoopbackServer) -> None:
    jobs = [submit(application, server, path) for path in ("/docs/a", "/docs/b", "/api/c")]
    assert [(job.status, job.url) for job in jobs] == [
        ("completed", server.url(path)) for path in ("/docs/a", "/docs/b", "/api/c")
    ]
    (site,) = application.service.sites()
    assert (site.site, site.root_url, site.pages) == (server.socket, server.url("/"), 3)
    assert sorted(stored(application)) == ["Alpha", "Beta", "Gamma"]
    assert len(application.service.search("word", site=server.socket).hits) == 3


def test_D1_a_page_sent_again_is_updated_in_place_and_the_others_stay(
    application: Application, server: LoopbackServer
) -> None:
    for path in ("/docs/a", "/docs/b"):
        submit(application, server, path)
    before = application.service.page(server.url("/docs/a"))
    server.routes["/docs/a"] = page("Alpha", "walrus")
    job = submit(application, server, "/docs/a")
    after = application.service.page(server.url("/docs/a"))
    assert (job.pages_indexed, job.pages_pruned, job.notes) == (1, 0, ())
    assert (after.page_id, "walrus" in after.markdown) == (before.page_id, True)
    assert stored(application) == ["Alpha", "Beta"]


def test_D1_an_update_asks_for_every_page_and_deletes_only_what_is_gone(
    application: Application, server: LoopbackServer
) -> None:
    for path in ("/docs/a", "/docs/b", "/api/c"):
        submit(application, server, path)
    server.routes |= {"/docs/b": page("Beta", "walrus")}
    del server.routes["/api/c"]
    job = update(application, server)
    assert (job.status, job.pages_indexed, job.pages_unchanged, job.pages_pruned) == ("completed", 1, 1, 1)
    assert stored(application) == ["Alpha", "Beta"]


@pytest.mark.parametrize("status", [404, 403], ids=["D7-gone", "D7-forbidden"])
def test_a_page_that_fails_fails_its_job_and_changes_nothing(
    application: Application, server: LoopbackServer, status: int
) -> None:
    for path in ("/docs/a", "/docs/b"):
        submit(application, server, path)
    server.routes["/docs/a"] = Reply(status)
    job = submit(application, server, "/docs/a")
    assert (job.status, job.pages_pruned) == ("failed", 0)
    assert stored(application) == ["Alpha", "Beta"]


def test_D1_no_link_and_no_sitemap_is_followed(application: Application, server: LoopbackServer) -> None:
    submit(application, server, "/docs/a")
    update(application, server)
    assert set(server.targets) <= {"/robots.txt", "/docs/a"}


def test_D1_a_group_is_removed_whole_and_beside_it_a_crawl_of_the_root_stands(
    application: Application, server: LoopbackServer
) -> None:
    submit(application, server, "/docs/a")
    crawled = submit(application, server, "/docs/", max_pages=5)
    assert crawled.status == "failed"  # there is no such page, but it is a source of its own
    assert application.service.remove(server.socket) == 1
    assert stored(application) == []


GROUPS = [
    ("hosts-of-one-domain", "https://docs.x.test/a", "https://api.x.test/b", True),
    ("both-schemes", "https://x.test/a", "http://x.test/b", True),
    ("other-domain", "https://x.test/a", "https://y.test/a", False),
    ("other-port", "https://x.test/a", "https://x.test:8443/a", False),
]


@pytest.mark.parametrize(("one", "other", "is_one"), [row[1:] for row in GROUPS], ids=[f"D1-{g[0]}" for g in GROUPS])
def test_a_domain_is_a_group(one: str, other: str, is_one: bool) -> None:
    groups = [make_page_group(make_source(url, CrawlOptions(1), "", "", utc_now()), "") for url in (one, other)]
    assert (groups[0].source_id == groups[1].source_id) is is_one


def test_a_group_is_no_crawl_of_its_root() -> None:
    page_source = make_source("https://x.test/", CrawlOptions(1), "", "", utc_now())
    assert make_page_group(page_source, "").source_id != page_source.source_id
