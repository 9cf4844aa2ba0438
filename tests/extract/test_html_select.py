"""Where the main content is: design section 3, one small page for each family of generators."""

# ruff: noqa: E501  (one row of a table stays on one line)

from __future__ import annotations

import pytest

from webdocs.extract import to_markdown

URL = "https://docs.test/a.html"
BODY = "<h1>Title</h1><p>The content of this page, with more than forty characters in it.</p>"
CONTENT = "# Title\n\nThe content of this page, with more than forty characters in it."
NAV = '<div class="side"><a href="/x">Elsewhere and further on in the documentation</a></div>'

PAGES = {
    "sphinx-classic": f'<div class="document"><div class="documentwrapper"><div class="body" role="main">{BODY}</div></div>{NAV}</div>',
    "sphinx-old": f'<div class="documentwrapper"><div class="bodywrapper"><div class="body">{BODY}</div></div></div>{NAV}',
    "sphinx-furo": f'<div>{NAV}<article role="main" id="furo-main-content">{BODY}</article></div>',
    "sphinx-pydata": f'<main><div class="bd-content"><article class="bd-article">{BODY}</article></div>{NAV}</main>',
    "sphinx-read-the-docs": f'<div class="rst-content"><div role="main"><div itemprop="articleBody">{BODY}</div></div>{NAV}</div>',
    "docusaurus": f'<main><article>{NAV}<div class="theme-doc-markdown markdown"><header><h1>Title</h1></header>{BODY[14:]}</div></article></main>',
    "mkdocs-material": f'<main>{NAV}<article class="md-content__inner md-typeset">{BODY}</article></main>',
    "vitepress": f'<div class="VPDoc"><div class="vp-doc"><div>{BODY}</div></div>{NAV}</div>',
    "starlight": f'<main><h1>Title</h1><div class="sl-markdown-content">{BODY[14:]}</div></main>{NAV}',
    "rustdoc": f'<nav>x</nav><main><section id="main-content">{BODY}</section></main>{NAV}',
    "docbook": f'<div class="navheader">x</div><div class="sect1" id="s">{BODY}</div><div class="navfooter">x</div>',
    "mdbook": f'{NAV}<div id="content"><main>{BODY}</main><nav>x</nav></div>',
    "node": f'{NAV}<div id="column1"><div id="apicontent">{BODY}</div></div>',
    "doxygen": f'{NAV}<div class="contents">{BODY}</div>',
    "apache": f'{NAV}<div id="page-content">{BODY}</div>',
    "nextra": f'<article><main>{BODY}</main></article>{NAV}',
    "plain-main": f"{NAV}<main>{BODY}</main>",
    "no-landmark-at-all": f"<div>{NAV}<div><div>{BODY}</div></div></div>",
    "a-shell-of-an-article-is-passed-over": f"<article>x</article><main>{BODY}</main>",
    "an-article-that-is-a-part-of-main": f"<main><h1>Title</h1><article>The content of this page,</article> {'' } with more than forty characters in it.</main>",
}  # fmt: skip


@pytest.mark.parametrize("body", PAGES.values(), ids=PAGES.keys())
def test_finds_the_main_content(body: str) -> None:
    html = f"<!doctype html><html><head><title>T</title></head><body>{body}</body></html>"
    markdown = to_markdown(html.encode(), URL)
    assert " ".join(markdown.split()) == " ".join(CONTENT.split())


def test_asciidoc_takes_the_body() -> None:
    html = f'<html><body class="manpage"><div id="header">{BODY}</div><div id="footer">Last updated</div></body></html>'
    assert to_markdown(html.encode(), URL) == CONTENT


def test_a_table_that_is_the_content_stays_a_table() -> None:
    html = b"<html><body><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>"
    assert to_markdown(html, URL) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_descent_never_passes_a_heading_beside_it() -> None:
    html = f"<html><body><div><h2>Beside</h2><div><p>{'text ' * 60}</p></div></div></body></html>"
    assert to_markdown(html.encode(), URL).startswith("## Beside\n\ntext text")
