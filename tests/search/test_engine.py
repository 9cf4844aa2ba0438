"""The engine on a real index: sites and versions are never mixed, answers are relevant (contract A3, B1)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from contracts.records import EMBEDDER, indexed, page, source
from webdocs.errors import UnknownNameError
from webdocs.search.engine import Engine
from webdocs.store.duckdb import DuckStore


@pytest.fixture
def engine() -> Iterator[Engine]:
    store = DuckStore(":memory:", EMBEDDER.identity, EMBEDDER.dim)
    for site, version in (("db.test", "1"), ("db.test", "2"), ("web.test", "")):
        of = source(site, version, f"https://{site}/{version}/")
        store.save_source(of)
        pages = [
            page(f"{of.root_url}vacuum", "VACUUM", f"Reclaims storage of dead rows in {site} {version}."),
            page(f"{of.root_url}index", "CREATE INDEX", "Makes an index. Locks out writes."),
        ]
        store.replace_pages([indexed(item, of) for item in pages])
    yield Engine(store, store, EMBEDDER)
    store.close()


def test_the_right_page_comes_first_with_its_parts(engine: Engine) -> None:
    hit = engine.search("create index", site="web.test").hits[0]
    assert hit.anchor_url == "https://web.test//index#create-index"
    assert (hit.title, hit.heading_path, hit.site, hit.version) == ("CREATE INDEX", ("CREATE INDEX",), "web.test", "")
    assert hit.method == "hybrid"
    assert 0 < hit.score <= 1


@pytest.mark.parametrize(
    ("site", "version", "sites"),
    [
        pytest.param("", "", {("db.test", "1"), ("db.test", "2"), ("web.test", "")}, id="all"),
        pytest.param("db.test", "", {("db.test", "1"), ("db.test", "2")}, id="one-site-all-versions"),
        pytest.param("db.test", "2", {("db.test", "2")}, id="one-version"),
    ],
)
def test_only_what_was_asked_for_is_answered(engine: Engine, site: str, version: str, sites: set) -> None:
    hits = engine.search("vacuum storage", top_k=25, site=site, version=version).hits
    assert {(hit.site, hit.version) for hit in hits} == sites


@pytest.mark.parametrize(
    ("site", "version", "known", "words"),
    [
        pytest.param("dbtest", "", ("db.test", "web.test"), "no site named 'dbtest'", id="B1-unknown-site"),
        pytest.param("db.test", "3", ("1", "2"), "no version '3' of db.test", id="B1-unknown-version"),
        pytest.param("", "9", ("1", "2"), "no version '9'", id="B1-unknown-version-of-any-site"),
        pytest.param("web.test", "1", (), "no version '1' of web.test", id="B1-a-site-without-versions"),
    ],
)
def test_an_unknown_name_lists_what_is_there(engine: Engine, site, version, known, words) -> None:
    with pytest.raises(UnknownNameError, match=words) as caught:
        engine.search("vacuum", site=site, version=version)
    assert caught.value.known == known


@pytest.mark.parametrize("query", ["", "   ", "?!", "qwertyuiop zxcvbnm"])
def test_A3_nothing_relevant_gives_nothing(engine: Engine, query: str) -> None:
    assert engine.search(query).hits == ()


def test_A3_an_empty_index_gives_nothing() -> None:
    store = DuckStore(":memory:", EMBEDDER.identity, EMBEDDER.dim)
    assert Engine(store, store, EMBEDDER).search("anything at all").hits == ()
    store.close()


def test_no_page_twice_and_no_more_than_asked(engine: Engine) -> None:
    hits = engine.search("index vacuum rows writes", top_k=4).hits
    assert len(hits) == 4
    assert len({hit.page_id for hit in hits}) == 4


def test_what_is_quoted_must_be_there_in_that_order(engine: Engine) -> None:
    assert [hit.title for hit in engine.search('"locks out writes" vacuum', site="web.test").hits] == ["CREATE INDEX"]


def test_a_quotation_that_nothing_holds_does_not_empty_the_answer(engine: Engine) -> None:
    assert engine.search('"writes locks out" index', site="web.test").hits


def test_one_text_in_two_versions_is_one_hit_and_the_next_page_takes_its_place(engine: Engine) -> None:
    hits = engine.search("makes an index", top_k=3, site="db.test").hits
    assert (hits[0].title, hits[0].version) == ("CREATE INDEX", "2")
    assert len({hit.text for hit in hits}) == len(hits)
