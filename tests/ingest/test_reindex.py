"""Another embedder (contract G2): its vectors are made beside those that answer, and take over in one step."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from contracts.records import EMBEDDER, indexed, page, source
from webdocs.embed.current import CurrentEmbedder
from webdocs.embed.hashing import HashingEmbedder
from webdocs.errors import EmbedderError
from webdocs.ingest.reindex import BATCH_CHUNKS, Reindexer
from webdocs.model import Reindex
from webdocs.ports import Embedder
from webdocs.search.engine import Engine
from webdocs.store.duckdb import DuckStore

WANTED = HashingEmbedder(32)
PAGES = 2 * BATCH_CHUNKS + 10
END_S = 60.0


class StepEmbedder(HashingEmbedder):
    """Takes a step before each batch: waits, fails, kills."""

    def __init__(self, step: Callable[[int], None]) -> None:
        super().__init__(WANTED.dim)
        self.batches: list[int] = []
        self._step = step

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._step(len(self.batches))
        self.batches.append(len(texts))
        return super().embed(texts)


class Gate:
    """Lets batches through until it is shut at one of them, and again when it is opened."""

    def __init__(self, at_batch: int) -> None:
        self.at_batch = at_batch
        self.reached, self.opened = threading.Event(), threading.Event()

    def __call__(self, batch: int) -> None:
        if batch == self.at_batch:
            self.reached.set()
            assert self.opened.wait(END_S)


def fill(path: Path, pages: int = PAGES) -> None:
    """An index with the vectors of `EMBEDDER`."""
    store = DuckStore(str(path), EMBEDDER.identity, EMBEDDER.dim)
    of = source()
    store.save_source(of)
    texts = {f"https://docs.test/{number}": f"zebra number{number}" for number in range(pages)}
    store.replace_pages([indexed(page(url, "Animals", text), of) for url, text in texts.items()])
    store.close()


class Index:
    """An open index with everything that a change of the embedder touches."""

    def __init__(self, path: Path, wanted: Embedder, stored: Embedder | None = EMBEDDER) -> None:
        self.store = DuckStore(str(path), wanted.identity, wanted.dim)
        self.embedder = CurrentEmbedder(stored or wanted)
        self.engine = Engine(self.store, self.store, self.embedder)
        self.reindexer = Reindexer(self.store, wanted, "{}", self.embedder.switch, answers=stored is not None)

    def methods(self, query: str = "zebra") -> set[str]:
        """How the hits of a search were found."""
        return {hit.method for hit in self.engine.search(query, top_k=5).hits}

    def end(self) -> Reindex:
        """The state when no work is under way."""
        return self.reindexer.watch(END_S)

    def close(self) -> None:
        self.reindexer.close()
        self.store.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    fill(tmp_path / "i.duckdb")
    return tmp_path / "i.duckdb"


@pytest.fixture
def opened(path: Path) -> Iterator[Callable[..., Index]]:
    indexes: list[Index] = []

    def open_index(wanted: Embedder, stored: Embedder | None = EMBEDDER) -> Index:
        indexes.append(Index(path, wanted, stored))
        return indexes[-1]

    yield open_index
    for index in indexes:
        index.close()


def test_G2_until_it_is_begun_the_old_vectors_answer(opened: Callable[..., Index]) -> None:
    index = opened(WANTED)
    state = index.reindexer.state()
    assert state == Reindex("needed", EMBEDDER.identity, EMBEDDER.identity, WANTED.identity, PAGES, 0)
    assert index.methods() == {"hybrid"}


def test_G2_where_the_old_embedder_cannot_be_loaded_words_alone_answer(opened: Callable[..., Index]) -> None:
    index = opened(WANTED, stored=None)
    assert index.reindexer.state().answering == ""
    assert index.methods() == {"keyword"}
    index.reindexer.start()
    assert index.end().status == "done"
    assert index.methods() == {"hybrid"}


def test_G2_it_ends_with_the_new_vectors_alone(opened: Callable[..., Index]) -> None:
    index = opened(WANTED)
    assert index.reindexer.start().wanted == WANTED.identity
    assert index.end() == Reindex("done", WANTED.identity, WANTED.identity, WANTED.identity, PAGES, PAGES)
    assert index.embedder.identity == WANTED.identity
    assert index.methods() == {"hybrid"}
    assert index.store.count_vectors(index.store.generation().number) == PAGES


def test_G2_while_it_is_at_work_the_old_vectors_answer_and_progress_shows(opened: Callable[..., Index]) -> None:
    gate = Gate(at_batch=1)
    index = opened(StepEmbedder(gate))
    index.reindexer.start()
    assert gate.reached.wait(END_S)
    state = index.reindexer.start()  # a second call begins nothing
    assert (state.status, state.embedded, state.chunks) == ("running", BATCH_CHUNKS, PAGES)
    assert state.answering == EMBEDDER.identity
    assert index.methods() == {"hybrid"}
    gate.opened.set()
    assert index.end().status == "done"


def test_G2_pages_written_and_deleted_meanwhile_are_right_after_the_switch(opened: Callable[..., Index]) -> None:
    gate = Gate(at_batch=2)
    index = opened(StepEmbedder(gate))
    index.reindexer.start()
    assert gate.reached.wait(END_S)
    of = source()
    rewritten = indexed(page("https://docs.test/0", "Animals", "giraffe"), of)
    index.store.replace_pages([rewritten, indexed(page("https://docs.test/new", "New", "walrus"), of)])
    index.store.delete_pages(of.source_id, [indexed(page("https://docs.test/1", "", ""), of).page_id])
    gate.opened.set()
    assert index.end().status == "done"
    number = index.store.generation().number
    assert index.store.missing_vectors(number, 0, 10) == ()
    assert index.store.count_vectors(number) == index.store.counts()[1] == PAGES
    assert "hybrid" in index.methods("giraffe") & index.methods("walrus")


def test_G2_closed_in_the_middle_it_goes_on_where_it_stopped(opened: Callable[..., Index]) -> None:
    gate = Gate(at_batch=1)
    first = opened(StepEmbedder(gate))
    first.reindexer.start()
    assert gate.reached.wait(END_S)
    closing = threading.Thread(target=first.close)
    closing.start()
    gate.opened.set()
    closing.join()
    again = StepEmbedder(lambda batch: None)
    index = opened(again)
    index.reindexer.resume()
    assert index.end().status == "done"
    assert sum(again.batches) == PAGES - 2 * BATCH_CHUNKS  # the batch under way was finished


def test_G2_killed_in_the_middle_it_goes_on_where_it_stopped(path: Path, opened: Callable[..., Index]) -> None:
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from ingest.test_reindex import END_S, Index, StepEmbedder\n"
        "def step(batch):\n"
        "    if batch == 1:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "index = Index(Path(sys.argv[1]), StepEmbedder(step))\n"
        "index.reindexer.start()\n"
        "index.end()\n"
    )
    tests = Path(__file__).resolve().parents[1]
    done = subprocess.run([sys.executable, "-c", code, str(path), str(tests)], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    again = StepEmbedder(lambda batch: None)
    index = opened(again)
    assert index.reindexer.state().embedded == BATCH_CHUNKS
    assert index.methods() == {"hybrid"}
    index.reindexer.resume()
    assert index.end().status == "done"
    assert sum(again.batches) == PAGES - BATCH_CHUNKS


def test_G2_a_fault_ends_it_with_its_reason_and_it_can_be_begun_again(opened: Callable[..., Index]) -> None:
    def fail(batch: int) -> None:
        if not can_answer.is_set():
            raise EmbedderError("The endpoint is gone", "Start it.")

    can_answer = threading.Event()
    index = opened(StepEmbedder(fail))
    index.reindexer.start()
    state = index.end()
    assert (state.status, state.error) == ("failed", "The endpoint is gone. Start it.")
    assert index.methods() == {"hybrid"}
    can_answer.set()
    index.reindexer.start()
    assert index.end().status == "done"


def test_an_index_with_the_right_vectors_needs_nothing(opened: Callable[..., Index]) -> None:
    index = opened(EMBEDDER)
    assert index.reindexer.start().status == "done"
    assert index.store.next_generation() is None


def test_a_process_that_began_nothing_resumes_nothing(opened: Callable[..., Index]) -> None:
    index = opened(WANTED)
    index.reindexer.resume()
    assert index.reindexer.state().status == "needed"
