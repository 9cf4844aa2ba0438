"""Is every row of the hostile-input cases, of the URL cases, and of the fault log's crawl part, the id of a test?

A test names its rows in its name or in the id of a parameter: `ssrf-27-rebinding`, `test_ssrf_27_...`, `fault-D6`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

SSRF_ROWS = 50
FAULTS = [f"A{n}" for n in (1, 2, 3, 5, 7, 8, 9, 10)] + [f"B{n}" for n in (1, 2, 4, 5, 6, 7, 9, 10, 13, 16, 21, 22)]
FAULTS += [f"C{n}" for n in (2, 7)]
FAULTS += [f"D{n}" for n in (1, 2, 3, 4, 6, 8, 9)] + [f"E{n}" for n in (1, 2, 4, 5, 6, 8, 9, 11)]
FAULTS += [f"F{n}" for n in (1, 3, 4, 5)]
URL_ROWS = (1, 2, *range(8, 21), *range(23, 37), 38, 39, 40)

NOT_YET = {"url 35": "a page and its Markdown twin are joined together with llms.txt"}


def named_rows() -> set[str]:
    found = set()
    for path in TESTS.rglob("*"):
        if path.suffix in (".py", ".jsonl") and path != Path(__file__):
            text = path.read_text(encoding="utf-8").lower()
            found |= {f"{kind} {row.lstrip('0')}" for kind, row in re.findall(r"(ssrf|url|fault)[-_]([a-j]?\d+)", text)}
    return found


NAMED = named_rows()
WANTED = [f"ssrf {row}" for row in range(1, SSRF_ROWS + 1)] + [f"fault {row.lower()}" for row in FAULTS]
WANTED += [f"url {row}" for row in URL_ROWS]


@pytest.mark.parametrize("row", [row for row in WANTED if row not in NOT_YET])
def test_a_row_is_the_id_of_a_test(row: str) -> None:
    assert row in NAMED
