"""A public listener over the fake application, as the tests see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fake_application import FakeApplication
from fake_service import FakeService

from webdocs.serve.door import Door
from webdocs.serve.front import create_front
from webdocs.serve.listener import Listener, bind
from webdocs.settings import Settings


@dataclass
class Served:
    """A running public listener."""

    port: int
    door: Door
    service: FakeService
    settings: Settings

    @property
    def mcp_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"


def start(settings: Settings, *, read_only: bool = False) -> Iterator[Served]:
    """A public listener of a process that owns the database."""
    opened: list[FakeApplication] = []

    def open_application(given: Settings) -> FakeApplication:
        opened.append(FakeApplication(given))
        return opened[0]

    door = Door(settings, open_application)
    door.knock()
    listener = Listener(create_front(door, settings, read_only=read_only), bind("127.0.0.1", 0))
    try:
        yield Served(listener.port, door, opened[0].service, settings)
    finally:
        listener.close()
        door.close()
