"""A `Service` with a few real records in memory, and names that make it fail in each way an interface must tell."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from webdocs.errors import EmbedderError, StoreError, UnknownNameError, UrlError
from webdocs.model import Answer, CrawlOptions, Hit, Job, PageFault, PageRow, Reindex, SiteSummary, StoredPage

NOW = datetime(2026, 11, 2, 12, 30, tzinfo=UTC)
SITE = "docs.example.org"
PAGE_ID = "00000000000000a1"
PAGE_URL = "https://docs.example.org/guide"
MARKDOWN = "# Guide\n\nWelcome.\n\n## Install\n\nRun `pip install it`.\n\n## Use\n\n" + "Words to read. " * 2000

SITES = (
    SiteSummary("s1", SITE, "2.0", "https://docs.example.org/", 2, 9, NOW),
    SiteSummary("s2", "python/3", "", "https://python.example.org/3/", 1, 3, None),
)
PAGES = (
    StoredPage(PAGE_ID, "s1", SITE, "2.0", PAGE_URL, "Guide", MARKDOWN, NOW, None, 0, "en"),
    StoredPage("00000000000000a2", "s1", SITE, "2.0", f"{PAGE_URL}/two", "Two", "# Two", NOW, PAGE_ID, 1),
    StoredPage("00000000000000b1", "s2", "python/3", "", "https://python.example.org/3/", "Py", "# Py", NOW, None, 0),
)
REINDEX = Reindex("needed", "static:l2_supercat:256", "static:l2_supercat:256", "hashing:1:64", 3, 0)
"""Another embedder is set than the one that made the vectors."""


def make_hit(number: int, text: str = "Run `pip install it`.") -> Hit:
    """A hit of the fake index."""
    return Hit(
        PAGE_ID,
        PAGE_URL,
        f"{PAGE_URL}#install",
        "Guide",
        ("Guide", "Install"),
        text,
        1 / number,
        "hybrid",
        SITE,
        "2.0",
        NOW,
    )


class FakeService:
    """Thread-safe. A crawl of a URL with `slow` in it runs until cancelled; any other ends when it is watched."""

    def __init__(self) -> None:
        self.jobs_by_id: dict[str, Job] = {}
        self.submitted: list[tuple[str, CrawlOptions, str, str]] = []
        self.removed: list[tuple[str, str]] = []
        self.full_updates: list[str] = []
        self.is_broken = False
        self.reindex_record = REINDEX
        self.has_resumed = False
        self._changed = threading.Condition()

    def reset(self) -> None:
        """As new, for the next test."""
        self.jobs_by_id.clear()
        self.submitted.clear()
        self.removed.clear()
        self.full_updates.clear()
        self.is_broken = False
        self.reindex_record = REINDEX

    def search(
        self, query: str, *, top_k: int = 5, site: str = "", version: str = "", max_tokens: int | None = None
    ) -> Answer:
        self._check_site(site, version)
        if query == "crash":
            raise RuntimeError("secret detail")
        if query == "storeless":
            raise StoreError("The database does not answer", "Look at the disk.")
        if query == "modelless":
            raise EmbedderError("The model cannot be loaded", "Set WEBDOCS_EMBEDDER=hashing.")
        if query == "nothing":
            return Answer(query, (), 0)
        if query == "unrelated":
            return Answer(query, (), 0, hint="Indexed: Größe 2. Try other words.")
        text = "A long line of words.\n\n" * 200 if query == "long" else "Run `pip install it`."
        hits = tuple(make_hit(number, text) for number in range(1, min(top_k, 3) + 1))
        return Answer(query, hits, sum(len(hit.text) // 4 + 30 for hit in hits))

    def list_pages(self, *, site: str = "", offset: int = 0, limit: int = 100) -> tuple[PageRow, ...]:
        self._check_site(site, "")
        rows = [PageRow(p.page_id, p.url, p.title, p.site, p.version) for p in PAGES if site in ("", p.site)]
        return tuple(rows[offset : offset + limit])

    def page(self, page_id_or_url: str) -> StoredPage:
        for page in PAGES:
            if page_id_or_url in (page.page_id, page.url):
                return page
        raise UnknownNameError(f"There is no page {page_id_or_url!r}", "List pages first.")

    def page_rows(self, page_ids: Sequence[str]) -> tuple[PageRow, ...]:
        return tuple(row for row in self.list_pages() if row.page_id in page_ids)

    def sites(self) -> tuple[SiteSummary, ...]:
        return SITES

    def reindex(self) -> Reindex:
        self.reindex_record = replace(self.reindex_record, status="running", embedded=1)
        return self.reindex_record

    def reindex_state(self) -> Reindex:
        """One batch further each time that it is asked for, like a real one at work."""
        record = self.reindex_record
        if record.status == "running":
            done = record.embedded + 1
            record = replace(record, embedded=done, status="done" if done == record.chunks else "running")
            self.reindex_record = record
        return record

    def submit(self, url: str, options: CrawlOptions, *, name: str = "", version: str = "") -> Job:
        if not url.startswith(("http://", "https://")):
            raise UrlError(f"{url} is neither http nor https", "Give a URL that begins with https://.")
        self.submitted.append((url, options, name, version))
        return self._add_job(url, name or SITE, version)

    def update(self, site: str, *, version: str = "", full: bool = False) -> tuple[Job, ...]:
        self._check_site(site, version)
        self.full_updates += [site] if full else []
        return tuple(self._add_job(row.root_url, row.site, row.version) for row in SITES if row.site == site)

    def remove(self, site: str, *, version: str = "") -> int:
        self._check_site(site, version)
        self.removed.append((site, version))
        return sum(row.pages for row in SITES if row.site == site)

    def job(self, job_id: str) -> Job:
        return self._advance(self._find(job_id))

    def jobs(self, *, limit: int = 100) -> tuple[Job, ...]:
        return tuple(reversed(self.jobs_by_id.values()))[:limit]

    def watch(self, job_id: str, timeout_s: float) -> Job:
        with self._changed:
            if "slow" in self._find(job_id).url:
                self._changed.wait_for(lambda: self._find(job_id).has_ended, timeout_s)
        return self.job(job_id)

    def cancel(self, job_id: str) -> Job:
        return self._change(replace(self._find(job_id), status="cancelled", ended_at=NOW))

    def count_tokens(self, text: str) -> int:
        """Two characters a token: dense text, such as a list of links."""
        return len(text) // 2

    def counts(self) -> tuple[int, int]:
        if self.is_broken:
            raise StoreError("The database does not answer", "Look at the disk.")
        return 3, 12

    def interrupt(self) -> None:
        """What closing does to the jobs under way."""
        for job in self.jobs():
            if not job.has_ended:
                self._change(replace(job, status="interrupted", ended_at=NOW))

    def _check_site(self, site: str, version: str) -> None:
        if site not in ("", *(row.site for row in SITES)):
            names = tuple(row.site for row in SITES)
            raise UnknownNameError(f"There is no site {site!r}", known=names)
        if version not in ("", *(row.version for row in SITES)):
            raise UnknownNameError(f"{site} has no version {version!r}", known=("2.0",))

    def _find(self, job_id: str) -> Job:
        try:
            return self.jobs_by_id[job_id]
        except KeyError:
            raise UnknownNameError(f"There is no job {job_id!r}", "`webdocs status` lists them.") from None

    def _add_job(self, url: str, site: str, version: str) -> Job:
        job_id = f"job{len(self.jobs_by_id) + 1}"
        return self._change(Job(job_id, "s1", site, version, url, "pending", NOW))

    def _advance(self, job: Job) -> Job:
        if job.status == "pending":
            return self._change(replace(job, status="running", started_at=NOW, pages_queued=2))
        if job.has_ended or "slow" in job.url:
            return job
        if "broken" in job.url:
            return self._change(replace(job, status="failed", ended_at=NOW, error="The root answered 500"))
        faults = (PageFault(f"{job.url}bad", "HTTP 500 after 3 retries", 500),)
        done = replace(job, status="completed", ended_at=NOW, pages_crawled=2, pages_indexed=2, pages_queued=0)
        done = replace(done, pages_fetched=2, page_ids=(PAGES[0].page_id, PAGES[1].page_id))
        return self._change(replace(done, pages_failed=1, faults=faults, chunks_indexed=7))

    def _change(self, job: Job) -> Job:
        with self._changed:
            self.jobs_by_id[job.job_id] = job
            self._changed.notify_all()
        return job
