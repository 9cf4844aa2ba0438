"""How does any webdocs process get at the database? Through its door: to the owner, or by becoming it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from webdocs.errors import OwnerError, StoreLockedError
from webdocs.serve.channel import CALL_TOOL_PATH, Channel, ChannelReply, OwnerGoneError, reach_owner
from webdocs.serve.owner import OpenApplication, Owner, open_owner
from webdocs.serve.owner_file import owner_file_of, read_owner

if TYPE_CHECKING:
    from webdocs.serve.tool_messages import ToolCall, ToolOutcome
    from webdocs.settings import Settings

logger = logging.getLogger(__name__)

PATIENCE_S = 8.0
"""Our choice: an owner that closes may take its listener's 2 s and then write its jobs."""

PAUSE_S = 0.05
MAX_RESENDS = 3

_Answer = TypeVar("_Answer")

_SAFE_METHODS = frozenset({"GET", "HEAD"})


class Door:
    """The way to the database from this process. Thread-safe; close it.

    Args:
        settings: Of this process.
        open_application: Opens the database.
        patience_s: How long a locked database is waited for.
        resumes_jobs: As the owner, go on with the jobs that the last one left. A command that ends at once does not.
    """

    def __init__(
        self,
        settings: Settings,
        open_application: OpenApplication,
        patience_s: float = PATIENCE_S,
        *,
        resumes_jobs: bool = False,
    ) -> None:
        self._settings = settings
        self._open_application = open_application
        self._patience_s = patience_s
        self._resumes_jobs = resumes_jobs
        self._file = owner_file_of(settings.db_path)
        self._owner: Owner | None = None
        self._is_closed = False
        self._election = threading.Lock()
        self._closing = threading.Event()

    @property
    def owner(self) -> Owner | None:
        """The owner, when this process has become it."""
        return self._owner

    def enter(self) -> Owner | Channel:
        """This process as the owner, or a channel to the one that is.

        Raises:
            OwnerError: the database stays locked and its holder does not answer.
            StoreError: the database cannot be opened.
        """
        deadline = time.monotonic() + self._patience_s
        while True:
            if self._owner is not None:
                return self._owner
            channel = self._find_owner()
            if channel is not None:
                return channel
            try:
                return self._become_owner()
            except StoreLockedError as locked:
                if time.monotonic() >= deadline or self._closing.wait(PAUSE_S):
                    raise OwnerError(
                        f"Another process holds {self._settings.db_path} and does not answer",
                        "End the other webdocs process, or set WEBDOCS_DB_PATH to another file.",
                    ) from locked

    def knock(self) -> None:
        """Reach the owner or become it now, so that a server fails at its start and not at its first request.

        Raises:
            OwnerError, StoreError: as `enter`.
        """
        entrance = self.enter()
        if isinstance(entrance, Channel):
            entrance.close()

    def _find_owner(self) -> Channel | None:
        record = read_owner(self._file) if self._file is not None else None
        return reach_owner(record) if record is not None else None

    def _become_owner(self) -> Owner:
        with self._election:
            if self._is_closed:
                raise OwnerError("This webdocs process is closing")
            if self._owner is None:
                self._owner = open_owner(self._settings, self._open_application)
                if self._resumes_jobs:
                    self._owner.resume_jobs()
            return self._owner

    def call_tool(self, call: ToolCall) -> ToolOutcome:
        """Run a tool call, here or at the owner.

        Raises:
            OwnerError: no owner can be reached.
            StoreError: the database cannot be opened.
        """
        from webdocs.serve.tool_messages import dump_call, load_outcome
        from webdocs.serve.tools import find_tool

        tool = find_tool(call.name, read_only=call.policy.read_only)
        is_repeatable = tool is None or tool.reads_only

        def ask(entrance: Owner | Channel) -> ToolOutcome:
            if isinstance(entrance, Owner):
                return entrance.call_tool(call)
            with entrance.request("POST", CALL_TOOL_PATH, dump_call(call)) as reply:
                return load_outcome(reply.read())

        return self._ask(ask, is_repeatable)

    def request(
        self, method: str, target: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> ChannelReply:
        """Send an HTTP request to the owner, be it this process; close the reply.

        Raises:
            OwnerError: no owner can be reached, or it ended in the middle of a request that may have acted.
            StoreError: the database cannot be opened.
        """

        def ask(entrance: Owner | Channel) -> ChannelReply:
            channel = entrance.connect() if isinstance(entrance, Owner) else entrance
            if channel is None:
                raise OwnerGoneError(was_sent=False)
            return channel.request(method, target, body, headers)

        return self._ask(ask, method in _SAFE_METHODS)

    def _ask(self, ask: Callable[[Owner | Channel], _Answer], is_repeatable: bool) -> _Answer:
        for _ in range(MAX_RESENDS):
            try:
                return ask(self.enter())
            except OwnerGoneError as gone:
                logger.info("owner_gone was_sent=%s", gone.was_sent)
                if gone.was_sent and not is_repeatable:
                    raise
        return ask(self.enter())

    def close(self) -> None:
        """Give up the database, if this process holds it."""
        self._closing.set()
        with self._election:
            self._is_closed = True
            owner, self._owner = self._owner, None
        if owner is not None:
            owner.close()
