"""Which release of webdocs is this?"""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version


@lru_cache(maxsize=1)
def product_version() -> str:
    """The installed release, or `0` when the package runs from a folder that was never installed."""
    try:
        return version("webdocs-mcp")
    except PackageNotFoundError:
        return "0"
