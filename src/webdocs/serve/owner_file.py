"""Where is the process that holds the database? A small file beside the database says so.

It is readable by its user alone, replaced atomically, and never trusted by itself: whoever it names must
prove that it knows the secret (see `channel`).
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from webdocs.errors import StorePathError

SUFFIX = ".owner"
MEMORY = ":memory:"


@dataclass(frozen=True, slots=True)
class OwnerRecord:
    """An owner's address. `secret` is 64 hex digits, 32 random bytes, new for each owner."""

    pid: int
    port: int
    secret: str = field(repr=False)
    version: str


def owner_file_of(db_path: str) -> Path | None:
    """The owner file of a database; None for one in memory, which has a single process anyway."""
    return None if db_path == MEMORY else Path(db_path + SUFFIX)


def read_owner(file: Path) -> OwnerRecord | None:
    """The record, or None where there is none that this user wrote for itself alone."""
    try:
        with file.open(encoding="utf-8") as stream:
            if not _is_private(os.fstat(stream.fileno())):
                return None
            fields = json.load(stream)
        return OwnerRecord(int(fields["pid"]), int(fields["port"]), str(fields["secret"]), str(fields["version"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_private(status: os.stat_result) -> bool:
    if os.name != "posix":  # the user's profile folder is private on Windows
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def write_owner(file: Path, record: OwnerRecord) -> None:
    """Replace the file in one step; mode 0600 from its first byte.

    Raises:
        StorePathError: the folder cannot be written.
    """
    try:
        handle, temporary = tempfile.mkstemp(prefix=file.name, dir=file.parent)  # mkstemp creates with 0600
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(asdict(record), stream)
        Path(temporary).replace(file)
    except OSError as exc:
        raise StorePathError(
            f"The file {file} cannot be written: {exc.strerror}",
            "Give this user the right to write in its folder, or set WEBDOCS_DB_PATH to another.",
        ) from exc


def remove_owner(file: Path, record: OwnerRecord) -> None:
    """Remove the file if it still holds this record."""
    if read_owner(file) == record:
        file.unlink(missing_ok=True)
