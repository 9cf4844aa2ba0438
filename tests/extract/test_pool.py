"""Bodies that are read in processes of their own: what comes back, what breaks, and what stays (fault log E)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.files import Words, pdf
from webdocs.errors import ExtractError
from webdocs.extract import read_body
from webdocs.extract.pool import LIGHT_BYTES, ExtractorPool, WorkerLimits, is_light
from webdocs.extract.wire import Task, decode_page, encode_page
from webdocs.model import Block, Link, Page

URL = "http://docs.test/a.html"
LARGE = b"<main><h1 id=t>Title</h1>" + b"<p>Some <b>words</b> and a <a href=x>link</a>.</p>" * 3000
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


@pytest.fixture
def pool() -> Iterator[ExtractorPool]:
    opened = ExtractorPool(workers=1)
    yield opened
    opened.close()


def read(pool: ExtractorPool, body: bytes, content_type: str = "text/html", url: str = URL) -> Page:
    return asyncio.run(pool.extract(body, content_type, url))


def children() -> set[int]:
    """The processes that this one started and that still run."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(after_name[1]) == os.getpid() and after_name[0] != "Z":
            found.add(int(entry.parent.name))
    return found


texts = st.text(st.characters(codec="utf-8"), max_size=30)
blocks = st.builds(
    Block, st.sampled_from(("paragraph", "code")), texts, st.integers(0, 6), st.tuples(texts), texts, st.integers(0, 2)
)
pages = st.builds(
    Page,
    texts,
    texts,
    st.tuples(blocks),
    st.tuples(st.builds(Link, texts, texts, st.booleans())),
    texts,
    texts,
    texts,
    texts,
    modified_at=st.none() | st.datetimes(timezones=st.just(UTC)),
    alternate=texts,
)


@given(pages)
def test_a_page_goes_through_the_pipe_unchanged(page: Page) -> None:
    assert decode_page(encode_page(page)) == page


@pytest.mark.parametrize(
    ("body", "content_type", "url", "expected"),
    [
        pytest.param(b"<p>x", "text/html", URL, True, id="a-small-page"),
        pytest.param(b"# x", "text/markdown", "http://docs.test/a.md", True, id="small-markdown"),
        pytest.param(b"x" * (LIGHT_BYTES + 1), "text/html", URL, False, id="a-large-page"),
        pytest.param(b"%PDF-", "application/pdf", URL, False, id="a-pdf"),
        pytest.param(b"{}", "application/json", "http://docs.test/a.ipynb", False, id="a-notebook"),
    ],
)
def test_small_pages_are_read_where_they_are(body: bytes, content_type: str, url: str, expected: bool) -> None:
    assert is_light(Task(body, content_type, url)) == expected


@needs_proc
def test_no_process_runs_before_a_body_needs_one_and_then_it_is_used_again(pool: ExtractorPool) -> None:
    before = children()
    assert read(pool, b"<main><p>Small.</p></main>").markdown == "Small."
    assert children() == before
    assert read(pool, LARGE) == read_body(LARGE, "text/html", URL)
    first = children() - before
    assert read(pool, pdf([[Words("Hello there.", 700)]]), "application/pdf").markdown == "Hello there."
    assert children() - before == first
    assert len(first) == 1


def test_what_extraction_says_of_a_body_comes_through(pool: ExtractorPool) -> None:
    with pytest.raises(ExtractError, match="the body holds NUL bytes, so it is binary"):
        read(pool, b"\0" * (LIGHT_BYTES + 1), "text/plain")
    with pytest.raises(ExtractError, match="the PDF cannot be opened: it is damaged"):
        read(pool, b"%PDF-1.4", "application/pdf")


SLOW = b"[a](" * 200_000
"""Nested brackets, for which a Markdown parser looks again and again: minutes."""


def test_5_7_a_body_that_takes_too_long_is_a_fault_and_the_next_is_read() -> None:
    pool = ExtractorPool(WorkerLimits(timeout_s=2), workers=1)
    try:
        with pytest.raises(ExtractError, match="reading it takes longer than 2 s"):
            read(pool, SLOW, "text/markdown")
        assert read(pool, LARGE).title == "Title"
    finally:
        pool.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold to the limit")
def test_5_7_a_body_that_takes_too_much_memory_is_a_fault_and_the_next_is_read() -> None:
    pool = ExtractorPool(WorkerLimits(memory_mib=256), workers=1)
    try:
        with pytest.raises(ExtractError, match=r"reading it (takes more than 256 MiB|broke the process)"):
            read(pool, b"<main>" + b"<p>a<b>b</b>" * 1_500_000)
        assert read(pool, LARGE).title == "Title"
    finally:
        pool.close()


@needs_proc
def test_5_7_a_worker_that_dies_costs_one_page(pool: ExtractorPool) -> None:
    before = children()
    read(pool, LARGE)
    (worker,) = children() - before

    async def kill_in_mid_task() -> Page:
        task = asyncio.ensure_future(pool.extract(SLOW, "text/markdown", URL))
        await asyncio.sleep(0)
        while not is_busy(worker):
            await asyncio.sleep(0.001)
        os.kill(worker, signal.SIGSEGV)
        return await task

    with pytest.raises(ExtractError, match=r"reading it broke the process that did it \(SIGSEGV\)"):
        asyncio.run(kill_in_mid_task())
    assert read(pool, LARGE).title == "Title"


def is_busy(process: int) -> bool:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "R"


@needs_proc
def test_5_7_an_idle_worker_ends_and_the_next_body_starts_another() -> None:
    pool = ExtractorPool(WorkerLimits(idle_s=0), workers=1)
    try:
        before = children()
        for _ in range(5):
            assert read(pool, LARGE).title == "Title"
        assert len(children() - before) <= 1
    finally:
        pool.close()


@needs_proc
def test_5_7_closing_leaves_no_process() -> None:
    pool = ExtractorPool(workers=1)
    before = children()
    read(pool, LARGE)
    assert children() != before
    pool.close()
    assert children() == before
    with pytest.raises(ExtractError, match="webdocs is ending"):
        read(pool, LARGE)


PARENT = """
import asyncio, sys
from webdocs.extract.pool import ExtractorPool
pool = ExtractorPool(workers=1)
asyncio.run(pool.extract(b"<main><p>words</p>" * 5000, "text/html", "http://docs.test/"))
print("ready", flush=True)
sys.stdin.read()
"""


@needs_proc
def test_5_7_a_worker_ends_when_its_parent_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdin
    assert parent.stdout
    with parent.stdin, parent.stdout:
        assert parent.stdout.readline() == b"ready\n"
        (worker,) = [
            int(entry.parent.name)
            for entry in Path("/proc").glob("[0-9]*/stat")
            if entry.read_text().rpartition(")")[2].split()[1] == str(parent.pid)
        ]
        parent.kill()
        parent.wait()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{worker}/cmdline").exists() and Path(f"/proc/{worker}/cmdline").read_bytes():
        assert time.monotonic() < deadline, "the worker outlives its parent"
        time.sleep(0.01)
