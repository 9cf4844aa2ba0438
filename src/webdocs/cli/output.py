"""How do answers look in a terminal? Plain text for people, or one JSON value under `--json`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

SHOWN_FAULTS = 5
SHOWN_RULES = 2
"""Our choice: a summary is brief; `webdocs status JOB` shows all of them, with examples."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


def json_option(function: _Function) -> _Function:
    """The `--json` flag of a verb."""
    return click.option("--json", "as_json", is_flag=True, help="Print nothing but JSON.")(function)


def print_json(value: object) -> None:
    """One JSON value, readable."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def edition(row: dict[str, Any]) -> str:
    """Site and version."""
    return f"{row['site']} {row['version']}".strip()


def job_lines(job: dict[str, Any], *, is_detailed: bool = False) -> Iterable[str]:
    """A job for a person: what it is, what it did, what went wrong; in detail with every rule that skipped URLs."""
    yield f"job {job['job_id']}  {job['status']}  {edition(job)}  {job['url']}"
    yield (
        f"  {job['pages_crawled']} pages crawled: {job['pages_indexed']} indexed, "
        f"{job['pages_unchanged']} unchanged, {job['pages_pruned']} pruned, {job['pages_failed']} failed, "
        f"{job['pages_skipped']} skipped; {job['chunks_indexed']} chunks"
        f"{_waiting(job)}"
    )
    if job["status"] == "interrupted":
        yield f"  its process ended early; the next `webdocs serve` or {update_hint(job)}"
    if job["error"]:
        yield f"  error: {job['error']}"
    for note in job["notes"]:
        yield f"  note: {note}"
    for fault in job["faults"][:SHOWN_FAULTS]:
        yield f"  failed: {fault['url']}: {fault['reason']}"
    yield from _skipped_lines(job, is_detailed)
    more = job["pages_failed"] - min(len(job["faults"]), SHOWN_FAULTS)
    if more > 0 and job["faults"]:
        yield f"  and {more} more failed pages"
    for page in job["pruned"][:SHOWN_FAULTS]:
        yield f"  deleted: {page['url']}: {page['reason']}"
    if (more := job["pages_pruned"] - SHOWN_FAULTS) > 0:
        yield f"  and {more} more deleted pages"


def _skipped_lines(job: dict[str, Any], is_detailed: bool) -> Iterable[str]:
    rows = job["skipped"] if is_detailed else job["skipped"][:SHOWN_RULES]
    for row in rows:
        yield f"  skipped: {row['count']} by {row['reason']}"
        if is_detailed:
            yield from (f"    {url}" for url in row["examples"])
    if (more := len(job["skipped"]) - len(rows)) > 0:
        yield f"  and by {more} more rules; see `webdocs status {job['job_id']}`"


def _waiting(job: dict[str, Any]) -> str:
    return f"; {job['pages_queued']} pages known and waiting" if job["status"] == "running" else ""


def update_hint(job: dict[str, Any]) -> str:
    """The command that goes on with an interrupted job, as it can be typed."""
    return f"`webdocs update {shlex.quote(job['site'])}` goes on with it"


def count_pages(pages: int) -> str:
    """`1 page`, `2 pages`."""
    return f"{pages} page" if pages == 1 else f"{pages} pages"


def print_jobs(jobs: Iterable[dict[str, Any]], *, is_detailed: bool = False) -> None:
    """Jobs, one after the other."""
    for job in jobs:
        click.echo("\n".join(job_lines(job, is_detailed=is_detailed)))


def print_table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Columns as wide as they need to be; nothing is cut, so that ids and URLs can be copied."""
    widths = [max(len(cell) for cell in column) for column in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
