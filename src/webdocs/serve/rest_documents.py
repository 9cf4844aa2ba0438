"""The route that submits a document and answers when it is indexed (contract A9 and E).

A client that goes away ends its waiting and nothing else: what it asked for is crawled to its end, within the
ceilings, whether the process that took the request holds the database or forwards to the one that does.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from webdocs.errors import InputError
from webdocs.model import Job
from webdocs.serve.problem import Problem, problem_response
from webdocs.serve.rest_faults import explain_faults
from webdocs.serve.service import Service
from webdocs.serve.spider import TIME_LIMIT_S, is_depth_clamped, spider_options
from webdocs.serve.tool_arguments import SubmitDocumentArguments
from webdocs.serve.views import (
    DocumentFaultView,
    DocumentsView,
    DocumentView,
    ProblemView,
    SubmittedDocumentsView,
    TookView,
)
from webdocs.settings import Settings

GRACE_S = 15.0
"""Our choice: a crawl whose time is up still commits its last batch."""

_CUTS = {
    "max_pages": "maxPages: all pages that may be taken were taken, and more are known",
    "max_depth": "maxDepth: pages beyond the ceiling were left out",
    "time": f"time: the crawl ended after {TIME_LIMIT_S:g} s, and more pages are known",
    "cancelled": "cancelled: the job was cancelled",
}

Watch = Callable[[str], Awaitable[Job]]
_Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class _ContractRoute(APIRoute):
    """Tells bad input as contract A9 wants it: 400 with a code, where the other routes answer 422."""

    def get_route_handler(self) -> _Handler:
        """The handler, its input errors translated."""
        handle = super().get_route_handler()

        async def tell(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as error:
                faults, detail = explain_faults(error)
                return _bad_input(detail, {"errors": faults})
            except InputError as error:
                return _bad_input(str(error), {})

        return tell


def add_document_routes(app: FastAPI, service: Service, settings: Settings, watch: Watch) -> None:
    """Add the route to the application.

    Args:
        app: The application.
        service: The use cases.
        settings: Defaults of a crawl.
        watch: The job a moment later, or once it has ended.
    """
    router = APIRouter(route_class=_ContractRoute)

    @router.post(
        "/api/v1/documents/url",
        tags=["jobs"],
        summary="Index a page or what it links to, and wait for it",
        status_code=201,
        response_model=SubmittedDocumentsView,
        responses={
            400: {"model": ProblemView, "description": "Bad input; `code` is `VALIDATION_ERROR`."},
            502: {"model": ProblemView, "description": "The page cannot be had; `code` is `FETCH_ERROR`."},
        },
    )
    async def submit_url(body: SubmitDocumentArguments, request: Request) -> Response:
        """Fetch a page and index it; with `spider` also the pages that it links to.

        At most 200 pages, 5 links deep, 30 seconds a page and 10 minutes in all, whatever is asked for; what was
        lowered stands in `meta.notes`. Pages that fail are listed in `errors` and never end the crawl. A client that
        goes away does not end it either: the job goes on, and is listed in `/job_progress`.
        """
        began_s = time.monotonic()
        options, notes = spider_options(body, settings)
        job = await run_in_threadpool(service.submit, body.url, options)
        while not job.has_ended and time.monotonic() - began_s < TIME_LIMIT_S + GRACE_S:
            if await request.is_disconnected():
                break
            job = await watch(job.job_id)
        if job.status == "failed" and not job.pages_fetched:
            return _unreachable(job)
        data = await asyncio.to_thread(_documents_of, service, body, job)
        took_ms = round((time.monotonic() - began_s) * 1000)
        view = SubmittedDocumentsView(data=data, meta=TookView(took=took_ms, notes=(*notes, *job.notes)))
        return Response(view.model_dump_json(), 201, media_type="application/json")

    app.include_router(router)


def _documents_of(service: Service, asked: SubmitDocumentArguments, job: Job) -> DocumentsView:
    documents = tuple(DocumentView.of(row) for row in service.page_rows(job.page_ids))
    return DocumentsView(
        documents=documents,
        pagesIndexed=len(documents),
        pagesFetched=job.pages_fetched,
        pagesCrawled=job.pages_crawled,
        pagesSkipped=job.pages_skipped,
        errors=_errors_of(job),
        abortReason=_abort_reason(job, asked),
    )


def _errors_of(job: Job) -> tuple[DocumentFaultView, ...]:
    """Pages that failed, and what ended the indexing, if it did not end well."""
    faults = tuple(DocumentFaultView.of(fault) for fault in job.faults)
    is_told = not job.error or any(fault.reason in job.error for fault in job.faults)
    return faults if is_told else (*faults, DocumentFaultView(url=job.url, reason=job.error))


def _abort_reason(job: Job, asked: SubmitDocumentArguments) -> str | None:
    """Why the crawl is not complete. A depth that the caller chose is no such reason, unless it was lowered."""
    if not job.has_ended:
        return f"time: job {job.job_id} goes on; follow it with GET /job_progress"
    if job.status == "failed":
        return job.error
    if job.status == "interrupted":
        return "interrupted: the server was stopped"
    if job.cut_by == "max_depth" and not is_depth_clamped(asked):
        return None
    if job.cut_by == "max_pages" and not asked.spider:
        return None
    return _CUTS["cancelled" if job.status == "cancelled" else job.cut_by] if job.cut_by else None


def _bad_input(detail: str, members: dict[str, object]) -> Response:
    members = {"code": "VALIDATION_ERROR", **members}
    return problem_response(Problem(400, "bad-request", "Wrong input", detail, members))


def _unreachable(job: Job) -> Response:
    members = {"code": "FETCH_ERROR", "job_id": job.job_id}
    return problem_response(Problem(502, "unreachable", "Page cannot be had", job.error, members))
