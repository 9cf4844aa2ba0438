"""How a benchmark says what it measured: rows of one Markdown table, and the machine they stand for."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `passed` is None where nothing was measured."""

    measure: str
    bar: str
    figure: str
    passed: bool | None

    def __str__(self) -> str:
        verdict = {True: "yes", False: "NO", None: "-"}[self.passed]
        return f"| {self.measure} | {self.bar} | {self.figure} | {verdict} |"


def print_table(rows: Iterable[Row]) -> None:
    """The machine, then the rows as they are ready."""
    print(describe_machine(), "| measure | bar | figure | passed |\n| --- | --- | --- | --- |", sep="\n\n", flush=True)
    for row in rows:
        print(row, flush=True)


def describe_machine() -> str:
    """Date, processor, cores and Python."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    cores = len(os.sched_getaffinity(0))
    today = datetime.datetime.now(datetime.UTC).date()
    return f"{today}, {models[0] if models else 'unknown'}, {cores} cores, Python {platform.python_version()}"
