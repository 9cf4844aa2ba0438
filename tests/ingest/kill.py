"""A real owner process that is killed while it crawls: does the job go on as if nothing had been?

`kill_and_resume` serves the tests and `./dev bench crawl`. The process under test is the installed `webdocs serve`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from servers import LoopbackServer, Reply
from webdocs.embed.hashing import HashingEmbedder
from webdocs.model import Job, StoredPage, TextWeights, Within
from webdocs.search.tokens import query_terms
from webdocs.store.duckdb import DuckStore

PROGRAM = Path(sys.executable).with_name("webdocs")
DIM = 64
ENDS_WITHIN_S = 300.0
_PAUSE_S = 0.005
_CHILDREN = 4
_FOLDER = "/docs/"


@dataclass(frozen=True, slots=True)
class KillFigures:
    """What came of one crawl whose process was killed again and again.

    Attributes:
        kills: How often that was while the job ran.
        pages: Stored at the end.
        fetched_again: Requests for pages that had been committed when the process was killed.
        half_pages: Pages that lack chunks, vectors or postings.
        requests: Requests in all.
        job: Its record at the end.
    """

    kills: int
    pages: int
    fetched_again: int
    half_pages: int
    requests: int
    job: Job


def make_site(pages: int) -> dict[str, Reply | str]:
    """A tree of pages, each with a word of its own, with links across, a redirect and a page that is not there."""
    routes: dict[str, Reply | str] = {f"{_FOLDER}old": Reply(301, {"Location": path_of(pages - 1)})}
    for number in range(pages):
        targets = [number * _CHILDREN + child for child in range(1, _CHILDREN + 1)] + [number // 2, number * 7 % pages]
        links = " ".join(f'<a href="{path_of(target)}">page {target}</a>' for target in targets if target < pages)
        if number == 0:
            links += f' <a href="{_FOLDER}gone">gone</a> <a href="{_FOLDER}old">old</a>'
        routes[path_of(number)] = (
            f"<html><head><title>Page {number}</title></head><body><main><h1>Page {number}</h1>"
            f"<p>The {word_of(number)} lives on this page of the documentation, and on no other.</p>"
            f"{links}</main></body></html>"
        )
    return routes


def path_of(number: int) -> str:
    """Where a page of the site is."""
    return f"{_FOLDER}p{number}.html" if number else _FOLDER


def word_of(number: int) -> str:
    """The word that stands on that page alone, without digits: pages that differ in those alone are a trap."""
    letters = "".join("bcdfghjkmn"[int(digit)] for digit in str(number))
    return f"animal{letters}x"


def kill_and_resume(points: Sequence[int], pages: int) -> KillFigures:
    """Crawl a site and kill the process once it has made so many requests; the next process has the next point.

    Args:
        points: Requests that each process may make, robots.txt among them; the process after the last may end.
        pages: Size of the site.
    """
    with TemporaryDirectory() as name, LoopbackServer(make_site(pages)) as site:
        database = Path(name) / "index.duckdb"
        committed: list[tuple[int, set[str]]] = []
        job_id = ""
        for point in points:
            with OwnerProcess(database, site.socket) as owner:
                until = len(site.asked) + point
                job_id = job_id or owner.submit(site.url(_FOLDER))
                if owner.wait(job_id, lambda until=until: len(site.asked) >= until) is not None:
                    break
                owner.kill()
            committed.append((len(site.asked), {page.url for page in _stored(database)}))
        with OwnerProcess(database, site.socket) as owner:
            owner.wait(job_id, lambda: False)
            owner.kill()
        return _figures(site, database, committed, job_id)


def _figures(
    site: LoopbackServer, database: Path, committed: Sequence[tuple[int, set[str]]], job_id: str
) -> KillFigures:
    again = sum(site.url(target) in urls for asked, urls in committed for target in site.targets[asked:])
    with closing(open_store(database)) as store:
        stored = _pages(store)
        job = store.job(job_id)
        assert job is not None
        half = sum(not is_whole(store, page) for page in stored)
    return KillFigures(len(committed), len(stored), again, half, len(site.asked), job)


def open_store(database: Path) -> DuckStore:
    """The database that the processes wrote."""
    return DuckStore(str(database), HashingEmbedder(DIM).identity, DIM)


def is_whole(store: DuckStore, page: StoredPage) -> bool:
    """True if the page has chunks, each with its vector, and is found by the word that it alone holds."""
    chunk_ids = {chunk.chunk_id for chunk in store.page_chunks(page.page_id)}
    word = re.findall(r"animal[b-n]+x", page.markdown)[0]
    found = set(store.text_scores(query_terms(word), TextWeights(), Within(), 1).chunk_ids.tolist())
    bare = {chunk.chunk_id for chunk in store.missing_vectors(store.generation().number, 0, 10**6)}
    return bool(chunk_ids and found) and found <= chunk_ids and chunk_ids.isdisjoint(bare)


def _pages(store: DuckStore) -> list[StoredPage]:
    found = (store.page(row.page_id) for row in store.list_pages(Within(), 0, 10**6))
    return [page for page in found if page is not None]


def _stored(database: Path) -> list[StoredPage]:
    """What was committed when the process was killed, read from a copy, so that the next one finds what it left."""
    with TemporaryDirectory() as name:
        for part in (database, database.with_name(f"{database.name}.wal")):
            if part.exists():
                shutil.copy2(part, name)
        with closing(open_store(Path(name) / database.name)) as store:
            return _pages(store)


class OwnerProcess:
    """`webdocs serve` as a process of its own; leaving it kills what still runs."""

    def __init__(self, database: Path, allow_private: str) -> None:
        home = str(database.parent)
        self._environment = {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            "HOME": home,
            "XDG_CONFIG_HOME": home,
            "WEBDOCS_DB_PATH": str(database),
            "WEBDOCS_EMBEDDER": "hashing",
            "WEBDOCS_EMBED_DIM": str(DIM),
            "WEBDOCS_ALLOW_PRIVATE": allow_private,
        }
        self._process = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0"], env=self._environment, stderr=subprocess.PIPE, text=True
        )
        self._port = self._read_port()

    def __enter__(self) -> OwnerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        assert self._process.stderr is not None
        self._process.stderr.close()

    def _read_port(self) -> int:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if found := re.search(r"serves http://127\.0\.0\.1:(\d+)", line):
                return int(found[1])
        raise AssertionError("serve ended before it listened")

    def submit(self, url: str) -> str:
        """Add the site without waiting; answers the job's id."""
        arguments = ("add", url, "--delay", "0", "--concurrency", "8", "--json")
        done = subprocess.run([PROGRAM, *arguments], env=self._environment, stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)["job_id"]

    def wait(self, job_id: str, is_due: Callable[[], bool]) -> dict | None:
        """Until the job has ended, answering it, or it is time, answering None."""
        deadline_s = time.monotonic() + ENDS_WITHIN_S
        while time.monotonic() < deadline_s:
            if is_due():
                return None
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/job_progress?job_id={job_id}") as answer:
                job = json.load(answer)
            if job["status"] not in ("pending", "running"):
                return job
            time.sleep(_PAUSE_S)
        raise AssertionError("the job neither ended nor came so far")

    def kill(self) -> None:
        """As the system does when memory runs out: at once."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()
