"""Routes for jobs: start, follow, cancel (contract A1, A2)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

from fastapi import FastAPI, Path, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from webdocs.model import Job
from webdocs.serve.bodies import FetchUrlBody
from webdocs.serve.rest_documents import add_document_routes
from webdocs.serve.rest_ids import id_lookup
from webdocs.serve.service import Service
from webdocs.serve.views import JobView
from webdocs.settings import Settings

WATCH_S = 0.5
"""Our choice: how often a follower hears of a job that goes on."""

MAX_WATCHERS = 32
"""Threads of their own, so that followers of slow jobs never starve the other routes."""

Sync = Annotated[bool, Query(description="Answer when the job has ended.", examples=[False])]
JobIdInQuery = Annotated[
    str, Query(max_length=100, description="One job; without it all of them.", examples=["5f2c9a7d10b34e68"])
]
StreamedJobId = Annotated[
    str, Query(min_length=1, max_length=100, description="The job to follow.", examples=["5f2c9a7d10b34e68"])
]
JobIdInPath = Annotated[str, Path(max_length=100, description="The job.", examples=["5f2c9a7d10b34e68"])]

Watch = Callable[[str], Awaitable[Job]]


def add_job_routes(app: FastAPI, service: Service, settings: Settings) -> None:
    """Add the routes to the application."""
    watchers = ThreadPoolExecutor(MAX_WATCHERS, thread_name_prefix="watch-job")

    async def watch(job_id: str) -> Job:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(watchers, service.watch, job_id, WATCH_S)

    @app.post("/fetch_url", tags=["jobs"], summary="Crawl and index a site")
    async def fetch_url(body: FetchUrlBody, request: Request, sync: Sync = False) -> JobView:
        """Start a crawl and answer its job: at once, or with `sync=true` when it has ended."""
        job = await run_in_threadpool(
            service.submit, body.url, body.options(settings), name=body.name, version=body.version
        )
        while sync and not job.has_ended and not await request.is_disconnected():
            job = await watch(job.job_id)
        return JobView.of(job)

    add_document_routes(app, service, settings, watch)

    @app.get("/job_progress", tags=["jobs"], summary="Follow jobs")
    def job_progress(job_id: JobIdInQuery = "") -> JobView | list[JobView]:
        """All jobs, newest first, or the one that is named."""
        if not job_id:
            return [JobView.of(job) for job in service.jobs()]
        with id_lookup():
            return JobView.of(service.job(job_id))

    @app.get(
        "/job_progress/stream",
        tags=["jobs"],
        summary="Follow a job as server-sent events",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}, "description": "The job, until it ends."}},
    )
    async def stream_job(job_id: StreamedJobId) -> StreamingResponse:
        """The same object as `/job_progress`, each time that it changed, until the job has ended."""
        with id_lookup():
            job = await run_in_threadpool(service.job, job_id)
        return StreamingResponse(_events(job, watch), media_type="text/event-stream")

    @app.delete("/jobs/{job_id}", tags=["jobs"], summary="Cancel a job")
    def cancel_job(job_id: JobIdInPath) -> JobView:
        """End a job; what it indexed stays."""
        with id_lookup():
            return JobView.of(service.cancel(job_id))


async def _events(job: Job, watch: Watch) -> AsyncIterator[str]:
    yield _event(job)
    while not job.has_ended:
        before, job = job, await watch(job.job_id)
        yield _event(job) if job != before else ": still at work\n\n"


def _event(job: Job) -> str:
    return f"data: {JobView.of(job).model_dump_json()}\n\n"
