"""Builds the documentation as a small static site: which page is which file, and do its links still hold?

usage: python docs/build.py OUTPUT_FOLDER
"""

from __future__ import annotations

import html
import itertools
import posixpath
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parent.parent

STYLE = """
body { margin: 0 auto; max-width: 72rem; display: flex; gap: 2rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif }
nav { flex: 0 0 14rem } nav ul { list-style: none; padding: 0 } main { min-width: 0 }
pre { overflow-x: auto; padding: .75rem; background: #f4f4f4 } table { border-collapse: collapse }
th, td { border: 1px solid #ccc; padding: .25rem .5rem; text-align: left; vertical-align: top }
"""

TEMPLATE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title} - webdocs</title><style>{style}</style></head>
<body>
<nav aria-label="Pages">{nav}</nav>
<main>
{body}
</main>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class SitePage:
    """One Markdown file and the page that it becomes; both paths are relative, with slashes."""

    source: str
    target: str
    title: str


def list_pages(root: Path) -> tuple[SitePage, ...]:
    """The README first, then the guide, the decisions and the project's own files, as far as they are there."""
    named = [("README.md", "index.html")]
    named += [(f"docs/{path.name}", f"{path.stem}.html") for path in sorted((root / "docs").glob("*.md"))]
    named += [
        (f"docs/decisions/{path.name}", f"decisions/{path.stem}.html")
        for path in sorted((root / "docs" / "decisions").glob("*.md"))
    ]
    named += [("CHANGELOG.md", "changelog.html"), ("CONTRIBUTING.md", "contributing.html")]
    named += [("benchmarks/results.md", "benchmarks.html")]
    return tuple(
        SitePage(source, target, _title_of((root / source).read_text(encoding="utf-8")))
        for source, target in named
        if (root / source).is_file()
    )


def _title_of(markdown: str) -> str:
    match = re.search(r"^# (.+)$", markdown, re.MULTILINE)
    return match[1].strip() if match else "webdocs"


def slug(text: str, taken: set[str]) -> str:
    """An id for a heading, as GitHub makes it: a second heading of one name gets a number."""
    base = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-") or "section"
    name, number = base, 0
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    taken.add(name)
    return name


def render(page: SitePage, markdown: str, pages: tuple[SitePage, ...]) -> str:
    """The whole HTML of one page."""
    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse(markdown)
    _name_headings(tokens)
    targets = {other.source: other.target for other in pages}
    for token in tokens:
        _point_links(token, page, targets)
    body = reader.renderer.render(tokens, reader.options, {})
    return TEMPLATE.format(title=html.escape(page.title), style=STYLE, nav=_nav(page, pages), body=body)


def _name_headings(tokens: list[Token]) -> None:
    taken: set[str] = set()
    for opening, inline in itertools.pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(child.content for child in inline.children or [])
            opening.attrSet("id", slug(text, taken))


def _point_links(token: Token, page: SitePage, targets: dict[str, str]) -> None:
    """Links between Markdown files lead to their pages; one to any other file of the project becomes plain text."""
    for child in token.children or []:
        href = child.attrGet("href") if child.type == "link_open" else None
        if not isinstance(href, str) or urlsplit(href).scheme or href.startswith("#"):
            continue
        path, _, fragment = href.partition("#")
        target = targets.get(posixpath.normpath(posixpath.join(posixpath.dirname(page.source), path)))
        if target is None:
            del child.attrs["href"]
        else:
            child.attrSet("href", relative(page.target, target) + (f"#{fragment}" if fragment else ""))


def relative(origin: str, target: str) -> str:
    """The path that leads from one page to another; the first page goes by its folder, its one address."""
    path = posixpath.relpath(target, posixpath.dirname(origin) or ".")
    return path.removesuffix("index.html") or "./"


def _nav(page: SitePage, pages: tuple[SitePage, ...]) -> str:
    items = "".join(
        f'<li><a href="{relative(page.target, other.target)}">{html.escape(other.title)}</a></li>' for other in pages
    )
    return f"<ul>{items}</ul>"


def build_site(root: Path, output: Path) -> int:
    """Write every page under `output`; answers how many."""
    pages = list_pages(root)
    for page in pages:
        file = output / page.target
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(render(page, (root / page.source).read_text(encoding="utf-8"), pages), encoding="utf-8")
    return len(pages)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/build.py OUTPUT_FOLDER")
    count = build_site(ROOT, Path(sys.argv[1]))
    sys.stdout.write(f"{count} pages in {sys.argv[1]}\n")
