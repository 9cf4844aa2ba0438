"""Jobs in this process: worker threads, each with an event loop of its own for the crawl it runs."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

from webdocs.errors import UnknownNameError, WebdocsError
from webdocs.ingest.job import Tools, run_job
from webdocs.model import Job, JobStatus, Source

logger = logging.getLogger(__name__)

WORKERS = 2
"""Crawls at once. One alone would let a slow site hold up all others; more would only share two cores."""

SAVE_SECONDS = 1.0
"""Least time between two writes of a running job's record; each step is in memory at once."""


class LocalQueue:
    """`JobQueue` on threads. Jobs are kept in the store; a running one is newer in memory."""

    def __init__(self, tools: Tools) -> None:
        """Take what every job works with. Jobs that a dead process left unfinished are marked interrupted."""
        self._tools = tools
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="webdocs-job")
        self._changed = threading.Condition()
        self._live: dict[str, _LiveJob] = {}
        self._is_closing = False
        tools.store.interrupt_jobs()

    def submit(self, source: Source) -> Job:
        """Queue a crawl; a source that is already queued or running answers that job."""
        with self._changed:
            for live in self._live.values():
                if (live.job.source_id, live.job.url) == (source.source_id, source.root_url):
                    return live.job
            job = Job(
                uuid.uuid4().hex[:12], source.source_id, source.site, source.version, source.root_url, "pending", _now()
            )
            self._tools.store.save_job(job)
            self._live[job.job_id] = _LiveJob(job)
        self._pool.submit(self._run, source, job.job_id)
        return job

    def cancel(self, job_id: str) -> Job:
        """Ask a job to end; what it indexed stays."""
        with self._changed:
            live = self._live.get(job_id)
            if live is not None:
                live.cancel()
                return live.job
        return self.watch(job_id, 0)

    def watch(self, job_id: str, timeout_s: float) -> Job:
        """The job when it has ended, or as it stands after the time-out."""
        deadline_s = time.monotonic() + timeout_s
        with self._changed:
            while (live := self._live.get(job_id)) is not None:
                left_s = deadline_s - time.monotonic()
                if left_s <= 0:
                    return live.job
                self._changed.wait(left_s)
        job = self._tools.store.job(job_id)
        if job is None:
            raise UnknownNameError(f"There is no job {job_id!r}", "`webdocs status` lists the jobs.")
        return job

    def live_jobs(self) -> dict[str, Job]:
        """Jobs that are queued or running, as they stand."""
        with self._changed:
            return {job_id: live.job for job_id, live in self._live.items()}

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
            if self._is_closing and ended.status == "cancelled":
                ended = replace(ended, status="interrupted")
        except WebdocsError as error:
            ended = _ended(live.job, "failed", str(error))
        except Exception as error:  # the job boundary: one broken crawl must not end the others
            logger.exception("job_broke id=%s", job_id)
            what = f"An unexpected fault ended the crawl ({type(error).__name__}); see the log"
            ended = _ended(live.job, "failed", what)
        self._finish(ended)

    async def _crawl(self, source: Source, live: _LiveJob) -> Job:
        cancelled = live.bind(asyncio.get_running_loop())
        if cancelled.is_set():
            return _ended(live.job, "cancelled")
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


def _ended(job: Job, status: JobStatus, error: str = "") -> Job:
    return replace(job, status=status, ended_at=_now(), error=error)


def _now() -> datetime:
    return datetime.now(UTC)
