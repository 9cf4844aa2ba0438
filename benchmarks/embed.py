"""What does each embedder cost? Passages a CPU-second, and CPU and wall time of a query.

Passages are pieces of 1,000 characters of this project's own documentation. The transformer is measured where its model
is named; an endpoint is not, since its cost is elsewhere.

usage: ./dev bench embed [--model FOLDER]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from webdocs.embed.hashing import HashingEmbedder
from webdocs.embed.static import StaticEmbedder
from webdocs.embed.transformer import TransformerEmbedder
from webdocs.ports import Embedder

DOCS = Path(__file__).resolve().parents[1] / "docs"
PASSAGE_CHARS = 1000
QUERIES = (
    "how do I create an index on two columns",
    "max_connections",
    "why is my crawl cut off after fifty pages",
) * 20
MIN_CPU_S = 3.0
"""Long enough that a pass of the garbage collector does not show."""


def passages() -> list[str]:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md")))
    return [text[start : start + PASSAGE_CHARS] for start in range(0, len(text), PASSAGE_CHARS)]


def passages_per_cpu_second(embedder: Embedder, texts: list[str]) -> float:
    done, began = 0, time.process_time()
    while time.process_time() - began < MIN_CPU_S:
        batch = [texts[(done + place) % len(texts)] for place in range(32)]
        embedder.embed(batch)
        done += len(batch)
    return done / (time.process_time() - began)


def query_ms(embedder: Embedder, clock: Callable[[], float]) -> float:
    began = clock()
    for query in QUERIES:
        embedder.embed_query(query)
    return (clock() - began) / len(QUERIES) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", help="folder of a transformer")
    folder = parser.parse_args().model
    embedders: list[Embedder] = [StaticEmbedder(), HashingEmbedder()]
    embedders += [TransformerEmbedder(folder, threads=threads) for threads in (1, 2)] if folder else []
    texts = passages()
    tokens = sum(StaticEmbedder().count_tokens(texts)) / len(texts)
    print(f"{len(texts)} passages of {tokens:.0f} tokens on average")
    for embedder in embedders:
        embedder.embed(texts[:8])
        rate = passages_per_cpu_second(embedder, texts)
        cpu_ms, wall_ms = query_ms(embedder, time.process_time), query_ms(embedder, time.perf_counter)
        print(f"{embedder.identity:50} {rate:8.1f} passages/CPU-s  query {cpu_ms:.2f} ms CPU, {wall_ms:.2f} ms wall")


if __name__ == "__main__":
    main()
