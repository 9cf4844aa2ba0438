"""Postings in memory are those of the file, however they came there (issue "retrieval", postings and warm start)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from contracts.records import EMBEDDER, indexed, page, source
from webdocs.model import TextWeights, Within
from webdocs.store.duckdb import DuckStore
from webdocs.store.duckdb.posting_memory import MOST_DIRECTORIES, PostingMemory
from webdocs.store.duckdb.postings import CHUNK_ENTRY, CHUNK_KIND, Segment


def segment(terms: dict[str, list[int]]) -> Segment:
    entries = np.zeros(sum(map(len, terms.values())), CHUNK_ENTRY)
    entries["doc"] = [doc for docs in terms.values() for doc in docs]
    return Segment(CHUNK_KIND, tuple(terms), np.array([len(docs) for docs in terms.values()]), entries)


def docs_of(memory: PostingMemory, term: str) -> list[int]:
    return memory.of([term])[0].chunks["doc"].tolist()


def test_a_term_has_its_entries_of_every_commit_in_order() -> None:
    memory = PostingMemory()
    memory.add([segment({"alpha": [1, 2], "beta": [2]}), segment({"alpha": [3]}), segment({"gamma": [4]})])
    assert [docs_of(memory, term) for term in ("alpha", "beta", "gamma", "delta")] == [[1, 2, 3], [2], [4], []]


def test_many_commits_are_joined_and_lose_nothing() -> None:
    memory = PostingMemory()
    commits = 5 * MOST_DIRECTORIES
    for number in range(commits):
        memory.add([segment({"common": [number], f"own{number}": [number, number]})])
    assert sorted(docs_of(memory, "common")) == list(range(commits))
    assert all(docs_of(memory, f"own{number}") == [number, number] for number in range(commits))


def test_what_a_reader_holds_does_not_change_when_more_is_written() -> None:
    memory = PostingMemory()
    memory.add([segment({"alpha": [1, 2]})])
    held = memory.of(["alpha"])[0].chunks
    for number in range(2000):
        memory.add([segment({"alpha": [number]})])
    assert held["doc"].tolist() == [1, 2]


@pytest.mark.parametrize("is_compacted", [False, True], ids=["as-written", "compacted"])
def test_a_file_opened_again_scores_as_before(tmp_path: Path, is_compacted: bool) -> None:
    of = source()
    store = DuckStore(str(tmp_path / "i.duckdb"), EMBEDDER.identity, EMBEDDER.dim)
    store.save_source(of)
    for number in range(70):
        text = f"common zebra{number % 7} word{number}"
        store.replace_pages([indexed(page(f"https://docs.test/{number % 50}", f"T{number}", text), of)])
    if is_compacted:
        store.compact()
    scores = store.text_scores(["common", "zebra3"], TextWeights(), Within(), 100)
    store.close()
    again = DuckStore(str(tmp_path / "i.duckdb"), EMBEDDER.identity, EMBEDDER.dim)
    reread = again.text_scores(["common", "zebra3"], TextWeights(), Within(), 100)
    again.close()
    assert len(scores.chunk_ids) == 50
    assert (reread.chunk_ids.tolist(), reread.chunk.tolist()) == (scores.chunk_ids.tolist(), scores.chunk.tolist())
