"""Which links can a crawl take from whatever a server sent as its llms.txt? The tolerant reader; it never raises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from webdocs.llmstxt.lines import Line, is_html, items_of, read_lines
from webdocs.llmstxt.links import INLINE, notes_of, target_of
from webdocs.llmstxt.parse import find_title, read_preamble
from webdocs.llmstxt.records import Seed, SeedFile

MAX_SEEDS = 50_000
"""Our choice: what a sitemap may hold (sitemaps.org); more is a link bomb."""

_DEFINITION = re.compile(r" {0,3}\[([^\[\]]+)\]:[ \t]*(?:<([^<>]*)>|(\S+))")
_REFERENCE = re.compile(r"(?<![\\!])\[([^\[\]]+)\](?:\[([^\[\]]*)\])?(?![(\[:])")
_BARE = re.compile(r"(?<![\w(\"'])https?://[^\s<>\"'`|]+", re.IGNORECASE)
_NAMED = re.compile(r"(?:[-*+]\s+|\d+[.)]\s+)?([^:<>\[\]]{1,200}):\s*<?\Z")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def read_seeds(text: str) -> SeedFile:
    """Title, summary and links of a file; nothing of what has no H1 or no link, is HTML or binary.

    Taken are inline and reference links, autolinks and bare URLs, in lists, tables and text, before the first H2
    too; each target once. Targets with a scheme other than http and https and bare fragments are left out.

    Args:
        text: The body, decoded.
    """
    if "\x00" in text or is_html(text):
        return SeedFile()
    lines = read_lines(text)
    start = find_title(lines)
    seeds = tuple(_distinct(_read_sections(lines))) if start is not None else ()
    if start is None or not seeds:
        return SeedFile()
    ends = (at for at in range(start + 1, len(lines)) if lines[at].level == 2)
    summary, _ = read_preamble(lines[start + 1 : next(ends, len(lines))])
    return SeedFile(lines[start].name, summary, seeds)


def _distinct(seeds: Iterator[Seed]) -> Iterator[Seed]:
    seen: set[str] = set()
    for seed in seeds:
        if seed.url in seen or not _is_web(seed.url):
            continue
        seen.add(seed.url)
        yield seed
        if len(seen) >= MAX_SEEDS:
            return


def _is_web(target: str) -> bool:
    if not target or target.startswith("#"):
        return False
    return target.lower().startswith(("http://", "https://")) or _SCHEME.match(target) is None


def _read_sections(lines: Sequence[Line]) -> Iterator[Seed]:
    definitions = _read_definitions(lines)
    section, is_optional = "", False
    for is_heading, group in groupby(lines, lambda line: line.level == 2):
        if is_heading:
            section = list(group)[-1].name
            is_optional = section.rstrip(" :").casefold() == "optional"
            continue
        for item in items_of(group):
            for url, title, description in _read_item(item, definitions):
                yield Seed(url, title, description, section, is_optional)


def _read_definitions(lines: Sequence[Line]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        if "]:" in line.text and not line.is_masked and (match := _DEFINITION.match(line.text)):
            found.setdefault(_label(match[1]), match[2] or match[3] or "")
    return found


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def _read_item(item: str, definitions: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """URL, title and description of each link of an item or line."""
    inline = list(INLINE.finditer(item)) if "](" in item else []
    for at, match in enumerate(inline):
        rest = item[match.end() :].lstrip("*_ ") if at == 0 else ""
        yield target_of(match), match[1].strip(), notes_of(rest)
    if definitions and "[" in item and not _DEFINITION.match(item):
        for match in _REFERENCE.finditer(item):
            if target := definitions.get(_label(match[2] or match[1])):
                yield target, match[1].strip(), ""
    if "://" in item:
        yield from _read_bare(INLINE.sub(" ", item) if inline else item)


def _read_bare(item: str) -> Iterator[tuple[str, str, str]]:
    if item.startswith("[") and _DEFINITION.match(item):
        return
    for match in _BARE.finditer(item):
        url = match[0].rstrip(".,;:!?*_")
        if url.endswith(")") and url.count(")") > url.count("("):
            url = url.rstrip(")")
        named = _NAMED.match(item[: match.start()]) if match.start() < 220 else None
        yield url, named[1].strip() if named else "", ""
