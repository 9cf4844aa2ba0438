"""The frozen records that cross packages. Nothing here does I/O.

They are in the order in which data flows: source → request → outcome → page → chunk → hit, then jobs.
Times are aware UTC datetimes. URLs are WHATWG-serialised. Ids are lower-case hex strings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # for the annotations alone: the workers that extract have no arrays, and numpy takes 10 MB
    import numpy as np
    from numpy.typing import NDArray

# ---------------------------------------------------------------- source

ScopeKind = Literal["subpages", "hostname", "subdomains", "domain", "web"]
RenderMode = Literal["never", "auto", "always"]


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """How one source is crawled; kept with the source, so that an update crawls as the first time.

    Attributes:
        max_pages: Most pages to store, >= 1.
        max_depth: Most links from the root, >= 0; None is unlimited.
        scope: `subpages` is the folder of the root URL, `hostname` its host, `subdomains` its host and what is below
            it, `domain` its registrable domain, `web` any host.
        path_prefix: Only URLs whose path starts with it (on a segment boundary); empty is off.
        include: Globs or `/regex/`; where there are any, a URL must match one.
        exclude: Globs or `/regex/`; a URL that matches one is left out.
        delay_s: Least seconds between two requests to one host; a site that asks for more wins.
        concurrency: Most requests under way at once over all hosts, >= 1.
        respect_robots: Obey robots.txt. Only the operator turns it off.
        allow_private: Hosts, `host:port` or CIDR blocks that may be dialled although they are private.
        render: Show pages in a browser: `never`, `auto` (those whose HTML holds no content) or `always`. Unless it is
            `never`, routes in a fragment (`#/guide`) are pages of their own.
        only_hosts: Where there are any, nothing else is taken, the target of the root's redirect included; a name with
            a leading `*.` also stands for every subdomain.
        pages: Where it is not None, just these pages are fetched and no link is followed; the root only names them.
        reads_sitemaps: Take what the site's sitemaps and its llms.txt name, as well as the links.
        time_limit_s: The crawl ends after so many seconds with what it has; None is no limit.
        page_limit_s: Most seconds for one page, where the settings allow more; None leaves it to them.
    """

    max_pages: int = 50
    max_depth: int | None = 3
    scope: ScopeKind = "subpages"
    path_prefix: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    delay_s: float = 1.0
    concurrency: int = 4
    respect_robots: bool = True
    allow_private: tuple[str, ...] = ()
    render: RenderMode = "never"
    only_hosts: tuple[str, ...] = ()
    pages: tuple[str, ...] | None = None
    reads_sitemaps: bool = True
    time_limit_s: float | None = None
    page_limit_s: float | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """One root URL of a site, as typed, with a version. `source_id` is the contract's `root_id`."""

    source_id: str
    site: str
    version: str
    root_url: str
    options: CrawlOptions
    created_at: datetime


def source_id_of(site: str, version: str, root_url: str) -> str:
    """Stable id of a source: 16 hex digits of SHA-256 over site, version and root URL."""
    return _hash16("source", site, version, root_url)


def page_id_of(source_id: str, url_key: str) -> str:
    """Stable id of a page (contract D1): 16 hex digits below 2^63 over its source and its URL key.

    The top bit is cleared so that the id fits a signed 64-bit column.
    """
    return f"{int(_hash16('page', source_id, url_key), 16) & 0x7FFF_FFFF_FFFF_FFFF:016x}"


def _hash16(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


# ---------------------------------------------------------------- request and outcome


Purpose = Literal["page", "robots", "sitemap", "list", "probe"]


@dataclass(frozen=True, slots=True)
class Request:
    """One page to ask for. `parent_url` is the page that first linked to it; None for the root.

    `purpose` is `robots` for a robots.txt, `sitemap` for a sitemap and `list` for an llms.txt: any type is taken, and
    a long body is cut instead of refused. A `probe` only asks whether there is something; no body comes back.
    """

    url: str
    depth: int = 0
    parent_url: str | None = None
    etag: str = ""
    last_modified: str = ""
    purpose: Purpose = "page"


@dataclass(frozen=True, slots=True)
class Fetched:
    """A 200 with its whole body, decoded from its content coding but not from its charset.

    `redirects` are the URLs that led here, the requested one first; empty without a redirect. `body_url` is where the
    body came from if it is not the page's own URL but that of its Markdown.
    """

    url: str
    final_url: str
    content_type: str
    body: bytes
    status: int = 200
    etag: str = ""
    last_modified: str = ""
    redirects: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body_url: str = ""


@dataclass(frozen=True, slots=True)
class NotModified:
    """A 304: the stored copy still holds."""

    url: str
    final_url: str
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Gone:
    """A 404 or 410."""

    url: str
    status: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Not asked for, or not followed: the reason names the rule (`robots`, `address`, `scope`, ...).

    `final_url` is where redirects led, when that is known: for the rule `duplicate`, the page that is stored.
    """

    url: str
    rule: str
    reason: str
    final_url: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The page could not be had. `retry_after_s` is what the server asked for, if it did."""

    url: str
    reason: str
    status: int | None = None
    retryable: bool = False
    retry_after_s: float | None = None


FetchOutcome = Fetched | NotModified | Gone | Refused | Failed


@dataclass(frozen=True, slots=True)
class Validators:
    """What goes back with a request, as the server gave it, so that it may answer 304 (RFC 9110, 13.1)."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page that a site's llms.txt names: the URL under which it is shown, and where its Markdown is if that is named.

    A Markdown file of which no page for people is known is shown under its own URL, and `markdown_url` is empty.
    """

    url: str
    markdown_url: str = ""


# ---------------------------------------------------------------- extraction


@dataclass(frozen=True, slots=True)
class Formats:
    """Which files are read beside HTML and text; the crawl asks for no others.

    Attributes:
        suffixes: Endings of such files, lower case, without the dot.
        media_types: Labels under which they are served.
        missing: Ending or label of a file that could be read, to what would have to be installed.
    """

    suffixes: frozenset[str] = frozenset()
    media_types: frozenset[str] = frozenset()
    missing: Mapping[str, str] = field(default_factory=dict)


BlockKind = Literal[
    "heading",
    "paragraph",
    "code",
    "table",
    "list",
    "definition",
    "signature",
    "quote",
    "admonition",
    "tab",
    "image",
    "math",
]


@dataclass(frozen=True, slots=True)
class Block:
    """One typed piece of a page's main content, in reading order.

    A `signature` is the first line of what defines a call, a class or an option in generated reference, a `definition`
    the term that a list of definitions explains; what they say of it follows in blocks of its own, and so does what
    stands under the label that a `tab` is.

    Attributes:
        kind: What it is.
        markdown: Its whole Markdown, fences included, without a newline at the end. Links are absolute.
        level: 1 to 6 for a heading, else 0.
        anchors: Ids on the page that name this block or what stands in it, the best citation first.
        language: Of a code block, as the page names it; else empty.
        header_lines: Lines that must be repeated when the block is split: 2 for a table with a header.
    """

    kind: BlockKind
    markdown: str
    level: int = 0
    anchors: tuple[str, ...] = ()
    language: str = ""
    header_lines: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """A link as the page has it: `url` absolute with its fragment, `text` as read.

    `in_main` is false for navigation and other chrome; `follow` is false under nofollow.
    """

    url: str
    text: str
    in_main: bool = True
    follow: bool = True


@dataclass(frozen=True, slots=True)
class Page:
    """What extraction makes of one body. `index` and `follow` are the page's own robots wishes.

    `modified_at` is when its text was last changed, as the page itself says, else its server (`Last-Modified`); None
    where neither does.
    `canonical` is the URL that it names as its own, `alternate` where it says that its Markdown is, and `refresh` where
    a `<meta http-equiv="refresh">` leads within seconds; a page with one may have no blocks.
    """

    url: str
    title: str
    blocks: tuple[Block, ...]
    links: tuple[Link, ...] = ()
    language: str = ""
    description: str = ""
    canonical: str = ""
    refresh: str = ""
    index: bool = True
    follow: bool = True
    modified_at: datetime | None = None
    alternate: str = ""

    @property
    def markdown(self) -> str:
        """The page's Markdown: its blocks, one empty line between two."""
        return "\n\n".join(block.markdown for block in self.blocks)


CONTENT_VERSION = 2
"""Raise it when extraction or chunking makes other passages of the same body: stored pages are then fetched and indexed
anew at their next crawl, whatever validators say."""

CONTENT_HASH_PREFIX = f"{CONTENT_VERSION}:"


def content_hash_of(page: Page) -> str:
    """Hash of what would be indexed: title and Markdown, as this version makes them. Equal hashes need no new index
    entries."""
    return CONTENT_HASH_PREFIX + hashlib.sha256(f"{page.title}\x1f{page.markdown}".encode()).hexdigest()[:32]


# ---------------------------------------------------------------- chunks and postings


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of one page that is found and cited as one.

    Attributes:
        position: 0-based order on the page.
        heading_path: Headings above it, outermost first, as plain text.
        anchor: Id of the section it belongs to; empty for the top of the page.
        anchors: `(id, offset in text)` of every citable place inside it, in order.
        text: Its Markdown.
        plain: What is indexed: the text without link targets, marks and fences.
        tokens: Length of `text` in the embedder's tokens.
        parents: Ids on its page of the sections that hold it whole, innermost first; the last one is 0, the page.
            An answer widens from one to the next (`Index.section_chunks`).
    """

    position: int
    heading_path: tuple[str, ...]
    anchor: str
    text: str
    plain: str
    tokens: int
    anchors: tuple[tuple[str, int], ...] = ()
    parents: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each term stands in one document, by field; three columns of one length.

    `standing` is how much the document's score counts, above 0 and at most 1.
    """

    terms: tuple[str, ...]
    body: tuple[int, ...]
    heading: tuple[int, ...]
    standing: float = 1.0


@dataclass(frozen=True, slots=True)
class AnchorText:
    """The terms of the link texts with which one page points at another."""

    target_page_id: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """A page with everything that its replacement writes in one transaction.

    `vectors` is `(len(chunks), dim)` float32 with L2-normalised rows, `embedder` the identity of what made them (empty:
    what the index holds); `terms` has one entry a chunk.
    `aliases` are the page ids of the URLs that redirected here. `block_hashes` has one entry a block (`PageBlocks`).
    `body_url` is as in `Fetched`: the validators are those of that body.
    """

    page_id: str
    source_id: str
    page: Page
    content_hash: str
    fetched_at: datetime
    chunks: tuple[Chunk, ...]
    terms: tuple[TermCounts, ...]
    vectors: NDArray[np.float32]
    anchor_texts: tuple[AnchorText, ...] = ()
    aliases: tuple[str, ...] = ()
    parent_id: str | None = None
    depth: int = 0
    etag: str = ""
    last_modified: str = ""
    block_hashes: tuple[int, ...] = ()
    body_url: str = ""
    embedder: str = ""


@dataclass(frozen=True, slots=True)
class RechunkedPage:
    """A stored page's new chunks; the columns are those of `IndexedPage`.

    `left_out` are the hashes of the blocks that the chunks leave out.
    """

    page_id: str
    chunks: tuple[Chunk, ...]
    terms: tuple[TermCounts, ...]
    vectors: NDArray[np.float32]
    left_out: frozenset[int]
    embedder: str = ""


# ---------------------------------------------------------------- embedders


@dataclass(frozen=True, slots=True)
class Generation:
    """The vectors of one embedder in the index.

    Attributes:
        number: Counts up.
        identity: `Embedder.identity` of what made them.
        dim: Length of a vector.
        recipe: What it takes to make that embedder again; empty if it is not known.
    """

    number: int
    identity: str
    dim: int
    recipe: str


ReindexStatus = Literal["done", "needed", "running", "failed"]


@dataclass(frozen=True, slots=True)
class Reindex:
    """How far the index is from holding the vectors of the embedder that is set.

    Attributes:
        status: `done` when it holds them; `needed` until they are being made, `running` then, `failed` after a fault.
        answering: Identity of the embedder whose vectors answer now; empty where it cannot be loaded, so that words
            alone answer.
        stored: Identity of the embedder whose vectors the index holds.
        wanted: Identity of the embedder that is set.
        chunks: Passages in the index.
        embedded: Those of them that have a vector of the wanted embedder.
        error: What ended the last try.
    """

    status: ReindexStatus
    answering: str
    stored: str
    wanted: str
    chunks: int
    embedded: int
    error: str = ""


# ---------------------------------------------------------------- what is stored, read back


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """What a stored page's blocks say, as hashes, and which of these its chunks leave out.

    `hashes` has one entry a block, in order, unsigned 64 bits; 0 for a block that is never left out.
    """

    page_id: str
    hashes: tuple[int, ...]
    left_out: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page as the index holds it. `modified_at` is when its text was last changed, as far as that is said."""

    page_id: str
    source_id: str
    site: str
    version: str
    url: str
    title: str
    markdown: str
    fetched_at: datetime
    parent_id: str | None
    depth: int
    language: str = ""
    modified_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page in a list."""

    page_id: str
    url: str
    title: str
    site: str
    version: str


@dataclass(frozen=True, slots=True)
class KnownPage:
    """What a re-crawl needs to know about a stored page. `fetched_at` is when its body last came in whole.

    The validators are those of the body at `body_url`; empty is the page's own URL.
    """

    page_id: str
    url: str
    content_hash: str
    fetched_at: datetime
    etag: str = ""
    last_modified: str = ""
    body_url: str = ""


@dataclass(frozen=True, slots=True)
class KnownLinks:
    """Where a stored page links to: distinct absolute URLs without anchor but with route, in the page's order.

    `unfollowed` are those under nofollow: they are not walked, but they are links.
    """

    followed: tuple[str, ...] = ()
    unfollowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfirmedPage:
    """A stored page whose content a crawl found as it is stored.

    Attributes:
        page_id: Which.
        etag: As the server gives it now.
        last_modified: Likewise.
        is_fetched: The body came in whole; false after a 304.
        body_url: Where that body came from, as in `Fetched`; it counts if `is_fetched`.
        links: Its links where they are others than the stored ones; None leaves those.
    """

    page_id: str
    etag: str = ""
    last_modified: str = ""
    is_fetched: bool = False
    links: tuple[Link, ...] | None = None
    body_url: str = ""


StepKind = Literal["indexed", "unchanged", "gone", "failed", "refused"]


@dataclass(frozen=True, slots=True)
class CrawlStep:
    """One settled request of a job under way: what a resumed crawl knows instead of asking again.

    Attributes:
        url: What was asked for.
        depth: Links from the root.
        parent_url: The page that first linked to it; None for the root.
        kind: `indexed` and `unchanged` are stored pages, `refused` what a rule kept from being one.
        final_url: Where it led; the URL itself without a redirect.
        redirects: The URLs that led there, the requested one first; empty without a redirect.
        status: Of the answer, where it says something: 304, 404, ...
        rule: That refused it.
        reason: Why it failed or was refused.
        content_hash: Of a stored page, as `content_hash_of`.
        is_fetched: The server gave the page or called it unchanged, whatever it holds.
        is_new: A stored page that was not stored before the job.
        chunks: How many chunks an indexed page has.
        links: Where a page leads that came in and is not stored, or whose links are not to be followed; None for any
            other. The links of a stored page are read from it.
    """

    url: str
    depth: int
    parent_url: str | None
    kind: StepKind
    final_url: str
    redirects: tuple[str, ...] = ()
    status: int | None = None
    rule: str = ""
    reason: str = ""
    content_hash: str = ""
    is_fetched: bool = False
    is_new: bool = False
    chunks: int = 0
    links: KnownLinks | None = None


@dataclass(frozen=True, slots=True)
class CrawlBatch:
    """What one commit of a job writes: pages, and the steps of the crawl that they settle."""

    job_id: str
    source_id: str
    pages: Sequence[IndexedPage] = ()
    confirmed: Sequence[ConfirmedPage] = ()
    steps: Sequence[CrawlStep] = ()


@dataclass(frozen=True, slots=True)
class RobotsCopy:
    """The robots.txt of an origin as it was last had."""

    origin: str
    body: bytes
    fetched_at: datetime


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with its page, as an answer needs it; the columns are those of `Chunk` and `StoredPage`."""

    chunk_id: int
    page_id: str
    site: str
    version: str
    url: str
    title: str
    heading_path: tuple[str, ...]
    anchor: str
    anchors: tuple[tuple[str, int], ...]
    position: int
    text: str
    tokens: int
    fetched_at: datetime
    parents: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class SiteSummary:
    """One source in the list of what is indexed."""

    source_id: str
    site: str
    version: str
    root_url: str
    pages: int
    chunks: int
    fetched_at: datetime | None


@dataclass(frozen=True, slots=True)
class Within:
    """Which sources a search may answer from. None is all; an empty tuple is none."""

    source_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class TextWeights:
    """How the parts of the lexical score count; searched on the development queries in benchmarks/results.md.

    Attributes:
        heading: A term in a heading counts as often as this many in the body.
        anchor: Weight of the BM25 over the texts of links to the page, for a question in words.
        identifier_anchor: Likewise for an identifier-like query: a link whose text is the name leads to its definition.
        page: Weight of the BM25 over the whole page.
        k1: Saturation of term frequency in BM25, >= 0.
        b: Strength of BM25's length normalisation, 0 to 1.
    """

    heading: float = 3.0
    anchor: float = 0.2
    identifier_anchor: float = 0.35
    page: float = 0.3
    k1: float = 1.2
    b: float = 0.75


@dataclass(frozen=True, slots=True)
class TextScores:
    """BM25 scores of the best chunks, higher is better, >= 0; six columns of one length.

    `chunk` is over the chunk's own terms, `page` over its whole page, `anchor` over the texts of links to it.
    `coverage` is the share of the terms that the chunk holds, 0 to 1, each by its weight; one that no chunk holds
    weighs most.
    `idf` has one entry a term asked for: its weight among the chunks searched, 0 for one that none of them holds.
    """

    chunk_ids: NDArray[np.int64]
    page_ids: NDArray[np.int64]
    chunk: NDArray[np.float32]
    page: NDArray[np.float32]
    anchor: NDArray[np.float32]
    coverage: NDArray[np.float32]
    idf: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class VectorScores:
    """Cosine similarities in [-1, 1], higher is better; four columns of one length.

    `standing` is how much each chunk's score counts (`TermCounts`).
    """

    chunk_ids: NDArray[np.int64]
    page_ids: NDArray[np.int64]
    cosine: NDArray[np.float32]
    standing: NDArray[np.float32]


# ---------------------------------------------------------------- answers

Method = Literal["hybrid", "semantic", "keyword"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One cited passage. `score` is in [0, 1], higher is better, comparable within one answer only."""

    page_id: str
    url: str
    anchor_url: str
    title: str
    heading_path: tuple[str, ...]
    text: str
    score: float
    method: Method
    site: str
    version: str
    fetched_at: datetime
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits, best first, within a token budget.

    `cut` says in words what was left out; empty if nothing. `hint` says what to try where nothing was found.
    """

    query: str
    hits: tuple[Hit, ...]
    tokens: int
    cut: str = ""
    hint: str = ""


# ---------------------------------------------------------------- jobs

JobStatus = Literal["pending", "running", "completed", "failed", "cancelled", "interrupted"]


@dataclass(frozen=True, slots=True)
class PageFault:
    """A page that was not indexed, and why."""

    url: str
    reason: str
    status: int | None = None


@dataclass(frozen=True, slots=True)
class PrunedPage:
    """A page that was deleted from the index, and why."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class SkippedUrls:
    """URLs that one rule kept out of a crawl: why, how many different ones, and the first few."""

    reason: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Job:
    """One crawl of one source: what it did so far. The lists are capped, their counts are not.

    Attributes:
        pages_crawled: URLs that came to something, whatever it was.
        pages_fetched: Of these, pages that the server gave or called unchanged.
        pages_failed: Of these, what could not be had or not be read, `pages_gone` (404 and 410) among them.
        pages_skipped: URLs that a rule kept out, links that were never asked for among them; `skipped` tells which.
        cut_by: What ended the crawl before it was complete: `max_pages`, `max_depth`, `time` or `cancelled`.
        page_ids: Pages that it stored, or found as they are stored.
        notes: Remarks for the user: a limit that cut the crawl, a scope that refused the links.
        resumes: How often it went on after its process had ended.
        resumed_from: How many URLs were settled when it went on the last time.
        deaths: How often in a row its process has died since, without settling one more.
    """

    job_id: str
    source_id: str
    site: str
    version: str
    url: str
    status: JobStatus
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    pages_crawled: int = 0
    pages_fetched: int = 0
    pages_indexed: int = 0
    pages_unchanged: int = 0
    pages_pruned: int = 0
    pages_failed: int = 0
    pages_gone: int = 0
    pages_skipped: int = 0
    pages_queued: int = 0
    chunks_indexed: int = 0
    error: str = ""
    cut_by: str = ""
    faults: tuple[PageFault, ...] = ()
    skipped: tuple[SkippedUrls, ...] = ()
    notes: tuple[str, ...] = ()
    pruned: tuple[PrunedPage, ...] = ()
    page_ids: tuple[str, ...] = ()
    resumes: int = 0
    resumed_from: int = 0
    deaths: int = 0

    @property
    def has_ended(self) -> bool:
        """True once the job will not change any more."""
        return self.status not in ("pending", "running")
