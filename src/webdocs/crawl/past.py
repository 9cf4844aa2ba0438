"""What was the outcome of a step that a crawl settled before it was broken off? Without its body, which is stored."""

from __future__ import annotations

from collections.abc import Sequence

from webdocs.model import CrawlStep, Failed, Fetched, FetchOutcome, Gone, NotModified, Refused

Past = Sequence[tuple[CrawlStep, Sequence[str]]]
"""Steps in their order, each with the links to follow from it."""


def outcome_of(step: CrawlStep) -> FetchOutcome:
    """The outcome as it was settled."""
    match step.kind:
        case "unchanged" if step.status == 304:
            return NotModified(step.url, step.final_url)
        case "indexed" | "unchanged":
            return _fetched(step)
        case "gone":
            return Gone(step.url, step.status or 404)
        case "failed":
            return Failed(step.final_url, step.reason, step.status)
        case "refused":
            return Refused(step.url, step.rule, step.reason, step.final_url)


def arrival_of(step: CrawlStep) -> FetchOutcome:
    """The outcome as it came in: a page that was not taken had come in nevertheless."""
    return _fetched(step) if step.kind == "refused" and step.links is not None else outcome_of(step)


def _fetched(step: CrawlStep) -> Fetched:
    return Fetched(step.url, step.final_url, "", b"", redirects=step.redirects)
