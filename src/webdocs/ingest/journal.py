"""What is written down of an outcome, so that a crawl that is broken off need not ask again?"""

from __future__ import annotations

from functools import partial

from webdocs.crawl import Reading
from webdocs.ingest.recrawl import known_links_of
from webdocs.model import CrawlStep, Failed, Fetched, FetchOutcome, Gone, KnownLinks, NotModified, Refused, Request

LINKS_COUNT_RULES = ("noindex", "index page")
"""Rules that keep a page out of the index and follow its links all the same."""


def step_of(request: Request, outcome: FetchOutcome, reading: Reading | None) -> CrawlStep:
    """The step that a settled outcome is. A page counts as indexed until its content turns out to be stored."""
    step = partial(CrawlStep, request.url, request.depth, request.parent_url)
    content_hash = reading.content_hash if reading is not None else ""
    links = _links_of(reading)
    match outcome:
        case Fetched(final_url=final_url, redirects=redirects):
            # What the store knows of a page's links does not say that its server forbids to follow them.
            own = links if reading is not None and not reading.follow else None
            return step("indexed", final_url, redirects, content_hash=content_hash, is_fetched=True, links=own)
        case NotModified(final_url=final_url):
            return step("unchanged", final_url, status=304, content_hash=content_hash, is_fetched=True)
        case Gone(status=status):
            return step("gone", request.url, status=status)
        case Failed(url=url, status=status, reason=reason):
            is_fetched = reading is not None and reading.fault != ""
            return step("failed", url, status=status, reason=reason, is_fetched=is_fetched)
        case Refused(rule=rule, reason=reason):
            final_url = outcome.final_url or request.url
            if reading is not None and reading.left_out and not reading.links:
                links = KnownLinks()
            return step("refused", final_url, rule=rule, reason=reason, is_fetched=links is not None, links=links)


def _links_of(reading: Reading | None) -> KnownLinks | None:
    """Links of a page that is not stored; None where no page came in."""
    if reading is None:
        return None
    if reading.page is None:
        return KnownLinks(reading.links)
    known = known_links_of(reading.page.links)
    return known if reading.follow else KnownLinks((), known.followed + known.unfollowed)
