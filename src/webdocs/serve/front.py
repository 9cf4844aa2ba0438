"""What does the public listener answer? MCP itself, and REST here or at the owner."""

from __future__ import annotations

import logging

from starlette.types import ASGIApp, Receive, Scope, Send

from webdocs.errors import WebdocsError
from webdocs.serve.door import Door
from webdocs.serve.forward import forward
from webdocs.serve.guard import Guard
from webdocs.serve.mcp import create_mcp, create_session_manager
from webdocs.serve.owner import Owner
from webdocs.serve.problem import Problem, problem_of, send_problem
from webdocs.serve.tool_messages import ToolPolicy
from webdocs.settings import Settings

logger = logging.getLogger(__name__)

MCP_PATH = "/mcp"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_READ_ONLY = Problem(403, "read-only", "Read-only server", "This server was started with --read-only.")


def create_front(door: Door, settings: Settings, *, read_only: bool = False) -> ASGIApp:
    """The application of a public listener.

    Args:
        door: The way to the database; the caller closes it.
        settings: Of this process.
        read_only: Refuse what writes, in this process only.
    """
    return Guard(_Front(door, ToolPolicy(read_only, settings.submit_hosts)), settings.host)


class _Front:
    def __init__(self, door: Door, policy: ToolPolicy) -> None:
        self._door = door
        self._policy = policy
        self._sessions = create_session_manager(create_mcp(door.call_tool, policy))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http" and scope["path"].rstrip("/") == MCP_PATH:
            await self._sessions.handle_request(scope, receive, send)
        elif scope["type"] == "http":
            await self._serve_rest(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self._sessions.run():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve_rest(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._policy.read_only and scope["method"] not in _SAFE_METHODS:
            await send_problem(_READ_ONLY, send)
            return
        try:
            owner = self._door.owner
            if isinstance(owner, Owner):
                await owner.rest(scope, receive, send)
            else:
                await forward(self._door, scope, receive, send)
        except WebdocsError as error:
            logger.warning("request_not_served reason=%s", error)
            await send_problem(problem_of(error), send)
