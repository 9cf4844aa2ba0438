"""How do a task and its page go through the pipe between a process and its worker?

Each message is a head of fixed size and its parts. A page travels as JSON: the worker reads what strangers wrote, with
libraries in C, so what comes back from it must not be able to run anything here, as a pickle could.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Literal

from webdocs.model import Block, Link, Page

_TASK_HEAD = struct.Struct("!III")
_REPLY_HEAD = struct.Struct("!cI")

Status = Literal[b"P", b"F", b"M", b"B"]
"""A page; a fault that extraction names; out of memory; a fault of ours."""

PAGE: Status = b"P"
FAULT: Status = b"F"
NO_MEMORY: Status = b"M"
BUG: Status = b"B"


@dataclass(frozen=True, slots=True)
class Task:
    """One body to read; the fields are those of `read_body`."""

    body: bytes
    content_type: str
    url: str


def write_task(pipe: IO[bytes], task: Task) -> None:
    """Send a task. Raises OSError if the other end is gone."""
    content_type, url = _encoded(task.content_type), _encoded(task.url)
    pipe.write(_TASK_HEAD.pack(len(content_type), len(url), len(task.body)) + content_type + url)
    pipe.write(task.body)
    pipe.flush()


def read_task(pipe: IO[bytes]) -> Task | None:
    """The next task; None when the other end is closed."""
    head = pipe.read(_TASK_HEAD.size)
    if len(head) < _TASK_HEAD.size:
        return None
    lengths = _TASK_HEAD.unpack(head)
    content_type, url, body = (pipe.read(length) for length in lengths)
    return Task(body, content_type.decode(errors="replace"), url.decode(errors="replace"))


def write_reply(pipe: IO[bytes], status: Status, payload: bytes) -> None:
    """Send what became of a task."""
    pipe.write(_REPLY_HEAD.pack(status, len(payload)) + payload)
    pipe.flush()


def read_reply(pipe: IO[bytes]) -> tuple[bytes, bytes] | None:
    """Status and payload; None when the worker went before it had sent all of it."""
    head = pipe.read(_REPLY_HEAD.size)
    if len(head) < _REPLY_HEAD.size:
        return None
    status, length = _REPLY_HEAD.unpack(head)
    payload = pipe.read(length)
    return (status, payload) if len(payload) == length else None


def encode_page(page: Page) -> bytes:
    """The page as JSON, records as lists in the order of their fields."""
    blocks = [[b.kind, b.markdown, b.level, b.anchors, b.language, b.header_lines] for b in page.blocks]
    links = [[link.url, link.text, link.in_main, link.follow] for link in page.links]
    modified = page.modified_at.isoformat() if page.modified_at else ""
    rest = [page.language, page.description, page.canonical, page.refresh, page.index, page.follow]
    rest += [modified, page.alternate]
    return json.dumps([page.url, page.title, blocks, links, *rest], separators=(",", ":")).encode()


def decode_page(payload: bytes) -> Page:
    """The page that `encode_page` wrote."""
    url, title, blocks, links, *rest, modified, alternate = json.loads(payload)
    return Page(
        url,
        title,
        tuple(Block(kind, text, level, tuple(anchors), *more) for kind, text, level, anchors, *more in blocks),
        tuple(Link(*link) for link in links),
        *rest,
        modified_at=datetime.fromisoformat(modified) if modified else None,
        alternate=alternate,
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
