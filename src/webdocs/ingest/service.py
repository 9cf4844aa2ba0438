"""The use cases on the ports: what `serve.service.Service` asks for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from webdocs.errors import UnknownNameError
from webdocs.ingest.job import utc_now
from webdocs.ingest.queue_local import LocalQueue
from webdocs.ingest.reindex import Reindexer
from webdocs.ingest.site import make_page_group, make_source, only_page, with_pages
from webdocs.model import Answer, CrawlOptions, Job, PageRow, Reindex, SiteSummary, Source, StoredPage, Within
from webdocs.ports import Store
from webdocs.search.engine import Engine, select_sources


class LocalService:
    """`Service` of the process that holds the database."""

    def __init__(
        self,
        store: Store,
        engine: Engine,
        queue: LocalQueue,
        reindexer: Reindexer,
        allow_private: tuple[str, ...] = (),
        check_options: Callable[[CrawlOptions], None] = lambda _options: None,
    ) -> None:
        """Join what `build` made.

        Args:
            store: What is indexed.
            engine: Searches it.
            queue: Runs the crawls.
            reindexer: Makes the vectors of another embedder.
            allow_private: What the settings open to every crawl.
            check_options: Raises InputError for a crawl that this machine cannot do.
        """
        self._store = store
        self._engine = engine
        self._queue = queue
        self._reindexer = reindexer
        self._allow_private = allow_private
        self._check_options = check_options
        self._saving_groups = threading.Lock()

    def search(
        self, query: str, *, top_k: int = 5, site: str = "", version: str = "", max_tokens: int | None = None
    ) -> Answer:
        """The best passages."""
        return self._engine.search(query, top_k, site, version, max_tokens)

    def list_pages(self, *, site: str = "", offset: int = 0, limit: int = 100) -> tuple[PageRow, ...]:
        """Pages by site and URL."""
        return self._store.list_pages(self._within(site), offset, limit)

    def page(self, page_id_or_url: str) -> StoredPage:
        """One page by its id or URL."""
        by_url = "://" in page_id_or_url
        page = self._store.find_page(page_id_or_url) if by_url else self._store.page(page_id_or_url)
        if page is None:
            raise UnknownNameError(f"There is no page {page_id_or_url!r}", "`webdocs list --site NAME` lists them.")
        return page

    def page_rows(self, page_ids: Sequence[str]) -> tuple[PageRow, ...]:
        """The pages of these ids."""
        return self._store.page_rows(page_ids)

    def sites(self) -> tuple[SiteSummary, ...]:
        """What is indexed."""
        return self._store.summaries()

    def submit(self, url: str, options: CrawlOptions, *, name: str = "", version: str = "") -> Job:
        """Check URL and options, keep the source, queue its crawl."""
        self._check_options(options)
        opened = tuple(dict.fromkeys((*options.allow_private, *self._allow_private)))
        source = make_source(url, replace(options, allow_private=opened), name, version, utc_now())
        if options.max_pages == 1:
            return self._submit_page(source, name)
        known = {known.source_id: known.options for known in self._store.sources()}
        self._store.save_source(source)
        return self._queue.submit(source, is_changed=known.get(source.source_id) != source.options)

    def _submit_page(self, page: Source, name: str) -> Job:
        """Queue one page, which is kept with the others of its domain that were submitted so."""
        group = make_page_group(page, name)
        with self._saving_groups:
            known = next((source for source in self._store.sources() if source.source_id == group.source_id), group)
            opened = tuple(dict.fromkeys((*known.options.allow_private, *group.options.allow_private)))
            group = replace(group, root_url=known.root_url, created_at=known.created_at)
            group = replace(group, options=replace(group.options, allow_private=opened))
            self._store.save_source(group)
        return self._queue.submit(only_page(group, page))

    def update(self, site: str, *, version: str = "", full: bool = False) -> tuple[Job, ...]:
        """Queue a fresh crawl of a site's sources as they were added; a full one takes nothing for unchanged."""
        sources = self._sources_of(site, version)
        for source in sources if full else ():
            # In the store and not in the job: a crawl that is broken off and taken up again is still a full one.
            self._store.forget_content(source.source_id)
        return tuple(self._queue.submit(self._with_pages(source), is_changed=full) for source in sources)

    def remove(self, site: str, *, version: str = "") -> int:
        """Delete a site, or one version of it; its running crawls are cancelled first."""
        sources = self._sources_of(site, version)
        ids = {source.source_id for source in sources}
        for job in self._queue.live_jobs().values():
            if job.source_id in ids:
                self._queue.cancel(job.job_id)
                self._queue.watch(job.job_id, timeout_s=60)
        return sum(self._store.remove_source(source.source_id) for source in sources)

    def job(self, job_id: str) -> Job:
        """One job as it stands."""
        return self._queue.watch(job_id, 0)

    def jobs(self, *, limit: int = 100) -> Sequence[Job]:
        """Newest first; running ones as they stand in memory."""
        live = self._queue.live_jobs()
        return tuple(live.get(job.job_id, job) for job in self._store.jobs(limit))

    def watch(self, job_id: str, timeout_s: float) -> Job:
        """The job when it has ended, or as it stands after the time-out."""
        return self._queue.watch(job_id, timeout_s)

    def cancel(self, job_id: str) -> Job:
        """Ask a job to end."""
        return self._queue.cancel(job_id)

    def count_tokens(self, text: str) -> int:
        """Length of a text in the tokens of the index's embedder."""
        return self._engine.count_tokens(text)

    def reindex(self) -> Reindex:
        """Begin to make the vectors of the embedder that is set, or go on with it."""
        return self._reindexer.start()

    def reindex_state(self) -> Reindex:
        """How far that is."""
        return self._reindexer.state()

    def counts(self) -> tuple[int, int]:
        """Pages and chunks."""
        return self._store.counts()

    def _with_pages(self, source: Source) -> Source:
        """A source as an update crawls it: of a group, all its pages."""
        if source.options.pages is None:
            return source
        return with_pages(source, [page.url for page in self._store.known_pages(source.source_id)])

    def _within(self, site: str) -> Within:
        return select_sources(self._store.sources(), site, "")

    def _sources_of(self, site: str, version: str) -> tuple[Source, ...]:
        sources = self._store.sources()
        wanted = select_sources(sources, site, version).source_ids or ()
        return tuple(source for source in sources if source.source_id in wanted)
