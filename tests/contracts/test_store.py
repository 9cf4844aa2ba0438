"""What every `Store` does, whatever lies below it. Ids name the contract's line or the port's promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from contracts.records import EMBEDDER, NOW, indexed, page, source
from webdocs.chunk import ChunkLimits
from webdocs.embed.hashing import HashingEmbedder
from webdocs.errors import StoreError
from webdocs.ingest.page import rechunk_pages
from webdocs.model import (
    Block,
    ConfirmedPage,
    CrawlBatch,
    CrawlStep,
    Job,
    JobStatus,
    KnownLinks,
    Link,
    ListedPage,
    Page,
    PageFault,
    PrunedPage,
    RobotsCopy,
    Source,
    TextWeights,
    Within,
)
from webdocs.ports import Store
from webdocs.search.tokens import query_terms
from webdocs.store.duckdb import DuckStore

Opener = Callable[[], Store]


@pytest.fixture(params=["duckdb-file", "duckdb-memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    path = ":memory:" if request.param == "duckdb-memory" else str(tmp_path / "index.duckdb")
    opened = DuckStore(path, EMBEDDER.identity, EMBEDDER.dim)
    yield opened
    opened.close()


def found_urls(store: Store, query: str, within: Within | None = None) -> list[str]:
    scores = store.text_scores(query_terms(query), TextWeights(), within or Within(), 10)
    return [chunk.url for chunk in store.chunks(scores.chunk_ids.tolist())]


def test_a_written_page_is_read_back_whole(store: Store) -> None:
    of = source()
    store.save_source(of)
    item = page("https://docs.test/a", "Alpha", "The zebra runs.")
    written = indexed(item, of, parent_url="https://docs.test/")
    store.replace_pages([written])
    read = store.page(written.page_id)
    assert read is not None
    assert (read.url, read.title, read.markdown) == ("https://docs.test/a", "Alpha", "# Alpha\n\nThe zebra runs.")
    assert (read.site, read.version, read.fetched_at, read.parent_id) == ("docs.test", "", NOW, written.parent_id)
    assert store.find_page("https://docs.test/a#alpha") == read
    assert [row.url for row in store.list_pages(Within(), 0, 10)] == ["https://docs.test/a"]
    assert [chunk.text for chunk in store.page_chunks(written.page_id)] == ["# Alpha\n\nThe zebra runs."]


@pytest.mark.parametrize("moment", [None, NOW], ids=["unknown", "known"])
def test_5_1_a_page_keeps_when_it_was_last_changed(store: Store, moment: datetime | None) -> None:
    of = source()
    store.save_source(of)
    written = indexed(replace(page("https://docs.test/a", "Alpha", "zebra"), modified_at=moment), of)
    store.replace_pages([written])
    read = store.page(written.page_id)
    assert read is not None
    assert read.modified_at == moment


def test_5_5_chunks_are_replaced_and_the_page_stays_as_it_is(store: Store) -> None:
    of = source()
    store.save_source(of)
    kept, cut = (
        page(f"https://docs.test/{name}", name, f"The {name} runs.", "A banner.") for name in ("zebra", "lemur")
    )
    written = [indexed(kept, of), indexed(cut, of, aliases=("https://docs.test/old",))]
    store.replace_pages(written)
    page_id = written[1].page_id
    (banner,) = {blocks.hashes[2] for blocks in store.page_blocks(of.source_id)}
    restored = store.block_pages([page_id, "00000000000000ff"])
    assert restored == {page_id: cut}
    store.replace_chunks(rechunk_pages(restored, {page_id: frozenset((banner,))}, EMBEDDER, ChunkLimits()))
    assert found_urls(store, "banner") == [kept.url]
    assert found_urls(store, "lemur") == [cut.url]
    read = store.page(page_id)
    assert read is not None
    assert read.markdown == cut.markdown
    assert {blocks.page_id: blocks.left_out for blocks in store.page_blocks(of.source_id)}[page_id] == {banner}
    assert store.counts() == (2, 2)


def section_of(level: int, name: str) -> tuple[Block, Block]:
    return Block("heading", f"{'#' * level} {name}", level=level), Block("paragraph", f"{name} " * 200)


def test_5_6_a_chunk_widens_to_its_section_and_to_the_sections_around_that(store: Store) -> None:
    of = source()
    store.save_source(of)
    sections = [section_of(*given) for given in ((1, "Top"), (2, "Ann"), (3, "Bob"), (3, "Cid"), (2, "Dan"))]
    written, other = (
        indexed(Page(f"https://docs.test/{name}", "Top", tuple(block for pair in sections for block in pair)), of)
        for name in "ab"
    )
    store.replace_pages([written, other])
    (found,) = (chunk for chunk in store.page_chunks(written.page_id) if chunk.heading_path[-1] == "Cid")
    widened = [store.section_chunks(written.page_id, section) for section in found.parents]
    names = [[chunk.heading_path[-1] for chunk in chunks] for chunks in widened]
    assert names[:2] == [["Cid"], ["Ann", "Bob", "Cid"]]
    assert names[2] == names[3] == ["Top", "Ann", "Bob", "Cid", "Dan"]
    assert widened[3] == store.page_chunks(written.page_id)
    assert store.chunks([found.chunk_id]) == (found,)
    assert store.section_chunks(written.page_id, 99) == ()


@pytest.mark.parametrize("page_id", ["0000000000000000", "no hex", "", "-1", "ffffffffffffffffffff"])
def test_a_page_id_that_is_not_there_is_none(store: Store, page_id: str) -> None:
    assert store.page(page_id) is None
    assert store.page_chunks(page_id) == store.section_chunks(page_id, 0) == ()


def test_G1_writing_the_same_page_three_times_leaves_the_same_rows(store: Store) -> None:
    of = source()
    store.save_source(of)
    for _ in range(3):
        store.replace_pages([indexed(page("https://docs.test/a", "Alpha", "The zebra runs."), of)])
    assert store.counts() == (1, 1)
    assert found_urls(store, "zebra") == ["https://docs.test/a"]


def test_a_page_given_twice_in_one_batch_is_stored_once_as_the_last(store: Store) -> None:
    of = source()
    store.save_source(of)
    store.replace_pages([indexed(page("https://docs.test/a", "Alpha", text), of) for text in ("first", "second")])
    assert store.counts() == (1, 1)
    assert found_urls(store, "first") == []
    assert found_urls(store, "second") == ["https://docs.test/a"]


def test_G3_a_replaced_page_is_found_by_its_new_words_only(store: Store) -> None:
    of = source()
    store.save_source(of)
    store.replace_pages([indexed(page("https://docs.test/a", "Alpha", "The zebra runs."), of)])
    store.replace_pages([indexed(page("https://docs.test/a", "Alpha", "The walrus swims."), of)])
    assert found_urls(store, "zebra") == []
    assert found_urls(store, "walrus") == ["https://docs.test/a"]


def test_G3_a_batch_that_fails_leaves_the_old_pages(store: Store) -> None:
    of = source()
    store.save_source(of)
    old = indexed(page("https://docs.test/a", "Alpha", "The zebra runs."), of)
    store.replace_pages([old])
    new = indexed(page("https://docs.test/a", "Alpha", "The walrus swims."), of)
    broken = replace(new, page_id=indexed(page("https://docs.test/b", "Beta", "x"), of).page_id, depth=2**40)
    with pytest.raises((StoreError, OverflowError)):
        store.replace_pages([new, broken])
    assert found_urls(store, "zebra walrus") == ["https://docs.test/a"]
    assert store.page(old.page_id) is not None
    assert "zebra" in store.page(old.page_id).markdown  # type: ignore[union-attr]


def test_rare_words_and_headings_rank_first(store: Store) -> None:
    of = source()
    store.save_source(of)
    store.replace_pages(
        [
            indexed(
                page("https://docs.test/body", "Other", "All about the index and more words than needed here."), of
            ),
            indexed(page("https://docs.test/head", "Index", "All about something else and more words here too."), of),
        ]
    )
    assert found_urls(store, "index") == ["https://docs.test/head", "https://docs.test/body"]


def test_link_texts_find_the_page_that_they_name(store: Store) -> None:
    of = source()
    store.save_source(of)
    link = Link("https://docs.test/target", "walrus care")
    store.replace_pages(
        [
            indexed(page("https://docs.test/from", "From", "See there.", links=(link,)), of),
            indexed(page("https://docs.test/target", "Target", "Feeding times."), of),
        ]
    )
    assert found_urls(store, "walrus") == ["https://docs.test/target"]
    store.replace_pages([indexed(page("https://docs.test/from", "From", "See there."), of)])
    assert found_urls(store, "walrus") == []


def test_link_texts_follow_a_redirect_to_its_page(store: Store) -> None:
    of = source()
    store.save_source(of)
    link = Link("https://docs.test/old", "walrus care")
    store.replace_pages(
        [
            indexed(page("https://docs.test/from", "From", "See there.", links=(link,)), of),
            indexed(page("https://docs.test/new", "New", "Feeding times."), of, aliases=("https://docs.test/old",)),
        ]
    )
    assert found_urls(store, "walrus") == ["https://docs.test/new"]


def test_a_search_within_a_source_sees_no_other(store: Store) -> None:
    first, second = source("one.test", "", "https://one.test/"), source("two.test", "", "https://two.test/")
    for of in (first, second):
        store.save_source(of)
        store.replace_pages([indexed(page(f"{of.root_url}a", "Alpha", "The zebra runs."), of)])
    only = Within((second.source_id,))
    assert found_urls(store, "zebra", only) == ["https://two.test/a"]
    assert found_urls(store, "zebra", Within(())) == []
    nearest = store.vector_scores(EMBEDDER.embed_query("zebra"), EMBEDDER.identity, only, 10, np.empty(0, np.int64))
    assert [chunk.url for chunk in store.chunks(nearest.chunk_ids.tolist())] == ["https://two.test/a"]
    assert [row.url for row in store.list_pages(only, 0, 10)] == ["https://two.test/a"]


def test_nearest_vectors_are_exact_and_named_chunks_come_along(store: Store) -> None:
    of = source()
    store.save_source(of)
    texts = [f"word{number} other{number} thing{number}" for number in range(30)]
    store.replace_pages([indexed(page(f"https://docs.test/{n}", f"T{n}", text), of) for n, text in enumerate(texts)])
    query = EMBEDDER.embed([texts[7]])[0]
    everything = store.vector_scores(query, EMBEDDER.identity, Within(), 100, np.empty(0, np.int64))
    worst = everything.chunk_ids[np.argmin(everything.cosine)]
    best = store.vector_scores(query, EMBEDDER.identity, Within(), 3, np.array([worst, 10**9]))
    order = np.argsort(-best.cosine)
    assert store.chunks([int(best.chunk_ids[order[0]])])[0].url == "https://docs.test/7"
    assert worst in best.chunk_ids
    assert len(best.chunk_ids) == 4


def test_removing_a_source_takes_its_pages_and_jobs_and_no_others(store: Store) -> None:
    first, second = source("one.test", "", "https://one.test/"), source("two.test", "", "https://two.test/")
    for of in (first, second):
        store.save_source(of)
        store.replace_pages([indexed(page(f"{of.root_url}a", "Alpha", "The zebra runs."), of)])
        store.save_job(Job(f"job-{of.site}", of.source_id, of.site, "", of.root_url, "completed", NOW))
    assert store.remove_source(first.source_id) == 1
    assert found_urls(store, "zebra") == ["https://two.test/a"]
    assert [summary.site for summary in store.summaries()] == ["two.test"]
    assert [job.job_id for job in store.jobs(10)] == ["job-two.test"]


def test_summaries_count_pages_and_chunks(store: Store) -> None:
    of = source(version="2")
    store.save_source(of)
    assert [(item.pages, item.chunks, item.fetched_at) for item in store.summaries()] == [(0, 0, None)]
    store.replace_pages([indexed(page("https://docs.test/a", "Alpha", "The zebra runs."), of)])
    assert [(item.version, item.pages, item.chunks, item.fetched_at) for item in store.summaries()] == [
        ("2", 1, 1, NOW)
    ]


def test_jobs_are_kept(store: Store) -> None:
    of = source()
    done = Job("b", of.source_id, of.site, "", of.root_url, "completed", NOW, faults=(PageFault("u", "why", 500),))
    done = replace(done, pages_pruned=1, pruned=(PrunedPage("v", "gone"),))
    store.save_job(Job("a", of.source_id, of.site, "", of.root_url, "running", NOW))
    store.save_job(done)
    assert store.job("b") == done
    assert [(job.job_id, job.status) for job in store.jobs(10)] == [("b", "completed"), ("a", "running")]
    assert store.job("none") is None


def test_known_pages_carry_what_a_second_crawl_compares(store: Store) -> None:
    of = source()
    store.save_source(of)
    written = replace(indexed(page("https://docs.test/a", "Alpha", "x"), of), etag='W/"1"', last_modified="Sun")
    store.replace_pages([written])
    (known,) = store.known_pages(of.source_id)
    assert (known.page_id, known.content_hash, known.etag, known.last_modified) == (
        written.page_id,
        written.content_hash,
        'W/"1"',
        "Sun",
    )
    assert store.known_pages("other") == ()


def test_what_a_second_crawl_compares_can_be_forgotten_for_one_source(store: Store) -> None:
    first, second = source("one.test", "", "https://one.test/"), source("two.test", "", "https://two.test/")
    for of in (first, second):
        store.save_source(of)
        store.replace_pages([replace(indexed(page(f"{of.root_url}a", "Alpha", "The zebra runs."), of), etag='"1"')])
    store.forget_content(first.source_id)
    (forgotten,), (other,) = store.known_pages(first.source_id), store.known_pages(second.source_id)
    assert (forgotten.content_hash, forgotten.etag, forgotten.last_modified) == ("", "", "")
    assert (bool(other.content_hash), other.etag) == (True, '"1"')
    assert found_urls(store, "zebra") == ["https://one.test/a", "https://two.test/a"]


@pytest.mark.parametrize(
    ("is_fetched", "links", "followed"),
    [
        pytest.param(False, None, ("https://docs.test/b", "https://docs.test/c"), id="after-a-304-the-links-stay"),
        pytest.param(True, (Link("https://docs.test/d", "d"),), ("https://docs.test/d",), id="links-of-now"),
        pytest.param(True, (), None, id="no-links-any-more"),
    ],
)
def test_D5_a_confirmed_page_keeps_its_content_and_takes_the_validators_of_now(
    store: Store, is_fetched: bool, links: tuple[Link, ...] | None, followed: tuple[str, ...] | None
) -> None:
    of = source()
    store.save_source(of)
    old = (Link("https://docs.test/b#x", "b"), Link("https://docs.test/c", "c"), Link("https://docs.test/b", "again"))
    written = replace(indexed(page("https://docs.test/a", "Alpha", "The zebra runs.", links=old), of), etag="1")
    store.replace_pages([written])
    confirmed = ConfirmedPage(written.page_id, '"2"', "Mon", is_fetched, links)
    store.commit(CrawlBatch("job", of.source_id, confirmed=[confirmed]))
    (known,) = store.known_pages(of.source_id)
    assert (known.etag, known.last_modified, known.content_hash) == ('"2"', "Mon", written.content_hash)
    assert (known.fetched_at > NOW) is is_fetched
    assert store.page(written.page_id).fetched_at > NOW  # type: ignore[union-attr]
    found = store.known_links(of.source_id).get(written.page_id)
    assert (found.followed if found else None) == followed
    assert found_urls(store, "zebra") == ["https://docs.test/a"]
    store.commit(CrawlBatch("job", of.source_id))


def test_F5_what_a_list_names_is_kept_with_its_source_and_goes_with_it(store: Store) -> None:
    one, other = source("one.test"), source("other.test")
    for each in (one, other):
        store.save_source(each)
        store.save_listed(each.source_id, [ListedPage("https://docs.test/old")])
    pages = (ListedPage("https://docs.test/b", "https://docs.test/b.md"), ListedPage("https://docs.test/a"))
    store.save_listed(one.source_id, pages)
    assert store.listed(one.source_id) == pages
    store.remove_source(one.source_id)
    assert (store.listed(one.source_id), len(store.listed(other.source_id))) == ((), 1)


def test_known_links_are_told_apart_by_nofollow_and_by_source(store: Store) -> None:
    first, second = source("one.test", "", "https://one.test/"), source("two.test", "", "https://two.test/")
    links = (Link("https://x.test/a", "a", follow=False), Link("https://x.test/b", "b"))
    for of in (first, second):
        store.save_source(of)
        store.replace_pages([indexed(page(f"{of.root_url}a", "Alpha", "Words.", links=links), of)])
    found = store.known_links(first.source_id)
    assert list(found.values()) == [KnownLinks(("https://x.test/b",), ("https://x.test/a",))]
    assert store.known_links("other") == {}


def test_known_links_keep_the_routes_of_applications(store: Store) -> None:
    of = source()
    store.save_source(of)
    links = (
        Link("https://docs.test/#/guide", "a"),
        Link("https://docs.test/#!api", "b"),
        Link("https://docs.test/#c", "c"),
    )
    written = indexed(page("https://docs.test/", "Alpha", "Words.", links=links), of)
    store.replace_pages([written])
    followed = ("https://docs.test/#/guide", "https://docs.test/#!api", "https://docs.test/")
    assert store.known_links(of.source_id) == {written.page_id: KnownLinks(followed)}


def test_D6_deleted_pages_leave_nothing_behind_and_no_other_page_changes(store: Store) -> None:
    of, other = source(), source("two.test", "", "https://two.test/")
    link = Link("https://docs.test/b", "walrus care")
    one = indexed(page("https://docs.test/a", "Alpha", "The zebra runs.", links=(link,)), of, aliases=("https://o/",))
    two = indexed(page("https://docs.test/b", "Beta", "Feeding times."), of, parent_url="https://docs.test/a")
    three = indexed(page("https://two.test/a", "Alpha", "The zebra runs."), other)
    for item in (of, other):
        store.save_source(item)
    store.replace_pages([one, two, three])
    assert found_urls(store, "walrus") == ["https://docs.test/b"]  # by the text of the link of Alpha
    assert store.delete_pages(of.source_id, [one.page_id, three.page_id, "0" * 16]) == 1
    assert store.counts() == (2, 2)
    assert found_urls(store, "zebra") == ["https://two.test/a"]
    assert found_urls(store, "walrus") == []
    assert list(store.known_links(of.source_id)) == []
    assert store.page(two.page_id).parent_id is None  # type: ignore[union-attr]
    assert store.delete_pages(of.source_id, []) == 0


STEPS = (
    CrawlStep("https://docs.test/", 0, None, "indexed", "https://docs.test/", content_hash="h", is_new=True, chunks=3),
    CrawlStep(
        "https://docs.test/old",
        1,
        "https://docs.test/",
        "unchanged",
        "https://docs.test/new",
        ("https://docs.test/old",),
        status=304,
    ),
    CrawlStep("https://docs.test/x", 2, "https://docs.test/new", "failed", "https://docs.test/x", reason="time-out"),
    CrawlStep(
        "https://docs.test/y",
        1,
        "https://docs.test/",
        "refused",
        "https://docs.test/y",
        rule="noindex",
        reason="it asks so",
        links=KnownLinks(("https://docs.test/z",), ("https://docs.test/w",)),
    ),
    CrawlStep("https://docs.test/g", 1, "https://docs.test/", "gone", "https://docs.test/g", status=410),
)


def test_G4_steps_are_read_back_in_their_order_and_by_job(store: Store) -> None:
    of = source()
    store.save_source(of)
    store.commit(CrawlBatch("a", of.source_id, steps=STEPS[:2]))
    store.commit(CrawlBatch("b", of.source_id, steps=STEPS[:1]))
    store.commit(CrawlBatch("a", of.source_id, steps=STEPS[2:]))
    assert store.steps("a") == STEPS
    assert store.steps("b") == STEPS[:1]
    assert store.steps("none") == ()


@pytest.mark.parametrize(
    ("status", "are_kept"),
    [("running", True), ("interrupted", True), ("completed", False), ("failed", False), ("cancelled", False)],
)
def test_G4_the_steps_of_a_job_go_when_it_has_ended_for_good(store: Store, status: JobStatus, are_kept: bool) -> None:
    of = source()
    store.commit(CrawlBatch("a", of.source_id, steps=STEPS))
    store.commit(CrawlBatch("other", of.source_id, steps=STEPS))
    store.save_job(Job("a", of.source_id, of.site, "", of.root_url, status, NOW))
    assert bool(store.steps("a")) is are_kept
    assert store.steps("other") == STEPS


def test_G3_pages_and_the_steps_that_settled_them_are_written_together_or_not_at_all(store: Store) -> None:
    of = source()
    store.save_source(of)
    new = indexed(page("https://docs.test/a", "Alpha", "The zebra runs."), of)
    broken = replace(indexed(page("https://docs.test/b", "Beta", "x"), of), depth="deep")  # type: ignore[arg-type]
    with pytest.raises((StoreError, ValueError)):
        store.commit(CrawlBatch("a", of.source_id, [new, broken], steps=STEPS))
    assert (store.counts(), store.steps("a")) == ((0, 0), ())
    store.commit(CrawlBatch("a", of.source_id, [new], steps=STEPS))
    assert (store.counts(), store.steps("a")) == ((1, 1), STEPS)
    assert found_urls(store, "zebra") == ["https://docs.test/a"]


def test_G4_removing_a_source_takes_the_steps_of_its_jobs(store: Store) -> None:
    of = source()
    store.save_source(of)
    store.save_job(Job("a", of.source_id, of.site, "", of.root_url, "interrupted", NOW))
    store.commit(CrawlBatch("a", of.source_id, steps=STEPS))
    store.remove_source(of.source_id)
    assert store.steps("a") == ()


def test_D7_a_source_without_pages_is_forgotten_and_its_jobs_stay(store: Store) -> None:
    empty, full = source("one.test", "", "https://one.test/"), source("two.test", "", "https://two.test/")
    for of in (empty, full):
        store.save_source(of)
        store.save_job(Job(f"job-{of.site}", of.source_id, of.site, "", of.root_url, "failed", NOW))
    store.replace_pages([indexed(page("https://two.test/a", "Alpha", "The zebra runs."), full)])
    for of in (empty, full):
        store.forget_empty_source(of.source_id)
    assert store.sources() == (full,)
    assert {job.site for job in store.jobs(10)} == {"one.test", "two.test"}


def test_D3_the_robots_copy_of_an_origin_is_its_last_one(store: Store) -> None:
    store.save_robots_copy(RobotsCopy("https://a.test", b"User-agent: *", NOW))
    last = RobotsCopy("https://a.test", b"\xff\x00Disallow: /", NOW.replace(hour=13))
    store.save_robots_copy(last)
    assert store.robots_copy("https://a.test") == last
    assert store.robots_copy("https://a.test:8443") is None


# ---------------------------------------------------------------- generations of vectors

OTHER = HashingEmbedder(32)
NONE = np.empty(0, np.int64)


def missing(store: Store, number: int) -> list[int]:
    return [chunk.chunk_id for chunk in store.missing_vectors(number, 0, 1000)]


def embed_missing(store: Store, number: int) -> None:
    chunks = store.missing_vectors(number, 0, 1000)
    store.add_vectors(number, [chunk.chunk_id for chunk in chunks], OTHER.embed([chunk.text for chunk in chunks]))


def two_pages(store: Store) -> Source:
    of = source()
    store.save_source(of)
    store.replace_pages([indexed(page(f"https://docs.test/{name}", name, f"zebra {name}"), of) for name in "ab"])
    return of


def test_G2_a_vector_of_another_embedder_is_compared_with_none(store: Store) -> None:
    two_pages(store)
    also = store.text_scores(["zebra"], TextWeights(), Within(), 10).chunk_ids
    found = store.vector_scores(OTHER.embed_query("zebra"), OTHER.identity, Within(), 10, also)
    assert sorted(found.chunk_ids.tolist()) == sorted(also.tolist())
    assert found.cosine.tolist() == [0, 0]


def test_G2_a_generation_takes_over_when_every_chunk_has_its_vector(store: Store) -> None:
    two_pages(store)
    begun = store.begin_generation(OTHER.identity, OTHER.dim, "recipe")
    ids = missing(store, begun.number)
    assert len(ids) == 2
    store.add_vectors(begun.number, ids[:1], OTHER.embed(["zebra a"]))
    assert not store.switch_generation(begun.number)
    assert store.generation().identity == EMBEDDER.identity
    assert missing(store, begun.number) == ids[1:]
    embed_missing(store, begun.number)
    assert store.count_vectors(begun.number) == 2
    assert store.switch_generation(begun.number)
    assert store.generation() == begun
    assert store.next_generation() is None
    found = store.vector_scores(OTHER.embed_query("zebra a"), OTHER.identity, Within(), 10, NONE)
    assert found.cosine.max() > 0.5
    old = store.vector_scores(EMBEDDER.embed_query("zebra"), EMBEDDER.identity, Within(), 10, NONE)
    assert len(old.chunk_ids) == 0


def test_G2_beginning_again_goes_on_and_another_embedder_begins_anew(store: Store) -> None:
    two_pages(store)
    begun = store.begin_generation(OTHER.identity, OTHER.dim, "recipe")
    embed_missing(store, begun.number)
    assert store.begin_generation(OTHER.identity, OTHER.dim, "recipe") == begun
    third = store.begin_generation("hashing:1:40", 40, "")
    assert third.number > begun.number
    assert (len(missing(store, third.number)), store.count_vectors(begun.number)) == (2, 0)


def test_G2_a_page_written_meanwhile_waits_for_its_vector(store: Store) -> None:
    of = two_pages(store)
    begun = store.begin_generation(OTHER.identity, OTHER.dim, "")
    embed_missing(store, begun.number)
    store.replace_pages([indexed(page("https://docs.test/a", "a", "giraffe"), of)])
    assert not store.switch_generation(begun.number)
    assert len(missing(store, begun.number)) == 1
    assert store.count_vectors(begun.number) == 1


def test_G2_a_page_is_kept_with_the_embedder_that_made_its_vectors(store: Store) -> None:
    of = two_pages(store)
    begun = store.begin_generation(OTHER.identity, OTHER.dim, "")
    embed_missing(store, begun.number)
    late = indexed(page("https://docs.test/a", "a", "giraffe"), of)
    vectors = OTHER.embed([chunk.text for chunk in late.chunks])
    store.replace_pages([replace(late, vectors=vectors, embedder=OTHER.identity)])
    assert missing(store, begun.number) == []
    stored = store.vector_scores(EMBEDDER.embed_query("giraffe"), EMBEDDER.identity, Within(), 10, NONE)
    assert stored.cosine.max() < 0.5
    assert store.switch_generation(begun.number)
    found = store.vector_scores(OTHER.embed_query("giraffe"), OTHER.identity, Within(), 1, NONE)
    assert found.cosine[0] > 0.5


def test_G2_a_page_of_an_unknown_embedder_is_found_by_its_words(store: Store) -> None:
    of = two_pages(store)
    late = indexed(page("https://docs.test/c", "c", "giraffe"), of)
    store.replace_pages([replace(late, vectors=OTHER.embed(["giraffe"]), embedder="unknown:1:32")])
    assert len(store.text_scores(["giraff"], TextWeights(), Within(), 10).chunk_ids) == 1
    assert len(missing(store, store.generation().number)) == 1


def test_G2_vectors_go_with_their_pages_in_every_generation(store: Store) -> None:
    of = two_pages(store)
    begun = store.begin_generation(OTHER.identity, OTHER.dim, "")
    ids = missing(store, begun.number)
    embed_missing(store, begun.number)
    store.remove_source(of.source_id)
    assert store.count_vectors(begun.number) == store.count_vectors(store.generation().number) == 0
    store.add_vectors(begun.number, ids, OTHER.embed(["too", "late"]))
    assert store.count_vectors(begun.number) == 0
