"""Where does a URL leave the edition of the start page: its version or its language?

Two paths are walked side by side. Where they part in two versions, or two languages, the URL belongs to a sibling
edition, and the walk goes on behind them; where they part in anything else, it ends. Only a folder of the start page
counts: a start above the versions, or without a language, has no edition to leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from webdocs.crawl.language import is_language, is_other_language
from webdocs.crawl.url import normalise_percent, path_of, strip_fragment, target_of
from webdocs.crawl.version import VERSION_NAMES, is_same_version, is_version

Kind = Literal["version", "language"]

_UNNAMED = "webdocs-asks-for-no-edition"
"""Stands for a folder that no one names, to see whether a pattern is about the folder in its place."""


@dataclass(frozen=True, slots=True)
class Parting:
    """One place where a URL leaves the start's edition.

    Attributes:
        kind: What it leaves.
        own: The start's folder there, in lower case.
        position: Index of the path segment.
        neutral_url: The URL with its own folder there replaced by one that is no edition.
    """

    kind: Kind
    own: str
    position: int
    neutral_url: str


@dataclass(frozen=True, slots=True)
class Edition:
    """The folders of a start page, in lower case; none if no version or language is among them."""

    folders: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: str) -> Edition:
        """The edition that a page lies in, by its path."""
        folders = tuple(_segments(path)[:-1])
        places = range(len(folders))
        return cls(folders) if any(is_version(folders, at) or is_language(folders[at]) for at in places) else cls()

    def partings(self, url: str) -> Iterator[Parting]:
        """The places where a URL of the same site leaves this edition, from left to right."""
        segments = _segments(path_of(url)) if self.folders else []
        for position, (own, other) in enumerate(zip(self.folders, segments, strict=False)):
            if is_same_version(own, other):
                continue
            kind = self._kind_of(segments, position)
            if kind is None:
                return
            yield Parting(kind, own, position, _without(url, position))

    def _kind_of(self, segments: Sequence[str], position: int) -> Kind | None:
        if is_other_language(self.folders[position], segments[position]):
            return "language"
        if not (is_version(self.folders, position) and is_version(segments, position)):
            return None
        # The last segment is a page: `/docs/next` may be a chapter's name, `/docs/2.1` is a version without its slash.
        is_page = position == len(segments) - 1
        return None if is_page and segments[position] in VERSION_NAMES else "version"


def _segments(path: str) -> list[str]:
    return normalise_percent(path).lower().split("/")[1:]


def _without(url: str, position: int) -> str:
    target = target_of(url)
    path, mark, query = target.partition("?")
    segments = path.split("/")
    segments[position + 1] = _UNNAMED
    return strip_fragment(url).removesuffix(target) + "/".join(segments) + mark + query
