"""The composition root: which adapter stands behind each port. Nothing else names a concrete one."""

from __future__ import annotations

from dataclasses import dataclass

from webdocs.chunk import ChunkLimits
from webdocs.crawl.fetch_http import CONTACT_URL, HttpFetcher
from webdocs.embed.hashing import HashingEmbedder
from webdocs.embed.static import StaticEmbedder
from webdocs.ingest.job import Tools
from webdocs.ingest.queue_local import LocalQueue
from webdocs.ingest.service import LocalService
from webdocs.model import CrawlOptions
from webdocs.ports import Embedder, Fetcher, Store
from webdocs.search.engine import Engine
from webdocs.settings import Settings
from webdocs.store.duckdb import DuckStore

_EMBEDDERS = {"static": StaticEmbedder, "hashing": HashingEmbedder}


@dataclass(frozen=True, slots=True)
class Application:
    """An open index with its use cases."""

    service: LocalService
    store: Store
    queue: LocalQueue

    def close(self) -> None:
        """Interrupt the jobs, write everything, let the database go."""
        self.queue.close()
        self.store.close()


def open_application(settings: Settings) -> Application:
    """Open the database and everything on it.

    Raises:
        StoreLockedError: another process holds the database.
        StoreError, EmbedderError: they cannot be opened.
    """
    embedder = make_embedder(settings)
    store = DuckStore(settings.db_path, embedder.identity, embedder.dim, settings.memory_limit_mb)
    limits = ChunkLimits(
        max_chars=settings.chunk_size, overlap_chars=settings.chunk_overlap, max_tokens=min(512, embedder.max_tokens)
    )
    queue = LocalQueue(
        Tools(store, embedder, limits, lambda options: make_fetcher(settings, options), settings.prune_missing)
    )
    engine = Engine(store, store, embedder)
    return Application(LocalService(store, engine, queue, settings.allow_private), store, queue)


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name."""
    return _EMBEDDERS[settings.embedder](settings.embed_dim)


def make_fetcher(settings: Settings, options: CrawlOptions) -> Fetcher:
    """The fetcher of one crawl."""
    return HttpFetcher(
        allow_private=options.allow_private,
        timeout_s=settings.request_timeout,
        max_body_bytes=settings.max_body_mb * 1024 * 1024,
        concurrency=options.concurrency,
        contact_url=settings.contact_url or CONTACT_URL,
    )


def make_lone_fetcher(timeout_s: float, max_body_bytes: int) -> Fetcher:
    """A fetcher outside of any crawl: no private address is open to it."""
    return HttpFetcher(timeout_s=timeout_s, max_body_bytes=max_body_bytes, concurrency=1)
