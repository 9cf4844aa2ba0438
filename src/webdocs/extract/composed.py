"""How does HTML that a reader of another format composed become a page?

Every reader writes HTML and lets the HTML emitter read it: one set of rules makes links absolute and escapes text.
"""

from __future__ import annotations

from html import escape

from webdocs.extract.html import extract_html
from webdocs.model import Page


def page_of(html: str, url: str, title: str = "") -> Page:
    """The page that this HTML is the main content of.

    Args:
        html: Composed by a reader; text in it is escaped.
        url: The final URL of the file.
        title: As the file names itself; else the first heading counts.

    Raises:
        ExtractError: There is no text in it.
    """
    head = f"<title>{escape(title)}</title>" if title.strip() else ""
    return extract_html(f"<head>{head}</head><body><main data-markdown>{html}</main></body>", url)


def code_html(code: str, language: str = "") -> str:
    """A `pre` that holds exactly this code."""
    named = f' class="language-{escape(language)}"' if language else ""
    # The parser drops one newline after <pre> (HTML 13.2.6.4.7), so one more keeps the code's own.
    return f"<pre>\n<code{named}>{escape(code)}</code></pre>"
