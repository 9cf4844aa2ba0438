"""What is stored of a source before its crawl, what does the crawl see of it, and what follows for each page?

Holds no connection and asks nothing: the job tells it what came in, and asks it for validators, links and verdicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from webdocs.crawl import CrawlReport, Evidence, Reading, Sight, Verdict, judge_pages, key_of, page_url
from webdocs.ingest.page import page_id_for
from webdocs.model import CONTENT_HASH_PREFIX, Gone, KnownLinks, KnownPage, Link, Validators

FULL_FETCH_AFTER = timedelta(days=30)
"""Our choice: a server whose Last-Modified stands still hides a change no longer than a month (fault I2)."""

_MAX_REASONS_SHOWN = 3


class Recrawl:
    """The stored pages of one source during one crawl.

    Args:
        source_id: Whose pages they are.
        pages: What is stored.
        links: Where each of them links to.
        new_urls: Stored pages that this crawl itself brought, before it was broken off.
    """

    def __init__(
        self,
        source_id: str,
        pages: Iterable[KnownPage],
        links: Mapping[str, KnownLinks],
        new_urls: Iterable[str] = (),
    ) -> None:
        self._source_id = source_id
        self._links = links
        self._ids: dict[str, str] = {}
        new = set(map(self.id_of, new_urls))
        self._pages = {page.page_id: page for page in pages if page.page_id not in new}
        self._sights: dict[str, Sight] = {}
        self._moved: dict[str, str] = {}
        self._same: set[str] = set()
        self._hashes: dict[str, str] = {}
        self._linked: set[str] = set()

    @property
    def is_first(self) -> bool:
        """True if nothing was stored."""
        return not self._pages

    # ------------------------------------------------------------ what the crawl asks for

    def validators(self, now: datetime) -> dict[str, Validators]:
        """URL to what goes back with its request, for each page that may be asked conditionally.

        It is the URL of the body that the validators are of: those of a page's Markdown say nothing of its HTML.
        """
        return {
            page.body_url or page.url: Validators(page.etag, page.last_modified)
            for page in self._pages.values()
            if (page.etag or page.last_modified) and _is_current(page) and now - page.fetched_at < FULL_FETCH_AFTER
        }

    def content_hashes(self) -> dict[str, str]:
        """URL of each stored page to its content hash."""
        return {page.url: page.content_hash for page in self._pages.values()}

    def recall(self, url: str) -> Reading | None:
        """What is stored of the page under this URL, for when its present body is not known; None if nothing is."""
        known = self.known(url)
        if known is None:
            return None
        links = self._links.get(known.page_id, KnownLinks())
        return Reading(links=links.followed, content_hash=known.content_hash)

    def stored_links(self, url: str) -> KnownLinks:
        """Where the stored page under this URL links to."""
        return self._links.get(self.id_of(url), KnownLinks())

    def id_of(self, url: str) -> str:
        """Id of the page under this URL; empty for a URL that is never crawled."""
        bare = page_url(url, keeps_routes=True)
        found = self._ids.get(bare)
        if found is None:
            found = self._ids[bare] = page_id_for(self._source_id, bare)
        return found

    def known(self, url: str) -> KnownPage | None:
        """The stored page under this URL."""
        return self._pages.get(self.id_of(url))

    # ------------------------------------------------------------ what the crawl saw

    def see(self, url: str, sight: Sight) -> None:
        """Something other than a page came of this URL."""
        self._sights.setdefault(self.id_of(url), sight)

    def see_unchanged(self, known: KnownPage) -> None:
        """A stored page answered 304: it holds what it held, and links to where it linked."""
        links = self._links.get(known.page_id, KnownLinks())
        self._see_present(known.page_id, known.content_hash, links)

    def see_stored(self, url: str, content_hash: str) -> None:
        """A page that this crawl stored, or found as it is stored, before it was broken off."""
        if not self.is_first:
            self._see_present(self.id_of(url), content_hash, self.stored_links(url))

    def see_page(self, url: str, links: KnownLinks, content_hash: str = "") -> bool:
        """A page came in whole; answers whether its links are others than the stored ones.

        Args:
            url: Its final URL.
            links: Its links.
            content_hash: Of what it holds; empty if nothing of it is to be stored.
        """
        if self.is_first:
            return False
        self._see_present(self.id_of(url), content_hash, links)
        return links != self.stored_links(url)

    def see_redirect(self, url: str, final_url: str, *, holds_same: bool = False) -> None:
        """The page under another URL stands for this one.

        Args:
            url: The one that is no page of its own.
            final_url: The other one.
            holds_same: Both bodies came in, with the same content.
        """
        page_id = self.id_of(url)
        if page_id == self.id_of(final_url):
            return
        self._moved[page_id] = final_url
        if holds_same:
            self._same.add(page_id)

    def _see_present(self, page_id: str, content_hash: str, links: KnownLinks) -> None:
        self._sights[page_id] = Sight("present")
        self._hashes[page_id] = content_hash
        self._linked.update(map(self.id_of, links.followed))
        self._linked.update(map(self.id_of, links.unfollowed))

    # ------------------------------------------------------------ what follows

    def gone_urls(self) -> list[str]:
        """Stored pages that answered 404 or 410, to be asked again."""
        return [page.url for page in self._pages.values() if self._is_gone(page.page_id)]

    def confirm_gone(self, outcome: object, url: str) -> None:
        """What came of asking again."""
        if isinstance(outcome, Gone):
            self._sights[self.id_of(url)] = Sight("gone_twice", f"status {outcome.status}")

    def judge(self, report: CrawlReport, root_error: str) -> tuple[Verdict, ...]:
        """What becomes of each stored page."""
        return judge_pages(
            self._pages,
            Evidence(
                sights=self._settled_sights(report),
                linked=self._linked,
                links_of=self._linked_ids,
                root_error=root_error,
                cut_by=_explain_cut(report),
            ),
        )

    def url_of(self, page_id: str) -> str:
        """URL of a stored page."""
        return self._pages[page_id].url

    def explain_kept(self, report: CrawlReport, verdicts: Iterable[Verdict]) -> list[str]:
        """Remarks on stored pages that stay although this crawl did not take them."""
        sights = self._settled_sights(report)
        refused = Counter[str]()
        unreached = 0
        for verdict in verdicts:
            sight = sights.get(verdict.page_id)
            if sight is not None and sight.kind == "refused":
                refused[sight.detail] += 1
            elif sight is None and _explain_cut(report) and not report.is_list:
                unreached += 1
        return [*_explain_refused(refused), *_explain_unreached(unreached)]

    def _is_gone(self, page_id: str) -> bool:
        sight = self._sights.get(page_id)
        return sight is not None and sight.kind == "gone"

    def _settled_sights(self, report: CrawlReport) -> dict[str, Sight]:
        """What was seen, with the redirects and the links that were refused unasked."""
        sights = {page_id: self._sight_of_redirect(page_id, url) for page_id, url in self._moved.items()}
        for page in self._pages.values():
            if reason := report.refused_keys.get(key_of(page.url)):
                sights.setdefault(page.page_id, Sight("refused", reason))
        return {page_id: sight for page_id, sight in (sights | self._sights).items() if page_id in self._pages}

    def _sight_of_redirect(self, page_id: str, final_url: str) -> Sight:
        known = self._pages.get(page_id)
        is_equal = known is not None and self._hashes.get(self.id_of(final_url)) == known.content_hash != ""
        if page_id in self._same or is_equal:
            return Sight("moved", final_url)
        return Sight("refused", "redirect: it leads to a page with other content")

    def _linked_ids(self, page_id: str) -> Iterable[str]:
        links = self._links.get(page_id, KnownLinks())
        return map(self.id_of, (*links.followed, *links.unfollowed))


def _is_current(page: KnownPage) -> bool:
    """True if this version of webdocs made what is stored, so that a 304 means that nothing is to be done."""
    return page.content_hash.startswith(CONTENT_HASH_PREFIX)


def known_links_of(links: Iterable[Link]) -> KnownLinks:
    """A page's links as the store gives them back."""
    targets: dict[str, bool] = {}
    for link in links:
        url = page_url(link.url, keeps_routes=True)
        targets[url] = targets.get(url, False) or link.follow
    return KnownLinks(
        tuple(url for url, is_followed in targets.items() if is_followed),
        tuple(url for url, is_followed in targets.items() if not is_followed),
    )


def _explain_cut(report: CrawlReport) -> str:
    """Why the crawl may have missed pages; empty if it was complete."""
    if report.is_list:
        return "its pages are fetched one by one"
    return report.truncated_by or ("" if report.are_sitemaps_read else "a sitemap could not be read to its end")


def _explain_refused(refused: Counter[str]) -> list[str]:
    if not refused:
        return []
    shown = "; ".join(f"{count} by {reason}" for reason, count in refused.most_common(_MAX_REASONS_SHOWN))
    return [f"{_stored_pages(refused.total())} kept although this crawl did not take them: {shown}"]


def _explain_unreached(count: int) -> list[str]:
    return (
        [f"{_stored_pages(count)} kept although the crawl, which was not complete, did not reach them"] if count else []
    )


def _stored_pages(count: int) -> str:
    return "1 stored page is" if count == 1 else f"{count} stored pages are"
