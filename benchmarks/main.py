"""The main job measured end to end: does a documentation site become cited answers, and what does it cost?

PostgreSQL 15's documentation is served by nginx on loopback, crawled without delay and searched through HTTP.

usage: ./dev bench main [--queries FILE] [--eval FOLDER] [--skip-install]
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import corpora
import process
import retrieval
from install_size import measure_install
from table import Row, print_table

HERE = Path(__file__).resolve().parent
PROGRAM = Path(sys.executable).parent / "webdocs"
PACKAGE = "postgresql-doc-15"

# What the judged rows ask to leave out: they were read off the printed index, so it must not answer.
NOT_JUDGED = r"/\/(bookindex|legalnotice)\.html$/"

NAMED_QUERIES = (
    ("create index concurrently", "sql-createindex.html", 1),
    ("row level security policy", "ddl-rowsecurity.html", 3),
    ("generate_series", "functions-srf.html", 1),
)


@contextmanager
def indexed_site(root_url: str, *options: str) -> Iterator[tuple[int, str, dict[str, int], float]]:
    """webdocs with the whole site indexed; yields process id, address, job, CPU seconds of the crawl."""
    with (
        process.webdocs_environment() as environment,
        process.webdocs_serving(PROGRAM, environment) as (pid, address),
    ):
        before = process.cpu_seconds(pid)
        job = add_site(root_url, environment, *options)
        yield pid, address, job, process.cpu_seconds(pid) - before


def add_site(root_url: str, environment: dict[str, str], *options: str) -> dict[str, int]:
    """`webdocs add --wait` as a user types it, against the server that holds the database."""
    host = root_url.removeprefix("http://").rstrip("/")
    command = [str(PROGRAM), "add", root_url, "--allow-private", host, "--delay", "0", "--concurrency", "8"]
    done = subprocess.run([*command, *options, "--wait", "--json"], env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def search(address: str, query: str, top_k: int = 5) -> list[str]:
    """URLs of the answer, best first."""
    answer = process.get(f"{address}/search_docs?{urlencode({'query': query, 'top_k': top_k})}")
    return [hit["url"] for hit in json.loads(answer)]


def measure_crawl(pid: int, job: dict[str, int], cpu_s: float, there: int) -> list[Row]:
    """Coverage, CPU a page, and the memory that crawl and searches needed at most."""
    indexed = job["pages_indexed"]
    cpu_ms = cpu_s * 1000 / max(indexed, 1)
    peak_mb = process.peak_memory_mb(pid)
    return [
        Row("pages indexed", f"all HTML pages reachable, of {there}", f"{indexed}", indexed >= there - 1),
        Row("CPU a page, crawl to searchable", "<= 20 ms", f"{cpu_ms:.1f} ms", cpu_ms <= 20),
        Row("peak memory", "<= 400 MB", f"{peak_mb:.0f} MB", peak_mb <= 400),
    ]


def measure_latency(address: str, queries: list[str]) -> Row:
    """Each query once, after one that warms the caches as the first search of a day would."""
    search(address, "warm up")
    times_ms = []
    for query in queries:
        start = time.perf_counter()
        search(address, query)
        times_ms.append((time.perf_counter() - start) * 1000)
    times_ms.sort()
    p50, p95 = times_ms[len(times_ms) // 2], times_ms[min(int(len(times_ms) * 0.95), len(times_ms) - 1)]
    figure = f"{p95:.1f} ms (p50 {p50:.1f} ms)"
    return Row(f"search, p95 over {len(queries)} queries through HTTP", "<= 40 ms", figure, p95 <= 40)


def measure_named(address: str) -> list[Row]:
    """The pages that certain queries must find."""
    rows = []
    for query, page, rank in NAMED_QUERIES:
        first = [url.rpartition("/")[2] for url in search(address, query)[:3]]
        bar = f"{page} " + ("first" if rank == 1 else f"in the first {rank}")
        rows.append(Row(f'"{query}"', bar, ", ".join(first), page in first[:rank]))
    return rows


def measure_ranking(root_url: str, folder: Path | None) -> list[Row]:
    """MRR and hits on judged rows, on an index of its own without the printed index."""
    bar = "MRR@10 >= .70"
    rows = retrieval.read_rows(folder, "postgresql") if folder else []
    if not rows:
        reason = "no rows there" if folder else "skipped: name a folder with --eval"
        return [Row("judged queries", bar, reason, None)]
    with indexed_site(root_url, "--exclude", NOT_JUDGED) as (_, address, _, _):
        scores = retrieval.score(rows, lambda query: search_judged(address, query))
    return [
        Row(
            f"judged queries, {kind} ({found.count})",
            bar if kind == "all" else "",
            f"MRR@10 {found.mrr_at_10:.3f}, hit@5 {found.hit_at_5:.3f}",
            found.mrr_at_10 >= 0.70 if kind == "all" else None,
        )
        for kind, found in scores.items()
    ]


def search_judged(address: str, query: str) -> list[str]:
    """The start page is crawled whatever is excluded, but it is a table of contents and not judged either."""
    return [url for url in search(address, query, 25) if not url.endswith(("/", "/index.html"))]


def measure_stdio() -> Row:
    """CPU time of `webdocs mcp` from its start until it has answered `initialize`."""
    parameters = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    }
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}
    with process.webdocs_environment() as environment:
        server = subprocess.Popen([str(PROGRAM), "mcp"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with process.ended_afterwards(server):
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps(call).encode() + b"\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            spent = process.cpu_seconds(server.pid)
            assert "result" in answer, answer
            server.stdin.close()
    return Row("stdio start to `initialize` answered", "<= 1.2 CPU-s", f"{spent:.2f} CPU-s", spent <= 1.2)


def measure_size(skip: bool) -> Row:
    """Size and package count of a default install."""
    measure, bar = "default install: size, packages", "<= 320 MB, <= 62"
    if skip:
        return Row(measure, bar, "skipped", None)
    found = measure_install()
    passed = found.megabytes <= 320 and found.packages <= 62
    return Row(measure, bar, f"{found.megabytes:.0f} MB, {found.packages}", passed)


def run(queries: list[str], eval_folder: Path | None, skip_install: bool) -> list[Row]:
    """Every measure, in the order of the table."""
    folder = corpora.pages_folder(PACKAGE)
    with process.nginx_serving(folder) as root_url:
        with indexed_site(root_url) as (pid, address, job, cpu_s):
            latency, named = measure_latency(address, queries), measure_named(address)
            rows = [*measure_crawl(pid, job, cpu_s, corpora.count_pages(folder)), latency]
        rows += measure_ranking(root_url, eval_folder)
    return [*rows, measure_stdio(), measure_size(skip_install), *named]


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench main", description=__doc__)
    parser.add_argument("--queries", type=Path, default=HERE / "queries.txt", help="one query a line")
    parser.add_argument("--eval", type=Path, help="folder with postgresql_*.dev.jsonl")
    parser.add_argument("--skip-install", action="store_true", help="leave the size of an install out")
    return parser.parse_args()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))  # so that every program is ended
    arguments = read_arguments()
    lines = arguments.queries.read_text(encoding="utf-8").splitlines()
    table = run([line for line in lines if line.strip()], arguments.eval, arguments.skip_install)
    print_table(table)
    sys.exit(any(row.passed is False for row in table))
