"""How does a command wait for jobs? It asks until each has ended, with a progress line on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import click

from webdocs.cli.client import Client
from webdocs.cli.output import update_hint

PAUSE_S = 0.1
"""Our choice: smooth to look at; a request of this kind costs the owner about a millisecond."""

_ENDED = frozenset({"completed", "failed", "cancelled", "interrupted"})


def follow_jobs(client: Client, jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The jobs when all have ended. Ctrl-C ends the waiting: as owner the jobs too, else only the waiting."""
    try:
        return [_follow(client, job) for job in jobs]
    except KeyboardInterrupt:
        click.echo(_farewell(client, jobs), err=True)
        raise


def _farewell(client: Client, jobs: list[dict[str, Any]]) -> str:
    ids = ", ".join(job["job_id"] for job in jobs)
    if client.is_owner:
        return f"Interrupted {ids}. What was indexed stays; {update_hint(jobs[0])}."
    return f"Stopped waiting; {ids} goes on. See `webdocs status`, end it with `webdocs cancel`."


def _follow(client: Client, job: dict[str, Any]) -> dict[str, Any]:
    with _progress(job["url"]) as show:
        while job["status"] not in _ENDED:
            show(job)
            time.sleep(PAUSE_S)
            job = client.get("/job_progress", job_id=job["job_id"])
        show(job)
    return job


@contextmanager
def _progress(url: str) -> Generator[Any]:
    """A function that shows a job: a bar in a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda job: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(url, total=None)

        def show(job: dict[str, Any]) -> None:
            done = job["pages_crawled"]  # failed pages are counted in it
            progress.update(task, completed=done, total=max(done + job["pages_queued"], 1))

        yield show


def exit_code_of(jobs: list[dict[str, Any]]) -> int:
    """0 when every job is completed or goes on; failed pages do not fail a job (contract D7)."""
    return 1 if any(job["status"] in ("failed", "cancelled", "interrupted") for job in jobs) else 0
