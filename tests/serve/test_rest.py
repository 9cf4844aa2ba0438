"""Contract A: each route with its answer, and every way to fail as problem+json, at the owner and forwarded."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import unquote

import pytest
from fake_service import PAGE_ID, PAGE_URL, SITE
from loopback import ask
from served import Served

from webdocs.model import CrawlOptions


@pytest.fixture(params=["served", "forwarding"], ids=["at-the-owner", "forwarded"])
def server(request: pytest.FixtureRequest) -> Served:
    return request.getfixturevalue(request.param)


GOOD: list[tuple[str, str, dict[str, Any] | list[Any]]] = [
    ("/search_docs?query=nothing", "A3-nothing-relevant", []),
    (
        "/list_doc_pages?limit=1",
        "A4-one-page",
        [
            {
                "page_id": PAGE_ID,
                "url": PAGE_URL,
                "title": "Guide",
                "site": SITE,
                "version": "2.0",
                "domain": "docs.example.org",
            }
        ],
    ),
    ("/list_doc_pages?offset=3", "A4-past-the-end", []),
    (
        "/health",
        "A8-counts",
        {"status": "ok", "service": "webdocs", "version": "0.1.0", "pages": 3, "chunks": 12},
    ),
    ("/job_progress", "A2-no-jobs-yet", []),
]


@pytest.mark.parametrize(("target", "expected"), [(row[0], row[2]) for row in GOOD], ids=[row[1] for row in GOOD])
def test_a_read_answers_exactly_this(server: Served, target: str, expected: object) -> None:
    reply = ask(server.port, "GET", target)
    assert (reply.status, reply.json) == (200, expected)


@pytest.mark.parametrize("target", ["/health", "/list_doc_pages", "/sites", "/docs", "/get_doc_page"])
def test_a_head_answers_as_get_without_the_body(server: Served, target: str) -> None:
    got, head = ask(server.port, "GET", target), ask(server.port, "HEAD", target)
    assert (head.status, head.headers["content-type"]) == (got.status, got.headers["content-type"])
    assert head.body == b""


def test_a_head_on_a_route_of_post_only_is_405(server: Served) -> None:
    assert ask(server.port, "HEAD", "/fetch_url").status == 405


def test_a3_a_hit_has_the_members_of_the_contract(server: Served) -> None:
    hits = ask(server.port, "GET", "/search_docs?query=install&top_k=2").json
    assert len(hits) == 2
    assert hits[0] == {
        "page_id": PAGE_ID,
        "url": PAGE_URL,
        "anchor_url": "https://docs.example.org/guide#install",
        "title": "Guide",
        "heading_path": ["Guide", "Install"],
        "text": "Run `pip install it`.",
        "score": 1.0,
        "method": "hybrid",
        "site": SITE,
        "version": "2.0",
        "fetched_at": "2026-11-02T12:30:00Z",
        "truncated": False,
    }


@pytest.mark.parametrize("query", [f"page_id={PAGE_ID}", f"url={PAGE_URL}"], ids=["by-id", "by-url"])
def test_a5_a_page_is_found_by_id_or_url(server: Served, query: str) -> None:
    page = ask(server.port, "GET", f"/get_doc_page?{query}").json
    assert (page["page_id"], page["url"], page["title"]) == (PAGE_ID, PAGE_URL, "Guide")
    assert page["text"].startswith("# Guide\n\nWelcome.")


BAD = [
    ("A1-no-url", "POST", "/fetch_url", {}, 422, "url: Field required"),
    ("A1-no-json", "POST", "/fetch_url", b"{", 422, "JSON"),
    ("A1-max-pages-0", "POST", "/fetch_url", {"url": "http://x.test/", "max_pages": 0}, 422, "max_pages"),
    ("A1-max-pages-501", "POST", "/fetch_url", {"url": "http://x.test/", "max_pages": 501}, 422, "max_pages"),
    ("A1-max-depth-11", "POST", "/fetch_url", {"url": "http://x.test/", "max_depth": 11}, 422, "max_depth"),
    ("A1-unknown-member", "POST", "/fetch_url", {"url": "http://x.test/", "colour": 1}, 422, "colour"),
    (
        "A1-allow-private-is-the-operators",
        "POST",
        "/fetch_url",
        {"url": "http://x.test/", "allow_private": ["10.0.0.1"]},
        422,
        "allow_private",
    ),
    (
        "A1-no-robots-is-the-operators",
        "POST",
        "/fetch_url",
        {"url": "http://x.test/", "respect_robots": False},
        422,
        "respect_robots",
    ),
    ("A1-url-never-crawlable", "POST", "/fetch_url", {"url": "ftp://x.test/"}, 422, "neither http nor https"),
    ("A2-unknown-job", "GET", "/job_progress?job_id=zz", None, 404, "no job 'zz'"),
    ("A2-unknown-job-stream", "GET", "/job_progress/stream?job_id=zz", None, 404, "no job 'zz'"),
    ("A2-unknown-job-cancel", "DELETE", "/jobs/zz", None, 404, "no job 'zz'"),
    ("A3-no-query", "GET", "/search_docs", None, 422, "query: Field required"),
    ("A3-empty-query", "GET", "/search_docs?query=", None, 422, "query"),
    ("A3-top-k-0", "GET", "/search_docs?query=a&top_k=0", None, 422, "top_k"),
    ("A3-top-k-26", "GET", "/search_docs?query=a&top_k=26", None, 422, "top_k"),
    ("A3-unknown-site", "GET", "/search_docs?query=a&site=nope", None, 422, "docs.example.org, python/3"),
    ("A3-unknown-version", "GET", f"/search_docs?query=a&site={SITE}&version=9", None, 422, "2.0"),
    ("A3-store-gone", "GET", "/search_docs?query=storeless", None, 503, "Look at the disk."),
    ("A3-model-gone", "GET", "/search_docs?query=modelless", None, 503, "WEBDOCS_EMBEDDER=hashing"),
    ("A4-unknown-site", "GET", "/list_doc_pages?site=nope", None, 422, "python/3"),
    ("A4-offset-beyond-64-bits", "GET", "/list_doc_pages?offset=99999999999999999999", None, 422, "offset"),
    ("A1-no-json", "POST", "/fetch_url", b"{bad", 422, "body: It must be a JSON object, sent with Content-Type"),
    ("A1-no-object", "POST", "/fetch_url", [], 422, "body: It must be a JSON object, sent with Content-Type"),
    ("sites-empty-name", "DELETE", "/sites/", None, 422, "site: String should have at least 1 character"),
    ("A10-redoc-loads-from-a-cdn", "GET", "/redoc", None, 404, "There is no /redoc here."),
    ("A5-unknown-page", "GET", "/get_doc_page?page_id=ffff", None, 404, "no page 'ffff'"),
    ("A5-neither-id-nor-url", "GET", "/get_doc_page", None, 422, "page_id or url"),
    ("A-route-404", "GET", "/nope", None, 404, "There is no /nope here."),
    ("A-method-405", "PUT", "/fetch_url", {}, 405, "Method Not Allowed"),
    ("sites-unknown-update", "POST", "/sites/nope/update", None, 422, "python/3"),
    ("sites-unknown-remove", "DELETE", "/sites/nope", None, 422, "python/3"),
    ("owner-route-is-not-public", "POST", "/_owner/submit", {"url": "http://x.test/"}, 404, "/_owner/submit"),
    ("channel-prefix-is-not-public", "GET", "/_rest/health", None, 404, "/_rest/health"),
    ("climbing-out-of-the-prefix", "POST", "/../_owner/submit", {"url": "http://x.test/"}, 404, "There is no"),
    ("body-over-a-mebibyte", "POST", "/fetch_url", b"x" * (1024 * 1024 + 1), 413, "1048576 bytes"),
]


@pytest.mark.parametrize(
    ("method", "target", "body", "status", "words"), [row[1:] for row in BAD], ids=[row[0] for row in BAD]
)
def test_a_failure_is_a_problem(
    server: Served, method: str, target: str, body: object, status: int, words: str
) -> None:
    reply = ask(server.port, method, target, body)
    assert (reply.status, reply.is_problem) == (status, True)
    assert words in reply.json["detail"]
    assert server.service.submitted == []


def test_a_crash_is_a_problem_without_its_details(server: Served) -> None:
    reply = ask(server.port, "GET", "/search_docs?query=crash")
    assert (reply.status, reply.is_problem) == (500, True)
    assert b"secret detail" not in reply.body


def test_a8_health_is_503_when_the_store_does_not_answer(server: Served) -> None:
    server.service.is_broken = True
    reply = ask(server.port, "GET", "/health")
    assert (reply.status, reply.is_problem) == (503, True)


def test_unknown_names_are_listed_as_a_member(server: Served) -> None:
    assert ask(server.port, "GET", "/search_docs?query=a&site=nope").json["known"] == [SITE, "python/3"]


def test_a1_defaults_come_from_the_settings(server: Served) -> None:
    job = ask(server.port, "POST", "/fetch_url", {"url": "http://x.test/"}).json
    assert (job["job_id"], job["url"], job["status"]) == ("job1", "http://x.test/", "pending")
    assert server.service.submitted == [
        ("http://x.test/", CrawlOptions(max_pages=50, max_depth=3, concurrency=8), "", "")
    ]


def test_a1_every_option_arrives(server: Served) -> None:
    body = {
        "url": "http://x.test/a/",
        "max_pages": 500,
        "max_depth": 10,
        "name": "x",
        "version": "1",
        "scope": "domain",
        "path_prefix": "/a/",
        "include": ["*/a/*"],
        "exclude": ["/b/"],
    }
    assert ask(server.port, "POST", "/fetch_url", body).status == 200
    options = CrawlOptions(500, 10, "domain", "/a/", ("*/a/*",), ("/b/",), concurrency=8)
    assert server.service.submitted == [("http://x.test/a/", options, "x", "1")]


def test_a1_sync_answers_when_the_job_has_ended(server: Served) -> None:
    job = ask(server.port, "POST", "/fetch_url?sync=true", {"url": "http://x.test/"}).json
    assert (job["status"], job["pages_crawled"], job["pages_failed"]) == ("completed", 2, 1)
    assert job["faults"] == [{"url": "http://x.test/bad", "reason": "HTTP 500 after 3 retries", "status": 500}]


def test_a2_jobs_are_newest_first_and_one_can_be_asked_for(server: Served) -> None:
    for path in ("one", "two"):
        ask(server.port, "POST", "/fetch_url", {"url": f"http://x.test/slow/{path}"})
    assert [job["job_id"] for job in ask(server.port, "GET", "/job_progress").json] == ["job2", "job1"]
    assert ask(server.port, "GET", "/job_progress?job_id=job1").json["url"] == "http://x.test/slow/one"


def test_a2_the_stream_sends_the_job_until_it_ends(server: Served) -> None:
    ask(server.port, "POST", "/fetch_url", {"url": "http://x.test/"})
    reply = ask(server.port, "GET", "/job_progress/stream?job_id=job1")
    events = [json.loads(line[6:]) for line in reply.body.decode().splitlines() if line.startswith("data: ")]
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert [event["status"] for event in events] == ["running", "completed"]


def test_a2_the_stream_comes_while_the_job_runs(server: Served) -> None:
    ask(server.port, "POST", "/fetch_url", {"url": "http://x.test/slow"})
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", "/job_progress/stream?job_id=job1")
    response = connection.getresponse()
    first = json.loads(response.readline()[6:])
    ask(server.port, "DELETE", "/jobs/job1")
    rest = response.read().decode()
    connection.close()
    assert (first["status"], '"status":"cancelled"' in rest) == ("running", True)


def test_sites_are_listed_updated_and_removed(server: Served) -> None:
    assert [row["site"] for row in ask(server.port, "GET", "/sites").json] == [SITE, "python/3"]
    jobs = ask(server.port, "POST", "/sites/python/3/update").json
    assert [job["url"] for job in jobs] == ["https://python.example.org/3/"]
    assert server.service.full_updates == []
    ask(server.port, "POST", "/sites/python/3/update?full=true")
    assert server.service.full_updates == ["python/3"]
    gone = ask(server.port, "DELETE", "/sites/python/3?version=2.0").json
    assert gone == {"site": "python/3", "version": "2.0", "pages_removed": 1}
    assert server.service.removed == [("python/3", "2.0")]


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("POST", "/fetch_url"),
        ("POST", "/reindex"),
        ("DELETE", "/jobs/job1"),
        ("POST", f"/sites/{SITE}/update"),
        ("DELETE", f"/sites/{SITE}"),
    ],
)
def test_read_only_refuses_what_writes(served_read_only: Served, method: str, target: str) -> None:
    reply = ask(served_read_only.port, method, target, {"url": "http://x.test/"})
    assert (reply.status, reply.is_problem) == (403, True)
    assert (served_read_only.service.submitted, served_read_only.service.removed) == ([], [])


def test_read_only_still_reads(served_read_only: Served) -> None:
    assert ask(served_read_only.port, "GET", "/search_docs?query=install").status == 200


def test_a10_every_parameter_is_described_with_an_example(server: Served) -> None:
    document = ask(server.port, "GET", "/openapi.json").json
    bare = [
        (path, parameter["name"])
        for path, item in document["paths"].items()
        for operation in item.values()
        for parameter in operation.get("parameters", [])
        if not (parameter.get("description") and parameter["schema"].get("examples"))
    ]
    body = document["components"]["schemas"]["FetchUrlBody"]["properties"]
    bare += [("body", name) for name, field in body.items() if not (field.get("description") and field.get("examples"))]
    assert bare == []
    assert ask(server.port, "GET", "/docs").status == 200


def test_A3_an_empty_answer_gives_its_hint_in_a_header(server: Served) -> None:
    reply = ask(server.port, "GET", "/search_docs?query=unrelated")
    assert (reply.json, unquote(reply.headers["webdocs-hint"])) == ([], "Indexed: Größe 2. Try other words.")
    assert reply.headers["webdocs-tokens"] == "0"
