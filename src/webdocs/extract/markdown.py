"""What does a Markdown body say, as the same blocks that an HTML page gives?

The body is rendered to HTML and read by the HTML emitter: links become absolute, raw HTML in it is cleaned and text is
escaped by the one set of rules there is. A heading is called what the source says (`{#id}`), else what its
generator makes of its title: MkDocs where the source has its syntax, GitHub, Docusaurus and VitePress elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape
from unicodedata import normalize

from markdown_it import MarkdownIt

from webdocs.errors import ExtractError
from webdocs.extract.html import extract_html
from webdocs.extract.markdown_syntax import to_commonmark
from webdocs.model import Page

_FRONT_MATTER = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\r?\n(.*?)\r?\n\1[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"""^title\s*[:=]\s*(["']?)(.+?)\1\s*$""", re.MULTILINE)
_DESCRIPTION = re.compile(r"""^description\s*[:=]\s*(["']?)(.+?)\1\s*$""", re.MULTILINE)
_HEADING = re.compile(r"<(h[1-6])>([^\n]*?)</\1>")
_FIRST_QUOTE = re.compile(r"\A(\s*(?:#[^\n]*\n\s*)?)((?:>[^\n]*(?:\n|\Z))+)")
_MAX_POINTER_LINES = 6
_SKIP_LINK = re.compile(r"^[ \t]*\[skip to [^\]\n]{1,60}\]\([^)\s]*#[^)\s]*\)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_OWN_ID = re.compile(r"[ \t]*\\?\{(?:/\*[ \t]*)?#([\w.:-]+)(?:[ \t]*\*/)?\}$")
_TAG = re.compile(r"<[^>]*>")
_PYTHON_MARKDOWN = re.compile(r"""^(?:!!!|\?\?\?\+?|===[+!]?) +["\w]|^\[TOC\]$|^::: [\w.]+$""", re.MULTILINE)
"""What only MkDocs and its extensions understand: admonitions, tabs, a place for the contents, mkdocstrings."""

_NO_WORD = re.compile(r"[^\w\s-]")
_GAPS = re.compile(r"[-\s]+")
_NO_SLUG = re.compile(r"[^\w\- ]")


def extract_markdown(text: str, url: str) -> Page:
    """Read one Markdown document.

    Args:
        text: The decoded body.
        url: The final URL it was served from.

    Raises:
        ExtractError: There is no text in it.
    """
    front = _FRONT_MATTER.match(text)
    body = text[front.end() :] if front else text.removeprefix("\ufeff")
    if not body.strip():
        raise ExtractError("the Markdown body is empty")
    slug_of = _python_markdown_slug if _PYTHON_MARKDOWN.search(body) else _github_slug
    html = _with_heading_ids(_renderer().render(to_commonmark(_without_additions(body))), slug_of)
    head = _head_of(front[2] if front else "")
    return extract_html(f"<head>{head}</head><body><main data-markdown>{html}</main></body>", url)


def _without_additions(body: str) -> str:
    """The body without what generators put into served Markdown: a pointer to the site's llms.txt, a skip link."""
    quote = _FIRST_QUOTE.match(body)
    if quote and "llms.txt" in quote[2] and quote[2].count("\n") <= _MAX_POINTER_LINES:
        body = quote[1] + body[quote.end() :]
    return _SKIP_LINK.sub("", body)


def _with_heading_ids(html: str, slug_of: Callable[[str, dict[str, int]], str]) -> str:
    seen: dict[str, int] = {}

    def name(match: re.Match[str]) -> str:
        own = _OWN_ID.search(match[2])
        title = match[2][: own.start()] if own else match[2]
        heading_id = own[1] if own else slug_of(unescape(_TAG.sub("", title)).strip(), seen)
        return f'<{match[1]} id="{escape(heading_id)}">{title}</{match[1]}>' if heading_id else match[0]

    return _HEADING.sub(name, html)


def _github_slug(title: str, seen: dict[str, int]) -> str:
    """The id that github-slugger gives: a second heading of one name is `name-1`."""
    slug = _NO_SLUG.sub("", title.lower()).replace(" ", "-")
    count = seen[slug] = seen.get(slug, -1) + 1
    return f"{slug}-{count}" if count else slug


def _python_markdown_slug(title: str, seen: dict[str, int]) -> str:
    """The id that Python-Markdown's toc gives: ASCII only, a second heading of one name is `name_1`."""
    ascii_title = normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = _GAPS.sub("-", _NO_WORD.sub("", ascii_title).strip().lower())
    while not slug or slug in seen:
        stem, mark, number = slug.rpartition("_")
        slug = f"{stem}_{int(number) + 1}" if mark and number.isdecimal() else f"{slug}_1"
    seen[slug] = 0
    return slug


def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def _head_of(front_matter: str) -> str:
    """Title and description of the front matter, as an HTML head would carry them."""
    title, description = _TITLE.search(front_matter), _DESCRIPTION.search(front_matter)
    parts = [f"<title>{escape(title[2])}</title>"] if title else []
    if description:
        parts.append(f'<meta name="description" content="{escape(description[2])}">')
    return "".join(parts)
