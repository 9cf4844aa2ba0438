"""CPU of reading 1 MB of llms.txt: ./dev bench llmstxt"""

from __future__ import annotations

import time
from collections.abc import Callable

from webdocs.llmstxt import parse, read_seeds

ROUNDS = 7


def make_text(size: int) -> str:
    """A file of the usual shape: sections of fifty links with a sentence each."""
    lines, length = ["# Lamp", "", "> All about lamps.", ""], 0
    while length < size:
        number = len(lines)
        link = f"- [Page {number}](https://docs.lamp.test/guide/page-{number}.html): What page {number} says of lamps"
        lines.append(f"## Section {number}" if number % 51 == 0 else link)
        length += len(lines[-1]) + 1
    return "\n".join(lines)


def measure_ms(read: Callable[[str], object], text: str) -> float:
    """CPU of the fastest of some rounds."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        read(text)
        times.append(time.process_time() - began)
    return 1000 * min(times)


if __name__ == "__main__":
    text = make_text(1024 * 1024)
    for read in (parse, read_seeds):
        print(f"{read.__name__}: {measure_ms(read, text):.0f} ms CPU for {len(text) / 1024 / 1024:.2f} MB")
