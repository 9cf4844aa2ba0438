"""What does the owner answer to the other webdocs processes? Everything, to whoever knows the secret."""

from __future__ import annotations

import hmac

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from webdocs.errors import WebdocsError
from webdocs.serve.bodies import parse_operator_body
from webdocs.serve.channel import (
    CALL_TOOL_PATH,
    CHALLENGE_PATH,
    REST_PREFIX,
    SECRET_HEADER,
    SUBMIT_PATH,
    proof_of,
)
from webdocs.serve.guard import Guard
from webdocs.serve.problem import Problem, http_problem, problem_of, send_problem
from webdocs.serve.service import Service
from webdocs.serve.tool_call import call_tool
from webdocs.serve.tool_messages import dump_outcome, load_call
from webdocs.serve.views import JobView
from webdocs.settings import Settings

MAX_NONCE_CHARS = 256
_NO_SECRET = Problem(401, "no-secret", "Unauthorized", "This channel is for other webdocs processes only.")


def create_internal(service: Service, settings: Settings, rest: ASGIApp, secret: str) -> ASGIApp:
    """The application of the owner's internal listener, host and origin checks included."""
    return Guard(_InternalApp(service, settings, rest, secret))


class _InternalApp:
    def __init__(self, service: Service, settings: Settings, rest: ASGIApp, secret: str) -> None:
        self._service = service
        self._settings = settings
        self._rest = rest
        self._secret = secret
        self._routes = {("POST", CALL_TOOL_PATH): self._call_tool, ("POST", SUBMIT_PATH): self._submit}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if scope["path"] == CHALLENGE_PATH:  # the one route without the secret: it proves that we have it
            nonce = request.query_params.get("nonce", "")[:MAX_NONCE_CHARS]
            await PlainTextResponse(proof_of(self._secret, nonce))(scope, receive, send)
        elif not hmac.compare_digest(request.headers.get(SECRET_HEADER, "").encode(), self._secret.encode()):
            await send_problem(_NO_SECRET, send)
        elif scope["path"].startswith(f"{REST_PREFIX}/"):
            await self._rest(_without_prefix(scope), receive, send)
        else:
            await self._serve_own(request, scope, receive, send)

    async def _serve_own(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._routes.get((request.method, scope["path"]))
        if route is None:
            await send_problem(http_problem(404), send)
            return
        body = await request.body()
        try:
            response = await run_in_threadpool(route, body)
        except WebdocsError as error:
            await send_problem(problem_of(error), send)
            return
        await response(scope, receive, send)

    def _call_tool(self, body: bytes) -> Response:
        outcome = call_tool(self._service, self._settings, load_call(body))
        return Response(dump_outcome(outcome), media_type="application/json")

    def _submit(self, body: bytes) -> Response:
        asked = parse_operator_body(body)
        job = self._service.submit(asked.url, asked.options(self._settings), name=asked.name, version=asked.version)
        return Response(JobView.of(job).model_dump_json(), media_type="application/json")


def _without_prefix(scope: Scope) -> Scope:
    path = scope["path"].removeprefix(REST_PREFIX)
    return {**scope, "path": path, "raw_path": path.encode()}
