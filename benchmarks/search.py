"""How fast is search at ten thousand, a hundred thousand and a million chunks, and what does it need?

usage: ./dev bench search [--chunks N ...] [--keep FOLDER] [--queries N]

Synthetic indexes are made out of real documentation (synthetic.py) by the product's own way; `webdocs serve` answers
from them through HTTP on loopback. FOLDER keeps the indexes, so that a second run need not make them. Latencies are
wall times of one client unless said otherwise; CPU is that of the server a query.
"""

from __future__ import annotations

import argparse
import http.client
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import corpora
import process
import synthetic
from table import Row, print_table

from webdocs.settings import Settings

PROGRAM = Path(sys.executable).parent / "webdocs"
FILTERED_SITE = "site01"
"""The second largest site: about an eighth of the index."""

CRAWLED = "git-doc"
"""What is crawled while queries are asked."""


@dataclass(frozen=True, slots=True)
class Bars:
    """What the issue "retrieval" asks at one size; None where it asks nothing."""

    hybrid_ms: float
    filtered_ms: float
    four_clients_ms: float
    writing_ms: float | None
    memory_mb: float
    first_answer_s: float


BARS = {
    10_000: Bars(15, 15, 40, 60, 200, 0.5),
    100_000: Bars(35, 35, 100, 120, 450, 2),
    1_000_000: Bars(150, 80, 600, None, 1800, 8),
}
MIN_CHUNKS_A_CPU_S = 800


class Client:
    """One connection that asks, as an agent's does."""

    def __init__(self, address: str) -> None:
        """Connect to `http://host:port`."""
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)

    def search(self, query: str, site: str = "") -> tuple[float, list[dict]]:
        """Seconds and hits."""
        wanted = {"query": query, "top_k": 5} | ({"site": site} if site else {})
        started = time.perf_counter()
        self._connection.request("GET", f"/search_docs?{urlencode(wanted)}")
        body = self._connection.getresponse().read()
        return time.perf_counter() - started, json.loads(body)


def p95_ms(seconds: Sequence[float]) -> float:
    """The 95th of a hundred, in milliseconds."""
    return sorted(seconds)[min(int(len(seconds) * 0.95), len(seconds) - 1)] * 1000


def ask(address: str, queries: Sequence[str], site: str = "") -> list[float]:
    """Seconds of each query, one after the other."""
    client = Client(address)
    return [client.search(query, site)[0] for query in queries]


def ask_together(address: str, queries: Sequence[str], clients: int = 4) -> list[float]:
    """Seconds of each query, asked by several clients at once."""
    taken: list[float] = []
    threads = [
        threading.Thread(target=lambda part=queries[number::clients]: taken.extend(ask(address, part)))
        for number in range(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken


@contextmanager
def crawling(environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A crawl of a real site into the index, for as long as the block runs."""
    with process.nginx_serving(corpora.pages_folder(CRAWLED)) as root:
        host = root.removeprefix("http://").rstrip("/")
        command = [str(PROGRAM), "add", root, "--allow-private", host, "--delay", "0", "--wait"]
        started = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with process.ended_afterwards(started) as job:
            yield job


def while_crawling(address: str, queries: Sequence[str], environment: dict[str, str]) -> list[float]:
    """Seconds of each query for as long as a crawl writes."""
    taken: list[float] = []
    client = Client(address)
    with crawling(environment) as job:
        for query in queries * 50:
            if job.poll() is not None:
                break
            taken.append(client.search(query)[0])
    return taken


def measure(path: Path, n_chunks: int, queries: Sequence[str]) -> Iterator[Row]:
    """Every bar of one size against one index."""
    bars = BARS.get(n_chunks) or BARS[1_000_000]
    size = f"{n_chunks // 1000} k"
    with process.webdocs_environment() as environment:
        environment |= {"WEBDOCS_DB_PATH": str(path)}
        with process.webdocs_serving(PROGRAM, environment) as (pid, address):
            first_s = Client(address).search("the first question")[0]
            yield _row(f"{size}: open to first answer", first_s, bars.first_answer_s, "s")
            ask(address, queries[:50])
            before = process.cpu_seconds(pid)
            taken = ask(address, queries)
            cpu_ms = (process.cpu_seconds(pid) - before) * 1000 / len(queries)
            yield _row(f"{size}: hybrid, p95", p95_ms(taken), bars.hybrid_ms, "ms")
            yield Row(f"{size}: hybrid, CPU a query; p50", "", f"{cpu_ms:.1f} ms; {p50_ms(taken):.1f} ms", None)
            filtered = ask(address, queries, FILTERED_SITE)
            yield _row(f"{size}: one site, p95", p95_ms(filtered), bars.filtered_ms, "ms")
            yield _row(f"{size}: 4 clients, p95", p95_ms(ask_together(address, queries)), bars.four_clients_ms, "ms")
            yield _row(f"{size}: memory after these", process.peak_memory_mb(pid), bars.memory_mb, "MB")
            if bars.writing_ms is not None:
                writing = while_crawling(address, queries, environment)
                name = f"{size}: while a crawl writes, p95 of {len(writing)}"
                yield _row(name, p95_ms(writing), bars.writing_ms, "ms")


def p50_ms(seconds: Sequence[float]) -> float:
    """The median in milliseconds."""
    return sorted(seconds)[len(seconds) // 2] * 1000


def _row(measure: str, value: float, bar: float, unit: str) -> Row:
    return Row(measure, f"<= {bar:g} {unit}", f"{value:.2f} s" if unit == "s" else f"{value:.1f} {unit}", value <= bar)


def rows(sizes: Sequence[int], folder: Path, n_queries: int) -> Iterator[Row]:
    """All sizes; each index is measured on a copy, so that a kept one stays as it was made."""
    queries = synthetic.queries(n_queries)
    settings = Settings()
    for n_chunks in sizes:
        kept = folder / f"search-{n_chunks}.duckdb"
        if not kept.exists():
            built = synthetic.build_index(kept, n_chunks, settings)
            rate = built.n_chunks / built.cpu_s
            name = f"{n_chunks // 1000} k: ingest, chunks a CPU-second, of {built.n_chunks}"
            yield Row(name, f">= {MIN_CHUNKS_A_CPU_S}", f"{rate:.0f}", rate >= MIN_CHUNKS_A_CPU_S)
        with tempfile.TemporaryDirectory(prefix="webdocs-search-", dir=folder) as copies:
            copy = Path(copies) / kept.name
            shutil.copyfile(kept, copy)
            yield from measure(copy, n_chunks, queries)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000], help="sizes of the indexes")
    parser.add_argument("--keep", type=Path, help="a folder in which the indexes stay")
    parser.add_argument("--queries", type=int, default=300, help="how many queries to ask")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="webdocs-search-") as folder:
        print_table(rows(options.chunks, options.keep or Path(folder), options.queries))


if __name__ == "__main__":
    main()
