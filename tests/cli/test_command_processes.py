"""The command as a real process: Ctrl-C, a closed pipe, and what `--help` may cost."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

from processes import COMMAND, Running, environment, run_command

HELP_CPU_S = 0.15
"""The bar of the design; the design's own trial took 0.03 s on an idle machine."""


def test_ctrl_c_as_owner_interrupts_the_job(db_path: str) -> None:
    with Running(db_path, "--debug", "add", "http://x.test/slow") as adding:
        assert adding.process.stderr is not None
        for line in adding.process.stderr:
            if "owner_started" in line:
                break
        while not json.loads(run_command(db_path, "status", "--json").stdout):
            assert adding.process.poll() is None
        adding.process.send_signal(signal.SIGINT)
        assert adding.process.wait(10) == 130
        assert "Interrupted job1. What was indexed stays" in adding.process.stderr.read()
    assert json.loads(Path(db_path + ".jobs").read_text()) == {"job1": "interrupted"}
    assert not Path(db_path + ".owner").exists()


def test_ctrl_c_while_waiting_for_another_process_leaves_its_job(db_path: str) -> None:
    with Running(db_path, "mcp") as owner:
        owner.initialize()
        owner.call_tool("list_sites")
        with Running(db_path, "add", "http://x.test/slow", "--wait") as adding:
            while not owner.call_tool("job_progress")["structuredContent"]["jobs"]:
                assert adding.process.poll() is None
            adding.process.send_signal(signal.SIGINT)
            assert adding.process.wait(10) == 130
        job = owner.call_tool("job_progress", job_id="job1")["structuredContent"]["jobs"][0]
        assert job["status"] == "running"


def test_a_reader_that_goes_away_is_told_nothing(db_path: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*COMMAND, "get", "00000000000000a1"],
            env=environment(db_path),
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; from webdocs.cli.main import run, build_application\n"
        "run(['--help'], build_application); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {"duckdb", "numpy", "mcp", "fastapi", "pydantic", "rich", "http.client", "webdocs.settings"}
    assert heavy & set(done.stderr.split()) == set()


def test_help_is_cheap() -> None:
    def cost_s() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        script = "from webdocs.cli.main import run, build_application; run(['--help'], build_application)"
        subprocess.run([sys.executable, "-c", script], stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(cost_s() for _ in range(3)) < HELP_CPU_S
