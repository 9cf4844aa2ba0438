"""Makes an index of any size out of real documentation: sections of real pages, dealt out anew.

A synthetic page is six sections drawn from one real site. Sentences stay whole, so that terms keep their frequencies
and their company; a fifth of them is left out, so that no text comes twice, and of the identifiers every third gets a
number, so that the vocabulary goes on growing with the index as it does in reality. Sites have the sizes that doc sets
have: a few large, many small.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import corpora

from webdocs.build import make_embedder
from webdocs.chunk import ChunkLimits
from webdocs.errors import ExtractError
from webdocs.extract import extract
from webdocs.ingest.page import ExtractedPage, index_pages
from webdocs.model import Block, CrawlOptions, Link, Page, Source, source_id_of
from webdocs.settings import Settings
from webdocs.store.duckdb import DuckStore

PACKAGES = ("postgresql-doc-15", "python3.11-doc", "python-django-doc", "git-doc")
SECTIONS_A_PAGE = 6
PAGES_A_COMMIT = 32
LINKS_A_PAGE = 8
N_SITES = 20
REAL_SECTIONS = 25_000
"""About what the packages hold; an index larger than this repeats them, under other identifiers."""

_SENTENCE = re.compile(r"(?<=[.:;,\n] )|(?<=\n)")
_IDENTIFIER = re.compile(r"\b[A-Za-z]+(?:_[A-Za-z]+)+\b|\b[a-z]+[A-Z][A-Za-z]+\b")

Section = tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Built:
    """What filling an index cost. `chunk_cpu_s` is all CPU time from pages of blocks to what can be searched."""

    n_pages: int
    n_chunks: int
    cpu_s: float


def read_sections(limit_a_site: int = 600) -> list[list[Section]]:
    """The sections of up to so many pages of each real site, each with its heading first."""
    return [_sections_of(corpora.pages_folder(package), limit_a_site) for package in PACKAGES]


def _sections_of(folder: Path, limit: int) -> list[Section]:
    files = sorted(folder.rglob("*.html"))
    sections: list[Section] = []
    for file in random.Random(1).sample(files, min(limit, len(files))):
        try:
            page = extract(file.read_bytes(), f"https://docs.test/{file.name}")
        except ExtractError:
            continue
        current: list[Block] = []
        for block in page.blocks:
            if block.kind == "heading" and current:
                sections.append(tuple(current))
                current = []
            current.append(block)
        sections.append(tuple(current))
    return [section for section in sections if sum(len(block.markdown) for block in section) > 200]


def sources() -> list[Source]:
    """The sites, the largest first."""
    names = [f"site{number:02d}" for number in range(N_SITES)]
    urls = [f"https://{name}.test/" for name in names]
    now = datetime.now(UTC)
    return [
        Source(source_id_of(name, "", url), name, "", url, CrawlOptions(), now)
        for name, url in zip(names, urls, strict=True)
    ]


def pages(real: Sequence[Sequence[Section]], n_sections: int) -> Iterator[ExtractedPage]:
    """Pages without end, dealt out to the sites by 1, 1/2, 1/3 ... of the whole."""
    rng = random.Random(7)
    sites = sources()
    shares = [1 / (rank + 1) for rank in range(len(sites))]
    now = datetime.now(UTC)
    variants = 1 + n_sections // REAL_SECTIONS
    number = 0
    while True:
        number += 1
        (site,) = rng.choices(range(len(sites)), shares)
        drawn = rng.choices(real[site % len(real)], k=SECTIONS_A_PAGE)
        variant = rng.randrange(variants)
        blocks = tuple(
            replace(block, markdown=_renamed(block.markdown, variant, rng), anchors=(f"p{number}-{place}",))
            for place, section in enumerate(drawn)
            for block in section
        )
        title = blocks[0].markdown.lstrip("# ")[:80]
        url = f"{sites[site].root_url}p{number}.html"
        links = tuple(
            Link(f"{sites[site].root_url}p{rng.randrange(1, number + 1)}.html", title, True, True)
            for _ in range(LINKS_A_PAGE)
        )
        yield ExtractedPage(Page(url, title, blocks, links), sites[site].source_id, f"{number}", now)


def _renamed(markdown: str, variant: int, rng: random.Random) -> str:
    if variant == 0:
        return markdown
    sentences = _SENTENCE.split(markdown)
    markdown = "".join(part for place, part in enumerate(sentences) if place == 0 or rng.random() > 0.2)
    return _IDENTIFIER.sub(lambda match: f"{match[0]}{variant}" if rng.random() < 0.33 else match[0], markdown)


def build_index(path: Path, n_chunks: int, settings: Settings) -> Built:
    """Fill a new database with at least so many chunks, by the product's own way from blocks to postings."""
    embedder = make_embedder(settings)
    store = DuckStore(str(path), embedder.identity, embedder.dim, settings.memory_limit_mb)
    for source in sources():
        store.save_source(source)
    limits = ChunkLimits(settings.chunk_size, settings.chunk_overlap, min(512, embedder.max_tokens))
    made = pages(read_sections(), n_chunks)
    n_pages, written, cpu_s = 0, 0, 0.0
    while written < n_chunks:
        batch = [next(made) for _ in range(PAGES_A_COMMIT)]
        started = time.process_time()
        indexed = index_pages(batch, embedder, limits)
        store.replace_pages(indexed)
        cpu_s += time.process_time() - started
        n_pages += len(batch)
        written += sum(len(page.chunks) for page in indexed)
    started = time.process_time()
    store.compact()
    cpu_s += time.process_time() - started
    store.close()
    return Built(n_pages, written, cpu_s)


def queries(n: int) -> list[str]:
    """Questions as people type them: headings, identifiers, and words of a sentence."""
    rng = random.Random(3)
    drawn = [section for site in read_sections(150) for section in site]
    found: list[str] = []
    while len(found) < n:
        section = rng.choice(drawn)
        text = " ".join(block.markdown for block in section if block.kind == "paragraph")
        kind = len(found) % 3
        names = _IDENTIFIER.findall(text)
        words = re.findall(r"[A-Za-z]{3,}", text)
        heading = re.sub(r"[#`*\\\[\]]|\(http[^)]*\)", "", section[0].markdown).strip()
        if kind == 0 and section[0].kind == "heading" and heading:
            found.append(heading[:100])
        elif kind == 1 and names:
            found.append(rng.choice(names))
        elif kind == 2 and len(words) > 12:
            start = rng.randrange(len(words) - 9)
            found.append(" ".join(words[start : start + 9]).lower())
    return found
