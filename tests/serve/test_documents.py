"""Contract A9 and E: a document is submitted, and the answer holds what was indexed, skipped and missed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from loopback import ask
from served import Served

from servers import LoopbackServer, Reply
from webdocs.build import open_application
from webdocs.serve.door import Door
from webdocs.serve.front import create_front
from webdocs.serve.listener import Listener, bind
from webdocs.settings import load_settings

ROUTE = "/api/v1/documents/url"
WORDS = "<p>Enough words to make a paragraph that counts as the main content of a page.</p>"


def page(title: str, *links: str) -> str:
    anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
    return f"<title>{title}</title><body><main><h1>{title}</h1>{WORDS}<p>{anchors}</p></main></body>"


SITE = {
    "/docs/": page("Start", "a", "b", "/blog/x", "/docs/old/z"),
    "/docs/a": page("Alpha", "c"),
    "/docs/b": page("Beta"),
    "/docs/c": page("Gamma", "d"),
    "/docs/d": page("Delta"),
    "/docs/old/z": page("Zeta"),
    "/blog/x": page("Blog"),
}


class Product:
    """The real product behind a real listener, and a site that it may crawl."""

    def __init__(self, port: int, site: LoopbackServer) -> None:
        self.port = port
        self.site = site

    def submit(self, path: str = "/docs/", **options: object) -> Any:
        return ask(self.port, "POST", ROUTE, {"url": self.site.url(path), **options})

    def titles(self, path: str = "/docs/", **options: object) -> list[str]:
        reply = self.submit(path, **options)
        assert reply.status == 201, reply.body
        return sorted(document["title"] for document in reply.json["data"]["documents"])


@pytest.fixture(scope="module")
def _listening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    given = {
        "WEBDOCS_DB_PATH": str(tmp_path_factory.mktemp("documents") / "i.duckdb"),
        "WEBDOCS_EMBEDDER": "hashing",
        "WEBDOCS_CRAWL_DELAY": "0",
        "WEBDOCS_ALLOW_PRIVATE": "127.0.0.0/8,localhost",
    }
    settings = load_settings(given)
    door = Door(settings, open_application)
    door.knock()
    listener = Listener(create_front(door, settings), bind("127.0.0.1", 0))
    yield listener.port
    listener.close()
    door.close()


@pytest.fixture
def product(_listening: int) -> Iterator[Product]:
    with LoopbackServer(SITE) as site:
        yield Product(_listening, site)


# ---------------------------------------------------------------- the answer


def test_A9_one_page_is_answered_exactly_so(product: Product) -> None:
    reply = product.submit("/docs/b")
    assert reply.status == 201
    answer = reply.json
    (document,) = answer["data"].pop("documents")
    assert answer["data"] == {
        "pagesIndexed": 1,
        "pagesFetched": 1,
        "pagesCrawled": 1,
        "pagesSkipped": 0,
        "errors": [],
        "abortReason": None,
    }
    assert (document["title"], document["url"]) == ("Beta", product.site.url("/docs/b"))
    assert ask(product.port, "GET", f"/get_doc_page?page_id={document['id']}").json["title"] == "Beta"
    assert isinstance(answer["meta"].pop("took"), int)
    assert answer["meta"] == {"notes": []}


def test_A9_a_page_that_fails_ends_nothing_and_stands_in_errors(product: Product) -> None:
    product.site.routes |= {
        "/docs/": page("Start", "a", "gone", "broken"),
        "/docs/broken": "<title>x</title><body></body>",
    }
    data = product.submit(spider=True, maxDepth=1).json["data"]
    assert (data["pagesIndexed"], data["pagesCrawled"], data["abortReason"]) == (2, 4, None)
    assert sorted(error["url"] for error in data["errors"]) == [
        product.site.url("/docs/broken"),
        product.site.url("/docs/gone"),
    ]
    assert all(error["reason"] for error in data["errors"])


def test_A9_a_page_sent_again_is_one_document_and_is_listed_again(product: Product) -> None:
    first, second = (product.submit("/docs/b").json["data"]["documents"] for _ in range(2))
    assert first == second


def test_A9_what_is_skipped_is_counted(product: Product) -> None:
    data = product.submit(spider=True, excludePatterns=["*/old/*", "/blog/*"]).json["data"]
    assert (data["pagesIndexed"], data["pagesSkipped"]) == (4, 2)


# ---------------------------------------------------------------- each option (fault A12)

EFFECTS = [
    ("nothing-given", {}, ["Start"]),
    ("spider", {"spider": True}, ["Alpha", "Beta", "Blog", "Gamma", "Start", "Zeta"]),
    ("maxPages", {"spider": True, "maxPages": 2}, ["Alpha", "Start"]),
    ("maxDepth-0", {"spider": True, "maxDepth": 0}, ["Start"]),
    ("maxDepth-1", {"spider": True, "maxDepth": 1}, ["Alpha", "Beta", "Blog", "Start", "Zeta"]),
    ("pathPrefix", {"spider": True, "pathPrefix": "/docs/"}, ["Alpha", "Beta", "Gamma", "Start", "Zeta"]),
    ("excludePatterns", {"spider": True, "excludePatterns": ["*/docs/*"]}, ["Blog", "Start"]),
    ("snake-case", {"spider": True, "max_depth": 0}, ["Start"]),
]


@pytest.mark.parametrize(
    ("options", "titles"), [row[1:] for row in EFFECTS], ids=[f"fault-A12-{row[0]}" for row in EFFECTS]
)
def test_every_option_has_its_effect(product: Product, options: dict[str, object], titles: list[str]) -> None:
    assert product.titles(**options) == titles


@pytest.mark.parametrize(
    ("same_domain", "titles"),
    [(True, ["Start"]), (False, ["Elsewhere", "Start"])],
    ids=["fault-A12-sameDomain-true", "fault-A12-sameDomain-false"],
)
def test_sameDomain_keeps_to_the_host(product: Product, same_domain: bool, titles: list[str]) -> None:
    with LoopbackServer({"/": page("Elsewhere")}) as other:
        product.site.routes["/docs/"] = page("Start", f"http://localhost:{other.port}/")
        assert product.titles(spider=True, sameDomain=same_domain) == titles


def test_E_sitemaps_are_not_read(product: Product) -> None:
    product.titles(spider=True, maxDepth=1)
    assert "/sitemap.xml" not in product.site.targets


# ---------------------------------------------------------------- ceilings


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ({"maxPages": 201}, "maxPages 201 was lowered to 200, the most for a submission."),
        ({"maxDepth": 6}, "maxDepth 6 was lowered to 5, the most for a submission."),
    ],
    ids=["E-pages", "E-depth"],
)
def test_a_request_above_a_ceiling_is_lowered_and_says_so(product: Product, options: dict[str, int], note: str) -> None:
    assert note in product.submit(spider=True, **options).json["meta"]["notes"]


def test_fault_A11_a_crawl_cut_at_its_pages_keeps_them_and_says_so(product: Product) -> None:
    data = product.submit(spider=True, maxPages=2).json["data"]
    assert data["pagesIndexed"] == 2
    assert data["abortReason"].startswith("maxPages")


def test_E_a_depth_that_the_ceiling_lowered_is_a_reason_and_one_that_was_asked_for_is_none(product: Product) -> None:
    product.site.routes |= {f"/deep/{n}": page(f"Deep {n}", f"/deep/{n + 1}") for n in range(8)}
    assert product.submit("/deep/0", spider=True, maxDepth=2).json["data"]["abortReason"] is None
    data = product.submit("/deep/0", spider=True, maxDepth=9).json["data"]
    assert (data["pagesIndexed"], data["abortReason"][:8]) == (6, "maxDepth")


# ---------------------------------------------------------------- bad requests

BAD = [
    ("no-url", {}, "url"),
    ("unknown-option", {"url": "https://s.test/", "depth": 3}, "depth"),
    ("operator-option", {"url": "https://s.test/", "allow_private": ["10.0.0.1"]}, "allow_private"),
    ("pages-0", {"url": "https://s.test/", "spider": True, "maxPages": 0}, "maxPages"),
    ("depth-below-0", {"url": "https://s.test/", "spider": True, "maxDepth": -1}, "maxDepth"),
    ("no-list", {"url": "https://s.test/", "excludePatterns": "*/x/*"}, "excludePatterns"),
    ("regex-for-a-glob", {"url": "https://s.test/", "excludePatterns": ["/(a+)+$/"]}, "no glob"),
    ("scheme", {"url": "ftp://s.test/"}, "ftp"),
    ("private-address", {"url": "http://10.0.0.1/"}, "10.0.0.1"),
    ("no-object", [], "body"),
]


@pytest.mark.parametrize(("body", "names"), [row[1:] for row in BAD], ids=[f"A9-{row[0]}" for row in BAD])
def test_bad_input_is_a_400_with_a_code(product: Product, body: object, names: str) -> None:
    reply = ask(product.port, "POST", ROUTE, body)
    assert (reply.status, reply.json["status"], reply.json["code"]) == (400, 400, "VALIDATION_ERROR")
    assert reply.headers["content-type"] == "application/problem+json"
    assert names in reply.json["detail"]


@pytest.mark.parametrize(
    ("route", "says"),
    [
        (Reply(404), "404"),
        (Reply(403), "403"),
        (Reply(302, {"Location": "http://10.0.0.1/"}), "10.0.0.1"),
    ],
    ids=["gone", "forbidden", "leads-to-a-private-address"],
)
def test_A9_a_page_that_cannot_be_had_is_a_502_with_a_code(product: Product, route: Reply, says: str) -> None:
    product.site.routes["/docs/"] = route
    reply = product.submit()
    assert (reply.status, reply.json["code"]) == (502, "FETCH_ERROR")
    assert reply.headers["content-type"] == "application/problem+json"
    assert says in reply.json["detail"]


def test_A9_a_page_that_holds_nothing_is_an_indexing_error(product: Product) -> None:
    product.site.routes["/docs/"] = "<title>x</title><body></body>"
    data = product.submit().json["data"]
    assert (data["documents"], data["pagesFetched"], data["pagesIndexed"]) == ([], 1, 0)
    assert [error["url"] for error in data["errors"]] == [product.site.url("/docs/")]


# ---------------------------------------------------------------- forwarded, and left alone


def test_a_forwarded_submission_is_answered_alike(forwarding: Served) -> None:
    reply = ask(forwarding.port, "POST", ROUTE, {"url": "https://docs.example.org/"})
    assert reply.status == 201
    assert [document["title"] for document in reply.json["data"]["documents"]] == ["Guide", "Two"]
    bad = ask(forwarding.port, "POST", ROUTE, {"url": "https://docs.example.org/", "x": 1})
    assert (bad.status, bad.json["code"]) == (400, "VALIDATION_ERROR")


def test_a_submission_is_refused_by_a_read_only_server(served_read_only: Served) -> None:
    assert ask(served_read_only.port, "POST", ROUTE, {"url": "https://docs.example.org/"}).status == 403


def test_A10_the_description_holds_every_option_with_an_example(product: Product) -> None:
    description = json.dumps(ask(product.port, "GET", "/openapi.json").json["paths"][ROUTE])
    assert "SubmitDocumentArguments" in description
    assert {"201", "400", "502"} <= set(json.loads(description)["post"]["responses"])
