"""Opening the file, cursors, transactions: what every table's module stands on.

DuckDB lets one process hold a file; another gets `StoreLockedError`. Inside the process each thread reads
through a cursor of its own, and writers take turns under one lock, since two transactions that change the same
rows would abort each other.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from webdocs.errors import StoreError, StoreFormatError, StoreLockedError, StorePathError
from webdocs.store.duckdb import migrations

PRIVATE_UMASK = 0o077
"""Our choice: what a user crawls may come from inside their network."""

_REMEDY = "Name a file that can be written with WEBDOCS_DB_PATH."
_PATH_FAULTS = ("Permission denied", "Is a directory", "Not a directory", "No such file", "Read-only file system")
"""What the system says, in the engine's words, when the path is at fault."""


class Database:
    """One open database file, or one in memory."""

    def __init__(self, path: str, memory_limit_mb: int = 256) -> None:
        """Open or create the file and bring its schema up to date.

        Args:
            path: A file, or `:memory:`.
            memory_limit_mb: What the engine may use, in MiB.

        Raises:
            StoreLockedError: another process holds it.
            StoreFormatError: a newer webdocs wrote it.
            StorePathError: the path cannot be used.
            StoreError: the file cannot be opened for another reason.
        """
        self.path = path
        self._connection = _connect(path, memory_limit_mb)
        self._local = threading.local()
        self._cursors: list[duckdb.DuckDBPyConnection] = []
        self.write_lock = threading.RLock()
        self._closed = False
        try:
            self._migrate()
        except BaseException:
            self._connection.close()
            raise

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """This thread's own cursor. Raises StoreError once the database is closed."""
        if self._closed:
            raise StoreError("The database is closed")
        cursor = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._connection.cursor()
            self._cursors.append(cursor)
        return cursor

    @contextlib.contextmanager
    def transaction(self) -> Generator[duckdb.DuckDBPyConnection]:
        """A write transaction: all of the block or nothing. Raises StoreError, with the engine's reason."""
        with self.write_lock:
            cursor = self.cursor()
            cursor.begin()
            try:
                yield cursor
                cursor.commit()
            except duckdb.Error as error:
                _roll_back(cursor)
                raise StoreError(f"The database could not be written: {_first_line(error)}") from error
            except BaseException:
                _roll_back(cursor)
                raise

    def close(self) -> None:
        """Write everything to the file and let it go."""
        with self.write_lock:
            if not self._closed:
                self._closed = True
                # A cursor that its thread frees while the interpreter ends would abort the process.
                for cursor in self._cursors:
                    cursor.close()
                self._connection.close()

    def _migrate(self) -> None:
        at = self._schema_number()
        if at > migrations.CURRENT:
            raise StoreFormatError(
                f"{self.path} was written by a newer webdocs (schema {at}, this one knows {migrations.CURRENT})",
                "Update webdocs, or name another file with WEBDOCS_DB_PATH.",
            )
        if 0 < at < migrations.CURRENT and self.path != ":memory:":
            self.cursor().execute("CHECKPOINT")
            shutil.copy2(self.path, f"{self.path}.schema-{at}.backup")
        for number, statements in migrations.STEPS:
            if number > at:
                with self.transaction() as cursor:
                    for statement in statements:
                        cursor.execute(statement)
                    cursor.execute("INSERT OR REPLACE INTO meta VALUES ('schema', ?)", [str(number)])

    def _schema_number(self) -> int:
        cursor = self.cursor()
        tables = {row[0] for row in cursor.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        if "meta" not in tables:
            if tables:
                raise StoreFormatError(
                    f"{self.path} is a DuckDB file, but not one of webdocs",
                    "Name another file with WEBDOCS_DB_PATH.",
                )
            return 0
        row = cursor.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        return int(row[0]) if row else 0


def utc_now() -> datetime:
    """The present, aware, in UTC."""
    return datetime.now(UTC)


def to_column(moment: datetime) -> datetime:
    """An aware time as the naive UTC that the columns hold."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def from_column(moment: datetime) -> datetime:
    """A column's naive UTC as an aware time."""
    return moment.replace(tzinfo=UTC)


def _connect(path: str, memory_limit_mb: int) -> duckdb.DuckDBPyConnection:
    is_file = path != ":memory:"
    if is_file:
        # For as long as the process lives: DuckDB makes the log beside the file anew after each checkpoint.
        os.umask(PRIVATE_UMASK)
        _make_folder(Path(path).parent)
    try:
        connection = duckdb.connect(
            path,
            config={
                "memory_limit": f"{memory_limit_mb}MiB",
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "enable_external_access": False,
                "preserve_insertion_order": True,
            },
        )
        connection.execute("SET lock_configuration = true")
    except duckdb.Error as error:
        raise _translate(path, error) from error
    return connection


def _translate(path: str, error: duckdb.Error) -> StoreError:
    text = str(error)
    if "Could not set lock" in text or "being used by another process" in text:
        return StoreLockedError(f"Another process holds {path}")
    if "not a valid DuckDB database" in text or "older version of DuckDB" in text or "newer version" in text:
        return StoreFormatError(f"{path} is not a database that this webdocs can read: {_first_line(error)}", _REMEDY)
    kind = StorePathError if any(words in text for words in _PATH_FAULTS) else StoreError
    return kind(f"The database {path} cannot be opened: {_first_line(error)}", _REMEDY)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorePathError(
            f"The folder {folder} for the database cannot be made: {error.strerror}", _REMEDY
        ) from error


def _roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    with contextlib.suppress(duckdb.Error):  # the engine may have rolled back by itself
        cursor.rollback()


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].removeprefix("IO Error: ").rstrip(".!")
