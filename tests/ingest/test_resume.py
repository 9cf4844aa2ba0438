"""A job that its process left: who goes on with it, from where, and does it come to the same (contract G4, D6)?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clock import FakeTime
from servers import LoopbackServer, Reply, Route
from webdocs.build import Application, open_application
from webdocs.ingest.queue_local import MAX_DEATHS
from webdocs.model import CrawlBatch, CrawlOptions, CrawlStep, Job, JobStatus
from webdocs.settings import load_settings

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def html(title: str, links: str = "", head: str = "", extra: str = "") -> str:
    anchors = " ".join(f'<a href="{name}">to {name}</a>' for name in links.split())
    return (
        f"<html><head><title>{title}</title>{head}</head><body><main><h1>{title}</h1>"
        f"<p>Enough words about {title} to make a paragraph of a page. {extra}</p>{anchors}</main></body></html>"
    )


FIRST: dict[str, Route] = {
    "/robots.txt": Reply(200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /docs/private\n"),
    "/docs/": html("start", "a b gone moved closed flaky hidden private"),
    "/docs/a": html("a", "c lost b"),
    "/docs/b": html("b", "a"),
    "/docs/c": html("c", "deep"),
    "/docs/deep": html("deep"),
    "/docs/lost": html("lost"),
    "/docs/gone": html("gone"),
    "/docs/moved": html("moved"),
    "/docs/closed": html("closed"),
    "/docs/flaky": html("flaky", "child"),
    "/docs/child": html("child"),
    "/docs/hidden": html("hidden", "kept"),
    "/docs/kept": html("kept"),
    "/docs/stays": Reply(200, {"Content-Type": "text/html", "ETag": '"1"'}, html("stays", "under")),
    "/docs/under": html("under"),
}
FIRST["/docs/a"] = html("a", "c lost b stays")

SECOND: dict[str, Route] = {
    **FIRST,
    "/robots.txt": Reply(200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /docs/closed\n"),
    "/docs/a": html("a", "c b stays", extra="It changed."),
    "/docs/gone": Reply(404),
    "/docs/moved": Reply(302, {"Location": "/docs/moved2"}),
    "/docs/moved2": html("moved"),
    "/docs/flaky": Reply(500),
    "/docs/hidden": html("hidden", "kept", '<meta name="robots" content="noindex">'),
    "/docs/stays": Reply(304, {"ETag": '"1"'}),
}
"""The same site later: a page is gone, one is linked from nowhere any more, one moved, one fails, one is closed, one
asks not to be indexed, one is as it was."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a job came to, as far as it must not depend on where it was broken off."""

    job: tuple[object, ...]
    faults: frozenset[str]
    pruned: frozenset[tuple[str, str]]
    notes: frozenset[str]
    pages: frozenset[tuple[str, int]]


def result_of(application: Application, job: Job) -> Result:
    counts = (job.status, job.pages_crawled, job.pages_indexed, job.pages_unchanged, job.pages_pruned)
    rest = (job.pages_failed, job.pages_skipped, job.pages_queued, job.chunks_indexed, job.error)
    rows = application.service.list_pages(limit=1000)
    return Result(
        counts + rest,
        frozenset(fault.url for fault in job.faults),
        frozenset((page.url, page.reason) for page in job.pruned),
        frozenset(note for note in job.notes if not note.startswith("Resumed")),
        frozenset((row.url, application.service.page(row.page_id).depth) for row in rows),
    )


def open_at(path: Path) -> Application:
    time = FakeTime()
    settings = load_settings({"WEBDOCS_DB_PATH": str(path), "WEBDOCS_EMBEDDER": "hashing"})
    return open_application(settings, clock=time, sleep=time.sleep)


def options(server: LoopbackServer, **changes) -> CrawlOptions:
    base = {"delay_s": 0.0, "allow_private": (server.socket,), "max_depth": None, "max_pages": 1000, "concurrency": 3}
    return CrawlOptions(**{**base, **changes})


def crawl(application: Application, server: LoopbackServer, **changes) -> Job:
    job = application.service.submit(server.url("/docs/"), options(server, **changes))
    return application.service.watch(job.job_id, 30)


async def hang(_writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


def leave(path: Path, server: LoopbackServer, target: str, after: int = 0, **changes) -> Job:
    """Start a crawl and close its process in good order while a page is being waited for; answers the job left."""
    route = server.routes[target]
    server.routes[target] = hang
    asked = server.targets.count(target)
    application = open_at(path)
    job = application.service.submit(server.url("/docs/"), options(server, **changes))
    while server.targets.count(target) == asked:
        assert not application.service.watch(job.job_id, 0.02).has_ended
    application.close()
    server.routes[target] = route
    return job


def go_on(path: Path, job_id: str) -> tuple[Application, Job]:
    application = open_at(path)
    application.resume()
    return application, application.service.watch(job_id, 30)


def compare(tmp_path: Path, server: LoopbackServer, target: str, before: Mapping[str, Route] | None) -> None:
    """The same crawl twice, once broken off while it waits for `target`; `before` is what was indexed already."""
    now = dict(server.routes)
    results = []
    for name in ("whole", "broken"):
        path = tmp_path / f"{name}.duckdb"
        server.routes.update(now)
        if before is not None:
            server.routes.update(before)
            first = open_at(path)
            crawl(first, server)
            first.close()
            server.routes.update(now)
        if name == "whole":
            application = open_at(path)
            job = crawl(application, server)
        else:
            left = leave(path, server, target)
            start = len(server.asked)
            application, job = go_on(path, left.job_id)
            assert job.resumes == 1
            assert server.targets[start] == "/robots.txt"
        results.append(result_of(application, job))
        application.close()
    assert results[1] == results[0]


@pytest.mark.parametrize("target", ["/docs/", "/docs/b", "/docs/flaky", "/docs/deep", "/docs/kept"])
def test_G4_a_first_crawl_that_was_broken_off_comes_to_the_same(tmp_path: Path, target: str) -> None:
    with LoopbackServer(FIRST) as server:
        compare(tmp_path, server, target, None)


@pytest.mark.parametrize(
    "target",
    ["/docs/", "/docs/b", "/docs/c", "/docs/moved", "/docs/hidden", "/docs/child", "/docs/kept", "/docs/under"],
)
def test_D6_a_second_crawl_that_was_broken_off_deletes_the_same_for_the_same_reasons(
    tmp_path: Path, target: str
) -> None:
    with LoopbackServer(SECOND) as server:
        compare(tmp_path, server, target, FIRST)


def test_G4_what_was_settled_is_not_asked_for_again(tmp_path: Path) -> None:
    path = tmp_path / "i.duckdb"
    with LoopbackServer(FIRST) as server:
        left = leave(path, server, "/docs/deep", concurrency=1)
        beside = ("/robots.txt", "/sitemap.xml", "/llms.txt", "/docs/llms.txt", "/docs/deep")
        before = [target for target in server.targets if target not in beside]
        start = len(server.asked)
        application, job = go_on(path, left.job_id)
        after = [target for target in server.targets[start:] if "webdocs-no-such-page" not in target]
        application.close()
    assert job.status == "completed"
    assert set(after) - {"/robots.txt", "/sitemap.xml", "/llms.txt", "/docs/llms.txt"} == {
        "/docs/deep",
        "/docs/under",
        "/docs/kept",
        "/docs/child",
    } - set(before)
    assert len(before) == len(set(before))


@pytest.mark.parametrize(
    ("changes", "stored"),
    [
        pytest.param({"max_pages": 6, "concurrency": 1}, 6, id="max-pages-counts-what-was-stored"),
        pytest.param({"max_depth": 1, "concurrency": 1}, 8, id="max-depth-counts-from-the-root"),
    ],
)
def test_G4_limits_hold_over_both_parts(tmp_path: Path, changes: dict, stored: int) -> None:
    path = tmp_path / "i.duckdb"
    with LoopbackServer(FIRST) as server:
        left = leave(path, server, "/docs/gone", **changes)
        application, job = go_on(path, left.job_id)
    assert (job.status, application.service.counts()[0]) == ("completed", stored)
    assert any("max_" in note for note in job.notes)
    application.close()


def test_A8_the_scope_is_that_of_the_redirected_start_in_both_parts(tmp_path: Path) -> None:
    routes: dict[str, Route] = {
        "/docs/": Reply(302, {"Location": "/docs/en/"}),
        "/docs/en/": html("start", "one two ../other"),
        "/docs/en/one": html("one"),
        "/docs/en/two": html("two", "one ../x"),
        "/docs/other": html("other"),
    }
    path = tmp_path / "i.duckdb"
    with LoopbackServer(routes) as server:
        left = leave(path, server, "/docs/en/two")
        application, job = go_on(path, left.job_id)
    assert (job.status, job.pages_indexed) == ("completed", 3)
    assert "/docs/other" not in server.targets
    application.close()


# ---------------------------------------------------------------- who goes on


def test_G4_a_job_left_in_good_order_is_interrupted_and_says_no_more_than_that(tmp_path: Path) -> None:
    path = tmp_path / "i.duckdb"
    with LoopbackServer(FIRST) as server:
        left = leave(path, server, "/docs/deep")
    application = open_at(path)
    job = application.service.job(left.job_id)
    assert job.status == "interrupted"
    assert not any("Cancelled" in note for note in job.notes)
    application.close()


def test_G4_a_process_that_ends_at_once_leaves_the_job_alone(tmp_path: Path) -> None:
    path = tmp_path / "i.duckdb"
    with LoopbackServer(FIRST) as server:
        left = leave(path, server, "/docs/deep")
        start = len(server.asked)
        application = open_at(path)
        assert application.service.job(left.job_id).status == "interrupted"
        application.close()
        assert len(server.asked) == start


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(lambda service, url, same, site: service.submit(url, same), id="added-again"),
        pytest.param(lambda service, url, same, site: service.update(site)[0], id="updated"),
    ],
)
def test_G4_adding_or_updating_the_site_goes_on_with_the_job_left(tmp_path: Path, again: Callable) -> None:
    path = tmp_path / "i.duckdb"
    with LoopbackServer(FIRST) as server:
        left = leave(path, server, "/docs/deep")
        application = open_at(path)
        job = again(application.service, server.url("/docs/"), options(server), left.site)
        assert (job.job_id, job.resumes) == (left.job_id, 1)
        assert application.service.watch(job.job_id, 30).status == "completed"
        assert application.service.update(left.site)[0].job_id != left.job_id
        application.close()


def test_G4_with_other_options_the_job_left_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "i.duckdb"
    with LoopbackServer(FIRST) as server:
        left = leave(path, server, "/docs/deep")
        application = open_at(path)
        job = crawl(application, server, max_pages=3)
        old = application.service.job(left.job_id)
    assert (job.job_id != left.job_id, job.status, job.resumes) == (True, "completed", 0)
    assert (old.status, job.job_id in old.notes[-1]) == ("cancelled", True)
    assert application.store.steps(left.job_id) == ()
    application.close()


@pytest.mark.parametrize("is_running", [True, False], ids=["while-it-ran", "after-it-was-left"])
def test_G4_a_job_that_the_user_cancelled_is_not_resumed(tmp_path: Path, is_running: bool) -> None:
    path = tmp_path / "i.duckdb"
    with LoopbackServer({**FIRST, "/docs/deep": hang}) as server:
        application = open_at(path)
        job = application.service.submit(server.url("/docs/"), options(server))
        while "/docs/deep" not in server.targets:
            assert not application.service.watch(job.job_id, 0.02).has_ended
        if is_running:
            application.service.cancel(job.job_id)
        application.close()
        application = open_at(path)
        if not is_running:
            assert application.service.cancel(job.job_id).status == "cancelled"
        application.resume()
        assert application.service.job(job.job_id).status == "cancelled"
        application.close()


# ---------------------------------------------------------------- processes that die


def note_dead(path: Path, job: Job, server: LoopbackServer, settled: int = 0) -> None:
    """As a process leaves its job when it is killed."""
    application = open_at(path)
    live = application.queue.live_jobs()
    assert not live
    application.store.save_job(job)
    urls = [server.url(f"/docs/{number}") for number in range(settled)]
    steps = [CrawlStep(url, 1, server.url("/docs/"), "gone", url, status=404) for url in urls]
    application.store.commit(CrawlBatch(job.job_id, job.source_id, steps=steps))
    application.close()


@pytest.mark.parametrize(
    ("status", "deaths", "settled", "then"),
    [
        pytest.param("running", 0, 0, ("interrupted", 1), id="died-once"),
        pytest.param("running", MAX_DEATHS - 1, 0, ("failed", MAX_DEATHS), id="died-too-often-without-a-page"),
        pytest.param("running", MAX_DEATHS - 1, 1, ("interrupted", 0), id="died-often-but-got-on"),
        pytest.param("pending", MAX_DEATHS - 1, 0, ("interrupted", MAX_DEATHS - 1), id="had-not-begun"),
    ],
)
def test_B22_a_job_that_kills_its_process_does_not_loop_for_ever(
    tmp_path: Path, status: JobStatus, deaths: int, settled: int, then: tuple[str, int]
) -> None:
    path = tmp_path / "i.duckdb"
    with LoopbackServer(FIRST) as server:
        application = open_at(path)
        job = crawl(application, server)
        application.close()
        dead = replace(job, job_id="dead", status=status, ended_at=None, created_at=job.created_at, deaths=deaths)
        note_dead(path, replace(dead, created_at=NOW.replace(year=2999)), server, settled)
    application = open_at(path)
    left = application.service.job("dead")
    assert (left.status, left.deaths) == then
    assert bool(left.error) is (then[0] == "failed")
    application.close()


def test_G4_only_the_newest_job_of_a_source_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "i.duckdb"
    with LoopbackServer(FIRST) as server:
        application = open_at(path)
        job = crawl(application, server)
        application.close()
        note_dead(
            path,
            replace(job, job_id="dead", status="running", ended_at=None, created_at=NOW.replace(year=1999)),
            server,
        )
        application = open_at(path)
        application.resume()
        assert application.service.job("dead").status == "interrupted"
        assert application.queue.live_jobs() == {}
        application.close()


def test_G4_a_site_that_was_removed_is_not_crawled_again(tmp_path: Path) -> None:
    path = tmp_path / "i.duckdb"
    with LoopbackServer(FIRST) as server:
        left = leave(path, server, "/docs/deep")
        application = open_at(path)
        application.service.remove(left.site)
        application.resume()
        assert application.queue.live_jobs() == {}
        job = crawl(application, server)
        assert (job.job_id != left.job_id, job.resumes, job.status) == (True, 0, "completed")
        application.close()
