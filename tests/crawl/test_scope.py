"""In or out, and why. Ids name rows of the URL cases and of the fault log."""

from __future__ import annotations

import time

import pytest

from webdocs.crawl.pattern import Pattern
from webdocs.crawl.scope import Scope
from webdocs.errors import PatternError
from webdocs.model import CrawlOptions, Formats

READABLE = Formats(frozenset(("pdf",)), frozenset(("application/pdf",)), {"docx": "install the extra office"})

START = "https://s.test/docs/overview"

JUDGED = [
    ("fault-A2-sibling", START, {}, "https://s.test/docs/install", ""),
    ("folder-itself", START, {}, "https://s.test/docs/", ""),
    ("above", START, {}, "https://s.test/blog/x", "folder"),
    ("url-38-look-alike-folder", START, {}, "https://s.test/docs-old/x", "folder"),
    ("url-38-folder-without-its-slash", START, {}, "https://s.test/docs", ""),
    ("url-38-folder-with-a-query", START, {}, "https://s.test/docs?x", ""),
    ("url-38-case", START, {}, "https://s.test/DOCS/x", "folder"),
    ("start-exempt", START, {"exclude": ("*",)}, START, ""),
    ("http-and-https-join", START, {}, "http://s.test/docs/a", ""),
    ("other-port", START, {}, "https://s.test:8443/docs/a", "host"),
    ("other-host", START, {}, "https://o.test/docs/a", "host"),
    ("trailing-dot-host", START, {}, "https://s.test./docs/a", ""),
    ("url-39-percent-in-the-folder", "https://s.test/a%20b/", {}, "https://s.test/%61%20b/c", ""),
    ("hostname", START, {"scope": "hostname"}, "https://s.test/blog/x", ""),
    ("hostname-subdomain", START, {"scope": "hostname"}, "https://www.s.test/x", "host"),
    ("domain-subdomain", START, {"scope": "domain"}, "https://api.s.test/x", ""),
    ("domain-other", START, {"scope": "domain"}, "https://nots.test/x", "host"),
    ("E-subdomains-host", START, {"scope": "subdomains"}, "https://s.test:8443/x", ""),
    ("E-subdomains-below", START, {"scope": "subdomains"}, "https://v2.api.s.test./x", ""),
    ("E-subdomains-beside", "https://a.s.test/", {"scope": "subdomains"}, "https://b.s.test/", "host"),
    ("E-subdomains-look-alike", START, {"scope": "subdomains"}, "https://nots.test/x", "host"),
    ("E-web", START, {"scope": "web"}, "https://other.example/x", ""),
    ("B5-only-hosts-in", START, {"scope": "web", "only_hosts": ("*.S.test",)}, "https://a.s.test/x", ""),
    ("B5-only-hosts-out", START, {"scope": "web", "only_hosts": ("s.test",)}, "https://a.s.test/x", "host"),
    ("url-38-prefix-itself", START, {"scope": "hostname", "path_prefix": "/api"}, "https://s.test/api", ""),
    ("url-38-prefix-below", START, {"scope": "hostname", "path_prefix": "/api"}, "https://s.test/api/x", ""),
    ("url-38-prefix-query", START, {"scope": "hostname", "path_prefix": "/api"}, "https://s.test/api?x", ""),
    ("url-38-prefix-alike", START, {"scope": "hostname", "path_prefix": "/api"}, "https://s.test/api-old/", "prefix"),
    ("prefix-without-slash", START, {"scope": "hostname", "path_prefix": "api"}, "https://s.test/api/x", ""),
    ("url-40-exclude-glob-on-path", START, {"exclude": ("/docs/old/*",)}, "https://s.test/docs/old/a/b", "exclude"),
    ("url-40-exclude-not-matching", START, {"exclude": ("/docs/old/*",)}, "https://s.test/docs/new", ""),
    ("url-40-exclude-on-whole-url", START, {"exclude": ("*/old/*",)}, "https://s.test/docs/old/a", "exclude"),
    ("url-40-exclude-on-query", START, {"exclude": ("*?page=*",)}, "https://s.test/docs/a?page=2", "exclude"),
    ("url-40-path-glob-with-query", START, {"exclude": ("/docs/a?p=*",)}, "https://s.test/docs/a?p=2", "exclude"),
    ("url-40-path-glob-past-query", START, {"exclude": ("/docs/a",)}, "https://s.test/docs/a?p=2", "exclude"),
    ("url-40-exclude-regex", START, {"exclude": (r"/\/v[12]\//",)}, "https://s.test/docs/v2/a", "exclude"),
    (
        "A1-exclude-regex-that-would-backtrack",
        START,
        {"exclude": ("/(o+)+$/",)},
        f"https://s.test/docs/{'o' * 900}!",
        "",
    ),
    ("url-40-include-missed", START, {"include": ("*/guide/*",)}, "https://s.test/docs/api", "include"),
    ("url-40-include-met", START, {"include": ("*/guide/*",)}, "https://s.test/docs/guide/a", ""),
    ("exclude-wins", START, {"include": ("*",), "exclude": ("*b",)}, "https://s.test/docs/b", "exclude"),
    ("pattern-with-space", START, {"exclude": ("/docs/a b",)}, "https://s.test/docs/a%20b", "exclude"),
    ("url-11-search", START, {}, "https://s.test/docs/search.html?q=x", "search page"),
    ("url-11-search-form", START, {}, "https://s.test/docs/search.html", "search page"),
    ("url-11-search-form-above", START, {"scope": "hostname"}, "https://s.test/search/", "search page"),
    ("url-11-page-about-search", START, {}, "https://s.test/docs/topics/search.html", ""),
    ("url-11-search-as-start", "https://s.test/docs/search.html", {}, "https://s.test/docs/search/", ""),
    ("url-11-sources", START, {}, "https://s.test/docs/_sources/x.rst.txt", "source view"),
    ("url-11-modules", START, {}, "https://s.test/docs/_modules/a.html", "source view"),
    ("url-11-genindex-is-asked-for", START, {}, "https://s.test/docs/genindex.html", ""),
    ("url-26-print", START, {}, "https://s.test/docs/print.html", "print page"),
    ("url-26-print-below", START, {}, "https://s.test/docs/a/print", "print page"),
    ("url-26-singlehtml", START, {}, "https://s.test/docs/singlehtml/index.html", "whole-book page"),
    ("url-26-printview", START, {}, "https://s.test/docs/printview/", "print page"),
    ("url-26-all-on-one-page", START, {}, "https://s.test/docs/all.html", "whole-book page"),
    ("printing-is-a-topic", START, {}, "https://s.test/docs/printing", ""),
    ("default-lifted", "https://s.test/_modules/a.html", {}, "https://s.test/_modules/b.html", ""),
    ("url-34-pdf", START, {}, "https://s.test/docs/a.pdf", "type"),
    ("url-34-upper-case", START, {}, "https://s.test/docs/A.PNG", "type"),
    ("url-34-archive", START, {}, "https://s.test/docs/a.tar.gz", "type"),
    ("url-34-film", START, {}, "https://s.test/docs/a.mp4", "type"),
    ("url-34-wheel", START, {}, "https://s.test/docs/a.whl", "type"),
    ("url-34-style", START, {}, "https://s.test/docs/a.css?v=1", "type"),
    ("url-34-script", START, {}, "https://s.test/docs/a.js", "type"),
    ("url-34-feed", START, {}, "https://s.test/docs/a.xml", "type"),
    ("url-34-version-is-no-suffix", START, {}, "https://s.test/docs/v1.2", ""),
    ("url-34-hidden-name", START, {}, "https://s.test/docs/.css", ""),
    ("url-36-long", START, {}, "https://s.test/docs/" + "a" * 2029, "too long"),
    ("url-36-longest", START, {}, "https://s.test/docs/" + "a" * 2028, ""),
    ("url-36-path-parts", START, {}, "https://s.test/docs/" + "a/" * 300, "too long"),
    ("url-36-query-pairs", START, {}, "https://s.test/docs/?" + "&".join(f"a{i}=1" for i in range(100)), "too long"),
    ("F8-llms", START, {}, "https://s.test/docs/LLMS.txt", "llms.txt"),
    ("F8-llms-as-start", "https://s.test/llms.txt", {}, "https://s.test/llms.txt", "llms.txt"),
    ("F8-llms-escaped", START, {}, "https://s.test/docs/llms%2Etxt?x=1", "llms.txt"),
    ("F8-llms-whatever-the-excludes", START, {"exclude": ("*/blog/*",)}, "https://s.test/docs/llms.txt", "llms.txt"),
    ("F8-llms-although-included", START, {"include": ("*",)}, "https://s.test/docs/Llms.TXT#top", "llms.txt"),
    ("F8-llms-full", START, {}, "https://s.test/docs/llms-full.txt", "llms.txt"),
    ("F8-llms-full-as-start", "https://s.test/llms-full.txt", {}, "https://s.test/llms-full.txt", ""),
]


@pytest.mark.parametrize(
    ("start", "options", "url", "rule"), [row[1:] for row in JUDGED], ids=[row[0] for row in JUDGED]
)
def test_a_url_is_in_scope_or_refused_by_a_named_rule(start: str, options: dict, url: str, rule: str) -> None:
    reason = Scope.of(start, CrawlOptions(**options)).judge(url)
    assert reason.partition(":")[0] == rule
    assert not rule or ";" in reason, "a refusal says what to do"


LINK_PAGES = [
    ("url-11-genindex", START, "https://s.test/docs/genindex.html", True),
    ("url-11-genindex-of-a-letter", START, "https://s.test/docs/genindex-A.html", True),
    ("url-11-genindex-as-a-folder", START, "https://s.test/docs/genindex/", True),
    ("url-11-module-index", START, "https://s.test/docs/py-modindex.html", True),
    ("url-11-index-of-a-book", START, "https://s.test/docs/bookindex.html", True),
    ("url-11-index-of-an-interface", START, "https://s.test/docs/index-all.html", True),
    ("url-11-front-page", START, "https://s.test/docs/index.html", False),
    ("url-11-a-page-on-genindex", START, "https://s.test/docs/genindex-directive/usage", False),
    ("url-11-lifted-by-the-start", "https://s.test/docs/genindex.html", "https://s.test/docs/py-modindex.html", False),
]


@pytest.mark.parametrize(
    ("start", "url", "is_left_out"), [row[1:] for row in LINK_PAGES], ids=[row[0] for row in LINK_PAGES]
)
def test_a_list_of_names_is_read_for_its_links_alone(start: str, url: str, is_left_out: bool) -> None:
    reason = Scope.of(start, CrawlOptions()).judge_content(url)
    assert reason.startswith("index page: left out by default") is is_left_out
    assert bool(reason) is is_left_out


@pytest.mark.parametrize("pattern", ["/a[/", "/(/", "", "x" * 1001])
def test_a_bad_pattern_is_named(pattern: str) -> None:
    with pytest.raises(PatternError) as caught:
        Scope.of(START, CrawlOptions(exclude=(pattern,)))
    assert pattern[:20] in str(caught.value)


def test_a_glob_of_many_stars_stays_quick() -> None:
    pattern = Pattern.compile("*a" * 60 + "b")
    began = time.process_time()
    assert not pattern.matches("https://s.test/" + "a" * 2000)
    assert time.process_time() - began < 0.5


REBASED = [
    # id, start, final, url, in scope after?, remark?
    ("fault-A5-https-and-www", "http://s.test/", "https://www.s.test/", "https://www.s.test/a", True, False),
    ("fault-A5-typed-host-left", "http://s.test/", "https://www.s.test/", "https://s.test/a", False, False),
    (
        "fault-A1-sibling-with-id",
        "https://s.test/help/guide",
        "https://s.test/help/guide~74",
        "https://s.test/help/guide/a",
        True,
        False,
    ),
    (
        "fault-A1-narrowed-into-a-version",
        "https://s.test/",
        "https://s.test/en/stable/",
        "https://s.test/en/latest/",
        False,
        False,
    ),
    ("fault-A1-slash-added", "https://s.test/docs", "https://s.test/docs/", "https://s.test/blog", False, False),
    (
        "fault-A1-outside-keeps-the-folder",
        "https://s.test/docs/",
        "https://s.test/new/",
        "https://s.test/docs/a",
        True,
        True,
    ),
    (
        "fault-A1-outside-target-is-exempt",
        "https://s.test/docs/",
        "https://s.test/new/",
        "https://s.test/new/",
        True,
        True,
    ),
    (
        "fault-A1-outside-siblings-are-not",
        "https://s.test/docs/",
        "https://s.test/new/",
        "https://s.test/new/a",
        False,
        True,
    ),
    ("fault-A8-foreign-page-is-taken", "https://s.test/path/", "http://other.test/", "http://other.test/", True, True),
    (
        "fault-A8-foreign-links-are-not",
        "https://s.test/path/",
        "http://other.test/",
        "http://other.test/a",
        False,
        True,
    ),
    ("fault-A8-nor-the-old-ones", "https://s.test/path/", "http://other.test/", "https://s.test/path/a", False, True),
]


@pytest.mark.parametrize(
    ("start", "final", "url", "is_in", "has_remark"), [row[1:] for row in REBASED], ids=[row[0] for row in REBASED]
)
def test_a_redirected_start_moves_the_scope(start: str, final: str, url: str, is_in: bool, has_remark: bool) -> None:
    scope, remark = Scope.of(start, CrawlOptions()).rebase(final)
    assert (scope.judge(url) == "") is is_in
    assert bool(remark) is has_remark


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        pytest.param("https://s.test/docs/a.pdf", "", id="34-a-suffix-that-is-read"),
        pytest.param("https://s.test/docs/A.PDF?x=1", "", id="34-in-capitals-with-a-query"),
        pytest.param("https://s.test/other/a.pdf", "folder", id="34-outside-the-folder-all-the-same"),
        pytest.param("https://s.test/docs/a.zip", "it is not fetched", id="34-another-suffix"),
        pytest.param("https://s.test/docs/a.docx", "install the extra office", id="34-what-would-have-to-be-installed"),
    ],
)
def test_34_a_suffix_is_fetched_where_an_installed_extractor_takes_it(url: str, reason: str) -> None:
    judged = Scope.of(START, CrawlOptions(), READABLE).judge(url)
    assert reason in judged
    assert bool(judged) == bool(reason)
