"""The process in which bodies are read: `python -m webdocs.extract.worker MEMORY_MIB TIMEOUT_S IDLE_S`.

It takes tasks from its standard input and answers on its standard output, one at a time. It ends when its input does,
so it never outlives the process that started it; when nothing came for a while; and, by an alarm that no library can
hold up, when one task takes too long and nobody is left to end it.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from pathlib import Path
from typing import IO

from webdocs.errors import ExtractError
from webdocs.extract.dispatch import read_body
from webdocs.extract.wire import BUG, FAULT, NO_MEMORY, PAGE, Status, Task, encode_page, read_task, write_reply

ALARM_SLACK_S = 2
"""Our choice: the parent ends a task at its limit; the alarm is for when it cannot."""

LARGEST_KEPT_MIB = 100
"""Our choice: a worker that has read four hundred pages of manuals has 40."""


def main(arguments: list[str]) -> None:
    """Serve tasks until the input ends."""
    memory_mib, timeout_s, idle_s = (int(text) for text in arguments)
    tasks = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not be taken for a reply
    _limit_memory(memory_mib)
    while _is_wanted(tasks, idle_s) and (task := read_task(tasks)) is not None:
        _set_alarm(timeout_s + ALARM_SLACK_S)
        status, payload = _answer(task)
        write_reply(replies, status, payload)
        _set_alarm(0)
        if status == NO_MEMORY or _has_grown():
            return  # the next task gets a small process again


def _answer(task: Task) -> tuple[Status, bytes]:
    try:
        return PAGE, encode_page(read_body(task.body, task.content_type, task.url))
    except ExtractError as error:
        return FAULT, error.what.encode("utf-8", "replace")
    except MemoryError:
        return NO_MEMORY, b""
    except Exception as error:
        return BUG, f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:500]


def _is_wanted(tasks: IO[bytes], idle_s: int) -> bool:
    """False once nothing came for a while; a pipe cannot be waited for on Windows, where a worker stays."""
    if os.name == "nt":
        return True
    return bool(select.select([tasks], [], [], idle_s)[0])


def _limit_memory(mib: int) -> None:
    """Allocations fail beyond the limit; Linux and the BSDs hold to it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = mib << 20
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def _has_grown() -> bool:
    """True after a body that took much: an allocator gives little of it back."""
    if sys.platform != "linux":
        return False
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") > LARGEST_KEPT_MIB << 20


def _set_alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


if __name__ == "__main__":
    main(sys.argv[1:])
