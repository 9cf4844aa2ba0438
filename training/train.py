"""Step 4: train the vectors on the pairs, and on the transformer's opinion.

Loss: InfoNCE inside a batch, both ways, at three lengths of the vector (Matryoshka); pairs of one passage are no
negatives of each other. Four packages a batch, so that negatives are of the same subject. Where there is a teacher,
the distribution of a query over the sampled passages of its package is drawn to MiniLM's (KL).

Writes `trained.npy`.

usage: python training/train.py [--steps N] [--kl WEIGHT] [--start FILE] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from bags import Texts, load_tokenizer
from corpus import WORK

STEPS, BATCH, RATE, TEMPERATURE = 350, 1024, 3e-3, 0.05
LENGTHS = ((256, 1.0), (128, 0.3), (64, 0.3))
PACKAGES_A_BATCH = 4
SIZE_POWER = 0.7
KL_QUERIES, KL_TEMPERATURE = 256, 0.05
DROPPED_TOKENS = 0.1
HEADING_DROPPED = 0.5
SEED = 3
KIND_WEIGHTS = {"signature": 0.02}
"""API references hold the most pairs and say the least."""

FROM_HEADINGS = ("heading", "path", "title")


class Package:
    """One package's pairs, ready to draw from."""

    def __init__(self, file: Path, tokenizer: Tokenizer) -> None:
        """Tokenise everything once."""
        data = json.loads(file.read_text(encoding="utf-8"))
        passages, pairs = data["passages"], data["pairs"]
        self.whole = Texts([f"{path}\n{window}" for path, window, _ in passages], tokenizer)
        self.bare = Texts([window for _, window, _ in passages], tokenizer)
        self.queries = Texts([query for _, query, _ in pairs], tokenizer)
        cloze = [(row, place) for row, (kind, _, place) in enumerate(pairs) if kind == "cloze"]
        self.cut_row = {row: number for number, (row, _) in enumerate(cloze)}
        cut = [f"{passages[place][0]}\n{passages[place][1].replace(pairs[row][1], ' ')}" for row, place in cloze]
        self.cut = Texts(cut, tokenizer)
        self.passage = np.array([place for _, _, place in pairs])
        self.kinds = [kind for kind, _, _ in pairs]
        weights = np.array([KIND_WEIGHTS.get(kind, 1.0) for kind in self.kinds])
        self.share = weights / weights.sum()
        self.size = float(weights.sum()) ** SIZE_POWER
        taught = WORK / "teacher" / f"{file.stem}.npz"
        self.teacher = dict(np.load(taught)) if taught.is_file() else None

    def draw(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, list[tuple[Texts, int]]]:
        """Rows of pairs, and for each the text that stands for its passage."""
        rows = rng.choice(len(self.share), count, p=self.share, replace=count > len(self.share))
        documents = []
        for row in rows.tolist():
            if row in self.cut_row:
                documents.append((self.cut, self.cut_row[row]))
            elif self.kinds[row] in FROM_HEADINGS and rng.random() < HEADING_DROPPED:
                documents.append((self.bare, int(self.passage[row])))
            else:
                documents.append((self.whole, int(self.passage[row])))
        return rows, documents


class Trainer:
    """The table and its optimiser."""

    def __init__(self, packages: list[Package], start: np.ndarray, kl_weight: float) -> None:
        """Begin from a table."""
        self.packages = packages
        self.table = torch.nn.Parameter(torch.from_numpy(start.copy()))
        self._optimiser = torch.optim.Adam([self.table], RATE)
        self._kl_weight = kl_weight
        self._rng = np.random.default_rng(SEED)
        sizes = np.array([package.size for package in packages])
        self._share = sizes / sizes.sum()

    def step(self, progress: float) -> float:
        """One batch; the rate falls along a line to nothing."""
        for group in self._optimiser.param_groups:
            group["lr"] = RATE * min(1.0, progress * 20 + 0.05) * (1 - progress)
        chosen = self._rng.choice(len(self.packages), PACKAGES_A_BATCH, replace=False, p=self._share)
        loss = self._contrast([self.packages[one] for one in chosen])
        if self._kl_weight:
            loss = loss + self._kl_weight * sum(self._distil(self.packages[one]) for one in chosen) / len(chosen)
        self._optimiser.zero_grad()
        loss.backward()
        self._optimiser.step()
        return float(loss.detach())

    def _contrast(self, packages: list[Package]) -> Tensor:
        queries, documents, keys = [], [], []
        for number, package in enumerate(packages):
            rows, texts = package.draw(BATCH // len(packages), self._rng)
            queries.append(self._embed(*package.queries.bags(rows), is_query=True))
            for part in (package.whole, package.bare, package.cut):
                places = [place for place, (text, _) in enumerate(texts) if text is part]
                if places:
                    at = np.array([texts[place][1] for place in places])
                    documents.append((np.array(places) + number * len(rows), self._embed(*part.bags(at))))
            keys.append(package.passage[rows] + number * 10_000_000)
        return contrast(torch.cat(queries), in_order(documents), torch.from_numpy(np.concatenate(keys)))

    def _distil(self, package: Package) -> Tensor:
        taught = package.teacher
        if taught is None:
            return torch.zeros(())
        rows = self._rng.permutation(len(taught["pairs"]))[: KL_QUERIES // PACKAGES_A_BATCH]
        columns = self._rng.permutation(len(taught["passages"]))[:KL_QUERIES]
        wanted = cosines(
            torch.from_numpy(taught["query_vectors"][rows].astype(np.float32)),
            torch.from_numpy(taught["passage_vectors"][columns].astype(np.float32)),
        )
        found = cosines(
            self._embed(*package.queries.bags(taught["pairs"][rows])),
            self._embed(*package.whole.bags(taught["passages"][columns])),
        )
        return functional.kl_div(
            functional.log_softmax(found / KL_TEMPERATURE, 1),
            functional.softmax(wanted / KL_TEMPERATURE, 1),
            reduction="batchmean",
        )

    def _embed(self, ids: Tensor, weights: Tensor, offsets: Tensor, is_query: bool = False) -> Tensor:
        if is_query:
            weights = weights * (torch.rand(len(weights)) >= DROPPED_TOKENS)
        return functional.embedding_bag(ids, self.table, offsets, mode="sum", per_sample_weights=weights)


def in_order(parts: list[tuple[np.ndarray, Tensor]]) -> Tensor:
    """Rows put back where they belong."""
    places = np.concatenate([place for place, _ in parts])
    return torch.cat([rows for _, rows in parts])[torch.from_numpy(np.argsort(places))]


def cosines(queries: Tensor, passages: Tensor) -> Tensor:
    """All against all."""
    return functional.normalize(queries, dim=1) @ functional.normalize(passages, dim=1).T


def contrast(queries: Tensor, documents: Tensor, keys: Tensor) -> Tensor:
    """InfoNCE both ways, at each length."""
    same = (keys[:, None] == keys[None, :]) & ~torch.eye(len(keys), dtype=torch.bool)
    right = torch.arange(len(keys))
    total = torch.zeros(())
    for length, weight in LENGTHS:
        scores = cosines(queries[:, :length], documents[:, :length]) / TEMPERATURE
        scores = scores.masked_fill(same, -1e4)
        total = total + weight * (functional.cross_entropy(scores, right) + functional.cross_entropy(scores.T, right))
    return total


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--kl", type=float, default=1.0)
    parser.add_argument("--start", type=Path, default=WORK / "start.npy")
    parser.add_argument("--out", type=Path, default=WORK / "trained.npy")
    arguments = parser.parse_args()
    torch.manual_seed(SEED)
    tokenizer = load_tokenizer()
    packages = [Package(file, tokenizer) for file in sorted((WORK / "pairs").glob("*.json"))]
    trainer = Trainer(packages, np.load(arguments.start), arguments.kl)
    for number in range(arguments.steps):
        loss = trainer.step(number / arguments.steps)
        if number % 25 == 0:
            print(number, round(loss, 3), flush=True)
    np.save(arguments.out, trainer.table.detach().numpy())


if __name__ == "__main__":
    main()
