"""Which names do a page and its Markdown have? Conventions of https://llmstxt.org/ and of generators; pure."""

from __future__ import annotations

from webdocs.crawl.url import key_of, path_of, strip_fragment

_PAGE_ENDINGS = (".html", ".htm")


def is_markdown(url: str) -> bool:
    """True for a URL that names a Markdown file."""
    return path_of(url).lower().endswith(".md")


def markdown_url_of(url: str) -> str:
    """Where a page's Markdown is first looked for (contract F7); empty for a Markdown file and a URL with a query.

    `page.html` has it at `page.html.md`, `guide/` and `guide` have it at `guide/index.html.md`.
    """
    if "?" in url or is_markdown(url):
        return ""
    plain = strip_fragment(url)
    if "." in path_of(plain).rpartition("/")[2]:
        return f"{plain}.md"
    return f"{plain.removesuffix('/')}/index.html.md"


def page_urls_of(url: str) -> tuple[str, ...]:
    """Under which URLs the page of a Markdown file may be, the likeliest first."""
    if "?" in url or not is_markdown(url):
        return ()
    stem = url[: -len(".md")]
    folder, _, name = stem.rpartition("/")
    if name.lower() in ("index.html", "index.htm"):
        return f"{folder}/", stem
    if stem.lower().endswith(_PAGE_ENDINGS):
        return (stem,)
    return (f"{folder}/",) if name.lower() == "index" else (stem, f"{stem}/", f"{stem}.html")


def stem_of(url: str) -> str:
    """What the names of a page and of its Markdown have in common: `/a`, `/a/`, `/a.html`, `/a.md`, `/a/index.md`."""
    head, mark, query = key_of(url).partition("?")
    for ending in (".md", *_PAGE_ENDINGS):
        head = head.removesuffix(ending)
    return f"{head.removesuffix('/index').removesuffix('/')}{mark}{query}"
