"""May a page's own word on which URL is its right one be believed? Where that URL answers is for the crawl to see."""

from __future__ import annotations

import re

from webdocs.crawl.twin import place_of
from webdocs.crawl.url import join, key_of, path_of, strip_fragment

_VERSION = re.compile(
    r"(?:v?\d+(?:\.(?:\d+|x))*(?:[-.]?(?:a|b|rc|alpha|beta|dev)\d*)?|stable|latest|main|master|dev|devel|develop|next"
    r"|current|edge|nightly|trunk|release|lts)",
    re.IGNORECASE,
)


def version_folders_of(url: str) -> tuple[str, ...]:
    """Folders of the path that name a version (`1.0`, `v2`, `latest`), in order."""
    return tuple(part for part in path_of(url).split("/")[:-1] if part and _VERSION.fullmatch(part))


def judge_canonical(page_url: str, canonical: str, start_url: str) -> str:
    """The URL to ask for instead of the page; empty if the page is the right one, or names no believable other.

    Old versions that name the newest would vanish, and a template that names the home page on every page would leave
    only that (faults B18, B20): the version folders must be the same, and the start page and the home page must be
    what the page itself is but for its query.
    """
    target = strip_fragment(join(page_url, canonical) or "")
    if not target or key_of(target) == key_of(page_url):
        return ""
    if version_folders_of(target) != version_folders_of(page_url):
        return ""
    is_home = path_of(target) == "/" or place_of(target) == place_of(start_url)
    return "" if is_home and place_of(target) != place_of(page_url) else target
