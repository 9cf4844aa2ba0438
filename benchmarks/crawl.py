"""The crawler measured: is it correct, safe, cheap and even in its memory?

usage: ./dev bench crawl [--pages FOLDER] [--skip-index]

FOLDER holds PostgreSQL's HTML documentation (1,169 pages); by default where benchmarks/corpora.py unpacks it, or below
WEBDOCS_CORPORA. Without it the rows that need it say so. Servers run in processes of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import corpora
import hostile
import process
from table import Row, print_table

from webdocs.crawl import Crawl, CrawlReport, Reading
from webdocs.crawl.fetch_http import HttpFetcher
from webdocs.crawl.robots import parse
from webdocs.crawl.url import join, parse_start
from webdocs.errors import UrlError
from webdocs.extract import links_of
from webdocs.model import CrawlOptions, Failed, Fetched, FetchOutcome, Request

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
DATA = TESTS / "data"
PROGRAM = Path(sys.executable).parent / "webdocs"
PACKAGE = "postgresql-doc-15"
SYNTHETIC_PAGES = 10_000
RSS_FROM_PAGE = 1_000
LAST_LOOPBACK_ROW = 22
KILLS, KILL_PAGES, KILL_SEED = 20, 300, 20261130
MOST_REQUESTS_A_LIFE = 24
"""Twenty lives of two to so many requests are a little less than the site, so each kill meets a crawl under way."""


def read_rows(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


# ---------------------------------------------------------------- correct and safe


def measure_robots() -> Row:
    """The facts about robots.txt that the tests hold as well."""
    facts = read_rows("robots.jsonl")
    passed = 0
    for fact in facts:
        text = fact["robots"]
        text = text if isinstance(text, str) else "".join(piece * times for piece, times in text)
        robots = parse(text.encode("utf-8", "surrogateescape"))
        passed += robots.is_allowed(fact["agent"], fact["url"]) is fact["allowed"]
    return Row("robots facts passed", f"all {len(facts)}", f"{passed}", passed == len(facts))


@contextmanager
def counting_server() -> Iterator[tuple[int, list[str]]]:
    """Listens on every address of this machine, IPv4 and IPv6; yields its port and a list that grows by each caller."""
    callers: list[str] = []
    with socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listener:

        def accept() -> None:
            while True:
                try:
                    connection, address = listener.accept()
                except OSError:
                    return
                callers.append(address[0])
                connection.close()

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1], callers


def measure_spellings() -> Row:
    """Every spelling of rows 1 to 22, as it is, as typed and as a link, against a server that really listens."""
    rows = [row for row in read_rows("ssrf_hosts.jsonl") if int(row["id"].split("-")[1]) <= LAST_LOOPBACK_ROW]
    with counting_server() as (port, callers):
        spellings = [row["url"].format(port=f":{port}") for row in rows]
        urls = {
            url for spelling in spellings for url in (spelling, typed(spelling), join("http://a.invalid/", spelling))
        }
        asyncio.run(ask_each(sorted(url for url in urls if url)))
        reached = len(callers)
        # The proof that the server would have been reached: this one call must arrive.
        socket.create_connection(("127.0.0.1", port)).close()
        deadline = time.monotonic() + 5
        while len(callers) == reached and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(callers) == reached + 1, "the server does not listen"
    measure = f"loopback spellings that reached a server, of {len(rows)} in three ways each"
    return Row(measure, "0", f"{reached}", reached == 0)


def typed(spelling: str) -> str | None:
    try:
        return parse_start(spelling)
    except UrlError:
        return None


async def ask_each(urls: Sequence[str]) -> None:
    fetcher = HttpFetcher(timeout_s=2.0)
    for url in urls:
        await fetcher.fetch(Request(url))
    await fetcher.aclose()


# ---------------------------------------------------------------- memory, each figure in a child of its own


def memory_mb(field: str) -> float:
    """`VmRSS` (now) or `VmHWM` (highest so far) of this process, in MB of 10^6 bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"/proc/self/status has no {field}")


def run_child(*arguments: str) -> dict[str, float]:
    """This file again, in a fresh process; answers what it prints."""
    command = [sys.executable, str(Path(__file__)), "--child", *arguments]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def measure_bombs() -> Row:
    """The worst of the three codings."""
    with hostile.serving("bombs") as root_url:
        peaks = {coding: run_child("bomb", root_url, coding)["peak_mb"] for coding in ("gzip", "br", "zstd")}
    figure = ", ".join(f"{coding} {peak:.0f} MB" for coding, peak in peaks.items())
    return Row("peak memory over start on 300 MB bombs", "<= 64 MB", figure, max(peaks.values()) <= 64)


def child_bomb(root_url: str, coding: str) -> dict[str, float]:
    async def run() -> dict[str, float]:
        fetcher = HttpFetcher(allow_private=(urlsplit(root_url).netloc,))
        assert isinstance(await fetcher.fetch(Request(root_url)), Fetched)
        before = memory_mb("VmRSS")
        outcome = await fetcher.fetch(Request(root_url + coding))
        assert isinstance(outcome, Failed), outcome
        assert "larger" in outcome.reason, outcome
        await fetcher.aclose()
        return {"peak_mb": memory_mb("VmHWM") - before}

    return asyncio.run(run())


def measure_growth() -> Row:
    """Memory of the crawl alone while it walks a large site."""
    with hostile.serving("site", str(SYNTHETIC_PAGES)) as root_url:
        found = run_child("growth", root_url)
    growth = found["last_mb"] - found["first_mb"]
    measure = f"memory growth from page {RSS_FROM_PAGE:,} to {SYNTHETIC_PAGES:,}, synthetic site"
    figure = f"{growth:.0f} MB ({found['pages']:.0f} pages, {found['cpu_ms']:.2f} ms CPU a page)"
    return Row(measure, "<= 50 MB", figure, growth <= 50 and found["pages"] >= SYNTHETIC_PAGES)


def child_growth(root_url: str) -> dict[str, float]:
    marks: list[float] = []
    seen = 0

    def note() -> None:
        nonlocal seen
        seen += 1
        if seen in (RSS_FROM_PAGE, SYNTHETIC_PAGES):
            marks.append(memory_mb("VmRSS"))

    report, cpu_s = crawl_alone(root_url, note)
    return {
        "first_mb": marks[0],
        "last_mb": marks[-1],
        "pages": report.pages_fetched,
        "cpu_ms": cpu_s * 1000 / report.pages_fetched,
    }


# ---------------------------------------------------------------- cost


def crawl_alone(root_url: str, note: Callable[[], None] = lambda: None) -> tuple[CrawlReport, float]:
    """A whole site, 16 requests at once and no delay, links read and nothing indexed; with the CPU seconds it took."""

    async def read(fetched: Fetched) -> Reading:
        return Reading(links=links_of(fetched.body, fetched.content_type, fetched.final_url))

    async def keep_nothing(_request: Request, _outcome: FetchOutcome, _reading: Reading | None, _queued: int) -> None:
        note()

    async def run() -> CrawlReport:
        options = CrawlOptions(max_pages=20_000, max_depth=None, delay_s=0.0, concurrency=16)
        fetcher = HttpFetcher(allow_private=(urlsplit(root_url).netloc,), concurrency=16)
        try:
            return await Crawl(root_url, options, fetcher, read, keep_nothing).run()
        finally:
            await fetcher.aclose()

    before = time.process_time()
    report = asyncio.run(run())
    return report, time.process_time() - before


def child_crawl(root_url: str) -> dict[str, float]:
    report, cpu_s = crawl_alone(root_url)
    return {"pages": report.pages_fetched, "cpu_ms": cpu_s * 1000 / report.pages_fetched}


def measure_crawl(root_url: str) -> Row:
    """The best of three: the machine's other work only ever adds."""
    runs = [run_child("crawl", root_url) for _ in range(3)]
    best = min(run["cpu_ms"] for run in runs)
    all_runs = ", ".join(f"{run['cpu_ms']:.2f}" for run in runs)
    measure = f"crawl alone, {runs[0]['pages']:.0f} pages, 16 parallel, delay 0"
    return Row(measure, "<= 2.0 ms CPU a page", f"{best:.2f} ms (runs {all_runs})", best <= 2.0)


def measure_recrawl(root_url: str) -> Row:
    """A second crawl of an indexed site that did not change, by the server that holds the database."""
    host = urlsplit(root_url).netloc
    with (
        process.webdocs_environment() as environment,
        process.webdocs_serving(PROGRAM, environment) as (pid, _),
    ):
        options = ("--allow-private", host, "--delay", "0", "--concurrency", "8", "--name", "site")
        first = command(environment, "add", root_url, *options)
        before = process.cpu_seconds(pid)
        (again,) = command(environment, "update", "site")
        cpu_ms = (process.cpu_seconds(pid) - before) * 1000 / again["pages_crawled"]
    unchanged, indexed = again["pages_unchanged"], again["pages_indexed"]
    figure = f"{cpu_ms:.2f} ms, {indexed} re-indexed, {unchanged} of {first['pages_indexed']} unchanged"
    return Row("re-crawl, nothing changed", "<= 3 ms CPU a page, 0 re-indexed", figure, cpu_ms <= 3 and indexed == 0)


def measure_kills() -> Row:
    """The server killed 20 times while it crawls 300 pages, then left to finish."""
    sys.path.insert(0, str(DATA.parent))
    from ingest.kill import kill_and_resume

    chance = random.Random(KILL_SEED)
    figures = kill_and_resume([chance.randint(2, MOST_REQUESTS_A_LIFE) for _ in range(KILLS)], KILL_PAGES)
    counts = f"{figures.pages} pages, {figures.fetched_again} fetched again, {figures.half_pages} half"
    is_held = (figures.kills, figures.pages, figures.fetched_again, figures.half_pages) == (KILLS, KILL_PAGES, 0, 0)
    bar = f"{KILL_PAGES} pages, 0 fetched again, 0 half"
    return Row("kill -9 at 20 random points, resumed", bar, f"{counts} ({figures.kills} kills)", is_held)


def command(environment: dict[str, str], *arguments: str):
    """A webdocs command as a user types it; answers the JSON that it prints."""
    done = subprocess.run(
        [str(PROGRAM), *arguments, "--wait", "--json"], env=environment, stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


# ---------------------------------------------------------------- all


def rows(pages: Path, skip_index: bool) -> Iterator[Row]:
    yield measure_robots()
    yield measure_spellings()
    yield measure_bombs()
    crawl, recrawl = "crawl alone, 1,169 pages, 16 parallel, delay 0", "re-crawl, nothing changed"
    if pages.is_dir():
        with process.nginx_serving(pages) as root_url:
            yield measure_crawl(root_url)
            yield Row(recrawl, "-", "skipped", None) if skip_index else measure_recrawl(root_url)
    else:
        missing = f"no pages in {pages.name}: name their folder by --pages, or run benchmarks/corpora.py"
        yield Row(crawl, "<= 2.0 ms CPU a page", missing, None)
        yield Row(recrawl, "<= 3 ms CPU a page, 0 re-indexed", missing, None)
    yield measure_growth()
    yield measure_kills()


CHILDREN = {"bomb": child_bomb, "growth": child_growth, "crawl": child_crawl}


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench crawl", description=__doc__)
    default = corpora.corpora_folder() / "usr" / "share" / "doc" / corpora.PAGES[PACKAGE]
    parser.add_argument("--pages", type=Path, default=default, help="PostgreSQL's HTML documentation")
    parser.add_argument("--skip-index", action="store_true", help="leave the re-crawl of an indexed site out")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))  # so that every program is ended
    arguments = read_arguments()
    if arguments.child:
        name, *rest = arguments.child
        print(json.dumps(CHILDREN[name](*rest)))
    else:
        print_table(rows(arguments.pages.resolve(), arguments.skip_index))
