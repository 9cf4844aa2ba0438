"""What does a site answer to a name that does not exist? Asked at most once a site and a kind of name."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter

from webdocs.crawl.media import suffix_of
from webdocs.crawl.reading import Ask, Read
from webdocs.crawl.soft404 import Likeness, likeness_of
from webdocs.crawl.url import key_of, origin_of, path_of, sibling_of
from webdocs.model import Failed, Fetched, FetchOutcome, Request

logger = logging.getLogger(__name__)

KINDS = frozenset(("html", "htm", "php", "md", "txt"))
"""Endings that servers route by rules of their own; every other name is asked for without one."""

MAX_ATTEMPTS = 2
"""Our choice: a site that fails to answer twice is taken at its word."""


class NameProbe:
    """The answers of one crawl.

    Args:
        ask: Asks with the crawl's manners: robots.txt, spacing, address guard.
        read: Says what a body says.
    """

    def __init__(self, ask: Ask, read: Read) -> None:
        self._ask = ask
        self._read = read
        self._name = f"webdocs-no-such-page-{secrets.token_hex(6)}"
        self._answers: dict[tuple[str, str], Likeness | None] = {}
        self._attempts: Counter[tuple[str, str]] = Counter()
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}

    def known(self, url: str) -> Likeness | None:
        """What is known of the answer to an invented name beside this URL, without asking."""
        return self._answers.get(_kind_of(url))

    async def answer(self, url: str) -> Likeness | None:
        """What the site answers to an invented name beside this URL, with its ending.

        Returns:
            Its page; None if it answers as it should (404, a redirect), or if that cannot be known.
        """
        kind = _kind_of(url)
        async with self._locks.setdefault(kind, asyncio.Lock()):
            if kind not in self._answers:
                await self._learn(kind, invented_url(url, self._name))
        return self._answers.get(kind)

    async def _learn(self, kind: tuple[str, str], url: str) -> None:
        outcome = await self._ask(Request(url))
        self._attempts[kind] += 1
        if isinstance(outcome, Failed) and outcome.retryable and self._attempts[kind] < MAX_ATTEMPTS:
            return
        self._answers[kind] = await self._likeness(url, outcome)
        logger.info("name_probed url=%s is_answered=%s", url, self._answers[kind] is not None)

    async def _likeness(self, url: str, outcome: FetchOutcome) -> Likeness | None:
        # One that redirects tells its pages from its errors, if in its own way.
        if not isinstance(outcome, Fetched) or key_of(outcome.final_url) != key_of(url):
            return None
        page = (await self._read(outcome)).page
        return likeness_of(page) if page is not None else None


def invented_url(url: str, name: str) -> str:
    """A URL beside this one, in its folder and with its ending, under another name."""
    suffix = _suffix_of(url)
    return sibling_of(url, f"{name}.{suffix}" if suffix else name)


def _kind_of(url: str) -> tuple[str, str]:
    return origin_of(url), _suffix_of(url)


def _suffix_of(url: str) -> str:
    suffix = suffix_of(path_of(url))
    return suffix if suffix in KINDS else ""
