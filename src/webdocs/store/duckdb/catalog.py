"""Rows of sources and jobs. Options and jobs are kept as JSON of their records."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

import duckdb
import numpy as np

from webdocs.model import CrawlOptions, Job, ListedPage, PageFault, PrunedPage, SiteSummary, SkippedUrls, Source
from webdocs.store.duckdb.database import from_column, to_column
from webdocs.store.duckdb.rows import insert_rows

_JOB_TIMES = ("created_at", "started_at", "ended_at")


def save_source(cursor: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Insert a source or replace its options."""
    cursor.execute(
        "INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?, ?, ?)",
        [
            source.source_id,
            source.site,
            source.version,
            source.root_url,
            json.dumps(dataclasses.asdict(source.options)),
            to_column(source.created_at),
        ],
    )


def read_sources(cursor: duckdb.DuckDBPyConnection) -> tuple[Source, ...]:
    """All sources, by site and version."""
    rows = cursor.execute(
        "SELECT id, site, version, root_url, options, created_at FROM source ORDER BY site, version, root_url"
    ).fetchall()
    return tuple(
        Source(source_id, site, version, root_url, _options(options), from_column(created_at))
        for source_id, site, version, root_url, options, created_at in rows
    )


def save_listed(cursor: duckdb.DuckDBPyConnection, source_id: str, pages: Sequence[ListedPage]) -> None:
    """Replace what a source's llms.txt names."""
    cursor.execute("DELETE FROM listed WHERE source_id = ?", [source_id])
    insert_rows(
        cursor,
        "listed",
        {
            "source_id": [source_id] * len(pages),
            "position": np.arange(len(pages), dtype=np.int32),
            "url": [page.url for page in pages],
            "markdown_url": [page.markdown_url for page in pages],
        },
    )


def read_listed(cursor: duckdb.DuckDBPyConnection, source_id: str) -> tuple[ListedPage, ...]:
    """What a source's llms.txt names, in its order."""
    rows = cursor.execute(
        "SELECT url, markdown_url FROM listed WHERE source_id = ? ORDER BY position", [source_id]
    ).fetchall()
    return tuple(ListedPage(*row) for row in rows)


def read_summaries(cursor: duckdb.DuckDBPyConnection) -> tuple[SiteSummary, ...]:
    """All sources with their counts."""
    rows = cursor.execute(
        """SELECT s.id, s.site, s.version, s.root_url, count(p.id), coalesce(sum(n.chunks), 0), max(p.checked_at)
        FROM source s LEFT JOIN page p ON p.source_id = s.id
        LEFT JOIN (SELECT page_id, count(*) AS chunks FROM chunk GROUP BY page_id) n ON n.page_id = p.id
        GROUP BY s.id, s.site, s.version, s.root_url ORDER BY s.site, s.version, s.root_url"""
    ).fetchall()
    return tuple(
        SiteSummary(source_id, site, version, root_url, int(n_pages), int(n_chunks), at and from_column(at))
        for source_id, site, version, root_url, n_pages, n_chunks, at in rows
    )


def save_job(cursor: duckdb.DuckDBPyConnection, job: Job) -> None:
    """Insert or replace a job."""
    cursor.execute(
        "INSERT OR REPLACE INTO job VALUES (?, ?, ?, ?)",
        [job.job_id, job.source_id, to_column(job.created_at), json.dumps(dataclasses.asdict(job), default=_iso)],
    )


def read_jobs(cursor: duckdb.DuckDBPyConnection, limit: int) -> tuple[Job, ...]:
    """Newest first."""
    rows = cursor.execute("SELECT body FROM job ORDER BY created_at DESC, id DESC LIMIT ?", [limit]).fetchall()
    return tuple(_job(row[0]) for row in rows)


def read_job(cursor: duckdb.DuckDBPyConnection, job_id: str) -> Job | None:
    """One job."""
    row = cursor.execute("SELECT body FROM job WHERE id = ?", [job_id]).fetchone()
    return None if row is None else _job(row[0])


def delete_jobs(cursor: duckdb.DuckDBPyConnection, source_id: str) -> list[str]:
    """Delete the jobs of a source; answers their ids."""
    return [
        row[0] for row in cursor.execute("DELETE FROM job WHERE source_id = ? RETURNING id", [source_id]).fetchall()
    ]


def delete_source(cursor: duckdb.DuckDBPyConnection, source_id: str) -> None:
    """Delete a source's row."""
    cursor.execute("DELETE FROM source WHERE id = ?", [source_id])


def _options(text: str) -> CrawlOptions:
    values = json.loads(text)
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return CrawlOptions(**cast("dict[str, Any]", values))


def _job(text: str) -> Job:
    values = json.loads(text)
    for name in _JOB_TIMES:
        if values[name] is not None:
            values[name] = datetime.fromisoformat(values[name])
    values["faults"] = tuple(PageFault(**fault) for fault in values["faults"])
    values["notes"] = tuple(values["notes"])
    values["pruned"] = tuple(PrunedPage(**page) for page in values.get("pruned", ()))  # older records have none
    values["skipped"] = tuple(
        SkippedUrls(row["reason"], row["count"], tuple(row["examples"])) for row in values.get("skipped", ())
    )
    values["page_ids"] = tuple(values.get("page_ids", ()))
    return Job(**values)


def _iso(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(value)
