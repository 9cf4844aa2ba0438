"""`webdocs reindex`: make the vectors of the embedder that is set."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import click

from webdocs.cli.client import Client
from webdocs.cli.output import json_option, print_json
from webdocs.cli.session import Session

PAUSE_S = 0.2
"""Our choice: a batch takes longer; a state costs the owner some milliseconds at a million passages."""


@click.command(name="reindex")
@click.option("--status", "is_question", is_flag=True, help="Only show how far it is.")
@click.option("--wait", is_flag=True, help="Wait for the end although another process does the work.")
@json_option
@click.pass_obj
def command(session: Session, is_question: bool, wait: bool, as_json: bool) -> int:
    """Embed everything anew after WEBDOCS_EMBEDDER was changed; the old vectors answer until the new ones are there.

    Broken off, it goes on where it stopped, with the next `webdocs reindex` or `webdocs serve`.
    """
    client = session.open_client()
    state = client.get("/reindex") if is_question else client.post("/reindex")
    if not is_question and (wait or client.is_owner):
        state = _follow(client, state)
    if as_json:
        print_json(state)
    else:
        click.echo("\n".join(_lines(state)))
    return 1 if state["status"] == "failed" else 0


def _follow(client: Client, state: dict[str, Any]) -> dict[str, Any]:
    try:
        with _progress(state["wanted"]) as show:
            while state["status"] == "running":
                show(state)
                time.sleep(PAUSE_S)
                state = client.get("/reindex")
    except KeyboardInterrupt:
        click.echo("Stopped. What was embedded stays; `webdocs reindex` goes on with it.", err=True)
        raise
    return state


@contextmanager
def _progress(embedder: str) -> Generator[Any]:
    """A function that shows a state: a bar in a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda state: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(embedder, total=None)
        yield lambda state: progress.update(task, completed=state["embedded"], total=max(state["chunks"], 1))


def _lines(state: dict[str, Any]) -> list[str]:
    if state["status"] == "done":
        return [f"The index holds the vectors of {state['wanted']}: {state['chunks']} passages."]
    words = {"needed": "is set", "running": "is at work", "failed": "failed"}[state["status"]]
    lines = [f"{state['wanted']} {words}: {state['embedded']} of {state['chunks']} passages have its vectors."]
    if state["answering"]:
        lines.append(f"Until then searches are answered with the vectors of {state['answering']}.")
    else:
        lines.append(f"Until then words alone answer: {state['stored']}, which made the vectors, cannot be loaded.")
    if state["error"]:
        lines.append(f"Error: {state['error']}")
    if state["status"] == "needed":
        lines.append("Begin with `webdocs reindex`.")
    return lines
