"""What an interface can ask of webdocs: the one list of use cases behind REST, MCP and the command line.

Every method answers records of `webdocs.model` and raises only `WebdocsError`. All are blocking and
thread-safe: an interface calls them in a worker thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from webdocs.model import Answer, CrawlOptions, Job, PageRow, Reindex, SiteSummary, StoredPage


class Service(Protocol):
    """The use cases. `ingest.service` implements them on the ports; tests have a fake."""

    def search(
        self, query: str, *, top_k: int = 5, site: str = "", version: str = "", max_tokens: int | None = None
    ) -> Answer:
        """The best passages. Raises UnknownNameError, with the known names, for an unknown site or version."""
        ...

    def list_pages(self, *, site: str = "", offset: int = 0, limit: int = 100) -> tuple[PageRow, ...]: ...

    def page(self, page_id_or_url: str) -> StoredPage:
        """Raises UnknownNameError."""
        ...

    def page_rows(self, page_ids: Sequence[str]) -> tuple[PageRow, ...]:
        """The pages of these ids, in their order; one that is gone is left out."""
        ...

    def sites(self) -> tuple[SiteSummary, ...]: ...

    def submit(self, url: str, options: CrawlOptions, *, name: str = "", version: str = "") -> Job:
        """Check URL and options, keep the source, queue its crawl. Raises UrlError, PatternError, SettingError."""
        ...

    def update(self, site: str, *, version: str = "", full: bool = False) -> tuple[Job, ...]:
        """Queue a fresh crawl of a site's sources as they were added; a full one takes nothing for unchanged.

        Raises UnknownNameError.
        """
        ...

    def remove(self, site: str, *, version: str = "") -> int:
        """Delete a site, or one version of it; answers how many pages went. Raises UnknownNameError."""
        ...

    def job(self, job_id: str) -> Job:
        """Raises UnknownNameError."""
        ...

    def jobs(self, *, limit: int = 100) -> Sequence[Job]:
        """Newest first."""
        ...

    def watch(self, job_id: str, timeout_s: float) -> Job:
        """The job when it has ended, or as it stands after the time-out. Raises UnknownNameError."""
        ...

    def cancel(self, job_id: str) -> Job:
        """Raises UnknownNameError."""
        ...

    def count_tokens(self, text: str) -> int:
        """Length of a text in the measure that search budgets use."""
        ...

    def reindex(self) -> Reindex:
        """Begin to make the vectors of the embedder that is set, or go on with it; answers how far it is."""
        ...

    def reindex_state(self) -> Reindex: ...

    def counts(self) -> tuple[int, int]:
        """Pages and chunks. Raises StoreError when the database does not answer."""
        ...
