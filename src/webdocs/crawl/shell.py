"""Does a page need a browser? What its HTML says before any script has run.

A shell is the HTML of an application: scripts, a place for them to write into, and next to no text. The rule would
rather miss a shell than call a static page one: a false alarm costs a browser on a site that needs none.
"""

from __future__ import annotations

import re

MAX_SHELL_CHARS = 200
"""Our choice: shells say "Loading..." and a line about scripts."""

MAX_BARE_CHARS = 40
"""Our choice: without a known root, only a page with nothing but a word or two is taken for a shell."""

MAX_READ_BYTES = 2 * 1024 * 1024
"""Our choice: a shell with its data inlined; what is longer is judged by its start."""

_MAX_TEXT_TAGS = 12
"""Our choice: paragraphs, list items, cells and headings; more of them are content. Counting them is the fast way out
for the pages that are no shell, which are nearly all."""

_UNSHOWN = re.compile(rb"<(script|style|noscript|template|svg|head)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.I | re.S)
_TAG = re.compile(rb"<[^>]*>")
_SPACE = re.compile(rb"\s+")
_SCRIPT = re.compile(rb"<script\b(?![^>]*\btype=[\"']?application/(?:ld\+)?json)", re.I)
_ROOT = re.compile(
    rb"<(?:div|main|section|body)\b[^>]*\b(?:id|class)=[\"']?(?:root|app|app-root|application|main-app|__next|__nuxt|"
    rb"___gatsby|gatsby-focus-wrapper|svelte|q-app|react-root|ember-app|docsify|redoc|swagger-ui|elements-app|"
    rb"mount|container-root)(?=[\"'\s>/])|<(?:app-root|my-app|redoc|elements-api|rapi-doc)\b",
    re.I,
)
_REFRESH = re.compile(rb"<meta\b[^>]*\bhttp-equiv=[\"']?refresh\b", re.I)
_BUTTON = re.compile(rb"<(?:button|div|span|li)\b[^>]*\bonclick=[\"']?[^\"'>]*(?:location|navigate|route|open\()", re.I)
_LINK = re.compile(rb"<a\b[^>]*\bhref=", re.I)


def is_shell(body: bytes) -> bool:
    """True if the HTML holds no content, but scripts that would bring it. A page that only sends on is no shell."""
    start = body[:MAX_READ_BYTES]
    if sum(start.count(tag) for tag in (b"<p>", b"<p ", b"<li", b"<td", b"<h2", b"<pre")) > _MAX_TEXT_TAGS:
        return False
    if _SCRIPT.search(start) is None or _REFRESH.search(start) is not None:
        return False
    length = text_length(start)
    return length <= MAX_BARE_CHARS or (length <= MAX_SHELL_CHARS and _ROOT.search(start) is not None)


def text_length(body: bytes) -> int:
    """Bytes of text that a reader would see without scripts, white space run together."""
    shown = _TAG.sub(b" ", _UNSHOWN.sub(b" ", body))
    return len(_SPACE.sub(b" ", shown).strip())


def has_button_navigation(body: bytes) -> bool:
    """True if a page leads on by scripted buttons and by no link at all."""
    start = body[:MAX_READ_BYTES]
    return _BUTTON.search(start) is not None and _LINK.search(start) is None
