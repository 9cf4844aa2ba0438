"""Columns in: a batch of rows as numpy arrays, which DuckDB scans in place.

Row-wise `executemany` costs ten times as much, and Arrow would be one more dependency of 100 MB.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import numpy as np
from numpy.typing import NDArray

Column = NDArray | Sequence[object]


def insert_rows(cursor: duckdb.DuckDBPyConnection, table: str, columns: dict[str, Column]) -> None:
    """Append rows given by column. `table` and the column names are constants of this package."""
    arrays = {name: _as_array(column) for name, column in columns.items()}
    if len(next(iter(arrays.values()))) == 0:
        return
    cursor.register("incoming", arrays)
    try:
        names = ", ".join(arrays)
        cursor.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM incoming")  # noqa: S608
    finally:
        cursor.unregister("incoming")


def update_rows(
    cursor: duckdb.DuckDBPyConnection, statement: str, columns: dict[str, Column], parameters: dict[str, object]
) -> None:
    """Run a statement that joins rows given by column, as the table `incoming`."""
    cursor.register("incoming", {name: _as_array(column) for name, column in columns.items()})
    try:
        cursor.execute(statement, parameters)
    finally:
        cursor.unregister("incoming")


def _as_array(column: Column) -> NDArray:
    if isinstance(column, np.ndarray):
        return column
    array = np.empty(len(column), dtype=object)
    array[:] = column
    return array
