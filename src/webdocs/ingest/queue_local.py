"""Jobs in this process: worker threads, each with an event loop of its own for the crawl it runs."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime

from webdocs.errors import UnknownNameError, WebdocsError
from webdocs.ingest.job import Tools, run_job
from webdocs.ingest.site import with_pages
from webdocs.model import Job, JobStatus, Source

logger = logging.getLogger(__name__)

WORKERS = 2
"""Crawls at once. One alone would let a slow site hold up all others; more would only share two cores."""

SAVE_SECONDS = 1.0
"""Least time between two writes of a running job's record; each step is in memory at once."""


MAX_DEATHS = 3
"""Our choice: how often in a row the process may die with a job that settles no page more. Once is chance, twice may
be; a page that ends the process does so each time."""


class LocalQueue:
    """`JobQueue` on threads. Jobs are kept in the store; a running one is newer in memory.

    A job that its process left unfinished, dying or in good order, is interrupted. The newest of its source goes on
    from what it has settled when `resume` is called, or when its source is submitted again.
    """

    def __init__(self, tools: Tools) -> None:
        """Take what every job works with, and find out what the last process left."""
        self._tools = tools
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="webdocs-job")
        self._changed = threading.Condition()
        self._live: dict[str, _LiveJob] = {}
        self._is_closing = False
        self._left = self._find_left()

    def submit(self, source: Source, *, is_changed: bool = False) -> Job:
        """Queue a crawl; a source that is already queued or running answers that job, an interrupted one goes on."""
        with self._changed:
            for live in self._live.values():
                if (live.job.source_id, live.job.url) == (source.source_id, source.root_url):
                    return live.job
            left = self._take_left(source)
            if left is not None and not is_changed:
                return self._start(source, self._resumed(left))
            job_id = uuid.uuid4().hex[:12]
            if left is not None:
                replaced = f"Replaced by job {job_id}: the site was added again with other options"
                self._tools.store.save_job(replace(left, status="cancelled", notes=(*left.notes, replaced)))
            job = Job(job_id, source.source_id, source.site, source.version, source.root_url, "pending", self._now())
            return self._start(source, job)

    def resume(self) -> tuple[Job, ...]:
        """Let every interrupted job go on whose source is still there; answers them."""
        sources = {source.source_id: source for source in self._tools.store.sources()}
        with self._changed:
            left = [job for job in self._left.values() if job.source_id in sources]
        resumed = tuple(self.submit(self._as_crawled(sources[job.source_id], job)) for job in left)
        for job in resumed:
            logger.info("job_resumed id=%s url=%s settled=%d", job.job_id, job.url, job.resumed_from)
        return resumed

    def _as_crawled(self, source: Source, job: Job) -> Source:
        """The source as the job was crawling it: of pages that were submitted one by one, its page or all of them."""
        if source.options.pages is None:
            return source
        if job.url != source.root_url:
            return replace(with_pages(source, [job.url]), root_url=job.url)
        return with_pages(source, [page.url for page in self._tools.store.known_pages(source.source_id)])

    def _start(self, source: Source, job: Job) -> Job:
        self._tools.store.save_job(job)
        self._live[job.job_id] = _LiveJob(job)
        self._pool.submit(self._run, source, job.job_id)
        return job

    def _find_left(self) -> dict[tuple[str, str], Job]:
        """The newest job of each source and URL, if it was interrupted. Those of a dead process are marked first."""
        newest: dict[tuple[str, str], Job] = {}
        for job in self._tools.store.jobs(limit=sys.maxsize):
            settled = job if job.has_ended else self._interrupt(job)
            newest.setdefault((job.source_id, job.url), settled)
        return {place: job for place, job in newest.items() if job.status == "interrupted"}

    def _interrupt(self, job: Job) -> Job:
        """Mark a job that a dead process left; one that was dying with it again and again has failed."""
        deaths = job.deaths
        if job.status == "running":
            has_progress = len(self._tools.store.steps(job.job_id)) > job.resumed_from
            deaths = 0 if has_progress else job.deaths + 1
        marked = replace(_ended(job, "interrupted", self._now()), deaths=deaths)
        if deaths >= MAX_DEATHS:
            what = f"The process ended {deaths} times in a row while this job ran, and no page more was settled"
            marked = replace(marked, status="failed", error=f"{what}. See the log; `webdocs update` starts anew.")
        self._tools.store.save_job(marked)
        return marked

    def _take_left(self, source: Source) -> Job | None:
        left = self._left.pop((source.source_id, source.root_url), None)
        # The record went with its site, if that was removed meanwhile.
        return None if left is None else self._tools.store.job(left.job_id)

    def _resumed(self, left: Job) -> Job:
        settled = len(self._tools.store.steps(left.job_id))
        resumes = left.resumes + 1
        times = "once" if resumes == 1 else f"{resumes} times"
        note = f"Resumed {times} after its process had ended, the last time with {settled} pages settled"
        return replace(
            left, status="pending", ended_at=None, error="", notes=(note,), resumes=resumes, resumed_from=settled
        )

    def cancel(self, job_id: str) -> Job:
        """Ask a job to end; what it indexed stays."""
        with self._changed:
            live = self._live.get(job_id)
            if live is not None:
                live.is_unwanted = True
                live.cancel()
                return live.job
            job = self._stored(job_id)
            if job.status == "interrupted":
                self._left.pop((job.source_id, job.url), None)
                job = _ended(job, "cancelled", self._now())
                self._tools.store.save_job(job)
            return job

    def watch(self, job_id: str, timeout_s: float) -> Job:
        """The job when it has ended, or as it stands after the time-out."""
        deadline_s = time.monotonic() + timeout_s
        with self._changed:
            while (live := self._live.get(job_id)) is not None:
                left_s = deadline_s - time.monotonic()
                if left_s <= 0:
                    return live.job
                self._changed.wait(left_s)
        return self._stored(job_id)

    def _stored(self, job_id: str) -> Job:
        job = self._tools.store.job(job_id)
        if job is None:
            raise UnknownNameError(f"There is no job {job_id!r}", "`webdocs status` lists the jobs.")
        return job

    def live_jobs(self) -> dict[str, Job]:
        """Jobs that are queued or running, as they stand."""
        with self._changed:
            return {job_id: live.job for job_id, live in self._live.items()}

    def _now(self) -> datetime:
        return self._tools.now()

    def close(self) -> None:
        """Interrupt what runs, and wait until it is written."""
        with self._changed:
            self._is_closing = True
            for live in self._live.values():
                live.cancel()
        self._pool.shutdown(wait=True)

    def _run(self, source: Source, job_id: str) -> None:
        live = self._live[job_id]
        try:
            ended = asyncio.run(self._crawl(source, live))
            if self._is_closing and ended.status == "cancelled" and not live.is_unwanted:
                ended = replace(ended, status="interrupted")
        except WebdocsError as error:
            ended = _ended(live.job, "failed", self._now(), str(error))
        except Exception as error:  # the job boundary: one broken crawl must not end the others
            logger.exception("job_broke id=%s", job_id)
            what = f"An unexpected fault ended the crawl ({type(error).__name__}); see the log"
            ended = _ended(live.job, "failed", self._now(), what)
        self._finish(ended)

    async def _crawl(self, source: Source, live: _LiveJob) -> Job:
        cancelled = live.bind(asyncio.get_running_loop())
        if cancelled.is_set():
            return _ended(live.job, "cancelled", self._now())
        return await run_job(source, live.job, self._tools, self._publish, cancelled)

    def _publish(self, job: Job) -> None:
        with self._changed:
            live = self._live[job.job_id]
            live.job = job
            is_due = time.monotonic() - live.saved_s >= SAVE_SECONDS
            if is_due:
                live.saved_s = time.monotonic()
            self._changed.notify_all()
        if is_due:
            self._tools.store.save_job(job)

    def _finish(self, job: Job) -> None:
        try:
            self._tools.store.save_job(job)
            if job.status == "failed":
                # A site that never gave a page is none (contract D7).
                self._tools.store.forget_empty_source(job.source_id)
        except WebdocsError:
            logger.exception("job_record_not_written id=%s", job.job_id)
        with self._changed:
            del self._live[job.job_id]
            self._changed.notify_all()


class _LiveJob:
    """A job that has not ended, with the way to cancel it from another thread."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.saved_s = 0.0
        self.is_unwanted = False
        self._is_cancelled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event: asyncio.Event | None = None

    def bind(self, loop: asyncio.AbstractEventLoop) -> asyncio.Event:
        """The event that `cancel` sets, made inside the job's loop."""
        self._event, self._loop = asyncio.Event(), loop
        if self._is_cancelled:
            self._event.set()
        return self._event

    def cancel(self) -> None:
        """Thread-safe; a job that has not begun will not."""
        self._is_cancelled = True
        if self._loop is not None and self._event is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)


def _ended(job: Job, status: JobStatus, now: datetime, error: str = "") -> Job:
    return replace(job, status=status, ended_at=now, error=error)
