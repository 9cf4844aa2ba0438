"""Where does a crawl stand? The counters of one job while it runs, and the record that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from webdocs.model import Job, JobStatus, PageFault, PrunedPage

MAX_FAULTS = 200
"""Our choice: faults, and deletions, listed by name; `pages_failed` and `pages_pruned` count them all."""


class Progress:
    """Counts what happens to the pages of one job. Used by the job's thread alone."""

    def __init__(self, job: Job) -> None:
        """Start from a pending job."""
        self._job = job
        self._faults: list[PageFault] = []

    @property
    def job(self) -> Job:
        """The record as it stands."""
        return self._job

    def start(self, now: datetime) -> None:
        """The job runs."""
        self._job = replace(self._job, status="running", started_at=now)

    def count_crawled(self, queued: int) -> None:
        """A page came in; `queued` are waiting."""
        self._job = replace(self._job, pages_crawled=self._job.pages_crawled + 1, pages_queued=queued)

    def count_indexed(self, pages: int, chunks: int) -> None:
        """A batch was committed."""
        self._job = replace(
            self._job,
            pages_indexed=self._job.pages_indexed + pages,
            chunks_indexed=self._job.chunks_indexed + chunks,
        )

    def count_unchanged(self, pages: int) -> None:
        """Pages came in as they are stored."""
        self._job = replace(self._job, pages_unchanged=self._job.pages_unchanged + pages)

    def count_skipped(self) -> None:
        """A page was not asked for or not taken, as a rule says."""
        self._job = replace(self._job, pages_skipped=self._job.pages_skipped + 1)

    def add_fault(self, fault: PageFault) -> None:
        """A page failed."""
        if len(self._faults) < MAX_FAULTS:
            self._faults.append(fault)
        self._job = replace(self._job, pages_failed=self._job.pages_failed + 1, faults=tuple(self._faults))

    def add_pruned(self, pruned: Sequence[PrunedPage]) -> None:
        """Stored pages were deleted."""
        self._job = replace(
            self._job,
            pages_pruned=self._job.pages_pruned + len(pruned),
            pruned=(*self._job.pruned, *pruned)[:MAX_FAULTS],
        )

    def end(self, status: JobStatus, now: datetime, error: str = "", notes: tuple[str, ...] = ()) -> None:
        """The job is over."""
        self._job = replace(self._job, status=status, ended_at=now, error=error, notes=notes, pages_queued=0)
