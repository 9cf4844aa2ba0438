"""What a page writes beside its chunks: the names that it gives to other pages."""

from __future__ import annotations

import pytest

from webdocs.ingest.page import anchor_texts_of
from webdocs.ingest.site import default_site_name
from webdocs.model import Link


@pytest.mark.parametrize(
    ("links", "texts"),
    [
        pytest.param([Link("b", "walrus care")], {"b": ("walrus", "care")}, id="a-link-names-its-target"),
        pytest.param([Link("b", "walrus"), Link("b", "walrus food")], {"b": ("walrus", "food")}, id="each-word-once"),
        pytest.param([Link("b", "walrus", in_main=False)], {}, id="navigation-does-not-count"),
        pytest.param([Link("own", "walrus")], {}, id="a-page-does-not-name-itself"),
        pytest.param([Link("b", "¶")], {}, id="a-mark-is-no-name"),
        pytest.param([Link("b", "of the")], {}, id="function-words-are-no-name"),
        pytest.param([Link("b", "walrus " * 13)], {}, id="a-sentence-is-no-name"),
        pytest.param([Link("", "walrus")], {}, id="a-url-that-is-never-crawled"),
    ],
)
def test_anchor_texts(links: list[Link], texts: dict[str, tuple[str, ...]]) -> None:
    found = anchor_texts_of(links, "own", lambda url: url)
    assert {item.target_page_id: item.terms for item in found} == texts


@pytest.mark.parametrize(
    ("url", "name"),
    [
        pytest.param("https://docs.test/", "docs.test", id="a-host"),
        pytest.param("https://docs.test/guide/intro.html", "docs.test/guide", id="a-start-page-in-a-folder"),
        pytest.param("https://docs.test/en/latest/", "docs.test/en/latest", id="a-folder"),
        pytest.param("http://127.0.0.1:8000/", "127.0.0.1:8000", id="a-port"),
    ],
)
def test_D1_a_site_is_named_by_host_and_start_folder(url: str, name: str) -> None:
    assert default_site_name(url) == name
