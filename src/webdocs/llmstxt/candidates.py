"""Under which URLs may a page's Markdown be?"""

from __future__ import annotations

from itertools import chain
from urllib.parse import urljoin, urlsplit

from webdocs.llmstxt.records import FileEntry, LlmsTxt

_ENDINGS = (".md", ".html.md")


def find_candidates(url: str, doc: LlmsTxt | None = None) -> list[FileEntry]:
    """Entries for a page, the best first; URLs by convention where the file has none.

    Order: the page itself, then the page with `.md` or `.html.md` put on or taken off, then entries below the page or
    above it. Only entries of the page's own host count; a relative entry is taken as one of its site.

    Args:
        url: The page.
        doc: The site's llms.txt.
    """
    page = _place_of(url)
    if page is None:
        return []
    ranked: tuple[list[FileEntry], ...] = ([], [], [])
    for entry in chain(*doc.sections.values(), doc.optional) if doc else ():
        rank = _rank(page, _place_of(_join(url, entry.url)))
        if rank is not None:
            ranked[rank].append(entry)
    return [*chain(*ranked)] or [FileEntry("", candidate) for candidate in _by_convention(url)]


def _join(url: str, target: str) -> str:
    try:
        return urljoin(url, target)
    except ValueError:
        return ""


def _place_of(url: str) -> tuple[str, str] | None:
    """Host with port, and path without slash at its end; None for what is no URL."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
        return (f"{parts.hostname}{port}", parts.path.rstrip("/")) if parts.hostname else None
    except ValueError:
        return None


def _rank(page: tuple[str, str], entry: tuple[str, str] | None) -> int | None:
    if entry is None or entry[0] != page[0]:
        return None
    wanted, path = page[1], entry[1]
    if path == wanted:
        return 0
    if any(path == wanted + ending or wanted == path + ending for ending in _ENDINGS):
        return 1
    return 2 if path.startswith(f"{wanted}/") or wanted.startswith(f"{path}/") else None


def _by_convention(url: str) -> list[str]:
    parts = urlsplit(url)
    base = f"{parts.scheme}://{parts.netloc}"
    path = parts.path or "/"
    if path.endswith(".md"):
        return [base + path]
    if path.endswith("/"):
        return [f"{base}{path}index.md", f"{base}{path}index.html.md"]
    return [f"{base}{path}.md", f"{base}{path}/index.md", f"{base}{path}/index.html.md"]
