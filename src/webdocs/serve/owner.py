"""What does the process that holds the database do for the others? It listens for them until it ends."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from webdocs.serve.channel import Channel, reach_owner
from webdocs.serve.owner_file import OwnerRecord, owner_file_of, remove_owner, write_owner
from webdocs.serve.version import product_version

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from webdocs.serve.service import Service
    from webdocs.serve.tool_messages import ToolCall, ToolOutcome
    from webdocs.settings import Settings

logger = logging.getLogger(__name__)


class Application(Protocol):
    """Everything on one open database."""

    @property
    def service(self) -> Service:
        """The use cases."""
        ...

    def resume(self) -> None:
        """Let the jobs go on that the last process left unfinished."""
        ...

    def close(self) -> None:
        """Interrupt the jobs, write what is open, give the database free."""
        ...


OpenApplication = Callable[["Settings"], Application]
"""Opens the database, which is the election: raises StoreLockedError when another process holds it."""


class Owner:
    """An open database with its internal listener. The owner file is written last, so who reads it can call."""

    def __init__(self, settings: Settings, application: Application) -> None:
        # FastAPI is heavy (0.6 CPU-s): only a process that has become the owner pays for it.
        from webdocs.serve.internal import create_internal
        from webdocs.serve.listener import Listener, bind, port_of
        from webdocs.serve.rest import create_rest

        self._settings = settings
        self._application = application
        bound = bind("127.0.0.1", 0)
        self._record = OwnerRecord(os.getpid(), port_of(bound), secrets.token_hex(32), product_version())
        self.rest: ASGIApp = create_rest(application.service, settings)
        app = create_internal(application.service, settings, self.rest, self._record.secret)
        self._listener = Listener(app, bound)
        self._file = owner_file_of(settings.db_path)
        try:
            if self._file is not None:
                write_owner(self._file, self._record)
        except BaseException:
            self._listener.close()
            raise
        logger.info("owner_started port=%d", self._record.port)

    def resume_jobs(self) -> None:
        """Let the jobs go on that the last owner left unfinished."""
        self._application.resume()

    def connect(self) -> Channel | None:
        """A channel of this process to itself: commands work the same whether they own or not."""
        return reach_owner(self._record)

    def call_tool(self, call: ToolCall) -> ToolOutcome:
        """Run a tool call here."""
        from webdocs.serve.tool_call import call_tool

        return call_tool(self._application.service, self._settings, call)

    def close(self) -> None:
        """Withdraw the owner file, stop listening, close the database: in this order, so nobody calls in vain."""
        if self._file is not None:
            remove_owner(self._file, self._record)
        self._listener.close()
        self._application.close()
        logger.info("owner_ended port=%d", self._record.port)


def open_owner(settings: Settings, open_application: OpenApplication) -> Owner:
    """Open the database and listen.

    Raises:
        StoreLockedError: another process holds the database.
        StoreError: it cannot be opened.
    """
    application = open_application(settings)
    try:
        return Owner(settings, application)
    except BaseException:
        application.close()
        raise
