"""Where does a crawl stand? The counters of one job while it runs, and the record that they make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from webdocs.model import Job, JobStatus, PageFault, PrunedPage, Refused, SkippedUrls

MAX_FAULTS = 200
"""Our choice: faults, and deletions, listed by name; `pages_failed` and `pages_pruned` count them all."""


MAX_PAGE_IDS = 200
"""The most pages of a submission (contract E), whose answer lists them all."""

MAX_REASONS = 20
"""Our choice: rules that are told apart; what further ones keep out is counted together."""

MAX_EXAMPLES = 3
"""Our choice: enough to see what a rule keeps out."""

_OTHER = "other rules"


class Progress:
    """Counts what happens to the pages of one job. Used by the job's thread alone."""

    def __init__(self, job: Job) -> None:
        """Start from a pending job."""
        self._job = job
        self._faults: list[PageFault] = []
        self._skipped: dict[str, SkippedUrls] = {}

    @property
    def job(self) -> Job:
        """The record as it stands."""
        return self._job

    def start(self, now: datetime) -> None:
        """The job runs. What it did before it was broken off is counted anew, but for deletions: those are done."""
        self._job = replace(
            self._job,
            status="running",
            started_at=self._job.started_at or now,
            pages_crawled=0,
            pages_fetched=0,
            pages_gone=0,
            pages_indexed=0,
            pages_unchanged=0,
            pages_failed=0,
            pages_skipped=0,
            chunks_indexed=0,
            faults=(),
            skipped=(),
            page_ids=(),
            cut_by="",
        )

    def count_crawled(self, queued: int, *, is_fetched: bool) -> None:
        """A URL came to something; `queued` are waiting."""
        self._job = replace(
            self._job,
            pages_crawled=self._job.pages_crawled + 1,
            pages_fetched=self._job.pages_fetched + is_fetched,
            pages_queued=queued,
        )

    def count_indexed(self, page_ids: Sequence[str], chunks: int) -> None:
        """A batch was committed."""
        self._job = replace(
            self._job,
            pages_indexed=self._job.pages_indexed + len(page_ids),
            chunks_indexed=self._job.chunks_indexed + chunks,
            page_ids=(*self._job.page_ids, *page_ids)[:MAX_PAGE_IDS],
        )

    def count_unchanged(self, page_ids: Sequence[str]) -> None:
        """Pages came in as they are stored."""
        self._job = replace(
            self._job,
            pages_unchanged=self._job.pages_unchanged + len(page_ids),
            page_ids=(*self._job.page_ids, *page_ids)[:MAX_PAGE_IDS],
        )

    def add_skipped(self, skipped: Iterable[SkippedUrls]) -> None:
        """A rule kept URLs out."""
        for more in skipped:
            reason = more.reason if more.reason in self._skipped or len(self._skipped) < MAX_REASONS else _OTHER
            known = self._skipped.get(reason, SkippedUrls(reason, 0))
            examples = (*known.examples, *more.examples)[:MAX_EXAMPLES]
            self._skipped[reason] = SkippedUrls(reason, known.count + more.count, examples)
        rows = sorted(self._skipped.values(), key=lambda row: -row.count)
        self._job = replace(self._job, pages_skipped=sum(row.count for row in rows), skipped=tuple(rows))

    def add_fault(self, fault: PageFault, *, is_gone: bool = False) -> None:
        """A page failed."""
        if len(self._faults) < MAX_FAULTS:
            self._faults.append(fault)
        self._job = replace(
            self._job,
            pages_failed=self._job.pages_failed + 1,
            pages_gone=self._job.pages_gone + is_gone,
            faults=tuple(self._faults),
        )

    def add_pruned(self, pruned: Sequence[PrunedPage]) -> None:
        """Stored pages were deleted."""
        self._job = replace(
            self._job,
            pages_pruned=self._job.pages_pruned + len(pruned),
            pruned=(*self._job.pruned, *pruned)[:MAX_FAULTS],
        )

    def end(
        self, status: JobStatus, now: datetime, error: str = "", notes: tuple[str, ...] = (), cut_by: str = ""
    ) -> None:
        """The job is over."""
        self._job = replace(
            self._job, status=status, ended_at=now, error=error, notes=notes, cut_by=cut_by, pages_queued=0
        )


def skipped_of(refused: Refused) -> SkippedUrls:
    """What a refused page counts as: by its rule, since its reason may name the page itself."""
    match refused.rule:
        case "duplicate":
            reason = "duplicate: another URL leads to the same page"
        case "scope":
            reason = refused.reason  # a constant sentence a rule
        case rule:
            reason = f"{rule}: {refused.reason}"
    return SkippedUrls(reason, 1, (refused.url,))
