"""What does a page say, as far as the crawl must know before the page is stored?"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from webdocs.model import Failed, Fetched, FetchOutcome, NotModified, Page, Refused, Request

OTHER_URL_RULES = ("duplicate", "canonical", "refresh")
"""Rules that refuse a URL because another one stands for its page."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a body says, or what is stored of a page whose body did not come in.

    Attributes:
        page: What extraction made of the body; None if nothing was extracted.
        parts: The pages of which the body consists, where it holds several; each has its own URL.
        links: The links to follow, absolute or relative to the page's final URL.
        canonical: The URL that the page names as its own, absolute; empty if it names none.
        alternate: Where the page says that its Markdown is, absolute; empty if it does not.
        refresh: Where a page without content of its own leads by itself (meta refresh); empty otherwise.
        content_hash: Hash of what would be indexed; empty if there is nothing.
        index: False if the page asks not to be indexed.
        follow: False if the page asks that none of its links be followed; `links` is empty then.
        left_out: Why the crawl does not store the page although it could, as `rule: why; what to do`; empty if it does.
        fault: Why there is nothing to index; empty if there is something.
    """

    page: Page | None = None
    parts: tuple[Page, ...] = ()
    links: tuple[str, ...] = ()
    canonical: str = ""
    alternate: str = ""
    refresh: str = ""
    content_hash: str = ""
    index: bool = True
    follow: bool = True
    left_out: str = ""
    fault: str = ""


Ask = Callable[[Request], Awaitable[FetchOutcome]]
"""Gets one URL with the crawl's manners: robots.txt, pace, address guard."""

Read = Callable[[Fetched], Awaitable[Reading]]
"""Extracts a body. What cannot be extracted is a `Reading` with a fault; what it raises ends the crawl."""

Recall = Callable[[str], Reading | None]
"""What is stored of the page under a URL; None if no page is. It plays the reading's part for a page that is
unchanged, and its links for one that failed."""


def judge_reading(outcome: Fetched | NotModified, reading: Reading | None) -> FetchOutcome:
    """What a page is by what it says itself."""
    if isinstance(outcome, NotModified):
        # Validators went with a stored page's own URL only, so nothing else can be "not modified".
        unasked = Failed(outcome.url, "the server answers 304 to what was not asked so", 304)
        return outcome if reading is not None else unasked
    if reading is not None and reading.fault:
        return Failed(outcome.final_url, reading.fault, outcome.status)
    if reading is not None and not reading.index:
        return Refused(outcome.url, "noindex", "the page asks not to be indexed", outcome.final_url)
    if reading is not None and reading.left_out:
        rule, _, reason = reading.left_out.partition(": ")
        return Refused(outcome.url, rule, reason, outcome.final_url)
    return outcome


def has_other_url(settled: FetchOutcome) -> bool:
    """True if another URL stands for the page, or may come to."""
    return isinstance(settled, Refused) and settled.rule in ("duplicate", "canonical")
