"""How does REST reach the use cases? The FastAPI application of contract A over one `Service`."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException

from webdocs.errors import WebdocsError
from webdocs.serve.api_page import api_page
from webdocs.serve.head import HeadAsGet
from webdocs.serve.problem import UNEXPECTED, Problem, http_problem, problem_of, problem_response
from webdocs.serve.rest_faults import explain_faults
from webdocs.serve.rest_ids import MissingIdError
from webdocs.serve.rest_jobs import add_job_routes
from webdocs.serve.rest_llms import add_llms_routes
from webdocs.serve.rest_pages import add_page_routes
from webdocs.serve.rest_reindex import add_reindex_routes
from webdocs.serve.rest_sites import add_site_routes
from webdocs.serve.service import Service
from webdocs.serve.version import product_version
from webdocs.serve.views import ProblemView
from webdocs.settings import Settings

_DESCRIPTION = (
    "Crawl documentation sites, index them, and answer from them with citations. "
    "Errors are RFC 9457 problem details (`application/problem+json`). MCP is at `/mcp`."
)


def create_rest(service: Service, settings: Settings) -> FastAPI:
    """The REST application.

    Args:
        service: The use cases; blocking, called in worker threads.
        settings: Defaults of a crawl.
    """
    app = FastAPI(
        title="webdocs",
        version=product_version(),
        description=_DESCRIPTION,
        docs_url=None,  # these two load scripts from other hosts
        redoc_url=None,
        responses={"default": {"model": ProblemView, "description": "An error, as `application/problem+json`."}},
    )
    app.add_exception_handler(WebdocsError, _tell_webdocs_error)
    app.add_exception_handler(Exception, _tell_crash)
    app.add_exception_handler(RequestValidationError, _tell_validation_error)
    app.add_exception_handler(HTTPException, _tell_http_error)
    app.add_middleware(HeadAsGet)
    add_page_routes(app, service)
    add_llms_routes(app, service)
    add_site_routes(app, service)
    add_job_routes(app, service, settings)
    add_reindex_routes(app, service)

    @app.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        return HTMLResponse(api_page(app.openapi()))

    return app


async def _tell_webdocs_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, WebdocsError)
    return problem_response(problem_of(error))


async def _tell_crash(request: Request, error: Exception) -> Response:
    return problem_response(UNEXPECTED)  # Starlette raises the error again, and the guard logs it


async def _tell_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults, detail = explain_faults(error)
    return problem_response(Problem(422, "bad-request", "Wrong input", detail, {"errors": faults}))


async def _tell_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error, MissingIdError):
        return problem_response(error.problem)
    detail = f"There is no {request.url.path[:200]} here." if error.status_code == 404 else error.detail
    return problem_response(http_problem(error.status_code, detail, error.headers))
