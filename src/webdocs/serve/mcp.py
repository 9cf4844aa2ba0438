"""How does MCP reach the tools? The SDK's low-level server over any function that runs a tool call.

Light on purpose: a stdio server must answer `initialize` before anything heavy is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from webdocs.errors import WebdocsError
from webdocs.serve.tool_arguments import schema_of
from webdocs.serve.tool_messages import ToolAnswer, ToolCall, ToolOutcome, ToolPolicy, ToolRejection
from webdocs.serve.tools import INSTRUCTIONS, ToolSpec, offered_tools
from webdocs.serve.version import product_version

RunTool = Callable[[ToolCall], ToolOutcome]
"""Runs one call, blocking; called in a worker thread."""


def create_mcp(run_tool: RunTool, policy: ToolPolicy) -> Server[Any]:
    """The MCP server of one process.

    Args:
        run_tool: Runs a call, here or in the process that holds the database.
        policy: What this process lets its agents do.
    """
    listed = [_declare(spec) for spec in offered_tools(read_only=policy.read_only)]

    async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        call = ToolCall(params.name, params.arguments or {}, policy)
        return _result(await anyio.to_thread.run_sync(_run, run_tool, call))

    return Server(
        "webdocs",
        version=product_version(),
        title="webdocs",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def create_session_manager(server: Server[Any]) -> StreamableHTTPSessionManager:
    """The streamable HTTP transport, without sessions. Host and Origin are checked before it, by `guard`.

    `json_response=True` would drop progress notifications silently.
    """
    return StreamableHTTPSessionManager(app=server, stateless=True, json_response=False)


def _declare(spec: ToolSpec) -> types.Tool:
    return types.Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        input_schema=schema_of(spec.takes),
        output_schema=schema_of(spec.gives, mode="serialization"),
        annotations=types.ToolAnnotations(
            title=spec.title,
            read_only_hint=spec.reads_only,
            destructive_hint=spec.is_destructive,
            idempotent_hint=spec.is_idempotent,
            open_world_hint=spec.is_open_world,
        ),
    )


def _run(run_tool: RunTool, call: ToolCall) -> ToolOutcome:
    try:
        return run_tool(call)
    except WebdocsError as error:  # no owner, no database: the agent can tell its user
        return ToolAnswer(str(error), is_error=True)


def _result(outcome: ToolOutcome) -> types.CallToolResult:
    if isinstance(outcome, ToolRejection):
        raise MCPError(types.INVALID_PARAMS, outcome.message)
    structured = dict(outcome.structured) if outcome.structured is not None else None
    return types.CallToolResult(
        content=[types.TextContent(text=outcome.text)],
        structured_content=structured,
        is_error=outcome.is_error,
    )
