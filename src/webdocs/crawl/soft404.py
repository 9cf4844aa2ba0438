"""Does a page say what its site answers to a name that does not exist?

Some sites answer 200 to any name, with a page that says "not found", with their start page, or with a stub. Only the
site itself can tell such an answer from a page, so an invented name is asked for (`crawl/name_probe.py`) once a page
looks like one: its title speaks of something absent, it is a stub that names its own address, or it says the same as
another page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote

from webdocs.crawl.url import origin_of, path_of
from webdocs.model import Page

LEAST_SHARED = 0.9
"""Our choice: an error page differs by the time or a search word; what pages of one frame share is less of them."""

MAX_STUB_CHARS = 500
"""Our choice: the stubs of fault C7 have 200; a page that says something has more."""

SOFT_404 = (
    "soft 404: it says what the site answers to a name that does not exist; if it is a page of its own, the site must"
    " answer 404 to such names"
)
"""The refusal of such a page."""

_ABSENT = re.compile(
    r"\b404\b|not[ -]found|no such page|(?:page|seite) (?:is )?(?:missing|unavailable|fehlt)|n[o']t exist"
    r"|nicht gefunden|introuvable|no encontrad|não encontrad|non trovat|не найден|見つかりません|找不到|찾을 수 없",
    re.IGNORECASE,
)
_TARGET = re.compile(r"\]\([^()]*\)")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a page says, its links' targets aside.

    Attributes:
        title: Title and first heading, without the page's own name.
        texts: Its blocks as they stand: equal for a page that is served under any name.
        nameless: Its blocks without the page's own name: equal for answers that name what was asked for.
        names_itself: True if the text holds the page's own address.
    """

    title: str
    texts: frozenset[str]
    nameless: frozenset[str]
    names_itself: bool

    @property
    def is_odd(self) -> bool:
        """True if the title speaks of something absent, or if the page is a stub on its own address."""
        is_stub = self.names_itself and sum(map(len, self.texts)) <= MAX_STUB_CHARS
        return is_stub or self.says_absent

    @property
    def says_absent(self) -> bool:
        """True if the title speaks of something that is not there."""
        return _ABSENT.search(self.title) is not None


def likeness_of(page: Page) -> Likeness:
    """The likeness of an extracted page."""
    names = _names_of(page.url)
    headings = (block.markdown.lstrip("# ") for block in page.blocks if block.level == 1)
    title = " - ".join([page.title, next(headings, "")])
    texts = [_TARGET.sub("]", block.markdown) for block in page.blocks]
    return Likeness(
        _plain(title, names),
        frozenset(_plain(text) for text in texts),
        frozenset(_plain(text, names) for text in texts),
        any(name in text for name in names for text in texts),
    )


def is_alike(page: Likeness, answer: Likeness) -> bool:
    """True if a page is what the site answers to an invented name.

    An equal text suffices. A title does not, since sites give one to all pages: it must speak of something absent, or
    come with nearly the same text.
    """
    if page.texts == answer.texts or page.nameless == answer.nameless:
        return True
    is_titled_alike = page.title == answer.title
    return is_titled_alike and (page.says_absent or _shared(page.nameless, answer.nameless) >= LEAST_SHARED)


@dataclass(slots=True)
class LookAlikes:
    """Which of a crawl's pages look like an answer to any name."""

    _seen: set[int] = field(default_factory=set)

    def is_suspect(self, url: str, page: Likeness) -> bool:
        """Take a page; true if it is odd, or says what another page of its site said."""
        marks = {hash((origin_of(url), texts)) for texts in (page.texts, page.nameless)}
        is_known = not self._seen.isdisjoint(marks)
        self._seen |= marks
        return is_known or page.is_odd


def _names_of(url: str) -> list[str]:
    """What an error page may call the address, longest first; no bare word, since pages of one form differ by it."""
    path = path_of(url).rstrip("/")
    last = path.rpartition("/")[2]
    spelt = {url, path, unquote(path), path[1:], last, unquote(last)}
    return sorted((name for name in spelt if "/" in name or "." in name), key=len, reverse=True)


def _plain(text: str, names: Iterable[str] = ()) -> str:
    for name in names:
        text = text.replace(name, "")
    return _SPACE.sub(" ", text).strip().lower()


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of the texts of both, by their length, that both have: 0 to 1."""
    total = sum(map(len, one | other))
    return sum(map(len, one & other)) / total if total else 1.0
