"""`webdocs.api:app` under somebody's own server: opened at start-up, closed at the end, nothing at import."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_application import FakeApplication
from loopback import ask
from processes import environment

from webdocs.api import LazyApp
from webdocs.errors import OwnerError
from webdocs.serve.listener import Listener, bind


@pytest.fixture(autouse=True)
def _own_settings(db_path: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment(db_path))
    yield
    os.environ.clear()
    os.environ.update(before)


def test_import_opens_nothing(db_path: str) -> None:
    script = "import sys, webdocs.api; print('duckdb' in sys.modules, callable(webdocs.api.app))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"
    assert not Path(db_path).exists()


def test_it_serves_from_start_up_to_shutdown(db_path: str) -> None:
    listener = Listener(LazyApp(FakeApplication), bind("127.0.0.1", 0))
    assert Path(db_path + ".owner").exists()
    assert ask(listener.port, "GET", "/health").json["pages"] == 3
    assert ask(listener.port, "GET", "/health", headers={"Host": "evil.test"}).status == 421
    listener.close()
    assert not Path(db_path + ".owner").exists()
    assert Path(db_path + ".jobs").exists()


def test_a_bad_setting_stops_the_start(db_path: str) -> None:
    os.environ["WEBDOCS_MAX_PAGES"] = "many"
    with pytest.raises(OwnerError, match="did not start"):
        Listener(LazyApp(FakeApplication), bind("127.0.0.1", 0))
    assert not Path(db_path).exists()
