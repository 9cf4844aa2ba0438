"""Step 3: a transformer's opinion, as a second teacher beside the pairs.

MiniLM embeds a sample of passages and of queries of each package once; training compares what the words' vectors
say about a batch with what MiniLM says about it. What is embedded already is not embedded again.

Writes `teacher/PACKAGE.npz`: rows of passages and of pairs with their vectors (float16).

usage: python training/teach.py
"""

from __future__ import annotations

import json

import numpy as np

from corpus import WORK
from minilm import MiniLM

PASSAGES = 6_000
"""Over all packages. The trial took 24,000; each 1,000 cost about 36 CPU-seconds."""

QUERIES_A_PASSAGE = 2
SEED = 7


def sample(pairs: list[list], share: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows of passages, and rows of pairs that point at them; at most `QUERIES_A_PASSAGE` each."""
    by_passage: dict[int, list[int]] = {}
    for row, (kind, _, passage) in enumerate(pairs):
        if kind != "signature":
            by_passage.setdefault(passage, []).append(row)
    wanted = min(len(by_passage), max(32, int(share)))
    passages = np.sort(rng.choice(sorted(by_passage), wanted, replace=False))
    chosen = [rng.permutation(by_passage[passage])[:QUERIES_A_PASSAGE] for passage in passages.tolist()]
    return passages, np.concatenate(chosen)


def main() -> None:
    """Embed the samples."""
    model = MiniLM()
    target = WORK / "teacher"
    target.mkdir(exist_ok=True)
    files = sorted((WORK / "pairs").glob("*.json"))
    data = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    sizes = np.array([len(one["passages"]) for one in data]) ** 0.7
    for file, one, share in zip(files, data, PASSAGES * sizes / sizes.sum(), strict=True):
        out = target / f"{file.stem}.npz"
        if out.is_file():
            continue
        passages, pairs = sample(one["pairs"], share, np.random.default_rng(SEED))
        texts = [f"{one['passages'][row][0]}\n{one['passages'][row][1]}" for row in passages]
        queries = [one["pairs"][row][1] for row in pairs]
        np.savez(
            out,
            passages=passages,
            pairs=pairs,
            passage_vectors=model.embed(texts).astype(np.float16),
            query_vectors=model.embed(queries).astype(np.float16),
        )
        print(file.stem, len(passages), len(pairs), flush=True)


if __name__ == "__main__":
    main()
