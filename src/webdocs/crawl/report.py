"""What did a crawl come to, and how is that said to a person?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from webdocs.crawl.refusals import RefusedLinks
from webdocs.crawl.scope import LEFT_OUT
from webdocs.model import (
    CrawlOptions,
    Failed,
    Fetched,
    FetchOutcome,
    Formats,
    Gone,
    NotModified,
    PageFault,
    Refused,
)

MAX_FAULTS = 1000
"""Our choice: a report is read by people; the counts go on."""

_MAX_RULES_SHOWN = 3

Cut = Literal["", "max_pages", "max_depth", "time", "cancelled"]


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """The sum of one crawl.

    Attributes:
        start_url: As it was asked for.
        root: What became of the start URL; None if the crawl ended before that was known.
        pages_fetched: Pages handed on with a body.
        pages_unchanged: Pages that answered 304.
        pages_gone: 404 and 410.
        pages_failed: Given up, retries included.
        pages_refused: Asked for or about to be, and refused by a rule.
        pages_queued: Known and not asked for.
        requests: Pages asked for, retries included, robots.txt not.
        faults: The failed and gone pages, at most 1,000.
        refused_links: Links never asked for, by rule.
        refused_keys: Key of each of those links, to the reason.
        truncated_by: What cut the crawl; empty if nothing did.
        are_sitemaps_read: False if a sitemap could not be had now, or was not read to its end: a page that only a
            sitemap named may then be there although nothing named it this time.
        is_list: Pages that were named one by one were asked for, and no link was followed.
        rewritten: URL of each link whose origin redirects to another one, to the URL that was asked for instead.
        notes: Remarks for the user, each a sentence or two.
    """

    start_url: str
    root: FetchOutcome | None
    pages_fetched: int = 0
    pages_unchanged: int = 0
    pages_gone: int = 0
    pages_failed: int = 0
    pages_refused: int = 0
    pages_queued: int = 0
    requests: int = 0
    faults: tuple[PageFault, ...] = ()
    refused_links: tuple[RefusedLinks, ...] = ()
    refused_keys: Mapping[str, str] = field(default_factory=dict)
    truncated_by: Cut = ""
    are_sitemaps_read: bool = True
    is_list: bool = False
    rewritten: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def has_root(self) -> bool:
        """True if the start URL gave a page: without one the crawl failed (contract D7)."""
        return isinstance(self.root, Fetched | NotModified)

    @property
    def root_error(self) -> str:
        """Why the start URL gave no page; empty if it gave one, or if that is not known."""
        match self.root:
            case Failed(reason=reason) | Refused(reason=reason):
                return reason
            case Gone(status=status):
                return f"the server has no such page (status {status})"
            case _:
                return ""


def explain_cut(cut: Cut, queued: int, options: CrawlOptions) -> list[str]:
    """What was left out, and how to have it."""
    match cut:
        case "max_pages":
            remark = f"Cut at max_pages={options.max_pages}: {queued} more known pages were not asked for"
            return [f"{remark}. Raise max_pages to have them"]
        case "max_depth":
            return [f"Pages more than max_depth={options.max_depth} links from the start were left out"]
        case "time":
            remark = f"Cut after {options.time_limit_s:g} s: {queued} more known pages were not asked for"
            return [f"{remark}. Crawl again to go on: what is stored is asked for conditionally"]
        case "cancelled":
            return [f"Ended early: {queued} known pages were not asked for"]
        case _:
            return []


def explain_lone_page(refused: tuple[RefusedLinks, ...]) -> list[str]:
    """Why a crawl ended with its start page: which rule refused how many links, of the page and of the sitemaps."""
    if not refused:
        return []
    total = sum(rule.count for rule in refused)
    rules = "; ".join(f"{rule.count} by {rule.reason}" for rule in refused[:_MAX_RULES_SHOWN])
    return [f"Only the start page was taken, and {total} links were refused: {rules}"]


def explain_unstored(pages: Counter[str]) -> list[str]:
    """How many pages were read and not stored, by the reason."""
    counted = [f"{number} by {reason}" for reason, number in pages.most_common()]
    return [f"Pages read and not stored: {' | '.join(counted)}"] if counted else []


def explain_left_out(refused: tuple[RefusedLinks, ...]) -> list[str]:
    """Which kinds of pages the default excludes kept out, and how to have them."""
    kinds = [f"{rule.count} by the rule {rule.rule!r}" for rule in refused if f": {LEFT_OUT}" in rule.reason]
    return [f"Links left out by default: {', '.join(kinds)}. Start at such a page to have its kind"] if kinds else []


def explain_unread(refused: tuple[RefusedLinks, ...], formats: Formats) -> list[str]:
    """Which links lead to files that an extra would read, and how to have it."""
    counts: Counter[str] = Counter()
    for rule in refused:
        if rule.rule == "type" and (remedy := rule.reason.rpartition("; ")[2]) in formats.missing.values():
            counts[remedy] += rule.count
    return [f"{count} links to such files were left out: {remedy}" for remedy, count in counts.items()]
