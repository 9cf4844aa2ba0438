"""The judged manuals as a test: pages, chunks and windows as the product makes them, and queries with right pages."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from corpus import WORK
from harvest import read_page
from webdocs.chunk import ChunkLimits, pack
from webdocs.model import Chunk, Page
from windows import windows_of, with_path

MANUALS = {
    "postgresql": ("postgresql-doc-15/html", r"^(bookindex|index|legalnotice)\.html$"),
    "python": ("python3.11/html", r"^(genindex.*|search|contents|index|py-modindex|copyright|[^/]*/index)\.html$|^_"),
    "django": ("python-django-doc/html", r"^(genindex|search|py-modindex|index|contents)\.html$|^_"),
    "git": ("git-doc", r"(^|/)(index|howto-index|.*api-index.*)\.html$"),
}
"""Folder under usr/share/doc, and the pages that must not answer: the rows were read off the printed index."""

CUTOFF = 10


@dataclass
class Manual:
    """One judged manual: its chunks with their page, the windows with their chunk, the rows."""

    name: str
    pages: list[Page]
    page_names: list[str]
    chunks: list[Chunk]
    page_of: np.ndarray
    windows: list[str]
    chunk_of: np.ndarray
    rows: list[dict]


def load(name: str, corpora: Path, judged: Path) -> Manual:
    """Read a manual; what was read is kept for the next time."""
    kept = WORK / f"judged-{name}.pickle"
    if kept.is_file():
        return pickle.loads(kept.read_bytes())  # written by the line below
    manual = _read(name, corpora, judged)
    kept.write_bytes(pickle.dumps(manual))
    return manual


def _read(name: str, corpora: Path, judged: Path) -> Manual:
    folder, skip = MANUALS[name]
    root = (corpora / "usr/share/doc" / folder).resolve()
    rows = [json.loads(line) for part in ("index", "nl") for line in _lines(judged / f"{name}_{part}.dev.jsonl")]
    manual = Manual(name, [], [], [], np.zeros(0, int), [], np.zeros(0, int), rows)
    page_of: list[int] = []
    chunk_of: list[int] = []
    for path in sorted(root.rglob("*.html")):
        inner = path.relative_to(root).as_posix()
        page = None if re.search(skip, inner) else read_page(path, f"http://docs.example/{inner}")
        if page is None:
            continue
        for chunk in pack(page, ChunkLimits(), lambda texts: [len(text) // 4 for text in texts]):
            windows = windows_of(chunk.plain)
            manual.windows += [with_path(window, chunk.heading_path) for window in windows]
            chunk_of += [len(manual.chunks)] * len(windows)
            manual.chunks.append(chunk)
            page_of.append(len(manual.pages))
        manual.pages.append(page)
        manual.page_names.append(inner)
    manual.page_of, manual.chunk_of = np.array(page_of), np.array(chunk_of)
    return manual


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines() if file.is_file() else []


def reciprocal_ranks(manual: Manual, scores: np.ndarray) -> np.ndarray:
    """Reciprocal rank of the first right page among ten, for each row.

    Args:
        manual: The manual.
        scores: `(rows, pages)`, higher is better.
    """
    found = np.zeros(len(manual.rows))
    places = {name.lower(): place for place, name in enumerate(manual.page_names)}
    for number, row in enumerate(manual.rows):
        best = np.argsort(-scores[number], kind="stable")[:CUTOFF].tolist()
        right = {places.get(name.lower()) for name in row["relevant"]}
        found[number] = next((1 / rank for rank, page in enumerate(best, 1) if page in right), 0.0)
    return found


def best_of(groups: np.ndarray, scores: np.ndarray, count: int) -> np.ndarray:
    """The best score of each group of columns: windows to chunks, chunks to pages. Groups are in rising order."""
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    found = np.full((len(scores), count), -1.0, np.float32)
    found[:, groups[starts]] = np.maximum.reduceat(scores, starts, axis=1)
    return found
