"""An application whose database is a file that one process at a time can lock.

As a script it is the `webdocs` command over that application: `python fake_application.py add URL ...`.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from pathlib import Path

from fake_service import FakeService

from webdocs.cli.main import run
from webdocs.errors import StoreError, StoreLockedError
from webdocs.settings import Settings


class FakeApplication:
    """Holds the lock until it is closed; then writes its jobs' states beside it, for the tests to read."""

    def __init__(self, settings: Settings) -> None:
        self.service = FakeService()
        self._path = settings.db_path
        self._lock: int | None = None
        if self._path != ":memory:":
            self._lock = _take_lock(self._path)

    def resume(self) -> None:
        self.service.has_resumed = True

    def close(self) -> None:
        self.service.interrupt()
        if self._lock is None:
            return
        states = {job.job_id: job.status for job in self.service.jobs()}
        Path(self._path + ".jobs").write_text(json.dumps(states), encoding="utf-8")
        os.close(self._lock)
        self._lock = None


def _take_lock(path: str) -> int:
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as exc:
        raise StoreError(f"{path} cannot be opened: {exc.strerror}", "Set WEBDOCS_DB_PATH.") from exc
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as exc:
        os.close(handle)
        raise StoreLockedError(f"{path} is held by another process") from exc
    return handle


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], FakeApplication))
