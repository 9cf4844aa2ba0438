"""Is this page one that the crawl has under another URL? Decided on proof, and the same way in every crawl.

A page yields to the URL that it names as canonical, and to one that holds the same content (`twin.py`). Where that
other URL is still to be asked for, the page waits for it: it counts as refused, and is asked for anew should the other
one turn out to be no page, or to hold something else. See docs/decisions/0008-one-page-many-urls.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from webdocs.crawl.canonical import judge_canonical
from webdocs.crawl.reading import Reading
from webdocs.crawl.twin import Twins, form_of
from webdocs.crawl.url import key_of
from webdocs.model import Fetched, NotModified, Refused, Request

MAX_LED_BACK = 3
"""Our choice: a site whose canonical form does not answer for three pages is not asked for that form any more."""

Offer = Callable[[str, Request], bool]
"""Queues a URL at the place of a request; true if its answer is still to come."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A request to be made anew if the awaited page does not stand for it.

    Attributes:
        request: Under the page's final URL.
        content_hash: What the awaited page must hold; empty if the page named it as canonical.
    """

    request: Request
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class _Landed:
    """What a URL came to: the page that stands for it; empty without one."""

    page_url: str = ""
    content_hash: str = ""


class Identity:
    """Which URL stands for which page in one crawl.

    Args:
        root_url: Where the crawl starts.
        stored: URL to content hash of what was stored before.
    """

    def __init__(self, root_url: str, stored: Mapping[str, str]) -> None:
        self._root_url = root_url
        self._twins = Twins(stored)
        self._landed: dict[str, _Landed] = {}
        self._waiting: dict[str, list[_Waiting]] = {}
        self._aliases: dict[str, list[str]] = {}
        self._on_its_own: set[str] = set()
        self._led_back = 0
        self._freed: list[Request] = []

    def is_stored(self, key: str) -> bool:
        """True if a page was stored under this key before the crawl."""
        return self._twins.is_stored(key)

    def take_freed(self) -> list[Request]:
        """Pages that were refused and are to be asked for anew."""
        freed, self._freed = self._freed, []
        return freed

    def judge(self, request: Request, page: Fetched | NotModified, reading: Reading, offer: Offer) -> Refused | None:
        """Why a page is none of its own; None if it is."""
        url, key = page.final_url, key_of(page.final_url)
        self._twins.note_seen(key)
        refused = self._judge_canonical(request, url, reading, offer)
        refused = refused or self._judge_twin(request, url, reading.content_hash, offer)
        if refused is None:
            self._land((request.url, url), _Landed(url, reading.content_hash))
        return refused

    def note_absent(self, urls: Iterable[str]) -> None:
        """No page stands under these URLs."""
        self._land(urls, _Landed())

    def note_kept(self, url: str) -> None:
        """A page was not taken: what is stored of it stays, if anything is."""
        content_hash = self._twins.stored_hash(key_of(url))
        self._land((url,), _Landed(url, content_hash) if content_hash else _Landed())

    def note_alias(self, url: str, page_url: str, *, is_coming: bool) -> None:
        """A URL redirects to another one that was asked for already.

        Args:
            url: The one that redirects.
            page_url: Where it leads.
            is_coming: That page has arrived, and is being read.
        """
        if is_coming:
            self._aliases.setdefault(key_of(page_url), []).append(url)
        else:
            self._land((url,), self._landed.get(key_of(page_url), _Landed()))

    def wait_on(self, url: str, request: Request) -> None:
        """A request waits for another URL, whatever that one holds; nothing if it is settled already."""
        if key_of(url) not in self._landed:
            self._wait_for(url, _Waiting(request))

    # ------------------------------------------------------------ proof

    def _judge_canonical(self, request: Request, url: str, reading: Reading, offer: Offer) -> Refused | None:
        key = key_of(url)
        target = judge_canonical(url, reading.canonical, self._root_url) if reading.canonical else ""
        if not target or key in self._on_its_own or self._is_doubtful(url, target):
            return None
        named_by = [waiting for waiting in self._waiting.get(key, ()) if not waiting.content_hash]
        # Who is named as canonical and names another one proves nothing.
        self._free(self._waiting.pop(key, ()))
        if key_of(target) in (key_of(waiting.request.url) for waiting in named_by):
            self._on_its_own.add(key)
            return None
        standing = self._landed.get(key_of(target))
        if standing is None:
            if not offer(target, request):
                return None
            self._wait_for(target, _Waiting(replace(request, url=url)))
        elif key_of(standing.page_url or url) == key:
            return None
        self._land((url,), _Landed())
        final_url = standing.page_url if standing else target
        return Refused(request.url, "canonical", f"it names {target} as its canonical URL", final_url)

    def _is_doubtful(self, url: str, target: str) -> bool:
        return self._led_back >= MAX_LED_BACK and form_of(url) == form_of(target)

    def _judge_twin(self, request: Request, url: str, content_hash: str, offer: Offer) -> Refused | None:
        if not content_hash:
            return None
        twin = self._twins.find_standing(url, content_hash)
        for stored in () if twin else self._twins.find_unseen(url, content_hash):
            if offer(stored, request):
                self._wait_for(stored, _Waiting(replace(request, url=url), content_hash))
                return _duplicate(request, stored)
            if key_of(stored) not in self._landed:
                # Not to be asked for now, so it stays as it is stored.
                self.note_kept(stored)
            twin = twin or self._twins.find_standing(url, content_hash)
        if not twin:
            return None
        self._land((request.url, url), _Landed(twin, content_hash))
        return _duplicate(request, twin)

    # ------------------------------------------------------------ waiting

    def _wait_for(self, url: str, waiting: _Waiting) -> None:
        self._waiting.setdefault(key_of(url), []).append(waiting)

    def _land(self, urls: Iterable[str], landed: _Landed) -> None:
        """It is settled what these URLs came to, and so what becomes of the pages that waited for them."""
        for url in dict.fromkeys(map(key_of, urls)):
            self._landed[url] = landed
            self._twins.note_seen(url)
            if url == (landed.page_url and key_of(landed.page_url)):
                self._twins.note_page(landed.page_url, landed.content_hash)
            for waiting in self._waiting.pop(url, ()):
                self._end_wait(waiting, landed)
            self._land(self._aliases.pop(url, ()), landed)

    def _end_wait(self, waiting: _Waiting, landed: _Landed) -> None:
        if not landed.page_url or waiting.content_hash not in ("", landed.content_hash):
            self._free([waiting])
        elif waiting.content_hash:
            self._land((waiting.request.url,), landed)

    def _free(self, all_waiting: Iterable[_Waiting]) -> None:
        for waiting in all_waiting:
            if not waiting.content_hash:
                self._on_its_own.add(key_of(waiting.request.url))
                self._led_back += 1
            self._landed.pop(key_of(waiting.request.url), None)
            self._freed.append(waiting.request)


def _duplicate(request: Request, twin: str) -> Refused:
    return Refused(request.url, "duplicate", f"{twin} holds the same content", twin)
