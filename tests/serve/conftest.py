"""Servers on loopback over the fake application, started and stopped by the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_application import FakeApplication
from served import Served, start

from webdocs.serve.door import Door
from webdocs.serve.front import create_front
from webdocs.serve.listener import Listener, bind
from webdocs.settings import Settings


@pytest.fixture
def db_path(tmp_path: Path) -> str:
    return str(tmp_path / "webdocs.duckdb")


@pytest.fixture(scope="package")
def _running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from start(Settings(db_path=str(tmp_path_factory.mktemp("owner") / "webdocs.duckdb")))


@pytest.fixture(scope="package")
def _running_read_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = Settings(db_path=str(tmp_path_factory.mktemp("read-only") / "webdocs.duckdb"))
    yield from start(settings, read_only=True)


@pytest.fixture(scope="package")
def _running_forwarder(_running: Served) -> Iterator[Served]:
    """A second public listener on the same database, whose process is not the owner."""
    door = Door(_running.settings, FakeApplication)
    listener = Listener(create_front(door, _running.settings), bind("127.0.0.1", 0))
    try:
        yield Served(listener.port, door, _running.service, _running.settings)
    finally:
        listener.close()
        door.close()


@pytest.fixture
def served(_running: Served) -> Served:
    """A public listener of the owner; the server is shared, its service is as new."""
    _running.service.reset()
    return _running


@pytest.fixture
def served_read_only(_running_read_only: Served) -> Served:
    _running_read_only.service.reset()
    return _running_read_only


@pytest.fixture
def forwarding(_running_forwarder: Served) -> Served:
    _running_forwarder.service.reset()
    return _running_forwarder


@pytest.fixture
def served_alone(db_path: str) -> Iterator[Served]:
    """A server that the test may close."""
    yield from start(Settings(db_path=db_path))
