"""Step 5: how well do the vectors alone find the right page of the judged manuals?

usage: python training/evaluate.py --corpora FOLDER --judged FOLDER [TABLE.npy ...]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from bags import embed, load_tokenizer
from corpus import WORK
from judged import MANUALS, Manual, best_of, load, reciprocal_ranks


def alone(table: np.ndarray, manuals: list[Manual]) -> dict[str, float]:
    """MRR@10 pooled over the manuals, by kind of query; a page's score is that of its best window."""
    tokenizer = load_tokenizer()
    by_kind: dict[str, list[float]] = {"all": []}
    for manual in manuals:
        queries = embed(table, [row["query"] for row in manual.rows], tokenizer)
        windows = embed(table, manual.windows, tokenizer)
        scores = best_of(manual.page_of[manual.chunk_of], queries @ windows.T, len(manual.pages))
        for row, found in zip(manual.rows, reciprocal_ranks(manual, scores).tolist(), strict=True):
            for kind in ("all", row["kind"], manual.name):
                by_kind.setdefault(kind, []).append(found)
    return {kind: round(float(np.mean(found)), 4) for kind, found in by_kind.items()}


def main() -> None:
    """Print a line a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", type=Path, default=[WORK / "start.npy", WORK / "trained.npy"])
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--judged", type=Path, required=True)
    arguments = parser.parse_args()
    manuals = [load(name, arguments.corpora, arguments.judged) for name in MANUALS]
    for file in arguments.tables:
        print(file.name, alone(np.load(file).astype(np.float32), manuals), flush=True)


if __name__ == "__main__":
    main()
