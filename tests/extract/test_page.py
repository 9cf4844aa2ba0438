"""The page around the blocks: metadata, links, dispatch, Markdown bodies."""

# ruff: noqa: E501  (one row of a table stays on one line)

from __future__ import annotations

import contextlib
import gc
from datetime import UTC, datetime

import pytest

from webdocs.errors import ExtractError
from webdocs.extract import extract, read_body, to_markdown
from webdocs.extract.html import extract_html
from webdocs.model import Link, Page

URL = "https://docs.test/guide/page.html"
TEXT = "<p>Enough words in the first paragraph for the content to be found.</p>"


def read(head: str = "", body: str = f"<main>{TEXT}</main>", html: str = "<html lang='en'>") -> Page:
    return extract(f"<!doctype html>{html}<head>{head}</head><body>{body}</body></html>".encode(), URL)


# ---------------------------------------------------------------- metadata

TITLES = {
    "suffix-goes-where-the-heading-tells": ("<title>Install — Tool 1.2 docs</title>", "<h1>Install</h1>", "Install"),
    "prefix-goes-too": ("<title>Tool: Install</title>", "<h1>Install</h1>", "Install"),
    "a-dash-in-the-title-stays": ("<title>json — JSON encoder — Python</title>", "<h1><code>json</code> — JSON encoder</h1>", "json — JSON encoder"),
    "the-mark-of-the-heading-is-no-title": ("<title>Install | Tool</title>", "<h1>Install<a href='#i'>¶</a></h1>", "Install"),
    "an-unrelated-heading-leaves-the-title": ("<title>Vec in std::vec - Rust</title>", "<h1>Struct Vec</h1>", "Vec in std::vec - Rust"),
    "a-letter-is-no-title": ("<title>API reference</title>", "<h1>A</h1>", "API reference"),
    "site-name-tells": ("<title>Install | Tool</title><meta property='og:site_name' content='Tool'>", "", "Install"),
    "open-graph-where-there-is-no-title": ("<meta property='og:title' content='Install'>", "", "Install"),
    "heading-where-there-is-no-title": ("", "<h2>Install</h2>", "Install"),
    "file-name-at-last": ("", "", "page.html"),
    "a-title-in-an-image-is-not-the-page's": ("<title>T</title>", "<svg><title>icon</title></svg>", "T"),
}  # fmt: skip


@pytest.mark.parametrize(("head", "heading", "title"), TITLES.values(), ids=TITLES.keys())
def test_title(head: str, heading: str, title: str) -> None:
    assert read(head, f"<main>{heading}{TEXT}</main>").title == title


ROBOTS = {
    "silent": ("", True, True),
    "fault-E11-noindex-follow": ("<meta name='robots' content='noindex,follow'>", False, True),
    "nofollow [urls 31]": ("<meta name='ROBOTS' content='index, NOFOLLOW'>", True, False),
    "none [urls 31]": ("<meta name='robots' content='none'>", False, False),
    "two-metas-add-up": ("<meta name='robots' content='noindex'><meta name='robots' content='nofollow'>", False, False),
}


@pytest.mark.parametrize(("head", "index", "follow"), ROBOTS.values(), ids=ROBOTS.keys())
def test_robots_wishes(head: str, index: bool, follow: bool) -> None:
    page = read(head, f"<main>{TEXT}<a href='/x'>x</a></main>")
    assert (page.index, page.follow) == (index, follow)
    assert page.links[0].follow is follow


TIME = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
CHANGES = {
    "open-graph": ("<meta property='article:modified_time' content='2024-05-06T07:08:09Z'>", "", TIME),
    "another-zone": ("<meta property='article:modified_time' content='2024-05-06T09:08:09+02:00'>", "", TIME),
    "dublin-core": ("<meta name='DCTERMS.modified' content='2024-05-06T07:08:09'>", "", TIME),
    "http-equiv": ("<meta http-equiv='Last-Modified' content='Mon, 06 May 2024 07:08:09 GMT'>", "", TIME),
    "beside-words-that-say-so": ("", "<footer>Last updated on <time datetime='2024-05-06T07:08:09Z'>May</time></footer>", TIME),
    "schema-org": ("", "<time itemprop='dateModified' datetime='2024-05-06T07:08:09Z'>May</time>", TIME),
    "a-day": ("", "<p>Edited <time datetime='2024-05-06'>May</time></p>", datetime(2024, 5, 6, tzinfo=UTC)),
    "the-meta-first": ("<meta property='article:modified_time' content='2024-05-06T07:08:09Z'>", "<p>Updated <time datetime='1999-01-01'>x</time></p>", TIME),
    "another-time-is-none": ("", "<p>Released <time datetime='2024-05-06'>in May</time></p>", None),
    "no-date-at-all": ("<meta property='article:modified_time' content='yesterday'>", "<p>Updated <time datetime='9999-99-99'>x</time></p>", None),
    "out-of-range": ("", "<p>Updated <time datetime='0001-01-01T00:00:00+23:00'>x</time></p>", None),
    "silent": ("", "", None),
}  # fmt: skip


@pytest.mark.parametrize(("head", "beside", "time"), CHANGES.values(), ids=CHANGES.keys())
def test_when_it_was_changed(head: str, beside: str, time: datetime | None) -> None:
    assert read(head, f"<main>{TEXT}</main>{beside}").modified_at == time


def test_language_description_and_canonical() -> None:
    page = read(
        "<meta name='description' content=' What  it is '><link rel='canonical' href='/guide/page'>",
        html="<html lang='pt-BR'>",
    )
    assert (page.language, page.description, page.canonical) == ("pt-BR", "What it is", "https://docs.test/guide/page")


# ---------------------------------------------------------------- links


def test_links_of_the_whole_page_in_order_with_their_place() -> None:
    page = read(
        body=f"<nav><a href='/n#top'>Nav</a></nav><main>{TEXT}<p><a href='a.html#X'>  A\n b</a>"
        "<a href='a.html#X'>A b</a><a href='/f' rel='external nofollow'>F</a></p>"
        "<div class='prev-next-area'><a href='/next'>Next</a></div></main>"
        "<a href='a.html#X'>A b</a><map><area href='/area' alt='Area'></map>"
    )
    assert page.links == (
        Link("https://docs.test/n#top", "Nav", in_main=False),
        Link("https://docs.test/guide/a.html#X", "A b"),
        Link("https://docs.test/f", "F", follow=False),
        Link("https://docs.test/next", "Next", in_main=False),
        Link("https://docs.test/area", "Area", in_main=False),
    )


def test_a_link_that_names_no_document_is_skipped() -> None:
    hrefs = [
        "javascript:x()",
        " JavaScript:x",
        "java\nscript:x",
        "mailto:a@b.test",
        "tel:1",
        "data:,x",
        "http://[",
        "http://a b/",
    ]
    body = "".join(f"<a href='{href}'>t</a>" for href in hrefs) + "<a name='x'>t</a>"
    assert read(body=f"<main>{TEXT}{body}</main>").links == ()


BASES = {
    "base-with-a-path [fault-B2, url-20]": ("<base href='/v2/'>", "https://docs.test/v2/x"),
    "the-first-base-counts [url-20]": ("<base href='/v2/'><base href='/v3/'>", "https://docs.test/v2/x"),
    "a-base-without-href-is-skipped [url-20]": ("<base target='_blank'><base href='/v2/'>", "https://docs.test/v2/x"),
    "a-script-as-base-is-ignored [url-20]": ("<base href='javascript:x'>", "https://docs.test/guide/x"),
    "no-base": ("", "https://docs.test/guide/x"),
}


@pytest.mark.parametrize(("head", "url"), BASES.values(), ids=BASES.keys())
def test_base_href(head: str, url: str) -> None:
    page = read(head, f"<main>{TEXT}<p><a href='x'>t</a></p></main>")
    assert page.links == (Link(url, "t"),)
    assert f"[t]({url})" in page.markdown


def test_at_most_ten_thousand_links() -> None:
    body = "".join(f"<a href='/{number}'>t</a>" for number in range(10_005))
    assert len(read(body=f"<main>{TEXT}</main>{body}").links) == 10_000


def test_the_text_of_an_image_link_is_its_alt() -> None:
    assert read(body=f"<main>{TEXT}<a href='/x'><img alt='Logo' src='/l'></a></main>").links[0].text == "Logo"


# ---------------------------------------------------------------- dispatch

REFUSED = {
    "unsupported-type": (b"{}", "application/json", "application/json is not supported"),
    "a-pdf-under-an-html-label": (b"%PDF-1.7", "text/html", "PDF"),
    "an-empty-body": (b"", "text/html", "empty"),
    "an-empty-page": (b"<html><body></body></html>", "text/html", "no text"),
    "a-shell-that-a-script-fills": (b"<html><body><div id=root></div><script>x()</script></body></html>", "text/html", "no text"),
    "a-frameset": (b"<html><frameset><frame src='a.html'></frameset></html>", "text/html", "no body|no text"),
    "markdown-that-is-only-front-matter": (b"---\ntitle: x\n---\n", "text/markdown", "empty"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "content_type", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_refuses(body: bytes, content_type: str, reason: str) -> None:
    with pytest.raises(ExtractError, match=reason):
        read_body(body, content_type, URL)


@pytest.mark.parametrize("label", ["text/plain", "text/markdown; charset=utf-8", "", "application/octet-stream"])
def test_html_wins_over_a_lying_label(label: str) -> None:
    """Contract F6."""
    body = f"\n<!-- x --><!DOCTYPE html><html><body><main><h1>T</h1>{TEXT}</main></body></html>".encode()
    assert read_body(body, label, URL).blocks[0].markdown == "# T"


def test_xhtml_with_empty_elements() -> None:
    html = (
        b'<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title>'
        b'<script src="a.js"/></head><body><div class="body" role="main"><h1><a id="x"/>Hi</h1><p>after</p></div></body></html>'
    )
    assert to_markdown(html, URL) == "# Hi\n\nafter"


def test_5_0_the_two_public_entries_say_the_same() -> None:
    html = b"<main><h2 id=a>Head</h2><p>Some words.</p><pre class='language-py'>x</pre></main>"
    page = extract(html, URL)
    assert [(block.kind, block.anchors, block.language) for block in page.blocks] == [
        ("heading", ("a",), ""),
        ("paragraph", (), ""),
        ("code", (), "py"),
    ]
    assert page.markdown == to_markdown(html, URL)


def test_5_0_a_page_without_text_is_refused_and_has_no_markdown() -> None:
    with pytest.raises(ExtractError, match="no text"):
        extract(b"<main></main>", URL)
    assert to_markdown(b"<main></main>", URL) == ""


# ---------------------------------------------------------------- Markdown bodies

SOURCE = b"""---
title: "The title"
description: In short
---
# Head {#top-Id}

A [link](../x.html) and `code`, &#x27;so&#x27;. <!-- no --> <span hidden>no</span>

## Second

```py
x = 1
```

| a | b |
|---|---|
| 1 | 2 |
"""


def test_markdown_gives_the_same_blocks() -> None:
    """Contract F6, faults B6 and G13."""
    page = read_body(SOURCE, "text/markdown", URL)
    assert (page.title, page.description) == ("The title", "In short")
    assert [(block.kind, block.markdown, block.anchors) for block in page.blocks] == [
        ("heading", "# Head", ("top-Id",)),
        ("paragraph", "A [link](https://docs.test/x.html) and `code`, 'so'.", ()),
        ("heading", "## Second", ("second",)),
        ("code", "```py\nx = 1\n```", ()),
        ("table", "| a | b |\n| --- | --- |\n| 1 | 2 |", ()),
    ]
    assert page.links == (Link("https://docs.test/x.html", "link"),)


def test_markdown_without_front_matter_is_called_after_its_heading() -> None:
    assert read_body(b"# Short", "text/plain", URL).title == "Short"


def test_a_link_target_in_angle_brackets() -> None:
    """Fault B6."""
    assert read_body(b"[x](</a b>)", "text/markdown", URL).blocks[0].markdown == "[x](https://docs.test/a%20b)"


@pytest.mark.parametrize("is_on", [True, False], ids=["collector-on", "collector-off"])
@pytest.mark.parametrize("body", ["<p>Some text to read.</p>", ""], ids=["a-page", "a-page-that-is-refused"])
def test_reading_a_page_leaves_the_collector_as_it_was(body: str, is_on: bool):
    """Issue bar: speed. It is paused while a page is read."""
    was_on = gc.isenabled()
    try:
        gc.enable() if is_on else gc.disable()
        with contextlib.suppress(ExtractError):
            extract_html(f"<html><body>{body}</body></html>", "https://docs.test/")
        assert gc.isenabled() is is_on
    finally:
        gc.enable() if was_on else gc.disable()
