"""How does stdio MCP run? The SDK's transport; the database is looked for at the first tool call."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

import anyio
from mcp.server.stdio import stdio_server

from webdocs.serve.door import Door
from webdocs.serve.mcp import create_mcp
from webdocs.serve.tool_messages import ToolPolicy
from webdocs.settings import Settings


def serve_stdio(door: Door, settings: Settings, *, read_only: bool) -> int:
    """Serve until standard input ends; a tool call under way is finished."""
    server = create_mcp(door.call_tool, ToolPolicy(read_only, settings.submit_hosts))

    def end(number: int, frame: FrameType | None) -> None:
        # The thread that reads standard input cannot be woken, and the interpreter would wait for it.
        door.close()
        sys.stderr.flush()
        os._exit(0)

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    anyio.run(serve)
    return 0
