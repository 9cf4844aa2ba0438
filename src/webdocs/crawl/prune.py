"""Which stored pages may go after a crawl, and why? Decided from what the crawl saw; nothing is asked or deleted here.

A page goes only for a reason that can be said (contract D6): its server says twice that it is gone, or a complete
crawl found no way to it any more. Whatever is less than that keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

SightKind = Literal["present", "gone", "gone_twice", "failed", "refused", "moved"]


@dataclass(frozen=True, slots=True)
class Sight:
    """What a crawl saw of one page; `detail` says more in words.

    Attributes:
        kind: `present` is 200 or 304; `gone` is 404 or 410 once, `gone_twice` also when asked again at the
            crawl's end; `failed` is no usable answer; `refused` was not asked or not taken, by a rule; `moved` has
            another page in its place, by a redirect or by its content, that holds what it holds.
        detail: The status, the reason, the rule, or where it moved.
    """

    kind: SightKind
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one crawl knows at its end. Pages are named by their ids.

    Attributes:
        sights: Page to what was seen of it; a page that was never asked for is absent.
        linked: Pages to which the pages that are present link.
        links_of: The stored links of a page, which count while its present ones are not known.
        root_error: Why the start page gave nothing; empty if it gave a page.
        cut_by: What left pages out of the crawl, in words; empty if it was complete.
    """

    sights: Mapping[str, Sight] = field(default_factory=dict)
    linked: Collection[str] = frozenset()
    links_of: Callable[[str], Iterable[str]] = lambda _page_id: ()
    root_error: str = ""
    cut_by: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Keep a page or delete it, with the reason in words."""

    page_id: str
    is_kept: bool
    reason: str


def judge_pages(known: Collection[str], evidence: Evidence) -> tuple[Verdict, ...]:
    """A verdict on each stored page of a source.

    Args:
        known: Ids of all pages that were stored before the crawl.
        evidence: What the crawl saw.
    """
    reached = _reach(known, evidence)
    return tuple(_judge(page_id, evidence, is_linked=page_id in reached) for page_id in known)


def _judge(page_id: str, evidence: Evidence, *, is_linked: bool) -> Verdict:
    sight = evidence.sights.get(page_id)
    if evidence.root_error:
        return _keep(page_id, f"the start page could not be had: {evidence.root_error}")
    match sight:
        case Sight("gone_twice", detail):
            return _delete(page_id, f"gone: {detail}, again when asked a second time at the end of the crawl")
        case Sight("present"):
            return _keep(page_id, "it is there")
        case Sight("gone", detail):
            return _keep(page_id, f"{detail}, but that was not confirmed at the end of the crawl")
        case Sight("failed", detail):
            return _keep(page_id, f"it could not be fetched: {detail}")
        case Sight("refused", detail):
            return _keep(page_id, f"it was not fetched: {detail}")
    if evidence.cut_by:
        return _keep(page_id, f"it was not reached, and the crawl was not complete: {evidence.cut_by}")
    if sight is not None:
        return _delete(page_id, f"moved: {sight.detail} stands for it and holds the same content")
    if is_linked:
        return _keep(page_id, "a page still links to it")
    return _delete(page_id, "no page links to it any more")


def _reach(known: Collection[str], evidence: Evidence) -> set[str]:
    """Stored pages to which a link leads, from a page that is present or from one that is kept unread."""
    stored = set(known)
    reached = stored.intersection(evidence.linked)
    unread = [page_id for page_id in known if _is_unread(page_id, evidence, reached)]
    seen = set(unread)
    while unread:
        for target in evidence.links_of(unread.pop()):
            if target in stored:
                reached.add(target)
                if target not in seen and _is_unread(target, evidence, reached):
                    seen.add(target)
                    unread.append(target)
    return reached


def _is_unread(page_id: str, evidence: Evidence, reached: Collection[str]) -> bool:
    """True if the page stays although its links of today are not known."""
    sight = evidence.sights.get(page_id)
    return page_id in reached if sight is None else sight.kind in ("gone", "failed", "refused")


def _keep(page_id: str, reason: str) -> Verdict:
    return Verdict(page_id, True, reason)


def _delete(page_id: str, reason: str) -> Verdict:
    return Verdict(page_id, False, reason)
