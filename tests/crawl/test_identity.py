"""Which URLs name one page: the rules as tables, and crawls of sites in memory with several schemes and hosts."""

from __future__ import annotations

import asyncio

import pytest
from test_crawl_run import FAST, FakeTime, Reader, Site

from webdocs.crawl import Crawl, CrawlReport, Reading
from webdocs.crawl.canonical import judge_canonical, version_folders_of
from webdocs.crawl.origin import Origins
from webdocs.crawl.twin import form_of, place_of
from webdocs.crawl.variant import ENOUGH_VARIANTS, QueryVariants
from webdocs.model import CrawlOptions, Fetched

ONE_FORM = [
    ("url-4-slash at the end", "https://s.test/a", "https://s.test/a/"),
    ("url-5-index.html", "https://s.test/d/", "https://s.test/d/index.html"),
    ("url-5-index.php of the root", "https://s.test/", "https://s.test/index.php"),
    ("url-5-README.html", "https://s.test/d", "https://s.test/d/README.html"),
    ("url-7-fault-B8-scheme", "http://s.test/a", "https://s.test/a"),
    ("url-7-fault-B8-www", "https://www.s.test/a", "https://s.test/a"),
    ("fault-B8-port of the scheme", "http://s.test/a", "https://www.s.test/a/"),
    ("url-37-case of the path", "https://s.test/API/x", "https://s.test/api/X"),
    ("url-2-B9-bare host", "http://s.test/", "https://s.test/"),
    ("url-9-noise parameter", "https://s.test/a?utm_source=x&b=1", "https://s.test/a/?b=1"),
]
OTHER_FORM = [
    ("url-10-query", "https://s.test/p?page=a", "https://s.test/p?page=b"),
    ("two slashes", "https://s.test/a//", "https://s.test/a"),
    ("port", "https://s.test:8443/a", "https://s.test/a"),
    ("subdomain", "https://api.s.test/a", "https://s.test/a"),
    ("name that ends like an index", "https://s.test/d/myindex.html", "https://s.test/d/"),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in ONE_FORM], ids=[row[0] for row in ONE_FORM])
def test_urls_of_one_form(one: str, other: str) -> None:
    assert form_of(one) == form_of(other)


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in OTHER_FORM], ids=[row[0] for row in OTHER_FORM])
def test_urls_of_other_forms(one: str, other: str) -> None:
    assert form_of(one) != form_of(other)


def test_the_place_leaves_the_query_out() -> None:
    assert place_of("https://s.test/p?page=a") == place_of("https://s.test/p/?page=b") == "s.test/p"


START = "https://s.test/1.0/"
CANONICALS = [
    ("url-21-self", "https://s.test/1.0/a", "https://s.test/1.0/a", ""),
    ("url-21-self but for noise", "https://s.test/1.0/a?utm_source=x", "https://s.test/1.0/a", ""),
    ("url-21-other page", "https://s.test/1.0/a?x=1", "https://s.test/1.0/a", "https://s.test/1.0/a"),
    ("url-21-relative", "https://s.test/1.0/a/print", "../a/", "https://s.test/1.0/a/"),
    ("url-21-anchor", "https://s.test/1.0/b", "https://s.test/1.0/a#top", "https://s.test/1.0/a"),
    ("url-21-fault-B20-newest version", "https://s.test/1.0/a", "https://s.test/latest/a", ""),
    ("url-21-fault-B20-no version", "https://s.test/1.0/a", "https://s.test/a", ""),
    ("url-21-home page", "https://s.test/a", "https://s.test/", ""),
    ("url-21-start page", "https://s.test/1.0/a", "https://s.test/1.0/index.html", ""),
    ("url-21-the start page's own form", "https://s.test/1.0/index.html", "https://s.test/1.0/", "https://s.test/1.0/"),
    ("url-21-malformed", "https://s.test/1.0/a", "http://[", ""),
    ("url-21-no web address", "https://s.test/1.0/a", "mailto:x@s.test", ""),
]


@pytest.mark.parametrize(
    ("url", "named", "wanted"), [row[1:] for row in CANONICALS], ids=[row[0] for row in CANONICALS]
)
def test_which_canonicals_are_believed(url: str, named: str, wanted: str) -> None:
    assert judge_canonical(url, named, START) == wanted


@pytest.mark.parametrize(
    ("path", "folders"),
    [
        ("/en/2.1/a", ("2.1",)),
        ("/v3/a", ("v3",)),
        ("/2.x/a", ("2.x",)),
        ("/en/stable/a", ("stable",)),
        ("/main/", ("main",)),
        ("/1.0rc1/a", ("1.0rc1",)),
        ("/maintenance/a", ()),
        ("/a/2.1", ()),
        ("/pep-0008/a", ()),
    ],
)
def test_version_folders_24(path: str, folders: tuple[str, ...]) -> None:
    assert version_folders_of(f"https://s.test{path}") == folders


def test_fault_B15_three_equal_values_teach_and_b16_one_other_page_unteaches() -> None:
    variants = QueryVariants()
    for number in range(ENOUGH_VARIANTS):
        assert variants._find_idle("http://s.test/b?x=1") == ("", "")
        assert variants.note_page(f"http://s.test/a?x={number}", "same") == ()
    assert variants._find_idle("http://s.test/b?y=2&x=1") == ("x", "http://s.test/b?y=2")
    variants.note_page("http://s.test/c?x=1", "one")
    assert variants.note_page("http://s.test/c?x=2", "two") == ("x",)
    assert variants._find_idle("http://s.test/b?x=1") == ("", "")
    for number in range(ENOUGH_VARIANTS):
        variants.note_page(f"http://s.test/d?x={number}", "same")
    assert variants._find_idle("http://s.test/b?x=1") == ("", ""), "what counted once is not taken for idle again"


def test_b16_a_page_that_changes_between_two_reads_teaches_nothing() -> None:
    variants = QueryVariants()
    assert variants.note_page("http://s.test/a?x=1", "before") == variants.note_page("http://s.test/a?x=1", "now") == ()
    for number in (2, 3):
        variants.note_page(f"http://s.test/a?x={number}", "now")
    assert variants._find_idle("http://s.test/b?x=1")[0] == "x"


# ---------------------------------------------------------------- origins

ORIGINS = [
    ("http to https", "http://s.test/a", "https://s.test/a", "http://s.test/b", "https://s.test/b"),
    ("apex to www", "https://s.test/a", "https://www.s.test/a", "https://s.test/b?x=1", "https://www.s.test/b?x=1"),
    ("both at once", "http://s.test/", "https://www.s.test/", "http://s.test/b", "https://www.s.test/b"),
    ("other path", "http://s.test/a", "https://s.test/login", "http://s.test/b", "http://s.test/b"),
    ("other host", "http://s.test/a", "https://t.test/a", "http://s.test/b", "http://s.test/b"),
    ("https to http", "https://s.test/a", "http://s.test/a", "https://s.test/b", "https://s.test/b"),
]


@pytest.mark.parametrize(
    ("url", "final_url", "link", "wanted"), [row[1:] for row in ORIGINS], ids=[f"fault-B8-{row[0]}" for row in ORIGINS]
)
def test_what_a_redirect_says_of_other_links(url: str, final_url: str, link: str, wanted: str) -> None:
    origins = Origins()
    origins.note_page(url, final_url)
    assert origins.rewrite(link) == wanted
    assert origins.as_written(wanted) == (link if wanted != link else "")


def test_an_origin_that_answers_itself_is_not_rewritten_b8() -> None:
    origins = Origins()
    origins.note_page("http://s.test/a", "http://s.test/a")
    origins.note_page("http://s.test/login", "https://s.test/login")
    assert origins.rewrite("http://s.test/b") == "http://s.test/b"
    later = Origins()
    later.note_page("http://s.test/login", "https://s.test/login")
    later.note_page("http://s.test/a", "http://s.test/a")
    assert later.rewrite("http://s.test/b") == "http://s.test/b"


# ---------------------------------------------------------------- crawls


async def read(fetched: Fetched) -> Reading:
    """The fake pages list their links; what a page says is its links as they stand there."""
    words = fetched.body.decode().split()
    return Reading(links=tuple(words), content_hash=" ".join(words) or "leaf")


def crawl(site: Site, start: str, **options) -> tuple[list[str], CrawlReport]:
    """Final URLs of the pages, and the report."""
    reader = Reader()
    clock = FakeTime()
    chosen = CrawlOptions(**{**FAST, "max_pages": 100, "max_depth": None, "concurrency": 1, **options})
    one = Crawl(start, chosen, site, read, reader, clock=clock, sleep=clock.sleep)
    report = asyncio.run(one.run())
    return [outcome.final_url for _, outcome in reader.outcomes if isinstance(outcome, Fetched)], report


def test_fault_B8_once_http_redirects_to_https_links_to_http_are_not_asked_for() -> None:
    pages = {
        "http://s.test/": "-> https://s.test/",
        "https://s.test/": ["http://s.test/a", "https://s.test/a", "http://s.test/b"],
        "https://s.test/a": ["http://s.test/b", "/x"],
        "https://s.test/b": ["/y"],
    }
    site = Site(pages)
    stored, report = crawl(site, "http://s.test/")
    assert stored == ["https://s.test/", "https://s.test/a", "https://s.test/b"]
    assert [url for url in site.urls if url.startswith("http:")] == ["http://s.test/"]
    assert report.rewritten["http://s.test/a"] == "https://s.test/a"


def test_fault_B8_once_the_start_redirects_to_www_links_to_the_bare_host_are_in_scope() -> None:
    pages = {
        "https://s.test/": "-> https://www.s.test/",
        "https://www.s.test/": ["https://s.test/a"],
        "https://www.s.test/a": ["/"],
    }
    stored, _ = crawl(Site(pages), "https://s.test/")
    assert stored == ["https://www.s.test/", "https://www.s.test/a"]


def test_fault_B8_a_rewritten_link_that_leads_nowhere_is_asked_for_as_written() -> None:
    pages = {
        "http://s.test/": "-> https://s.test/",
        "https://s.test/": ["http://s.test/old"],
        "http://s.test/old": ["/z"],
    }
    stored, _ = crawl(Site(pages), "http://s.test/")
    assert stored == ["https://s.test/", "http://s.test/old"]


@pytest.mark.parametrize(
    ("second", "wanted"),
    [
        pytest.param(["/x"], ["http://s.test/", "http://s.test/a"], id="url-7-fault-B8-both schemes answer the same"),
        pytest.param(["/y"], ["http://s.test/", "http://s.test/a", "https://s.test/a"], id="url-7-fault-B8-other text"),
    ],
)
def test_http_and_https_are_one_page_on_equal_content_alone(second: list[str], wanted: list[str]) -> None:
    pages = {
        "http://s.test/": ["http://s.test/a", "https://s.test/a"],
        "http://s.test/a": ["/x"],
        "https://s.test/a": second,
    }
    assert crawl(Site(pages), "http://s.test/")[0] == wanted


def test_www_and_the_bare_host_are_one_page_on_equal_content_7_b8() -> None:
    pages = {
        "https://s.test/": ["https://s.test/a", "https://www.s.test/a"],
        "https://s.test/a": ["/x"],
        "https://www.s.test/a": ["/x"],
    }
    assert crawl(Site(pages), "https://s.test/", scope="domain")[0] == ["https://s.test/", "https://s.test/a"]
