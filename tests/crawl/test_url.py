"""Joining, keys and typed URLs. Ids name rows of the URL cases and of the fault log."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.crawl.url import (
    host_of,
    join,
    key_of,
    origin_of,
    parse_start,
    path_of,
    port_of,
    registrable_domain,
    strip_fragment,
)
from webdocs.errors import UrlError

JOINS = [
    ("url-15-dots-above-the-root", "https://s.test/a/", "../../../x", "https://s.test/x"),
    ("url-16-white-space-around", "https://s.test/d/", " \n a.html \t", "https://s.test/d/a.html"),
    ("url-16-newline-inside", "https://s.test/d/", "a\n.html", "https://s.test/d/a.html"),
    ("url-16-space-inside", "https://s.test/d/", "my page.html", "https://s.test/d/my%20page.html"),
    ("url-17-backslashes-for-a-host", "https://s.test/d/", "\\\\o.test\\a", "https://o.test/a"),
    ("url-17-backslash-in-a-path", "https://s.test/d/e/", "..\\x.html", "https://s.test/d/x.html"),
    ("url-18-no-scheme", "https://s.test/d/", "//cdn.test/x", "https://cdn.test/x"),
    ("url-18-scheme-without-slashes", "https://s.test/d/", "https:a.html", "https://s.test/d/a.html"),
    ("url-18-scheme-with-one-slash", "http://s.test/d/", "http:/x", "http://s.test/x"),
    ("url-19-umlaut-host", "https://s.test/", "https://bücher.test/", "https://xn--bcher-kva.test/"),
    ("url-19-sharp-s-stays", "https://s.test/", "https://faß.test/", "https://xn--fa-hia.test/"),
    ("url-19-ideographic-dot", "https://s.test/", "https://s。test/", "https://s.test/"),
    ("fault-A7-relative-with-query", "http://s.test/a/", "/rings/c/1?x=1", "http://s.test/rings/c/1?x=1"),
    ("fault-B1-absolute-stays", "http://s.test", "http://s.test/a", "http://s.test/a"),
    ("fault-B4-one-level-up", "http://s.test/core/quickstart/", "../docker", "http://s.test/core/docker"),
    ("fault-B5-space-beside-a-file", "http://s.test/c.php", "pdf/My File.html", "http://s.test/pdf/My%20File.html"),
    ("fault-B7-slash-kept", "http://s.test/", "/content/", "http://s.test/content/"),
    ("fragment-kept-for-citing", "http://s.test/a", "#part", "http://s.test/a#part"),
    ("ssrf-18-userinfo-dropped", "http://s.test/", "http://docs.test@o.test/", "http://o.test/"),
    ("ssrf-19-backslash-at", "http://s.test/", "http://a.test\\@127.0.0.1/", "http://a.test/@127.0.0.1/"),
    ("ssrf-21-no-slashes", "https://s.test/", "http:127.0.0.1/", "http://127.0.0.1/"),
]


@pytest.mark.parametrize(("base", "href", "joined"), [row[1:] for row in JOINS], ids=[row[0] for row in JOINS])
def test_a_link_is_joined_as_browsers_do(base: str, href: str, joined: str) -> None:
    assert join(base, href) == joined


NO_LINKS = [
    *("mailto:a@s.test", "tel:1", "javascript:x()", "data:,x", "ftp://s.test/", "file:///etc/passwd", "blob:x"),
    *("#", "", " \n", "http://", "http://[fe80::1%25eth0]/", "http://127.0.0.1%2f/", "http://s.test:99999/"),
    *("java\nscript:x", "view-source:http://s.test/", "gopher://s.test/", "ws://s.test/", "jar:http://s.test!/"),
    "\ud800",
]


@pytest.mark.parametrize("href", NO_LINKS)
def test_url_33_what_no_browser_would_fetch_by_http_is_no_link(href: str) -> None:
    assert join("https://s.test/d/", href) is None


SAME_KEY = [
    ("url-1-case-and-default-port", "HTTPS://S.TEST:443/a", "https://s.test/a"),
    ("url-2-host-alone", "http://s.test", "http://s.test/"),
    ("url-8-fragments", "https://s.test/a#s1", "https://s.test/a#s2"),
    ("url-9-tracking", "https://s.test/a?utm_source=x&b=1", "https://s.test/a?b=1"),
    ("url-11-highlight", "https://s.test/s.html?highlight=foo", "https://s.test/s.html"),
    ("url-12-session-in-the-path", "https://s.test/a;jsessionid=1F?x=1", "https://s.test/a?x=1"),
    ("url-13-unreserved-decoded", "https://s.test/%7Eu/%41", "https://s.test/~u/A"),
    ("url-13-hex-upper", "https://s.test/a%2fb", "https://s.test/a%2Fb"),
    ("url-14-escaped-and-plain", "https://s.test/caf%C3%A9", "https://s.test/café"),
    ("url-26-print-parameter", "https://s.test/a?print=1", "https://s.test/a"),
    ("trailing-dot", "https://s.test./a", "https://s.test/a"),
    ("trailing-dot-and-port", "https://s.test.:8443/a", "https://s.test:8443/a"),
    ("session-parameter-any-case", "https://s.test/a?PHPSESSID=1", "https://s.test/a"),
    ("build-hash", "https://s.test/a?v=1f2e3d4c", "https://s.test/a"),
    ("pair-repeated", "https://s.test/a?x=1&y=2&x=1", "https://s.test/a?x=1&y=2"),
    ("empty-query", "https://s.test/a?", "https://s.test/a"),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in SAME_KEY], ids=[row[0] for row in SAME_KEY])
def test_two_spellings_of_a_page_have_one_key(one: str, other: str) -> None:
    assert _key(one) == _key(other)


OTHER_KEY = [
    ("url-3-slash-at-the-end", "https://s.test/a/", "https://s.test/a"),
    ("url-5-index-html-is-soft", "https://s.test/d/", "https://s.test/d/index.html"),
    ("url-10-unknown-parameters", "https://s.test/p?page=a", "https://s.test/p?page=b"),
    ("url-13-escaped-slash", "https://s.test/a%2fb", "https://s.test/a/b"),
    ("url-14-other-normal-form", "https://s.test/caf\u00e9", "https://s.test/cafe\u0301"),
    ("scheme-is-soft", "https://s.test/a", "http://s.test/a"),
    ("www-is-soft", "https://s.test/a", "https://www.s.test/a"),
    ("order-of-pairs", "https://s.test/a?x=1&y=2", "https://s.test/a?y=2&x=1"),
    ("version-parameter", "https://s.test/a?v=2", "https://s.test/a?v=3"),
    ("double-escape", "https://s.test/%2541", "https://s.test/A"),
    ("url-37-case-of-the-path", "https://s.test/API/x", "https://s.test/api/x"),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in OTHER_KEY], ids=[row[0] for row in OTHER_KEY])
def test_two_pages_have_two_keys(one: str, other: str) -> None:
    assert _key(one) != _key(other)


def _key(url: str) -> str:
    joined = join("https://base.test/", url)
    assert joined is not None
    return key_of(joined)


def test_a_key_with_userinfo_is_refused() -> None:
    with pytest.raises(UrlError, match="user name"):
        key_of("https://me:secret@s.test/")


TYPED = [
    ("whole", "https://s.test/docs", "https://s.test/docs"),
    ("host-alone", "docs.s.test", "https://docs.s.test/"),
    ("host-and-path", "docs.s.test/3/?x=1", "https://docs.s.test/3/?x=1"),
    ("host-and-port", "s.test:8080/a", "https://s.test:8080/a"),
    ("localhost-and-port", "localhost:8000", "https://localhost:8000/"),
    ("address", "127.0.0.1:8000/a", "https://127.0.0.1:8000/a"),
    ("ipv6", "[::1]:8000/a", "https://[::1]:8000/a"),
    ("no-scheme-slashes", "//s.test/a", "https://s.test/a"),
    ("spaces-around", "  http://s.test/a \n", "http://s.test/a"),
    ("fragment-off", "https://s.test/a#b", "https://s.test/a"),
    ("fault-B9-bare-host", "http://s.test", "http://s.test/"),
    ("ssrf-1-number", "http://2130706433/", "http://127.0.0.1/"),
    ("ssrf-2-hex", "http://0x7f000001/", "http://127.0.0.1/"),
    ("ssrf-2-short", "http://127.1/", "http://127.0.0.1/"),
    ("ssrf-16-dot-after", "http://127.0.0.1./", "http://127.0.0.1/"),
    ("ssrf-17-full-width", "http://１２７.0.0.1/", "http://127.0.0.1/"),
    ("ssrf-20-escaped-host", "http://%31%32%37.0.0.1/", "http://127.0.0.1/"),
]


@pytest.mark.parametrize(("typed", "url"), [row[1:] for row in TYPED], ids=[row[0] for row in TYPED])
def test_a_typed_url_is_read_as_meant(typed: str, url: str) -> None:
    assert parse_start(typed) == url


BAD = [
    ("empty", "", "whole address"),
    ("word", "docs", "whole address"),
    ("path", "/docs/a", "whole address"),
    ("ftp", "ftp://s.test/", "http:// or https://"),
    ("file", "file:///etc/passwd", "http:// or https://"),
    ("mail", "mailto:a@s.test", "http:// or https://"),
    ("userinfo", "http://me:secret@s.test/", "before the @"),
    ("ssrf-22-header", "http://127.0.0.1\r\nX: y/", "valid URL"),
    ("ssrf-24-port", "http://s.test:99999/", "valid URL"),
    ("url-36-too-long", "http://s.test/" + "a" * 2035, "2048 bytes"),
]


@pytest.mark.parametrize(("typed", "says"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_url_that_cannot_be_crawled_is_refused_with_a_remedy(typed: str, says: str) -> None:
    with pytest.raises(UrlError, match=says) as caught:
        parse_start(typed)
    assert caught.value.remedy
    assert "secret" not in str(caught.value)


def test_the_parts_of_a_url() -> None:
    url = "https://[2001:db8::1]:8443/a/b?x=/y#z"
    assert (host_of(url), port_of(url), origin_of(url)) == ("2001:db8::1", 8443, "https://[2001:db8::1]:8443")
    assert (path_of(url), strip_fragment(url)) == ("/a/b", "https://[2001:db8::1]:8443/a/b?x=/y")
    assert (host_of("http://s.test./"), port_of("http://s.test./"), port_of("https://s.test/")) == ("s.test", 80, 443)
    assert port_of("http://[::1]/") == 80


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("docs.s.co.uk", "s.co.uk"),
        ("s.test", "s.test"),
        ("me.github.io", "me.github.io"),
        ("co.uk", "co.uk"),
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
    ],
)
def test_the_registrable_domain_follows_the_public_suffix_list(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


@given(st.text(max_size=60))
def test_a_joined_link_is_a_fixed_point_and_so_is_its_key(href: str) -> None:
    url = join("https://s.test/a/b?c", href)
    if url is not None:
        assert join("https://other.test/", url) == url
        assert url.isascii()
        assert "\n" not in url
        assert key_of(key_of(url)) == key_of(url)
