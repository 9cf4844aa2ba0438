"""The `Store` on one DuckDB file: how do pages, vectors and postings lie in it?"""

from webdocs.store.duckdb.store import DuckStore

__all__ = ["DuckStore"]
