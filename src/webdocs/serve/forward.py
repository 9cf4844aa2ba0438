"""How does a public request reach the owner? Forwarded whole; the answer is streamed back as it comes."""

from __future__ import annotations

from urllib.parse import quote

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from webdocs.serve.channel import REST_PREFIX, ChannelReply
from webdocs.serve.door import Door

_REQUEST_HEADERS = ("accept", "content-type")
_HOP_HEADERS = frozenset({"connection", "keep-alive", "transfer-encoding", "date", "server"})
"""RFC 9110, section 7.6.1, and the two that this process adds itself."""


async def forward(door: Door, scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one HTTP request from the owner's answer.

    Raises:
        OwnerError: no owner can be reached.
    """
    request = Request(scope, receive)
    body = await request.body()
    headers = {name: request.headers[name] for name in _REQUEST_HEADERS if name in request.headers}
    reply = await anyio.to_thread.run_sync(door.request, request.method, _target_of(scope), body, headers)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_await_disconnect, receive, reply, group.cancel_scope)
            await _send_reply(reply, send)
            group.cancel_scope.cancel()
    finally:
        reply.close()


def _target_of(scope: Scope) -> str:
    query = scope["query_string"].decode("latin-1")
    return f"{REST_PREFIX}{quote(scope['path'])}{'?' + query if query else ''}"


async def _send_reply(reply: ChannelReply, send: Send) -> None:
    headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in reply.headers
        if name.lower() not in _HOP_HEADERS
    ]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    while piece := await anyio.to_thread.run_sync(reply.read_some, abandon_on_cancel=True):
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _await_disconnect(receive: Receive, reply: ChannelReply, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
    reply.abandon()
    scope.cancel()
