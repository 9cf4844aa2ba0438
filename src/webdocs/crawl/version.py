"""Is a folder of a path a version of the documentation, and do two such folders name different ones?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webdocs.crawl.language import is_language

_VERSION_NAMES = """
    stable latest current lts main master trunk head tip dev devel develop development next nightly edge
    unstable canary preview beta alpha
"""
VERSION_NAMES = frozenset(_VERSION_NAMES.split())
"""What Read the Docs, Docusaurus, MkDocs (mike), Antora and the sites of known projects call their moving versions."""

_ABOUT_VERSIONS = """
    changelog changelogs changes release releases release-notes releasenotes relnotes history news whatsnew
    whats-new what-is-new blog download downloads migration migrate migrating upgrade upgrading deprecations tag
    tags
"""
ABOUT_VERSIONS = frozenset(_ABOUT_VERSIONS.split())
"""Folders whose numbered children are pages on versions, not versions of the documentation."""

BEFORE_A_BARE_NUMBER = frozenset(("docs", "doc", "documentation", "manual", "reference", "guide"))
"""A bare number is a version first in a path or behind one of these; elsewhere it is a chapter, a PEP, a page."""

_DOTTED = re.compile(
    r"v?\d{1,4}(?:\.(?:\d{1,6}|x))+(?:[-_.]?(?:a|b|c|rc|alpha|beta|dev|post|pre|lts|snapshot)[-.]?\d*)?"
)
_MARKED = re.compile(r"v\d{1,3}")
_BARE = re.compile(r"\d{1,2}")


def is_version(segments: Sequence[str], position: int) -> bool:
    """True if the segment at this position names a version of what lies below it.

    Args:
        segments: Path segments in lower case.
        position: Which of them.
    """
    segment, before = segments[position], segments[position - 1] if position else ""
    if before in ABOUT_VERSIONS:
        return False
    if segment in VERSION_NAMES or _DOTTED.fullmatch(segment) or _MARKED.fullmatch(segment):
        return True
    is_placed = not before or before in BEFORE_A_BARE_NUMBER or is_language(before)
    return is_placed and _BARE.fullmatch(segment) is not None


def is_same_version(one: str, other: str) -> bool:
    """True for two spellings of a version: `v2.1` and `2.1`."""
    return _bare(one) == _bare(other)


def _bare(segment: str) -> str:
    return segment[1:] if segment[:1] == "v" and segment[1:2].isdigit() else segment
