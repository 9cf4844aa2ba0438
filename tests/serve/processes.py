"""The `webdocs` command over the fake application, as real processes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, str(Path(__file__).with_name("fake_application.py")))
ENDS_WITHIN_S = 15


def environment(db_path: str, **more: str) -> dict[str, str]:
    """Of a process: nothing of the user's own settings, its folders beside the database."""
    home = str(Path(db_path).parent)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return kept | {"HOME": home, "XDG_CONFIG_HOME": home, "WEBDOCS_DB_PATH": db_path} | more


def run_command(
    db_path: str, *arguments: str, command: tuple[str, ...] = COMMAND, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [*command, *arguments],
        env=environment(db_path, **more),
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        stdin=subprocess.DEVNULL,
        check=False,
    )


class Running:
    """A process of the command with pipes; leaving it ends the process."""

    def __init__(self, db_path: str, *arguments: str, command: tuple[str, ...] = COMMAND, **more: str) -> None:
        self.process = subprocess.Popen(
            [*command, *arguments],
            env=environment(db_path, **more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def wait_for_port(self) -> int:
        """The port that `serve` says it has got."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if found := re.search(r"serves http://127\.0\.0\.1:(\d+)", line):
                return int(found[1])
        raise AssertionError("serve ended before it listened")

    def send(self, message: dict[str, Any]) -> None:
        """One JSON-RPC message over standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next JSON-RPC message from standard output."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def initialize(self) -> dict[str, Any]:
        """The handshake of a stdio client; answers the server's result."""
        client = {"name": "test", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.send({"id": 0, "method": "initialize", "params": params})
        answer = self.read()
        self.send({"method": "notifications/initialized"})
        return answer["result"]

    def call_tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result."""
        self.send({"id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        return self.read()["result"]

    def close_input(self) -> int:
        """End standard input, as an agent that goes away does; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(ENDS_WITHIN_S)
