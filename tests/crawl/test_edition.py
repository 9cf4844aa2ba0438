"""Sibling versions and languages stay out. Numbers are rows of the project's URL cases, D2 of its contract."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.crawl.frontier import Frontier
from webdocs.crawl.pace import Pace
from webdocs.crawl.scope import Scope
from webdocs.model import CrawlOptions

S = "https://s.test"

VERSIONS = [
    # id, start, link, rule
    ("url-24-stable-to-latest", "/en/stable/a", "/en/latest/a", "version"),
    ("url-24-stable-to-a-number", "/en/stable/", "/en/2.1/a", "version"),
    ("url-24-number-to-stable", "/en/2.1/a", "/en/stable/", "version"),
    ("url-24-series", "/2.x/", "/3.x/a", "version"),
    ("url-24-marked-number", "/docs/v3/a", "/docs/v2/a", "version"),
    ("url-24-main-to-dev", "/main/", "/dev/a", "version"),
    ("url-24-next", "/docs/2.1/a", "/docs/next/a", "version"),
    ("url-24-release-candidate", "/docs/stable/", "/docs/3.0rc1/", "version"),
    ("url-24-version-without-its-slash", "/docs/stable/", "/docs/2.1", "version"),
    ("url-24-bare-number-first", "/3/library/", "/2/library/", "version"),
    ("url-24-bare-number-behind-docs", "/docs/15/a.html", "/docs/16/a.html", "version"),
    ("url-24-bare-number-behind-a-language", "/en/4/a", "/en/3/a", "version"),
    ("url-24-bare-number-to-a-name", "/docs/15/", "/docs/devel/", "version"),
    ("url-24-however-cased", "/docs/V3/a", "/docs/Main/a", "version"),
    ("url-24-escaped", "/docs/v3/a", "/docs/%76%32/a", "version"),
    ("url-24-below-another-language", "/en/stable/a", "/en/stable/2.1/a", ""),
    ("url-24-own-version", "/en/stable/a", "/en/stable/b", ""),
    ("url-24-own-version-spelt-otherwise", "/docs/v2.1/a", "/docs/2.1/a", ""),
    ("url-24-start-above", "/en/", "/en/2.1/a", ""),
    ("url-24-start-page-called-as-a-version", "/docs/next", "/docs/2.1/a", ""),
    ("url-24-page-called-as-a-version", "/docs/main/", "/docs/next", ""),
    ("url-24-another-tree", "/docs/v3/a", "/api/v2/a", ""),
    ("url-24-folder-that-is-none", "/docs/dev/a", "/docs/user/a", ""),
    ("url-24-changelog", "/changelog/2.0/", "/changelog/1.9/", ""),
    ("url-24-changelog-of-the-version", "/en/stable/a", "/en/stable/changelog/2.0/", ""),
    ("url-24-release-notes", "/release-notes/2.0/a", "/release-notes/1.0/a", ""),
    ("url-24-proposals", "/peps/8/a", "/peps/20/a", ""),
    ("url-24-proposal-names", "/pep-0008/", "/pep-0020/", ""),
    ("url-24-chapters", "/book/1/a", "/book/2/a", ""),
    ("url-24-years", "/blog/2025/a", "/blog/2026/a", ""),
    ("url-24-years-first", "/2025/a", "/2026/a", ""),
]

LANGUAGES = [
    ("url-25-to-japanese", "/en/a", "/ja/a", "language"),
    ("url-25-to-a-region", "/en/a", "/zh-cn/a", "language"),
    ("url-25-from-a-region", "/zh-cn/a", "/zh-tw/a", "language"),
    ("url-25-underscore", "/en/a", "/pt_BR/a", "language"),
    ("url-25-script", "/en/a", "/zh-Hans/a", "language"),
    ("url-25-same-region-spelt-otherwise", "/pt-br/a", "/pt_BR/b", ""),
    ("url-25-below-a-folder", "/docs/en/a", "/docs/fr/a", "language"),
    ("url-25-before-the-version", "/en/stable/", "/ja/latest/", "language"),
    ("url-25-behind-the-version", "/stable/en/", "/stable/de/", "language"),
    ("url-25-word-beside-a-clear-code", "/en/a", "/it/a", "language"),
    ("url-25-clear-code-beside-a-word", "/it/a", "/en/a", "language"),
    ("url-25-own-language", "/ja/a", "/ja/b", ""),
    ("url-25-start-above", "/a", "/ja/a", ""),
    ("url-25-go-is-no-code", "/en/a", "/go/a", ""),
    ("url-25-words-under-a-start-without-language", "/docs/a", "/docs/it/a", ""),
    ("url-25-two-departments", "/docs/it/a", "/docs/hr/a", ""),
    ("url-25-word-with-a-word-behind", "/en/a", "/no-op/a", ""),
    ("url-25-another-tree", "/docs/en/a", "/blog/ja/a", ""),
    ("url-25-another-place", "/en/a", "/en/guide/ja/a", ""),
]

ROWS = VERSIONS + LANGUAGES


@pytest.mark.parametrize(("start", "link", "rule"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_sibling_edition_is_refused_by_its_rule(start: str, link: str, rule: str) -> None:
    reason = Scope.of(S + start, CrawlOptions(scope="hostname")).judge(S + link)
    assert reason.partition(":")[0] == rule
    assert not rule or "; start above the " in reason, "a refusal says what to do"


ASKED = [
    # id, options, link, rule
    ("url-24-glob-that-names-it", {"include": ("/en/2.1/*",)}, "/en/2.1/a", ""),
    ("url-24-regex-that-names-it", {"include": (r"/\/2\.[01]\//",)}, "/en/2.1/a", ""),
    ("url-24-glob-of-versions", {"include": ("/en/2.*",)}, "/en/2.1/a", ""),
    ("url-24-glob-that-names-another", {"include": ("*", "/en/2.0/*")}, "/en/2.1/a", "version"),
    ("url-24-glob-that-names-none", {"include": ("*/guide/*",)}, "/en/2.1/guide/a", "version"),
    ("url-24-prefix-that-names-it", {"path_prefix": "/en/2.1"}, "/en/2.1/a", ""),
    ("url-24-prefix-above-it", {"path_prefix": "/en/"}, "/en/2.1/a", "version"),
    ("url-25-glob-that-names-it", {"include": ("/ja/*",)}, "/ja/stable/a", ""),
    ("url-25-asked-for-in-the-own-version", {"include": ("/ja/*",)}, "/ja/latest/a", "version"),
    ("url-25-both-asked-for", {"include": ("/ja/latest/*",)}, "/ja/latest/a", ""),
]


@pytest.mark.parametrize(("options", "link", "rule"), [row[1:] for row in ASKED], ids=[row[0] for row in ASKED])
def test_an_edition_that_the_user_names_is_in_scope(options: dict, link: str, rule: str) -> None:
    scope = Scope.of(f"{S}/en/stable/", CrawlOptions(scope="hostname", **options))
    assert scope.judge(S + link).partition(":")[0] == rule


@pytest.mark.parametrize(
    ("link", "rule"),
    [
        pytest.param("https://www.s.test/en/latest/", "version", id="url-24-www-is-the-same-site"),
        pytest.param("https://api.s.test/en/latest/", "", id="url-24-another-host-has-its-own-versions"),
    ],
)
def test_in_a_domain_the_versions_of_one_site_are_siblings(link: str, rule: str) -> None:
    scope = Scope.of(f"{S}/en/stable/", CrawlOptions(scope="domain"))
    assert scope.judge(link).partition(":")[0] == rule


def test_url_24_a_start_that_redirects_into_a_version_stays_in_it() -> None:
    scope, _ = Scope.of(f"{S}/", CrawlOptions(scope="hostname")).rebase(f"{S}/en/stable/")
    assert scope.judge(f"{S}/en/latest/a").startswith("version: left out by default as another version than stable; ")
    assert scope.judge(f"{S}/blog/a") == ""


def test_url_24_url_25_refused_editions_are_counted_by_rule() -> None:
    scope = Scope.of(f"{S}/en/stable/", CrawlOptions(scope="hostname"))
    frontier = Frontier(scope, Pace(0.0), max_pages=10)
    frontier.add_links(scope.start_url, 0, ["/en/latest/a", "/en/latest/b", "/ja/stable/a", "/en/stable/a"])
    assert [(refused.rule, refused.count) for refused in frontier.refused_links] == [("version", 2), ("language", 1)]


SEGMENTS = st.sampled_from(["en", "ja", "it", "stable", "2.1", "v3", "docs", "a", "15", "changelog", ""])
PATHS = st.lists(SEGMENTS, max_size=6)


@given(PATHS, PATHS)
def test_what_lies_below_the_start_is_never_of_another_edition(start: list[str], below: list[str]) -> None:
    folder = f"{S}/" + "".join(f"{part}/" for part in start)
    reason = Scope.of(folder, CrawlOptions(scope="hostname")).judge(folder + "/".join(below))
    assert reason.partition(":")[0] not in ("version", "language")
