"""The links of a body without reading the page (contract E)."""

from __future__ import annotations

import pytest

from webdocs.extract import links_of

URL = "http://s.test/docs/page"

ROWS = [
    ("relative", '<a href="a">x</a><a href="/b#part">y</a>', "text/html", ["/docs/a", "/b#part"]),
    ("fault-B2-url-20-base", '<base href="/v2/"><a href="a">x</a>', "text/html", ["/v2/a"]),
    ("each-once-in-order", '<a href="b">x</a><a href="a">x</a><a href="b">y</a>', "", ["/docs/b", "/docs/a"]),
    ("fault-B21-anchor-without-href", '<a name="x">x</a><a id="y">y</a><a href="b">z</a>', "text/html", ["/docs/b"]),
    ("fault-B6-markdown-angle-brackets", "[x](</a b>) [y](<c>)", "text/markdown", ["/a%20b", "/docs/c"]),
    ("fault-B10-fragments-are-kept-for-citing", '<a href="/g#a">x</a><a href="/g#b">y</a>', "", ["/g#a", "/g#b"]),
    ("url-31-nofollow-link", '<a href="a" rel="nofollow">x</a><a href="b">y</a>', "text/html", ["/docs/b"]),
    ("url-31-nofollow-page", '<meta name="robots" content="nofollow"><a href="b">y</a>', "text/html", []),
    ("url-33-other-schemes", '<a href="mailto:a@s.test">x</a><a href="javascript:x">y</a>', "text/html", []),
    ("markdown", "[a](a) and <http://s.test/b>", "text/markdown", ["/docs/a", "/b"]),
    ("binary", "%PDF-1.7", "text/html", []),
    ("empty", "", "text/html", []),
    ("link-of-megabytes", f'<a href="/{"x" * 2_000_000}">x</a><a href="b">y</a>', "text/html", ["/docs/b"]),
]


@pytest.mark.parametrize(("body", "content_type", "paths"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_links_of_a_body(body: str, content_type: str, paths: list[str]) -> None:
    assert links_of(body.encode(), content_type, URL) == tuple(f"http://s.test{path}" for path in paths)
