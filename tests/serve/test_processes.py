"""Real processes on one database: stdio servers, a public server, what they import, and how they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import anyio
import pytest
from loopback import ask
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from processes import COMMAND, Running, environment, run_command

HEAVY = ("duckdb", "numpy", "tokenizers", "fastapi", "safetensors", "selectolax", "rich")


def test_two_stdio_servers_and_a_public_one_answer_and_the_next_takes_over(db_path: str) -> None:
    with Running(db_path, "mcp") as first, ExitStack() as others:
        first.initialize()
        owned = first.call_tool("submit_document", url="https://x.test/slow")
        assert owned["structuredContent"]["job"]["job_id"] == "job1"
        second = others.enter_context(Running(db_path, "mcp"))
        public = others.enter_context(Running(db_path, "serve", "--port", "0"))
        second.initialize()
        port = public.wait_for_port()
        assert second.call_tool("job_progress", job_id="job1")["structuredContent"]["jobs"][0]["status"] == "running"
        assert ask(port, "GET", "/job_progress?job_id=job1").json["status"] == "running"
        pid = json.loads(Path(db_path + ".owner").read_text())["pid"]
        assert pid == first.process.pid

        assert first.close_input() == 0
        assert json.loads(Path(db_path + ".jobs").read_text()) == {"job1": "interrupted"}
        assert ask(port, "GET", "/health").json["pages"] == 3
        assert json.loads(Path(db_path + ".owner").read_text())["pid"] == public.process.pid
        assert second.call_tool("list_sites")["structuredContent"]["sites"][0]["site"] == "docs.example.org"

        public.process.kill()
        public.process.wait()
        assert second.call_tool("list_sites")["structuredContent"]["sites"][0]["site"] == "docs.example.org"
        assert json.loads(Path(db_path + ".owner").read_text())["pid"] == second.process.pid
        assert second.close_input() == 0
    assert not Path(db_path + ".owner").exists()


def test_a_stdio_session_of_the_sdk(db_path: str) -> None:
    server = StdioServerParameters(
        command=COMMAND[0], args=[COMMAND[1], "mcp", "--read-only"], env=environment(db_path)
    )

    async def use() -> tuple[list[str], str]:
        async with Client(server) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("search_docs", {"query": "install"})
            return tools, result.content[0].text

    tools, text = anyio.run(use)
    assert tools == ["search_docs", "list_doc_pages", "get_doc_page", "list_sites"]
    assert "1. Guide > Install" in text


def test_standard_output_holds_nothing_but_the_protocol(db_path: str) -> None:
    with Running(db_path, "mcp", "--log-level", "DEBUG") as server:
        server.initialize()
        server.call_tool("list_sites")
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""
        assert server.process.stderr is not None
        assert "owner_started" in server.process.stderr.read()


def test_initialize_is_answered_before_anything_is_opened(db_path: str) -> None:
    with Running(db_path, "mcp") as server:
        result = server.initialize()
        assert (result["serverInfo"]["name"], result["protocolVersion"]) == ("webdocs", "2025-06-18")
        assert not Path(db_path).exists()
        assert server.close_input() == 0
    assert not Path(db_path).exists()


def _imported(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_stdio_imports_nothing_heavy_before_initialize() -> None:
    assert _imported("import webdocs.cli.mcp, webdocs.cli.stdio, webdocs.serve.door") & set(HEAVY) == set()


def test_forwarding_a_tool_call_imports_nothing_heavy(db_path: str) -> None:
    with Running(db_path, "mcp") as owner:
        owner.initialize()
        owner.call_tool("list_sites")
        code = (
            "from webdocs.serve.door import Door; from webdocs.settings import Settings\n"
            "from webdocs.serve.tool_messages import ToolCall\n"
            f"door = Door(Settings(db_path={db_path!r}), None)\n"
            "door.call_tool(ToolCall('list_sites'))"
        )
        assert _imported(code) & set(HEAVY) == set()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["terminated", "interrupted"])
@pytest.mark.parametrize("verb", [("mcp",), ("serve", "--port", "0")], ids=["mcp", "serve"])
def test_a_signal_ends_a_server_in_order(db_path: str, verb: tuple[str, ...], number: int) -> None:
    with Running(db_path, *verb) as server:
        if verb[0] == "mcp":
            server.initialize()
            server.call_tool("list_sites")
        else:
            server.wait_for_port()
        os.kill(server.process.pid, number)
        assert server.process.wait(10) == 0
    assert not Path(db_path + ".owner").exists()
    assert Path(db_path + ".jobs").exists()


SERVE_ERRORS = [
    ("C-port-out-of-range", ("--port", "70000"), "webdocs: --port is '70000'. It must be a whole number"),
    ("host-not-loopback", ("--host", "0.0.0.0"), "webdocs: host is '0.0.0.0', but without access tokens"),
    ("unknown-flag", ("--colour", "red"), "webdocs: No such option '--colour'"),
    ("contradiction", ("--chunk-overlap", "2000"), "webdocs: chunk_overlap is 2000"),
]


@pytest.mark.parametrize(("flags", "line"), [row[1:] for row in SERVE_ERRORS], ids=[row[0] for row in SERVE_ERRORS])
def test_a_bad_setting_stops_the_start(db_path: str, flags: tuple[str, ...], line: str) -> None:
    done = run_command(db_path, "serve", *flags)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(line)
    assert len(done.stderr.splitlines()) == 1
    assert not Path(db_path).exists()


def test_a_taken_port_is_told_before_the_database_is_opened(db_path: str) -> None:
    with Running(db_path, "serve", "--port", "0") as first:
        port = first.wait_for_port()
        done = run_command(db_path + "2", "serve", "--port", str(port))
    assert done.returncode == 1
    assert done.stderr.startswith(f"webdocs: Cannot listen on 127.0.0.1 port {port}: Address already in use.")
    assert not Path(db_path + "2").exists()
