"""Runs a coroutine for a caller that knows no event loop, and the caller's own functions in the caller's thread.

The loop lives in a thread of its own, so a caller may have a loop already, as a notebook has. What the caller gave
(a fetcher, callbacks) is called where the caller stands: a database connection or a browser may be bound to its thread.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_Call = Callable[[], None]


class Caller:
    """The thread that waits for a coroutine's end and runs what the coroutine asks it to."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result; what it raises, and an interrupt of the caller, ends it and is raised here."""
        result: Future[T] = Future()
        loop = asyncio.new_event_loop()
        task = loop.create_task(coroutine)
        thread = threading.Thread(target=self._work, args=(loop, task, result), name="webdocs-crawl", daemon=True)
        thread.start()
        try:
            while (call := self._calls.get()) is not None:
                call()
        finally:
            if not result.done():
                loop.call_soon_threadsafe(task.cancel)
            thread.join()
        return result.result()

    def here(self, function: Callable[P, R]) -> Callable[P, Awaitable[R]]:
        """The function as the coroutine calls it: awaited there, run in the caller's thread."""

        def start(*args: P.args, **kwargs: P.kwargs) -> Awaitable[R]:
            answer: Future[R] = Future()
            self._calls.put(lambda: _settle(answer, lambda: function(*args, **kwargs)))
            return asyncio.wrap_future(answer)

        return start

    def _work(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[T], result: Future[T]) -> None:
        asyncio.set_event_loop(loop)
        try:
            _settle(result, lambda: loop.run_until_complete(task))
        finally:
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()
            self._calls.put(None)


def _settle(future: Future[T], function: Callable[[], T]) -> None:
    """Run the function into the future, whatever comes of it; a future that was cancelled meanwhile is left alone."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        value = function()
    except (Exception, asyncio.CancelledError) as exc:
        future.set_exception(exc)
    else:
        future.set_result(value)
