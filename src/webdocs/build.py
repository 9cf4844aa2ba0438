"""The composition root: which adapter stands behind each port. Nothing else names a concrete one."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from webdocs.chunk import ChunkLimits
from webdocs.crawl.browser import ChromiumBrowser, explain_missing, find_chromium
from webdocs.crawl.fetch_browser import BrowserFetcher
from webdocs.crawl.fetch_http import CONTACT_URL, HttpFetcher, user_agent
from webdocs.embed.current import CurrentEmbedder
from webdocs.embed.endpoint import Address
from webdocs.embed.hashing import HashingEmbedder
from webdocs.embed.hub import find_model
from webdocs.embed.remote import RemoteEmbedder
from webdocs.embed.static import StaticEmbedder
from webdocs.embed.transformer import TransformerEmbedder
from webdocs.errors import EmbedderError, SettingError
from webdocs.extract import formats_here
from webdocs.extract.pool import ExtractorPool, WorkerLimits
from webdocs.ingest.job import Tools
from webdocs.ingest.queue_local import LocalQueue
from webdocs.ingest.reindex import Reindexer
from webdocs.ingest.service import LocalService
from webdocs.model import CrawlOptions, Generation
from webdocs.ports import Embedder, Fetcher, Store
from webdocs.search.engine import Engine
from webdocs.settings import Settings, is_openai
from webdocs.store.duckdb import DuckStore

logger = logging.getLogger(__name__)

RECIPE = ("embedder", "embed_model", "embed_url", "embed_dim", "embed_max_tokens")
"""The settings that an embedder depends on; kept with its vectors, so that it can be made again. Never a key."""

OPENAI_MODEL = "text-embedding-3-small"
"""OpenAI's cheapest, for who names none."""


@dataclass(frozen=True, slots=True)
class Application:
    """An open index with its use cases."""

    service: LocalService
    store: Store
    queue: LocalQueue
    extractor: ExtractorPool
    embedders: tuple[Embedder, ...]
    reindexer: Reindexer

    def resume(self) -> None:
        """Let the jobs go on that the last process left unfinished."""
        self.queue.resume()
        self.reindexer.resume()

    def close(self) -> None:
        """Interrupt the jobs, write everything, let the database go."""
        self.queue.close()
        self.reindexer.close()
        self.extractor.close()
        self.store.close()
        for embedder in self.embedders:
            embedder.close()


def open_application(
    settings: Settings,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Application:
    """Open the database and everything on it.

    Args:
        settings: Of this process.
        clock: Seconds that never run backwards, by which crawls keep their pace.
        sleep: Waits by that clock.

    Raises:
        StoreLockedError: another process holds the database.
        StoreError, EmbedderError: they cannot be opened.
    """
    wanted = make_embedder(settings)
    recipe = json.dumps({name: getattr(settings, name) for name in RECIPE})
    store = DuckStore(settings.db_path, wanted.identity, wanted.dim, settings.memory_limit_mb, recipe)
    stored = _find_stored(store.generation(), wanted, settings)
    embedder = CurrentEmbedder(stored or wanted)
    reindexer = Reindexer(store, wanted, recipe, embedder.switch, answers=stored is not None)
    limits = ChunkLimits(
        max_chars=settings.chunk_size, overlap_chars=settings.chunk_overlap, max_tokens=min(512, wanted.max_tokens)
    )
    extractor = ExtractorPool(WorkerLimits(settings.extract_timeout, settings.extract_memory_mb))
    queue = LocalQueue(
        Tools(
            store,
            embedder,
            extractor,
            limits,
            lambda options: make_fetcher(settings, options),
            settings.prune_missing,
            clock,
            sleep,
        )
    )
    engine = Engine(store, store, embedder)
    service = LocalService(
        store, engine, queue, reindexer, settings.allow_private, lambda options: check_rendering(settings, options)
    )
    embedders = (wanted,) if stored is None or stored is wanted else (wanted, stored)
    return Application(service, store, queue, extractor, embedders, reindexer)


def _find_stored(generation: Generation, wanted: Embedder, settings: Settings) -> Embedder | None:
    """The embedder whose vectors the index holds; None where it cannot be made here (contract G2)."""
    if generation.identity == wanted.identity:
        return wanted
    stored, answers = None, "by the words alone"
    try:
        stored = make_embedder(_settings_of(generation, settings))
    except (EmbedderError, SettingError) as error:
        logger.info("stored_embedder_missing identity=%s reason=%s", generation.identity, error)
    if stored is not None and stored.identity == generation.identity:
        answers = "with those"
    elif stored is not None:
        stored.close()
        stored = None
    logger.warning(
        "The index holds vectors of the embedder %s, and %s is set. Searches are answered %s until "
        "`webdocs reindex` has made the new ones.",
        generation.identity,
        wanted.identity,
        answers,
    )
    return stored


def _settings_of(generation: Generation, settings: Settings) -> Settings:
    """The settings with the embedder of a generation. Raises SettingError where it is not known how that was made."""
    name, _, rest = generation.identity.partition(":")
    values: dict[str, Any]
    if generation.recipe:
        values = json.loads(generation.recipe)
    elif name in ("static", "hashing"):  # older files have no recipe, and no other embedders
        values = {"embedder": name, "embed_dim": int(rest.rpartition(":")[2])}
    else:
        raise SettingError(f"It is not known how the embedder {generation.identity} was made")
    if values.get("embed_url", settings.embed_url) != settings.embed_url:
        values["embed_api_key"] = ""  # the key is for the address that is set now
    return replace(settings, **values)


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name.

    Raises:
        EmbedderError: with what is wrong with its model or endpoint, and what to do.
    """
    match settings.embedder:
        case "transformer":
            return TransformerEmbedder(find_model(settings.embed_model), settings.embed_dim, settings.embed_threads)
        case "openai":
            return _make_remote(settings)
        case "hashing":
            return HashingEmbedder(settings.embed_dim or 256)
        case _:
            return StaticEmbedder(settings.embed_dim or 256)


def _make_remote(settings: Settings) -> Embedder:
    if is_openai(settings.embed_url) and not settings.embed_api_key:
        raise EmbedderError("OpenAI asks for a key, and there is none", "Set OPENAI_API_KEY in the environment.")
    return RemoteEmbedder(
        Address(settings.embed_url, settings.embed_model or OPENAI_MODEL, settings.embed_dim),
        api_key=settings.embed_api_key,
        max_tokens=settings.embed_max_tokens,
        timeout_s=settings.embed_timeout,
    )


def make_fetcher(settings: Settings, options: CrawlOptions) -> Fetcher:
    """The fetcher of one crawl.

    Raises:
        SettingError: The options ask for a browser always, and there is none.
    """
    check_rendering(settings, options)
    timeout_s = min(settings.request_timeout, options.page_limit_s or settings.request_timeout)
    plain = HttpFetcher(
        allow_private=options.allow_private,
        timeout_s=timeout_s,
        max_body_bytes=settings.max_body_mb * 1024 * 1024,
        concurrency=options.concurrency,
        contact_url=settings.contact_url or CONTACT_URL,
        formats=formats_here(),
    )
    if options.render == "never" or explain_missing(settings.browser_path):
        return plain
    browser = ChromiumBrowser(
        find_chromium(settings.browser_path),
        user_agent(settings.contact_url or CONTACT_URL),
        allow_private=options.allow_private,
        timeout_s=timeout_s,
        max_body_bytes=settings.max_body_mb * 1024 * 1024,
    )
    return BrowserFetcher(plain, browser, is_always=options.render == "always")


def check_rendering(settings: Settings, options: CrawlOptions) -> None:
    """Refuse a crawl that must render where nothing can; one that may goes on and says so in its notes.

    Raises:
        SettingError: with what is missing and how to get it.
    """
    if options.render == "always" and (missing := explain_missing(settings.browser_path)):
        raise SettingError("render=always needs a browser", f"{missing[0].upper()}{missing[1:]}.")


def make_lone_fetcher(timeout_s: float, max_body_bytes: int) -> Fetcher:
    """A fetcher outside of any crawl: no private address is open to it."""
    return HttpFetcher(timeout_s=timeout_s, max_body_bytes=max_body_bytes, concurrency=1)
