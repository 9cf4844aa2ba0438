"""Scores ranked pages against judged rows: where does the first right page stand?

A row is one JSON object a line: `{"query", "relevant": [page paths], "kind"}`. A page path has neither host
nor fragment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

CUTOFF = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """A query with the pages that answer it."""

    query: str
    relevant: frozenset[str]
    kind: str


@dataclass(frozen=True, slots=True)
class Score:
    """Means over `count` queries, each in [0, 1], higher is better."""

    count: int
    mrr_at_10: float
    hit_at_5: float


def read_rows(folder: Path, corpus: str, split: str = "dev") -> list[Judged]:
    """The `index` and `nl` sets of one corpus, as far as they are there."""
    rows: list[Judged] = []
    for name in ("index", "nl"):
        file = folder / f"{corpus}_{name}.{split}.jsonl"
        if not file.is_file():
            continue
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            rows.append(Judged(row["query"], frozenset(map(page_path, row["relevant"])), row["kind"]))
    return rows


def page_path(url: str) -> str:
    """Path of a URL without slashes at its ends, lower case: how pages are compared."""
    return unquote(urlsplit(url).path).strip("/").lower()


def is_right(path: str, relevant: Iterable[str]) -> bool:
    """True when the path is one of the relevant pages, whatever folder the site lies in."""
    return any(path == page or path.endswith("/" + page) for page in relevant)


def first_right_rank(urls: Iterable[str], relevant: frozenset[str]) -> int | None:
    """1-based rank of the first right page among the first ten different pages."""
    pages = list(dict.fromkeys(map(page_path, urls)))[:CUTOFF]
    return next((rank for rank, path in enumerate(pages, 1) if is_right(path, relevant)), None)


def score(rows: list[Judged], search: Callable[[str], list[str]]) -> dict[str, Score]:
    """Score by kind and over all; `search` answers URLs, best first."""
    ranks: dict[str, list[int | None]] = {"all": []}
    for row in rows:
        rank = first_right_rank(search(row.query), row.relevant)
        ranks["all"].append(rank)
        ranks.setdefault(row.kind, []).append(rank)
    return {kind: _mean(found) for kind, found in ranks.items() if found}


def _mean(ranks: list[int | None]) -> Score:
    count = len(ranks)
    return Score(
        count,
        sum(1 / rank for rank in ranks if rank) / count,
        sum(1 for rank in ranks if rank and rank <= 5) / count,
    )
