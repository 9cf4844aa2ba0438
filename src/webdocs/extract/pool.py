"""Where is a body read that may take long, take memory, or break the library that reads it?

Small pages of HTML and Markdown are read where they are: what they can cost is bounded, and a worker would add to it.
Everything else goes to worker processes, which are started at the first such body and end when idle. A body that breaks
its worker is a fault of that body; the next one gets a fresh worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

from webdocs.errors import ExtractError
from webdocs.extract.dispatch import read_body
from webdocs.extract.formats import find_format
from webdocs.extract.wire import FAULT, NO_MEMORY, PAGE, Task, decode_page, read_reply, write_task
from webdocs.model import Page

logger = logging.getLogger(__name__)

LIGHT_BYTES = 64 * 1024
"""Larger bodies go to a worker. The worst that we could make of one this size takes .9 s and 15 MB (decision 0022)."""

IDLE_S = 30
"""Our choice: longer than the pause between two pages of a polite crawl, short enough to give the memory back."""

MAX_WORKERS = 1
"""Two took the main job from 341 to 438 MB, over its bar of 400; one takes some 50 MB (decision 0022)."""


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """What one body may take. The memory is address space, so it counts libraries as well."""

    timeout_s: int = 60
    memory_mib: int = 1024
    idle_s: int = IDLE_S


def is_light(task: Task) -> bool:
    """True for a body that is read in this process."""
    if len(task.body) > LIGHT_BYTES:
        return False
    media_type = task.content_type.partition(";")[0].strip().lower()
    try:
        path = urlsplit(task.url).path
    except ValueError:
        path = ""
    return find_format(media_type, path, task.body) is None


class ExtractorPool:
    """Reads bodies for all jobs. Thread-safe; no process runs before the first body that needs one.

    Args:
        limits: What one body may take.
        workers: Most processes at once.
    """

    def __init__(self, limits: WorkerLimits | None = None, workers: int = MAX_WORKERS) -> None:
        self._limits = limits or WorkerLimits()
        self._threads = ThreadPoolExecutor(max(1, min(workers, os.cpu_count() or 1)), thread_name_prefix="extract")
        self._own = threading.local()
        self._lock = threading.Lock()
        self._live: set[_Worker] = set()
        self._is_closed = False

    async def extract(self, body: bytes, content_type: str, url: str) -> Page:
        """Make a page of a body; the arguments are those of `webdocs.extract.read_body`.

        Raises:
            ExtractError: The body is no document, or reading it took too long, too much memory, or broke the worker.
        """
        task = Task(body, content_type, url)
        if is_light(task):
            return read_body(body, content_type, url)
        with self._lock:
            if self._is_closed:
                raise ExtractError("webdocs is ending")
            waiting = self._threads.submit(self._run, task)
        return await asyncio.wrap_future(waiting)

    def close(self) -> None:
        """End every worker; a body that is being read is given up."""
        with self._lock:
            self._is_closed = True
            live = list(self._live)
        for worker in live:
            worker.kill()
        self._threads.shutdown(wait=True)

    def _run(self, task: Task) -> Page:
        """In a thread that has one worker of its own."""
        worker = self._worker()
        try:
            page = worker.run(task)
        except _IdleWorkerGoneError:  # it ended for want of work just when some came
            self._drop(worker)
            worker = self._worker()
            page = worker.run(task)
        finally:
            if not worker.is_usable:
                self._drop(worker)
        return page

    def _worker(self) -> _Worker:
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is not None and worker.is_usable:
            return worker
        if worker is not None:
            self._drop(worker)
        with self._lock:
            if self._is_closed:
                raise ExtractError("webdocs is ending")
            worker = _Worker(self._limits)
            self._live.add(worker)
        self._own.worker = worker
        return worker

    def _drop(self, worker: _Worker) -> None:
        worker.kill()
        with self._lock:
            self._live.discard(worker)
        self._own.worker = None


class _IdleWorkerGoneError(Exception):
    """The worker had ended by itself before it took the task."""


class _Worker:
    """One process and its two pipes."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        numbers = (limits.memory_mib, limits.timeout_s, limits.idle_s)
        # A session of its own: Ctrl-C is for the parent, and what the worker starts ends with it.
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, this package
            [sys.executable, "-P", "-m", "webdocs.extract.worker", *map(str, numbers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._is_broken = False
        self._is_late = False
        logger.debug("worker_started pid=%d", self._process.pid)

    @property
    def is_usable(self) -> bool:
        """True while the process runs and has broken nothing."""
        return not self._is_broken and self._process.poll() is None

    def run(self, task: Task) -> Page:
        """Have one body read.

        Raises:
            ExtractError: As `ExtractorPool.extract`.
        """
        self._is_late = False
        watch = threading.Timer(self._limits.timeout_s, self._end_late)
        watch.start()
        try:
            return self._exchange(task)
        finally:
            watch.cancel()

    def kill(self) -> None:
        """End the process and what it started; harmless when it is gone."""
        self._is_broken = True
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _end_late(self) -> None:
        self._is_late = True
        with contextlib.suppress(OSError):
            self._process.kill()

    def _exchange(self, task: Task) -> Page:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            write_task(self._process.stdin, task)
            reply = read_reply(self._process.stdout)
        except (OSError, ValueError):  # a broken pipe, or one that `close` shut
            reply = None
        if reply is None:
            raise self._judge_end()
        status, payload = reply
        if status == PAGE:
            return decode_page(payload)
        if status == FAULT:
            raise ExtractError(payload.decode())
        self._is_broken = True
        if status == NO_MEMORY:
            raise ExtractError(f"reading it takes more than {self._limits.memory_mib} MiB of memory")
        logger.warning("extraction_broke url=%s error=%s", task.url, payload.decode())
        raise ExtractError(f"reading it ended in an unexpected fault ({payload.decode().partition(':')[0]})")

    def _judge_end(self) -> Exception:
        """Why the process is gone."""
        code = self._process.wait()
        was_broken, self._is_broken = self._is_broken, True
        if self._is_late or (hasattr(signal, "SIGALRM") and code == -signal.SIGALRM):
            return ExtractError(f"reading it takes longer than {self._limits.timeout_s} s")
        if code == 0 and not was_broken:
            return _IdleWorkerGoneError()
        return ExtractError(f"reading it broke the process that did it ({_name_of(code)})")


def _name_of(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    return signal.Signals(-code).name if -code in signal.valid_signals() else f"signal {-code}"
