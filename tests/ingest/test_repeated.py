"""What stands on most pages is left out of the chunks, and only that (issue of content fidelity, 5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servers import LoopbackServer
from webdocs.build import Application, open_application
from webdocs.ingest.repeated import MIN_PAGES, MOST_PAGES, NEVER, find_repeated, find_stale, hashes_of, without
from webdocs.model import Block, CrawlOptions, Job, Page, PageBlocks
from webdocs.settings import load_settings

BANNER = Block("paragraph", "Try our cloud.")


def heading(text: str, level: int = 2) -> Block:
    return Block("heading", f"{'#' * level} {text}", level)


def page(*blocks: Block) -> Page:
    return Page("https://docs.test/", "Title", blocks)


def own(number: int) -> Block:
    return Block("paragraph", f"What page {number} alone says.")


def stored(pages: list[Page]) -> list[PageBlocks]:
    return [PageBlocks(f"{number:016x}", hashes_of(item)) for number, item in enumerate(pages)]


def left_out(pages: list[Page]) -> list[list[str]]:
    """Of each page, the Markdown of the blocks that its chunks leave out."""
    repeated = find_repeated(stored(pages))
    return [[block.markdown for block in item.blocks if block not in without(item, repeated).blocks] for item in pages]


@pytest.mark.parametrize(
    ("with_it", "pages", "expected"),
    [
        pytest.param(10, 10, True, id="on-every-page"),
        pytest.param(6, 10, True, id="on-just-enough"),
        pytest.param(5, 10, False, id="on-half-of-them"),
        pytest.param(5, 5, True, id="a-site-of-five"),
        pytest.param(4, 4, False, id="too-few-pages-to-tell"),
    ],
)
def test_5_5_share_and_number_of_pages_decide(with_it: int, pages: int, expected: bool) -> None:
    items = [page(own(n), BANNER) if n < with_it else page(own(n)) for n in range(pages)]
    assert left_out(items)[0] == ([BANNER.markdown] if expected else [])


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(Block("code", "```\nimport it\n```"), id="code"),
        pytest.param(Block("table", "| Name | Value |\n| --- | --- |", header_lines=2), id="table"),
        pytest.param(Block("signature", "`close()`"), id="signature"),
        pytest.param(Block("definition", "`--force`"), id="definition"),
        pytest.param(heading("Parameters"), id="heading-over-content"),
    ],
)
def test_5_5_what_defines_things_stays_on_every_page(block: Block) -> None:
    assert left_out([page(block, own(n)) for n in range(10)]) == [[]] * 10


def test_5_5_what_stands_often_on_one_page_stays() -> None:
    items = [page(own(n), BANNER, BANNER) if n == 0 else page(own(n)) for n in range(10)]
    assert left_out(items) == [[]] * 10


def test_5_5_a_heading_goes_with_all_that_it_heads() -> None:
    sidebar = (heading("Resources"), Block("list", "- Forum\n- Chat"))
    found = left_out([page(heading("Topic", 1), own(n), *sidebar, heading(f"Part {n}"), own(-n)) for n in range(10)])
    assert found[0] == [block.markdown for block in sidebar]


def test_5_5_a_page_that_says_nothing_else_keeps_it() -> None:
    items = [page(own(n), BANNER) for n in range(9)] + [page(heading("Stub"), BANNER)]
    assert left_out(items)[-1] == []


blocks = st.sampled_from([*(Block("paragraph", text) for text in "abcdef"), heading("h"), Block("code", "c")])
sites = st.lists(st.lists(blocks, max_size=6).map(lambda found: page(*found)), max_size=14)


@given(sites.flatmap(lambda pages: st.tuples(st.just(pages), st.permutations(range(len(pages))))))
def test_5_5_the_order_of_the_pages_decides_nothing(drawn: tuple[list[Page], list[int]]) -> None:
    known = stored(drawn[0])
    assert find_stale(known) == find_stale([known[number] for number in drawn[1]])


@given(sites)
def test_5_5_only_what_stands_on_most_pages_goes_and_no_page_loses_all(pages: list[Page]) -> None:
    repeated = find_repeated(stored(pages))
    assert NEVER not in repeated
    for item in pages:
        rest = without(item, repeated).blocks
        assert bool(rest) == bool(item.blocks)
        for block in item.blocks:
            holders = sum(block in other.blocks for other in pages)
            # A heading on a single page goes where all that it heads does.
            assert block in rest or block.level or holders >= max(MIN_PAGES, MOST_PAGES * len(pages))


@given(sites)
def test_5_5_once_settled_nothing_is_cut_again(pages: list[Page]) -> None:
    known = stored(pages)
    stale = find_stale(known)
    settled = [PageBlocks(item.page_id, item.hashes, stale.get(item.page_id, item.left_out)) for item in known]
    assert find_stale(settled) == {}


# ---------------------------------------------------------------- a whole job


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    opened = open_application(
        load_settings({"WEBDOCS_DB_PATH": str(tmp_path / "i.duckdb"), "WEBDOCS_EMBEDDER": "hashing"})
    )
    yield opened
    opened.close()


def site(banner: str, pages: int = 6) -> dict[str, str]:
    links = "".join(f'<a href="/docs/{n}">page {n}</a>' for n in range(pages))
    return {
        f"/docs/{n or ''}": (
            f"<title>Page {n}</title><nav>{links}</nav><main><h1>Page {n}</h1><p>The topic{n} is told on this page in "
            f"enough words to count.</p>{banner if n != 1 else ''}</main>"
        )
        for n in range(pages)
    }


def crawl(application: Application, server: LoopbackServer) -> Job:
    options = CrawlOptions(delay_s=0.0, allow_private=(server.socket,), max_depth=None, max_pages=100)
    job = application.service.submit(server.url("/docs/"), options)
    return application.service.watch(job.job_id, 30)


def chunks_with(application: Application, word: str) -> int:
    rows = application.service.list_pages(limit=100)
    return sum(word in chunk.text for row in rows for chunk in application.store.page_chunks(row.page_id))


def test_5_5_a_banner_leaves_the_chunks_and_comes_back_when_it_is_content_again(application: Application) -> None:
    with LoopbackServer(site("<p>Visit the walrus shop.</p>")) as server:
        assert crawl(application, server).status == "completed"
        assert chunks_with(application, "walrus") == 0
        assert chunks_with(application, "topic") == 6
        assert "walrus" in application.service.page(server.url("/docs/2")).markdown
        before = application.service.counts()
        crawl(application, server)
        assert (chunks_with(application, "walrus"), application.service.counts()) == (0, before)
        server.routes.update(
            {target: text for target, text in site("").items() if target not in ("/docs/2", "/docs/3")}
        )
        crawl(application, server)
        assert chunks_with(application, "walrus") == 2
        assert application.service.search("walrus").hits[0].url in (server.url("/docs/2"), server.url("/docs/3"))
