"""Which processes belong to one browser, wherever they stand in the tree?

A browser starts in a group of its own and its helpers may be adopted by init, so neither the group nor the parent
finds them all. They inherit a variable, though, and those that cleared it still have a parent that has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_PROCESSES = Path("/proc")


def marked_processes(mark: str) -> set[int]:
    """Ids of the processes that have `NAME=value` in their environment, and of all that stem from them.

    Empty where the system has no /proc; there the browser ends because its pipe closes.
    """
    parents = dict(_parents())
    found = {pid for pid in parents if _has_variable(pid, mark)}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _parents() -> Iterator[tuple[int, int]]:
    for folder in _PROCESSES.glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:  # it ended meanwhile
            continue
        # The name stands in parentheses and may hold anything; after it come the state and the parent (proc(5)).
        yield int(folder.name), int(stat.rpartition(")")[2].split()[1])


def _has_variable(pid: int, mark: str) -> bool:
    try:
        return mark.encode() in (_PROCESSES / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:  # ended, or another user's
        return False
