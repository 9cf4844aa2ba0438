"""Pages that say what a site answers to any name (row 30 of the URL cases, C7 of the fault log): the pure judgement."""

from __future__ import annotations

import asyncio

import pytest

from webdocs.crawl.name_probe import NameProbe, invented_url
from webdocs.crawl.reading import Reading
from webdocs.crawl.soft404 import LookAlikes, is_alike, likeness_of
from webdocs.extract import read_body
from webdocs.model import Failed, Fetched, FetchOutcome, Gone, Page, Refused, Request

WORDS = "Enough words to make a paragraph that counts as the main content of a page."


def page(url: str, title: str, *paragraphs: str) -> Page:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return read_body(f"<title>{title}</title><main><h1>{title}</h1>{text}</main>".encode(), "text/html", url)


ALIKE = [
    # id, page, answer to an invented name, alike?
    ("url-30-equal", ("/a", "Oops", WORDS), ("/nope", "Oops", WORDS), True),
    (
        "url-30-names-the-address",
        ("/docs/install", "Oops", f"No page at /docs/install. {WORDS}"),
        ("/docs/nope", "Oops", f"No page at /docs/nope. {WORDS}"),
        True,
    ),
    (
        "url-30-relative-links",
        ("/a/b", "Oops", f'<a href="c">Home</a> {WORDS}'),
        ("/a/d/nope", "Oops", f'<a href="c">Home</a> {WORDS}'),
        True,
    ),
    (
        "url-30-nearly-equal",
        ("/a", "Help", WORDS, f"{WORDS} More. {WORDS}", "at 10:01"),
        ("/nope", "Help", WORDS, f"{WORDS} More. {WORDS}", "at 10:02"),
        True,
    ),
    ("url-30-title-says-it", ("/a", "404", f"{WORDS} Try this."), ("/nope", "404", "Try that, or the map."), True),
    ("url-30-one-title-for-all-pages", ("/a", "Docs", f"{WORDS} Alpha."), ("/nope", "Docs", "Welcome here."), False),
    ("url-30-page-about-404", ("/404", "HTTP 404 Not Found", WORDS), ("/nope", "Oops: 404", "Try this."), False),
    ("url-30-another-page", ("/a", "Alpha", WORDS), ("/nope", "Beta", "Welcome to this place."), False),
    (
        "fault-C7-stub-that-names-itself",
        ("/install.md", "Moved", "This document redirects to /install.md in the new place."),
        ("/nope.md", "Moved", "This document redirects to /nope.md in the new place."),
        True,
    ),
]


@pytest.mark.parametrize(("one", "answer", "is_same"), [row[1:] for row in ALIKE], ids=[row[0] for row in ALIKE])
def test_a_page_is_alike_to_the_answer_to_an_invented_name(
    one: tuple[str, ...], answer: tuple[str, ...], is_same: bool
) -> None:
    pages = [page(f"https://s.test{path}", *says) for path, *says in (one, answer)]
    assert is_alike(*map(likeness_of, pages)) is is_same


SUSPECTS = [
    ("url-30-first-of-its-kind", ("/c", "Gamma", WORDS), False),
    ("url-30-says-the-same-as-another", ("/b", "Alpha", WORDS), True),
    ("url-30-title-of-an-error", ("/b", "Page not found", "Sorry."), True),
    ("url-30-another-language", ("/b", "Seite nicht gefunden", "Leider."), True),
    ("fault-C7-stub-on-its-own-address", ("/docs/b", "Moved", "The document /docs/b redirects elsewhere."), True),
    (
        "fault-C7-long-page-on-its-own-address",
        ("/docs/b", "Moved", f"/docs/b: {WORDS} " * 7),
        False,
    ),
    ("url-30-text-that-speaks-of-errors", ("/b", "Status codes", "404 means not found."), False),
]


@pytest.mark.parametrize(("says", "is_suspect"), [row[1:] for row in SUSPECTS], ids=[row[0] for row in SUSPECTS])
def test_only_a_page_that_looks_like_one_makes_the_crawl_ask(says: tuple[str, ...], is_suspect: bool) -> None:
    seen = LookAlikes()
    urls = [f"https://s.test{says[0]}", "https://s.test/a"]
    assert not seen.is_suspect(urls[1], likeness_of(page(urls[1], "Alpha", WORDS)))
    assert seen.is_suspect(urls[0], likeness_of(page(urls[0], *says[1:]))) is is_suspect


@pytest.mark.parametrize(
    ("url", "invented"),
    [
        pytest.param("https://s.test/docs/a", "https://s.test/docs/x", id="url-30-beside-the-page"),
        pytest.param("https://s.test/docs/a/?q=1#f", "https://s.test/docs/a/x", id="url-30-in-its-folder"),
        pytest.param("https://s.test/", "https://s.test/x", id="url-30-at-the-root"),
        pytest.param("https://s.test/docs/a.html", "https://s.test/docs/x.html", id="url-30-with-its-ending"),
        pytest.param("https://s.test/docs/a.md", "https://s.test/docs/x.md", id="fault-C7-markdown"),
        pytest.param("https://s.test/docs/v1.2", "https://s.test/docs/x", id="url-30-a-version-is-no-ending"),
    ],
)
def test_the_invented_name_is_of_the_pages_kind(url: str, invented: str) -> None:
    assert invented_url(url, "x") == invented


class Server:
    """Answers every name with the same outcome, made for its URL."""

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def ask(self, request: Request) -> FetchOutcome:
        self.asked.append(request.url)
        make = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return make(request.url)

    async def read(self, fetched: Fetched) -> Reading:
        return Reading(page=page(fetched.final_url, "Oops", WORDS))


def found(url: str) -> Fetched:
    return Fetched(url, url, "text/html", b"x")


ANSWERS = [
    ("url-30-answered", (found,), True, 1),
    ("url-30-absent", (lambda url: Gone(url, 404),), False, 1),
    ("url-30-redirected", (lambda url: Fetched(url, "https://s.test/", "text/html", b"x"),), False, 1),
    ("url-30-forbidden-by-robots", (lambda url: Refused(url, "robots", "forbidden"),), False, 1),
    ("url-30-failed-once", (lambda url: Failed(url, "503", 503, True), found), True, 2),
    ("url-30-failed-for-good", (lambda url: Failed(url, "503", 503, True),), False, 2),
]


@pytest.mark.parametrize(
    ("answers", "is_known", "requests"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS]
)
def test_a_site_is_asked_once_a_kind_of_name(answers: tuple[object, ...], is_known: bool, requests: int) -> None:
    async def probe_often() -> tuple[NameProbe, Server]:
        server = Server(*answers)
        probe = NameProbe(server.ask, server.read)
        for name in ("a", "b", "c"):
            await asyncio.gather(*[probe.answer(f"https://s.test/{name}{n}") for n in range(3)])
        return probe, server

    probe, server = asyncio.run(probe_often())
    assert (probe.known("https://s.test/a") is not None) is is_known
    assert len(server.asked) == requests
    assert probe.known("https://s.test/a.md") is None, "another kind of name is another question"
