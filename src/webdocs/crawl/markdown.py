"""What does the site offer as Markdown? Its llms.txt, and a Markdown body for a page.

A page and its Markdown are one document under the page's URL (contract F9). Whatever the site offers wrongly costs a
few requests and no page: the page's own URL is asked for then, and a host that is wrong time after time no more.
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from webdocs.crawl.markdown_name import markdown_url_of, page_urls_of
from webdocs.crawl.reading import Ask, Reading
from webdocs.crawl.robots_tag import obey
from webdocs.crawl.url import authority_of, join, key_of, origin_of, sibling_of, strip_fragment
from webdocs.model import Fetched, FetchOutcome, ListedPage, NotModified, Request, content_hash_of

logger = logging.getLogger(__name__)

MAX_MISSES = 3
"""Our choice: a host that has no Markdown three times in a row, and never had any, is not asked for more."""

LEAST_SHARE = 0.5
"""Our choice: Markdown of less than half of the text that the HTML has is an excerpt."""

MAX_NAMED_PROBES = 3
"""Our choice: so many Markdown files are looked at to learn how a host names the pages that belong to them."""

_Kind = tuple[str, str, int]
"""Host, ending, and how many pages a file of that ending may belong to."""


@dataclass(frozen=True, slots=True)
class MarkdownRules:
    """What the crawl must be told to make use of Markdown.

    Attributes:
        judge: Why a body is no Markdown of a page; empty if it is.
        read_list: Links of an llms.txt as written; none for what is no such file. None: no llms.txt is looked for.
        keep_listed: Takes what was listed, before any of it is asked for.
        listed: What an earlier crawl of the source was told by the site's llms.txt.
    """

    judge: Callable[[Fetched], str]
    read_list: Callable[[Fetched], Sequence[str]] | None = None
    keep_listed: Callable[[tuple[ListedPage, ...]], Awaitable[None]] | None = None
    listed: tuple[ListedPage, ...] = ()


# ---------------------------------------------------------------- llms.txt


async def find_list(start_url: str, ask: Ask, read_list: Callable[[Fetched], Sequence[str]]) -> tuple[str, ...]:
    """The links of the first llms.txt that is one: in the start's folder, then at the root (contract F4).

    Args:
        start_url: The start page.
        ask: Gets one file, with the crawl's manners.
        read_list: Its links as written.

    Returns:
        Absolute URLs, joined to the final URL of the file, each once.
    """
    for url in dict.fromkeys((sibling_of(start_url, "llms.txt"), f"{origin_of(start_url)}/llms.txt")):
        outcome = await ask(Request(url, purpose="list"))
        links = read_list(outcome) if isinstance(outcome, Fetched) else ()
        if links and isinstance(outcome, Fetched):
            logger.info("llms_txt_found url=%s links=%d", outcome.final_url, len(links))
            joined = (join(outcome.final_url, link) for link in links)
            return tuple(dict.fromkeys(strip_fragment(link) for link in joined if link))
        reason = "it is no llms.txt" if isinstance(outcome, Fetched) else outcome
        logger.debug("llms_txt_not_had url=%s reason=%s", url, reason)
    return ()


class PageNames:
    """Which page does a listed Markdown file belong to? Learned from a host's answers, a few requests without body."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._forms: dict[_Kind, int] = {}
        self._probes: Counter[_Kind] = Counter()
        self._answers_all: dict[str, bool] = {}

    async def name(self, url: str) -> ListedPage:
        """The entry as the crawl keeps it."""
        names = page_urls_of(url)
        if not names:
            return ListedPage(url)
        kind = (authority_of(url), url[len(names[0].removesuffix("/")) :], len(names))
        if kind not in self._forms and self._probes[kind] < MAX_NAMED_PROBES:
            self._probes[kind] += 1
            await self._learn(kind, names)
        form = self._forms.get(kind)
        return ListedPage(url) if form is None else ListedPage(names[form], url)

    async def _learn(self, kind: _Kind, names: Sequence[str]) -> None:
        if await self._does_answer_all(names[0]):
            return
        for name in names:
            outcome = await self._ask(Request(name, purpose="probe"))
            if isinstance(outcome, Fetched) and outcome.final_url in names:
                self._forms[kind] = names.index(outcome.final_url)
                return

    async def _does_answer_all(self, url: str) -> bool:
        """True if the host has an answer for any name, which then says nothing."""
        host = authority_of(url)
        if host not in self._answers_all:
            outcome = await self._ask(Request(_unlikely(url), purpose="probe"))
            self._answers_all[host] = isinstance(outcome, Fetched)
        return self._answers_all[host]


def _unlikely(url: str, ending: str = "") -> str:
    """A name in the URL's folder that no site has; the same in every crawl, so that a cache may answer."""
    name = hashlib.sha256(authority_of(url).encode()).hexdigest()[:16]
    return sibling_of(url, f"webdocs-{name}{ending}")


# ---------------------------------------------------------------- a page's Markdown


class Representations:
    """Markdown in place of HTML, page by page.

    Args:
        rules: What is Markdown.
        ask: Gets one URL, with the crawl's manners.
        agent: Our name in robots wishes.
    """

    def __init__(self, rules: MarkdownRules, ask: Ask, agent: str) -> None:
        self._rules = rules
        self._ask = ask
        self._agent = agent
        self._named: dict[str, str] = {}
        self._guessed: set[str] = set()
        self._misses: Counter[str] = Counter()
        self._good: set[str] = set()
        self._closed: set[str] = set()

    def note_listed(self, page: ListedPage) -> None:
        """A page comes from llms.txt."""
        key = key_of(page.url)
        if page.markdown_url:
            self._named[key] = page.markdown_url
        else:
            self._guessed.add(key)

    def url_for(self, page_url: str) -> str:
        """Where to ask for the page's Markdown first; empty if the page itself is to be asked for."""
        key = key_of(page_url)
        if named := self._named.get(key):
            return named
        if key not in self._guessed or authority_of(page_url) in self._closed:
            return ""
        return markdown_url_of(page_url)

    async def accept(self, page_url: str, outcome: FetchOutcome) -> Fetched | NotModified | None:
        """The answer to a request for a page's Markdown as the page's own; None if it does not do."""
        match outcome:
            case NotModified(final_url=final_url) if final_url == outcome.url:
                return replace(outcome, url=page_url, final_url=page_url)
            case Fetched():
                reason = self._judge(outcome) or await self._judge_host(page_url, outcome)
                if not reason:
                    self._good.add(authority_of(page_url))
                    url = outcome.final_url
                    return replace(outcome, url=page_url, final_url=page_url, redirects=(), body_url=url)
            case _:
                reason = str(outcome)
        self._note_miss(page_url, reason)
        return None

    async def prefer(self, page: Fetched, reading: Reading, read: Callable[[Fetched], Awaitable[Reading]]) -> Reading:
        """What an HTML page says, by the Markdown that it names as its alternate if that is as good.

        Its links, its wishes and its language stay those of the HTML, which has the navigation.
        """
        url, host = reading.alternate, authority_of(page.final_url)
        if not url or page.body_url or host in self._closed or not reading.index or authority_of(url) != host:
            return reading
        outcome = await self._ask(Request(url, 1, page.final_url))
        if not isinstance(outcome, Fetched) or (reason := self._judge(outcome)):
            self._note_miss(page.final_url, reason if isinstance(outcome, Fetched) else str(outcome))
            return reading
        twin = await read(replace(outcome, final_url=page.final_url, body_url=outcome.final_url))
        if twin.page is None or twin.fault or _is_poorer(twin, reading):
            logger.debug("markdown_poorer url=%s page=%s", url, page.final_url)
            self._closed.add(host)
            return reading
        self._good.add(host)
        merged = twin.page if reading.page is None else replace(reading.page, blocks=twin.page.blocks)
        return replace(reading, page=merged, content_hash=content_hash_of(merged), fault="")

    def _judge(self, outcome: Fetched) -> str:
        if authority_of(outcome.final_url) != authority_of(outcome.url):
            return f"it leads to another host, {outcome.final_url}"
        if not obey(outcome.headers.get("x-robots-tag", ""), self._agent, Reading()).index:
            return "it asks not to be indexed"
        return self._rules.judge(outcome)

    async def _judge_host(self, page_url: str, outcome: Fetched) -> str:
        """Why a host's good answer to a guessed name says nothing: it answers any name so. Asked once a host."""
        host = authority_of(page_url)
        if key_of(page_url) in self._named or host in self._good:
            return ""
        other = await self._ask(Request(_unlikely(outcome.url, ".html.md"), 1, page_url))
        if not isinstance(other, Fetched) or self._judge(other):
            return ""
        self._closed.add(host)
        return "the host answers any name with a text"

    def _note_miss(self, page_url: str, reason: str) -> None:
        host = authority_of(page_url)
        logger.debug("markdown_not_had page=%s reason=%s", page_url, reason)
        self._misses[host] += 1
        if self._misses[host] >= MAX_MISSES and host not in self._good:
            self._closed.add(host)


def _is_poorer(twin: Reading, reading: Reading) -> bool:
    if twin.page is None or reading.page is None:
        return False
    return len(twin.page.markdown) < LEAST_SHARE * len(reading.page.markdown)


def distinct_pages(pages: Iterable[ListedPage]) -> tuple[ListedPage, ...]:
    """Each page once, with its Markdown where any entry names it."""
    found: dict[str, ListedPage] = {}
    for page in pages:
        key = key_of(page.url)
        if key not in found or (page.markdown_url and not found[key].markdown_url):
            found[key] = page if key not in found else replace(page, url=found[key].url)
    return tuple(found.values())
