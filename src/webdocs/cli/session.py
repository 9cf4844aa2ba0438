"""What does a command work with? Settings, logging and the door to the database, each made when asked for."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from webdocs.cli.client import Client
    from webdocs.serve.door import Door
    from webdocs.serve.owner import Application, OpenApplication
    from webdocs.settings import Settings


def build_application(settings: Settings) -> Application:
    """Open the database for real; imports everything that is heavy."""
    from webdocs.build import open_application

    return open_application(settings)


class Session:
    """One run of the command. Leaving it closes the door, and with it the database if this process held it."""

    def __init__(self, open_application: OpenApplication, *, is_debug: bool) -> None:
        self.is_debug = is_debug
        self._open_application = open_application
        self._door: Door | None = None

    def load_settings(self, flags: Mapping[str, str] | None = None) -> Settings:
        """The settings of this process.

        Raises:
            SettingError: a value is out of range.
        """
        from webdocs.settings import load_settings

        return load_settings(flags=flags)

    def open_door(self, settings: Settings, log_level: str = "WARNING", *, resumes_jobs: bool = False) -> Door:
        """The door to the database, closed with the session. Logs go to standard error from here on.

        Args:
            settings: Of this process.
            log_level: Least level that is logged.
            resumes_jobs: This process stays, so as the owner it goes on with the jobs that the last one left.
        """
        from webdocs.serve.door import Door

        start_logging("DEBUG" if self.is_debug else log_level)
        self._door = Door(settings, self._open_application, resumes_jobs=resumes_jobs)
        return self._door

    def open_client(self) -> Client:
        """What a command asks the owner with."""
        from webdocs.cli.client import Client

        return Client(self.open_door(self.load_settings()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._door is not None:
            self._door.close()


def start_logging(level: str) -> None:
    """Log to standard error; standard output belongs to answers, and to the protocol of stdio MCP."""
    logging.basicConfig(
        level=level, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s", force=True
    )
    for chatty in ("mcp", "httpx2", "httpcore2", "asyncio", "uvicorn"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, logging.getLevelNamesMapping()[level]))
