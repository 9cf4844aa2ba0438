"""Pages made to break a parser: each must end soon, and none may exhaust the stack."""

# ruff: noqa: E501  (one row of a table stays on one line)

from __future__ import annotations

import time

import pytest

from webdocs.extract import read_body, to_markdown

URL = "https://docs.test/"
DEPTH = 100_000

HOSTILE = {
    "deep-div": b"<main>" + b"<div>" * DEPTH + b"deep" + b"</div>" * DEPTH + b"<p>after</p></main>",
    "deep-span": b"<main><p>" + b"<span>" * DEPTH + b"deep" + b"</span>" * DEPTH + b"</p><p>after</p></main>",
    "deep-list": b"<main>" + b"<ul><li>x" * 2000 + b"deep after</main>",
    "deep-quote": b"<main>" + b"<blockquote>x" * 2000 + b"deep after</main>",
    "deep-table": b"<main>" + b"<table><tr><td>x" * 1000 + b"deep after</main>",
    "many-attributes": b"<main><p " + b" ".join(b'a%d=">"' % n for n in range(60_000)) + b">deep after</p></main>",
    "wide-spans": b'<main><table><tr><th>deep</th></tr><tr><td colspan="100000" rowspan="100000">after</td></tr></table></main>',
    "unclosed-formatting": b"<main>" + b"<p><b><i>x" * 1000 + b"deep after</main>",
    "many-stars-and-brackets": b"<main><p>deep " + b"*a _b [c](" * 20_000 + b" after</p></main>",
    "open-quote-in-a-tag": b"<main><p>deep after</p>" + b'<a "' * 50_000 + b"</main>",
}  # fmt: skip


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE.keys())
def test_ends_soon_with_its_text(html: bytes) -> None:
    started = time.process_time()
    markdown = to_markdown(b"<html><body>" + html + b"</body></html>", URL)
    assert time.process_time() - started < 4
    assert "deep" in markdown
    assert "after" in markdown


def test_deep_markdown_ends_soon() -> None:
    page = read_body(b"> " * 5000 + b"deep", "text/markdown", URL)
    assert page.blocks
