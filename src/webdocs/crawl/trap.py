"""Does a site invent URLs without end?

Three marks of it. A run of path segments that comes three times in a row: a relative link without its leading slash,
on a site that answers any path, nests for ever (`/a/b/a/b/a/b/...`). And URLs that differ in their digits alone,
whose pages bring no new text any more: a calendar has a next month for ever, while numbered documents go on saying
new things. And pages that each say what the page that led to them says.
"""

from __future__ import annotations

import re
import zlib
from collections import deque
from dataclasses import dataclass, field

from webdocs.crawl.url import normalise_percent, path_of, strip_fragment

MAX_REPEATS = 2
"""Our choice, after reports of such traps: twice is found in real paths (`/2011/11/11/`, `/pkg/pkg/`), a third time
is not."""


def judge_repeats(url: str) -> str:
    """Why the URL is a trap's; empty if it is none. Empty segments count, the slash at the end does not."""
    segments = normalise_percent(path_of(url)).removesuffix("/").split("/")[1:]
    if len(segments) - len(set(segments)) < MAX_REPEATS or not _has_repeats(segments):
        return ""
    return "trap: parts of the path come three times in a row; such links go on for ever and are not followed"


def _has_repeats(segments: list[str]) -> bool:
    return any(_repeats_at(segments, run) for run in range(1, len(segments) // (MAX_REPEATS + 1) + 1))


def _repeats_at(segments: list[str], run: int) -> bool:
    """True if some run of that many segments is followed by itself often enough."""
    equal = 0
    for here, later in zip(segments, segments[run:], strict=False):
        equal = equal + 1 if here == later else 0
        if equal >= run * MAX_REPEATS:
            return True
    return False


# ---------------------------------------------------------------- URLs that differ in their digits alone

PATTERN_WINDOW_PAGES = 50
LEAST_NEW_SHARE = 0.2
"""Our choice: of the last 50 pages of a pattern, ten must have said something new. A calendar that names its months
says new things twelve times."""

_DIGITS = re.compile(r"[0-9]+")
_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)
_TEXT = re.compile(rb"(?:^|>)([^<>]{8,})")
_MAX_TEXT_BYTES = 512 * 1024
_SEEN_BITS = 1 << 23
"""Our choice: 1 MB whatever the crawl's length; at 1,000,000 texts every eighth new one is taken for known, and a page
counts as new by any one of its texts."""


@dataclass(slots=True)
class NumberedPages:
    """What one crawl saw of pages whose URLs hold digits."""

    _seen: bytearray = field(default_factory=lambda: bytearray(_SEEN_BITS // 8))
    _windows: dict[str, deque[bool]] = field(default_factory=dict)
    _closed: set[str] = field(default_factory=set)

    def note_page(self, url: str, body: bytes) -> None:
        """Take a page; of one without digits in its URL nothing is kept."""
        if (pattern := _pattern_of(url)) and pattern not in self._closed:
            self.note_text(url, is_new=self._has_new_text(body))

    def note_text(self, url: str, *, is_new: bool) -> None:
        """Take the verdict whether a page's text is new to the crawl."""
        if not (pattern := _pattern_of(url)):
            return
        window = self._windows.setdefault(pattern, deque(maxlen=PATTERN_WINDOW_PAGES))
        window.append(is_new)
        if len(window) == PATTERN_WINDOW_PAGES and sum(window) < LEAST_NEW_SHARE * PATTERN_WINDOW_PAGES:
            self._closed.add(pattern)

    def judge(self, url: str) -> str:
        """Why the URL is not worth asking for; empty if it may be."""
        if self._closed and _pattern_of(url) in self._closed:
            return "trap: numbered pages that have stopped to bring new text; start a crawl at one to have more"
        return ""

    def _has_new_text(self, body: bytes) -> bool:
        """True if any text of some length, its digits aside, was on no page before."""
        is_new = False
        for text in _TEXT.finditer(body[:_MAX_TEXT_BYTES].translate(_ZEROS)):
            byte, bit = divmod(zlib.crc32(text[1].strip()) % _SEEN_BITS, 8)
            is_new = is_new or not self._seen[byte] >> bit & 1
            self._seen[byte] |= 1 << bit
        return is_new


def _pattern_of(url: str) -> str:
    """The URL with each number as one 0; empty if it holds none."""
    plain = strip_fragment(url)
    path = plain[plain.find("/", plain.find("//") + 2) :]
    return plain[: -len(path)] + _DIGITS.sub("0", path) if _DIGITS.search(path) else ""


# ---------------------------------------------------------------- pages that say what their parents say

MAX_EQUAL_PAGES = 3
"""Our choice: a page, and two more down its branch, may say the same (stubs do); a catch-all route does for ever."""


@dataclass(slots=True)
class Branches:
    """How often in a row the pages of a branch say the same, from parent to child."""

    _runs: dict[str, tuple[str, int]] = field(default_factory=dict)
    _ended: set[str] = field(default_factory=set)

    def note_page(self, key: str, parent_key: str, content_hash: str) -> None:
        """Take a page and the one that led to it."""
        if not content_hash or key in self._runs:
            return
        before, run = self._runs.get(parent_key, ("", 0))
        run = run + 1 if before == content_hash else 1
        self._runs[key] = (content_hash, run)
        if run >= MAX_EQUAL_PAGES:
            self._ended.add(key)

    def judge(self, key: str) -> str:
        """Why the links of a page are not followed; empty if they are."""
        if key not in self._ended:
            return ""
        return f"trap: {MAX_EQUAL_PAGES} pages, each linked from the one before, say the same; the branch ends there"
