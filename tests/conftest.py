"""Makes `tests/` importable, so that every suite can use `servers`."""
