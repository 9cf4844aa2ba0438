"""Postings: for each term the documents that hold it, as packed arrays.

One commit writes one row a term: a small segment, as in Lucene. A replaced page's entries stay where they are
and are recognised as dead by their chunk or revision number, which is never used again; compaction drops them
and leaves one row a term, sorted, so that DuckDB's zone maps find it without a scan.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from webdocs.model import AnchorText, TermCounts
from webdocs.store.duckdb.rows import insert_rows

CHUNK_ENTRY = np.dtype([("doc", "<u4"), ("body", "u1"), ("heading", "u1")])
"""A term in a chunk: chunk id and how often it stands in body and headings, at most 255."""

ANCHOR_ENTRY = np.dtype([("target", "<i8"), ("revision", "<u4"), ("count", "u1")])
"""A term in the texts of one page's links to another: target page id, the linking page's revision, how often."""

CHUNK_KIND, ANCHOR_KIND = 0, 1
ENTRIES = {CHUNK_KIND: CHUNK_ENTRY, ANCHOR_KIND: ANCHOR_ENTRY}


@dataclass(frozen=True, slots=True)
class TermPostings:
    """One term's entries: `chunks` of CHUNK_ENTRY, `anchors` of ANCHOR_ENTRY; dead ones are still in."""

    term: str
    chunks: NDArray
    anchors: NDArray


@dataclass(frozen=True, slots=True)
class Segment:
    """Entries of one kind, term by term: `lengths[i]` of them for `terms[i]`, which stand in order."""

    kind: int
    terms: Sequence[str]
    lengths: NDArray[np.int64]
    entries: NDArray


def write_chunk_postings(
    cursor: duckdb.DuckDBPyConnection, segment: int, chunk_ids: Sequence[int], terms: Sequence[TermCounts]
) -> Segment:
    """Write the postings of new chunks as one segment; answers what was written."""
    flat = [term for counts in terms for term in counts.terms]
    entries = np.empty(len(flat), dtype=CHUNK_ENTRY)
    entries["doc"] = np.repeat(np.asarray(chunk_ids, dtype=np.uint32), [len(counts.terms) for counts in terms])
    entries["body"] = np.minimum([n for counts in terms for n in counts.body], 255)
    entries["heading"] = np.minimum([n for counts in terms for n in counts.heading], 255)
    return _write(cursor, segment, CHUNK_KIND, flat, entries)


def write_anchor_postings(
    cursor: duckdb.DuckDBPyConnection,
    segment: int,
    revisions: Sequence[int],
    pages: Sequence[Sequence[AnchorText]],
) -> Segment:
    """Write the postings of the pages' link texts, `revisions` are the linking pages' own; answers what was written."""
    counted: dict[tuple[str, int, int], int] = {}
    for revision, texts in zip(revisions, pages, strict=True):
        for text in texts:
            target = int(text.target_page_id, 16)
            for term in text.terms:
                key = (term, target, revision)
                counted[key] = counted.get(key, 0) + 1
    entries = np.empty(len(counted), dtype=ANCHOR_ENTRY)
    entries["target"] = [key[1] for key in counted]
    entries["revision"] = [key[2] for key in counted]
    entries["count"] = np.minimum(list(counted.values()), 255)
    return _write(cursor, segment, ANCHOR_KIND, [key[0] for key in counted], entries)


def compact(
    cursor: duckdb.DuckDBPyConnection, live_chunks: NDArray[np.uint32], live_revisions: NDArray[np.uint32]
) -> None:
    """Join all segments into one row a term, sorted, without the dead. Runs inside the caller's transaction.

    Both arrays are sorted. Terms are read in order and written in batches, so memory holds one batch.
    """
    cursor.execute("CREATE TABLE posting_new AS SELECT * FROM posting LIMIT 0")
    reader = cursor.cursor()
    reader.execute("SELECT term, kind, docs FROM posting ORDER BY term, kind, segment")
    batch: list[tuple[str, int, bytes]] = []
    for term, kind, parts in _grouped(reader):
        entries = _unpack(parts, kind)
        live, field = (live_chunks, "doc") if kind == CHUNK_KIND else (live_revisions, "revision")
        kept = entries[_is_in_sorted(entries[field], live)]
        if len(kept):
            batch.append((term, kind, kept.tobytes()))
        if len(batch) >= 20_000:
            _flush(cursor, batch)
            batch = []
    _flush(cursor, batch)
    cursor.execute("DROP TABLE posting")
    cursor.execute("ALTER TABLE posting_new RENAME TO posting")


def _grouped(reader: duckdb.DuckDBPyConnection) -> Iterable[tuple[str, int, list[bytes]]]:
    key: tuple[str, int] | None = None
    parts: list[bytes] = []
    while rows := reader.fetchmany(10_000):
        for term, kind, docs in rows:
            if key is not None and key != (term, kind):
                yield key[0], key[1], parts
                parts = []
            key = (term, kind)
            parts.append(docs)
    if key is not None:
        yield key[0], key[1], parts


def _flush(cursor: duckdb.DuckDBPyConnection, batch: Sequence[tuple[str, int, bytes]]) -> None:
    insert_rows(
        cursor,
        "posting_new",
        {
            "term": [row[0] for row in batch],
            "kind": np.array([row[1] for row in batch], dtype=np.uint8),
            "segment": np.zeros(len(batch), dtype=np.uint32),
            "docs": [row[2] for row in batch],
        },
    )


def _is_in_sorted(values: NDArray, sorted_values: NDArray) -> NDArray[np.bool_]:
    if len(sorted_values) == 0:
        return np.zeros(len(values), dtype=bool)
    places = np.minimum(np.searchsorted(sorted_values, values), len(sorted_values) - 1)
    return sorted_values[places] == values


def _write(
    cursor: duckdb.DuckDBPyConnection, segment: int, kind: int, terms: Sequence[str], entries: NDArray
) -> Segment:
    """Group the entries by term (`terms[i]` is that of `entries[i]`) and append one row a term, in term order."""
    if not terms:
        return Segment(kind, (), np.empty(0, np.int64), entries)
    distinct = sorted(set(terms))
    numbers = {term: number for number, term in enumerate(distinct)}
    of_entry = np.fromiter((numbers[term] for term in terms), dtype=np.int64, count=len(terms))
    grouped = entries[np.argsort(of_entry, kind="stable")]
    lengths = np.bincount(of_entry, minlength=len(distinct))
    packed = grouped.tobytes()
    ends = np.cumsum(lengths) * entries.dtype.itemsize
    starts = [0, *ends[:-1].tolist()]
    insert_rows(
        cursor,
        "posting",
        {
            "term": distinct,
            "kind": np.full(len(distinct), kind, dtype=np.uint8),
            "segment": np.full(len(distinct), segment, dtype=np.uint32),
            "docs": [packed[start:end] for start, end in zip(starts, ends.tolist(), strict=True)],
        },
    )
    return Segment(kind, distinct, lengths, grouped)


def _unpack(parts: Iterable[bytes], kind: int) -> NDArray:
    return np.frombuffer(b"".join(parts), dtype=ENTRIES[kind])
