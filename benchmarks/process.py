"""Starts the programs that a benchmark needs, and measures them: what did they cost, in CPU and memory?

Every program is ended by its own process id. Linux only: the figures come from /proc.
"""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")

NGINX = """
daemon off; pid {prefix}/nginx.pid; error_log stderr crit; worker_processes 1;
events {{ worker_connections 256; }}
http {{
  types {{ text/html html; text/css css; image/svg+xml svg; image/png png; text/plain txt; }}
  default_type application/octet-stream;
  access_log off; etag on;
  client_body_temp_path {prefix}/body; proxy_temp_path {prefix}/proxy; fastcgi_temp_path {prefix}/fastcgi;
  uwsgi_temp_path {prefix}/uwsgi; scgi_temp_path {prefix}/scgi;
  server {{ listen 127.0.0.1:{port}; root {root}; index index.html; }}
}}
"""


def free_port() -> int:
    """A loopback port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(url: str, timeout_s: float = 60) -> bytes:
    """One GET without any proxy of the environment."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=timeout_s) as answer:
        return answer.read()


def wait_until_answers(url: str, process: subprocess.Popen[bytes], timeout_s: float = 60) -> None:
    """Return once the URL answers; raise if the process ends or the time is over."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args!r} ended with {process.returncode}")
        try:
            get(url, 5)
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"{url} did not answer within {timeout_s:.0f} s")


@contextmanager
def ended_afterwards(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Ends the process, politely first, whatever happens."""
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def nginx_serving(folder: Path) -> Iterator[str]:
    """An nginx of its own for one folder; yields its root URL."""
    with tempfile.TemporaryDirectory(prefix="webdocs-nginx-") as prefix:
        port = free_port()
        config = Path(prefix) / "nginx.conf"
        user = "user root;\n" if os.getuid() == 0 else ""
        config.write_text(user + NGINX.format(prefix=prefix, port=port, root=folder), encoding="utf-8")
        command = ["nginx", "-p", prefix, "-c", str(config), "-e", "stderr"]
        with ended_afterwards(subprocess.Popen(command)) as process:
            url = f"http://127.0.0.1:{port}/"
            wait_until_answers(url, process)
            yield url


@contextmanager
def webdocs_environment() -> Iterator[dict[str, str]]:
    """An environment with a database of its own and no settings of the user's."""
    with tempfile.TemporaryDirectory(prefix="webdocs-bench-") as folder:
        config = Path(folder) / "config.toml"
        config.write_text("", encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WEBDOCS_")}
        yield kept | {
            "WEBDOCS_DB_PATH": str(Path(folder) / "bench.duckdb"),
            "WEBDOCS_CONFIG": str(config),
            "WEBDOCS_LOG_LEVEL": "WARNING",
        }


@contextmanager
def webdocs_serving(program: Path, environment: dict[str, str]) -> Iterator[tuple[int, str]]:
    """`webdocs serve` on a free port; yields its process id and its address."""
    port = free_port()
    command = [str(program), "serve", "--host", "127.0.0.1", "--port", str(port)]
    with ended_afterwards(subprocess.Popen(command, env=environment)) as process:
        address = f"http://127.0.0.1:{port}"
        wait_until_answers(f"{address}/health", process)
        yield process.pid, address


def process_tree(pid: int) -> list[int]:
    """The process and every process below it that lives."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += process_tree(int(child))
    return found


def cpu_seconds(pid: int) -> float:
    """CPU time so far of a process, its living descendants and those that it waited for."""
    ticks = 0
    for member in process_tree(pid):
        # The command's name, in brackets, may hold spaces: count fields after it (proc(5): utime is the 14th).
        fields = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(int(value) for value in fields[11:15])
    return ticks / TICKS_PER_S


def peak_memory_mb(pid: int) -> float:
    """Highest resident memory of a process and its living descendants, in MB of 10^6 bytes."""
    kib = 0
    for member in process_tree(pid):
        for line in Path(f"/proc/{member}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                kib += int(line.split()[1])
    return kib * 1024 / 1e6
