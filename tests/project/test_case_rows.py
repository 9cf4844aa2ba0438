"""Is every row of the hostile-input cases, of the URL cases, and of the fault log the id of a test?

A test names its rows in its name or in the id of a parameter: `ssrf-27-rebinding`, `test_ssrf_27_...`, `fault-D6`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

SSRF_ROWS = 50
URL_ROWS = 40
FAULTS = {
    "A": (1, 2, 3, 5, 7, 8, 9, 10, 11, 12),
    "B": (1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 16, 17, 18, 20, 21, 22),
    "C": (1, 2, 4, 5, 7),
    "D": (1, 2, 3, 4, 6, 8, 9),
    "E": (1, 2, 4, 5, 6, 8, 9, 11),
    "F": (1, 3, 4, 5),
    "G": (1, 3, 4, 5, 6, 8, 10, 11, 13),
    "H": (1, 2, 3, 4, 5, 7, 8),
    "I": (1, 2, 3, 6, 7),
    "J": (1, 2, 5, 6, 7, 9, 10),
}
"""Rows of the fault log; the numbers between them were never given."""


def named_rows() -> set[str]:
    found = set()
    for path in TESTS.rglob("*"):
        if path.suffix in (".py", ".jsonl") and path != Path(__file__):
            text = path.read_text(encoding="utf-8").lower()
            found |= {f"{kind} {row.lstrip('0')}" for kind, row in re.findall(r"(ssrf|url|fault)[-_]([a-j]?\d+)", text)}
    return found


NAMED = named_rows()
WANTED = [f"ssrf {row}" for row in range(1, SSRF_ROWS + 1)]
WANTED += [f"url {row}" for row in range(1, URL_ROWS + 1)]
WANTED += [f"fault {letter.lower()}{row}" for letter, rows in FAULTS.items() for row in rows]


@pytest.mark.parametrize("row", WANTED)
def test_a_row_is_the_id_of_a_test(row: str) -> None:
    assert row in NAMED
