"""What does a Markdown body say, as the same blocks that an HTML page gives?

The body is rendered to HTML and read by the HTML emitter: links become absolute, raw HTML in it is cleaned and text is
escaped by the one set of rules there is. Headings have an anchor only where the source names one (`{#id}`): the
ids that a site's generator makes of titles are not known here.
"""

from __future__ import annotations

import re
from html import escape

from markdown_it import MarkdownIt

from webdocs.errors import ExtractError
from webdocs.extract.html import extract_html
from webdocs.model import Page

_FRONT_MATTER = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\r?\n(.*?)\r?\n\1[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"""^title\s*[:=]\s*(["']?)(.+?)\1\s*$""", re.MULTILINE)
_DESCRIPTION = re.compile(r"""^description\s*[:=]\s*(["']?)(.+?)\1\s*$""", re.MULTILINE)
_HEADING_ID = re.compile(r"<(h[1-6])>([^\n]*?)[ \t]*\\?\{#([\w.:-]+)\}</\1>")


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
    html = _HEADING_ID.sub(r'<\1 id="\3">\2</\1>', _renderer().render(body))
    head = _head_of(front[2] if front else "")
    return extract_html(f"<head>{head}</head><body><main data-markdown>{html}</main></body>", url)


def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def _head_of(front_matter: str) -> str:
    """Title and description of the front matter, as an HTML head would carry them."""
    title, description = _TITLE.search(front_matter), _DESCRIPTION.search(front_matter)
    parts = [f"<title>{escape(title[2])}</title>"] if title else []
    if description:
        parts.append(f'<meta name="description" content="{escape(description[2])}">')
    return "".join(parts)
