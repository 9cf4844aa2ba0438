"""`webdocs.api:app`, the ASGI application for people who bring their own server.

Nothing is read or opened at import: settings and database are opened when the server starts (lifespan).
"""

from __future__ import annotations

import logging

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webdocs.errors import WebdocsError
from webdocs.serve.door import Door
from webdocs.serve.front import create_front
from webdocs.serve.owner import Application, OpenApplication
from webdocs.serve.problem import Problem, send_problem
from webdocs.settings import Settings, load_settings

logger = logging.getLogger(__name__)

_NOT_STARTED = Problem(
    503, "not-started", "Not started", "The server must run the lifespan protocol of this application."
)


class LazyApp:
    """The public application, built at `lifespan.startup` and closed after `lifespan.shutdown`."""

    def __init__(self, open_application: OpenApplication) -> None:
        self._open_application = open_application
        self._front: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI scope."""
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        elif self._front is not None:
            await self._front(scope, receive, send)
        else:
            await send_problem(_NOT_STARTED, send)

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            settings = load_settings()
            door = Door(settings, self._open_application)
            await run_in_threadpool(door.knock)
        except WebdocsError as error:
            logger.error("start_failed reason=%s", error)  # noqa: TRY400
            await receive()
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        self._front = create_front(door, settings)

        async def tell(message: Message) -> None:
            if message["type"] == "lifespan.shutdown.complete":
                await run_in_threadpool(door.close)
            await send(message)

        await self._front(scope, receive, tell)
        self._front = None


def _open_application(settings: Settings) -> Application:
    from webdocs.build import open_application

    return open_application(settings)


app = LazyApp(_open_application)
