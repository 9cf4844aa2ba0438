"""Rows of what a crawl under way has settled, and of robots.txt."""

from __future__ import annotations

import json
from collections.abc import Sequence

import duckdb
import numpy as np

from webdocs.model import CrawlStep, KnownLinks, RobotsCopy
from webdocs.store.duckdb.database import from_column, to_column
from webdocs.store.duckdb.pages import take_numbers
from webdocs.store.duckdb.rows import insert_rows

_UNKNOWN_STATUS = -1
"""In the array that goes in, which has no null."""


def write_steps(cursor: duckdb.DuckDBPyConnection, job_id: str, steps: Sequence[CrawlStep]) -> None:
    """Append steps of a job."""
    statuses = np.array([_UNKNOWN_STATUS if step.status is None else step.status for step in steps], np.int32)
    insert_rows(
        cursor,
        "crawl_step",
        {
            "job_id": [job_id] * len(steps),
            "number": np.array(take_numbers(cursor, "crawl_step_number", len(steps)), np.int64),
            "url": [step.url for step in steps],
            "depth": np.array([step.depth for step in steps], np.int32),
            "parent_url": [step.parent_url for step in steps],
            "kind": [step.kind for step in steps],
            "final_url": [step.final_url for step in steps],
            "redirects": [json.dumps(step.redirects) for step in steps],
            "status": statuses,
            "rule": [step.rule for step in steps],
            "reason": [step.reason for step in steps],
            "content_hash": [step.content_hash for step in steps],
            "is_fetched": np.array([step.is_fetched for step in steps], bool),
            "is_new": np.array([step.is_new for step in steps], bool),
            "chunks": np.array([step.chunks for step in steps], np.int32),
            "followed": [None if step.links is None else json.dumps(step.links.followed) for step in steps],
            "unfollowed": [None if step.links is None else json.dumps(step.links.unfollowed) for step in steps],
        },
    )


def read_steps(cursor: duckdb.DuckDBPyConnection, job_id: str) -> tuple[CrawlStep, ...]:
    """The steps of a job in their order."""
    rows = cursor.execute(
        "SELECT url, depth, parent_url, kind, final_url, redirects, status, rule, reason, content_hash, is_fetched, "
        "is_new, chunks, followed, unfollowed FROM crawl_step WHERE job_id = ? ORDER BY number",
        [job_id],
    ).fetchall()
    return tuple(map(_step, rows))


def delete_steps(cursor: duckdb.DuckDBPyConnection, job_ids: Sequence[str]) -> None:
    """Forget the steps of jobs."""
    cursor.execute("DELETE FROM crawl_step WHERE job_id IN (SELECT unnest(?::VARCHAR[]))", [list(job_ids)])


def save_robots_copy(cursor: duckdb.DuckDBPyConnection, copy: RobotsCopy) -> None:
    """Insert or replace the copy of an origin."""
    cursor.execute(
        "INSERT OR REPLACE INTO robots_copy VALUES (?, ?, ?)", [copy.origin, copy.body, to_column(copy.fetched_at)]
    )


def read_robots_copy(cursor: duckdb.DuckDBPyConnection, origin: str) -> RobotsCopy | None:
    """The copy of an origin."""
    row = cursor.execute("SELECT body, fetched_at FROM robots_copy WHERE origin = ?", [origin]).fetchone()
    return None if row is None else RobotsCopy(origin, row[0], from_column(row[1]))


def _step(row: tuple) -> CrawlStep:
    url, depth, parent_url, kind, final_url, redirects, status, *rest, followed, unfollowed = row
    return CrawlStep(
        url,
        depth,
        parent_url,
        kind,
        final_url,
        tuple(json.loads(redirects)),
        None if status == _UNKNOWN_STATUS else status,
        *rest,
        links=None if followed is None else KnownLinks(tuple(json.loads(followed)), tuple(json.loads(unfollowed))),
    )
