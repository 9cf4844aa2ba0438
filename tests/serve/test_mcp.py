"""Contract B6 and A7: a real client session over streamable HTTP, at the owner and forwarded."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from fake_service import PAGE_ID
from loopback import ask
from mcp import Client
from mcp.shared.exceptions import MCPError
from served import Served

MODES = ["legacy", "auto"]


@pytest.fixture(params=["served", "forwarding"], ids=["at-the-owner", "forwarded"])
def server(request: pytest.FixtureRequest) -> Served:
    return request.getfixturevalue(request.param)


def with_client(url: str, mode: str, use: Callable[[Client], Awaitable[Any]]) -> Any:
    async def session() -> Any:
        async with Client(url, mode=mode) as client:
            return await use(client)

    return anyio.run(session)


@pytest.mark.parametrize("mode", MODES)
def test_tools_are_listed_with_schemas_and_hints(server: Served, mode: str) -> None:
    tools = with_client(server.mcp_url, mode, lambda client: client.list_tools()).tools
    hints = {
        tool.name: (
            tool.annotations.read_only_hint,
            tool.annotations.destructive_hint,
            tool.annotations.idempotent_hint,
            tool.annotations.open_world_hint,
        )
        for tool in tools
    }
    assert hints == {
        "search_docs": (True, False, True, False),
        "list_doc_pages": (True, False, True, False),
        "get_doc_page": (True, False, True, False),
        "list_sites": (True, False, True, False),
        "submit_document": (False, False, True, True),
        "job_progress": (True, False, True, False),
        "cancel_job": (False, False, True, False),
    }
    assert all(tool.output_schema and tool.description for tool in tools)


@pytest.mark.parametrize("mode", MODES)
def test_a_call_gives_text_and_structured_output(server: Served, mode: str) -> None:
    result = with_client(
        server.mcp_url, mode, lambda client: client.call_tool("search_docs", {"query": "install", "top_k": 1})
    )
    assert result.content[0].text.splitlines()[2] == "1. Guide > Install"
    assert result.structured_content["hits"][0]["page_id"] == PAGE_ID


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("drop_tables", {}), ("search_docs", {}), ("search_docs", {"query": "a", "top_k": 99})],
    ids=["unknown-tool", "missing-argument", "out-of-range"],
)
def test_senseless_calls_are_errors_of_the_protocol(
    server: Served, mode: str, name: str, arguments: dict[str, Any]
) -> None:
    async def call(client: Client) -> int:
        with pytest.raises(MCPError) as caught:
            await client.call_tool(name, arguments)
        return caught.value.code

    assert with_client(server.mcp_url, mode, call) == -32602


@pytest.mark.parametrize("mode", MODES)
def test_an_unknown_site_is_the_tools_error(server: Served, mode: str) -> None:
    result = with_client(
        server.mcp_url, mode, lambda client: client.call_tool("search_docs", {"query": "a", "site": "nope"})
    )
    assert result.is_error
    assert "docs.example.org, python/3" in result.content[0].text


def test_read_only_lists_no_submission(served_read_only: Served) -> None:
    tools = with_client(served_read_only.mcp_url, "auto", lambda client: client.list_tools()).tools
    assert [tool.name for tool in tools] == ["search_docs", "list_doc_pages", "get_doc_page", "list_sites"]


BODIES = [
    ("no-json", b"{", 400),
    ("no-json-rpc", b"[]", 400),
    ("no-such-tool", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}', 200),
    ("no-such-method", b'{"jsonrpc":"2.0","id":1,"method":"x/y"}', 200),
    ("params-of-the-wrong-kind", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":[1]}}', 200),
]


@pytest.mark.parametrize(("body", "status"), [row[1:] for row in BODIES], ids=[row[0] for row in BODIES])
def test_nothing_that_a_client_sends_is_http_500(served: Served, body: bytes, status: int) -> None:
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    reply = ask(served.port, "POST", "/mcp", body, headers)
    assert reply.status == status
    if status == 200:
        data = [line for line in reply.body.decode().splitlines() if line.startswith("data: {")]
        assert json.loads(data[0][6:])["error"]["code"] in (-32601, -32602)
