"""Postings in memory: what a query reads of them, without asking the database.

A look-up of five terms in the file took 7 ms at ten thousand chunks and grew with the index, since DuckDB unpacks a
whole vector of rows for each that it finds; here it takes microseconds. An entry has six bytes, so a million chunks of
documentation take about half a gigabyte.

A term is known by its hash in this process, 64 bits. Like a snapshot, what a reader holds never changes: a commit
appends behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np
from numpy.typing import NDArray

from webdocs.store.duckdb.postings import ANCHOR_KIND, CHUNK_KIND, ENTRIES, Segment, TermPostings

MOST_DIRECTORIES = 16
"""Our choice: each is searched for each term, about two microseconds; joining them sorts their terms anew."""

ROWS_A_READ = 20_000
"""Our choice: so many terms of the file are in memory as Python objects at a time."""

SPARE = 1.25
"""A full buffer grows by a quarter, so that each entry is copied four times at most on the whole."""

RESERVE = 1.05
"""Room for a job's new pages beside what a file holds already."""

_WINDOW = "SELECT term, docs FROM posting WHERE kind = ? AND rowid BETWEEN ? AND ?"


@dataclass(frozen=True, slots=True)
class _Directory:
    """Where the entries of terms lie: columns over rows, by rising hash. A term has a row for each of its segments."""

    hashes: NDArray[np.int64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Part:
    """Entries that lie term by term, `lengths[i]` of them for the term of `hashes[i]`."""

    hashes: NDArray[np.int64]
    lengths: NDArray[np.int64]
    entries: NDArray


@dataclass(frozen=True, slots=True)
class _State:
    entries: NDArray
    directories: tuple[_Directory, ...] = ()


@dataclass(slots=True)
class _Kind:
    """All entries of one kind; one writer at a time, readers at any time."""

    state: _State = field(default_factory=lambda: _State(np.empty(0, ENTRIES[CHUNK_KIND])))

    def add(self, terms: Sequence[str], lengths: NDArray[np.int64], entries: NDArray) -> None:
        """Append entries that lie term by term, `lengths[i]` of them for `terms[i]`."""
        directory = _directory(_hashes(terms), lengths, len(self.state.entries))
        directories = _joined((*self.state.directories, directory))
        self.state = _State(_append(self.state.entries, entries), directories)

    def load(self, parts: Sequence[_Part]) -> None:
        """Take all that a file holds, in place of what is there."""
        entries = self.state.entries[:0]
        if parts:
            n_entries = sum(len(part.entries) for part in parts)
            entries = _append(np.empty(int(RESERVE * n_entries), entries.dtype)[:0], parts[0].entries)
            for part in parts[1:]:
                entries = _append(entries, part.entries)
        hashes = np.concatenate([part.hashes for part in parts] or [np.empty(0, np.int64)])
        lengths = np.concatenate([part.lengths for part in parts] or [np.empty(0, np.int64)])
        self.state = _State(entries, (_directory(hashes, lengths, 0),))

    def entries_of(self, term: str) -> NDArray:
        """All entries of a term, segment by segment."""
        state, wanted = self.state, hash(term)
        parts = [state.entries[:0]]
        for directory in state.directories:
            low, high = np.searchsorted(directory.hashes, (wanted, wanted + 1))
            for row in range(low, high):
                start = directory.starts[row]
                parts.append(state.entries[start : start + directory.lengths[row]])
        if len(parts) <= 2:
            return parts[-1]
        # np.concatenate compares the fields of each part, which takes longer than all the rest.
        found = np.empty(sum(map(len, parts)), state.entries.dtype)
        at = 0
        for part in parts:
            found[at : at + len(part)] = part
            at += len(part)
        return found


class PostingMemory:
    """Postings of all terms. Thread-safe for one writer and many readers."""

    def __init__(self) -> None:
        """Nothing so far."""
        self._kinds = {kind: _Kind(_State(np.empty(0, dtype))) for kind, dtype in ENTRIES.items()}

    def add(self, segments: Iterable[Segment]) -> None:
        """Take over what a commit has written."""
        for segment in segments:
            self._kinds[segment.kind].add(segment.terms, segment.lengths, segment.entries)

    def load(self, kind: int, parts: Sequence[_Part]) -> None:
        """Take all entries of a kind that a file holds."""
        self._kinds[kind].load(parts)

    def of(self, terms: Sequence[str]) -> list[TermPostings]:
        """All entries of these terms, in their order; dead ones are still in."""
        chunks, anchors = self._kinds[CHUNK_KIND], self._kinds[ANCHOR_KIND]
        return [TermPostings(term, chunks.entries_of(term), anchors.entries_of(term)) for term in terms]


def load_postings(cursor: duckdb.DuckDBPyConnection) -> PostingMemory:
    """Everything that the file holds, read in pieces: the engine keeps a whole answer in memory."""
    memory = PostingMemory()
    last = cursor.execute("SELECT max(rowid) FROM posting").fetchone()
    n_rows = last[0] + 1 if last and last[0] is not None else 0
    for kind, dtype in ENTRIES.items():
        parts: list[_Part] = []
        for start in range(0, n_rows, ROWS_A_READ):
            rows = cursor.execute(_WINDOW, [kind, start, start + ROWS_A_READ - 1]).fetchall()
            if rows:
                terms, packed = zip(*rows, strict=True)
                lengths = np.fromiter(map(len, packed), np.int64, len(packed)) // dtype.itemsize
                parts.append(_Part(_hashes(terms), lengths, np.frombuffer(b"".join(packed), dtype)))
        memory.load(kind, parts)
    return memory


def _hashes(terms: Sequence[str]) -> NDArray[np.int64]:
    return np.fromiter(map(hash, terms), np.int64, len(terms))


def _directory(hashes: NDArray[np.int64], lengths: NDArray[np.int64], first: int) -> _Directory:
    """The rows of entries that lie one after the other from place `first` on."""
    order = np.argsort(hashes, kind="stable")
    starts = first + np.cumsum(lengths) - lengths
    return _Directory(hashes[order], starts[order], lengths[order])


def _joined(directories: tuple[_Directory, ...]) -> tuple[_Directory, ...]:
    """The same rows in few directories: the small ones behind the first are joined, and with it once they weigh."""
    if len(directories) <= MOST_DIRECTORIES:
        return directories
    first, *rest = directories
    if 2 * sum(len(directory.hashes) for directory in rest) >= len(first.hashes):
        return (_join(directories),)
    return first, _join(rest)


def _join(directories: Sequence[_Directory]) -> _Directory:
    hashes = np.concatenate([directory.hashes for directory in directories])
    order = np.argsort(hashes, kind="stable")
    starts = np.concatenate([directory.starts for directory in directories])
    lengths = np.concatenate([directory.lengths for directory in directories])
    return _Directory(hashes[order], starts[order], lengths[order])


def _append(entries: NDArray, more: NDArray) -> NDArray:
    """Both as one array; takes the spare rows of the buffer that `entries` is a view of, if there are enough.

    Only the newest array is ever appended to, by one writer, so spare rows have one taker.
    """
    used, added = len(entries), len(more)
    buffer = entries.base if isinstance(entries.base, np.ndarray) else entries
    if len(buffer) < used + added:
        buffer = np.empty(max(1024, int(SPARE * (used + added))), entries.dtype)
        buffer[:used] = entries
    buffer[used : used + added] = more
    return buffer[: used + added]
