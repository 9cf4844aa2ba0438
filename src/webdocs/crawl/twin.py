"""Which other URLs may name the same page, and does one of them hold the same content?

Scheme, `www.`, an index file's name, a slash at the end and the case of the path say little about which page is meant,
but some sites mean them: two such URLs stay two pages until their content is the same. The same holds for queries,
and for a page below another one that says what that one says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webdocs.crawl.url import key_of

INDEX_NAMES = frozenset(("index.html", "index.htm", "index.php", "default.html", "readme.html"))
"""What servers answer for a folder (case-folded); the same content must show it."""


def form_of(url: str) -> str:
    """What two URLs of one page have in common if they differ in scheme, `www.`, index name, slash and case alone."""
    head, mark, query = key_of(url).partition("?")
    place = head.partition("://")[2].removeprefix("www.").lower()
    folder, _, name = place.rpartition("/")
    return f"{folder if name in INDEX_NAMES or not name else place}{mark}{query}"


def place_of(url: str) -> str:
    """The form without the query: host and path."""
    return form_of(url).partition("?")[0]


class Twins:
    """The pages of one crawl by their content, and the stored ones that it has not seen yet.

    Args:
        stored: URL of each page that was stored before the crawl, to its content hash.
    """

    def __init__(self, stored: Mapping[str, str]) -> None:
        self._stored = {key_of(url): (url, content_hash) for url, content_hash in stored.items()}
        self._unseen = dict.fromkeys(self._stored)
        self._standing: dict[tuple[str, str], str] = {}
        self._by_content: dict[tuple[str, str], list[str]] = {}
        self._by_form: dict[str, list[str]] = {}
        for key, (url, content_hash) in self._stored.items():
            self._by_content.setdefault((place_of(url), content_hash), []).append(key)
            self._by_form.setdefault(form_of(url), []).append(key)

    def is_stored(self, key: str) -> bool:
        """True if a page was stored under this key."""
        return key in self._stored

    def stored_hash(self, key: str) -> str:
        """Content hash of the stored page; empty if none is stored."""
        return self._stored[key][1] if key in self._stored else ""

    def note_page(self, url: str, content_hash: str) -> None:
        """A URL names a page of this content."""
        if content_hash:
            self._standing.setdefault((place_of(url), content_hash), url)

    def note_seen(self, key: str) -> None:
        """It is known what became of a URL."""
        self._unseen.pop(key, None)

    def find_standing(self, url: str, content_hash: str) -> str:
        """The URL of a page that holds the same; empty without one.

        A stored page yields to no page above it: which of the two comes first may differ from crawl to crawl.
        """
        place = place_of(url)
        places = (place,) if key_of(url) in self._stored else _upward(place)
        for each in places:
            twin = self._standing.get((each, content_hash))
            if twin is not None and key_of(twin) != key_of(url):
                return twin
        return ""

    def find_unseen(self, url: str, content_hash: str) -> list[str]:
        """Stored pages that a page which is not stored waits for: they held the same, or differ in form alone."""
        if not self._unseen or key_of(url) in self._stored:
            return []
        keys = [key for place in _upward(place_of(url)) for key in self._by_content.get((place, content_hash), ())]
        keys += self._by_form.get(form_of(url), ())
        return [self._stored[key][0] for key in dict.fromkeys(keys) if key in self._unseen]


def _upward(place: str) -> Iterator[str]:
    """The place and those above it, the nearest first."""
    while place:
        yield place
        place = place.rpartition("/")[0]
