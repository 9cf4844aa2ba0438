"""The links of a body without reading the page (contract E)."""

from __future__ import annotations

import pytest

from webdocs.extract import links_of

URL = "http://s.test/docs/page"

ROWS = [
    ("relative", '<a href="a">x</a><a href="/b#part">y</a>', "text/html", ["/docs/a", "/b#part"]),
    ("base", '<base href="/v2/"><a href="a">x</a>', "text/html", ["/v2/a"]),
    ("each-once-in-order", '<a href="b">x</a><a href="a">x</a><a href="b">y</a>', "", ["/docs/b", "/docs/a"]),
    ("nofollow-link", '<a href="a" rel="nofollow">x</a><a href="b">y</a>', "text/html", ["/docs/b"]),
    ("nofollow-page", '<meta name="robots" content="nofollow"><a href="b">y</a>', "text/html", []),
    ("other-schemes", '<a href="mailto:a@s.test">x</a><a href="javascript:x">y</a>', "text/html", []),
    ("markdown", "[a](a) and <http://s.test/b>", "text/markdown", ["/docs/a", "/b"]),
    ("binary", "%PDF-1.7", "text/html", []),
    ("empty", "", "text/html", []),
    ("link-of-megabytes", f'<a href="/{"x" * 2_000_000}">x</a><a href="b">y</a>', "text/html", ["/docs/b"]),
]


@pytest.mark.parametrize(("body", "content_type", "paths"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_links_of_a_body(body: str, content_type: str, paths: list[str]) -> None:
    assert links_of(body.encode(), content_type, URL) == tuple(f"http://s.test{path}" for path in paths)
