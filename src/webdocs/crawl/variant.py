"""Which query parameters of a site change nothing? Learned from pages, never assumed (faults B15, B16)."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from webdocs.crawl.url import key_of
from webdocs.model import Request

ENOUGH_VARIANTS = 3
"""Fault B15: three URLs that differ in one parameter alone and hold the same show that it does not count."""

MAX_PAIRS = 8
"""Our choice: each pair costs a record a page, and of pages with longer queries there are as many as of traps."""


@dataclass(slots=True)
class _Group:
    """URLs that differ in one parameter alone."""

    content_hash: str
    keys: set[str]


@dataclass(slots=True)
class QueryVariants:
    """What one crawl learned about the query parameters of its site."""

    _groups: dict[tuple[str, str], _Group] = field(default_factory=dict)
    _idle: set[str] = field(default_factory=set)
    _counting: set[str] = field(default_factory=set)
    _taken: set[tuple[str, str]] = field(default_factory=set)
    _left: dict[str, list[Request]] = field(default_factory=dict)

    def note_page(self, key: str, content_hash: str) -> tuple[str, ...]:
        """Take a page by its key; answers parameters that were thought idle until now, and are not."""
        if "?" not in key or not content_hash or key.count("&") >= MAX_PAIRS:
            return ()
        return tuple(name for name in _names_of(key) if self._note(name, key, content_hash))

    def _note(self, name: str, key: str, content_hash: str) -> bool:
        if name in self._counting:
            return False
        group = self._groups.setdefault((name, _without(key, name)), _Group(content_hash, set()))
        if group.content_hash != content_hash:
            if group.keys == {key}:
                group.content_hash = content_hash
                return False
            self._counting.add(name)
            self._groups = {about: each for about, each in self._groups.items() if about[0] != name}
            was_idle = name in self._idle
            self._idle.discard(name)
            return was_idle
        if len(group.keys) < ENOUGH_VARIANTS:
            group.keys.add(key)
        if len(group.keys) == ENOUGH_VARIANTS:
            self._idle.add(name)
        return False

    def judge(self, request: Request, known: Iterable[Container[str]], *, is_queued: bool) -> str:
        """Why a link is not worth asking for; empty if it is.

        Args:
            request: The link.
            known: Collections of keys whose pages need no variant.
            is_queued: It was taken before; only a page that came in meanwhile speaks against it.
        """
        name, rest = self._find_idle(key_of(request.url))
        if not name:
            return ""
        is_seen = (name, rest) in self._groups or any(rest in keys for keys in known)
        if not is_seen and (is_queued or (name, rest) not in self._taken):
            self._taken.add((name, rest))
            return ""
        self._left.setdefault(name, []).append(request)
        return f"variant: the parameter {name} does not change what a page says"

    def take_left(self, name: str) -> list[Request]:
        """The links that were left out for a parameter."""
        return self._left.pop(name, [])

    def _find_idle(self, key: str) -> tuple[str, str]:
        """A parameter of the key that changes nothing, and the key without it; both empty without one."""
        if self._idle and "?" in key:
            for name in self._idle.intersection(_names_of(key)):
                return name, _without(key, name)
        return "", ""


def _names_of(key: str) -> dict[str, None]:
    return dict.fromkeys(pair.partition("=")[0] for pair in key.partition("?")[2].split("&"))


def _without(key: str, name: str) -> str:
    head, _, query = key.partition("?")
    rest = "&".join(pair for pair in query.split("&") if pair.partition("=")[0] != name)
    return f"{head}?{rest}" if rest else head
