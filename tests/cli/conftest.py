"""The command's tests share the fakes and the process runner of the server's tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "serve"))


@pytest.fixture
def db_path(tmp_path: Path) -> str:
    return str(tmp_path / "webdocs.duckdb")
