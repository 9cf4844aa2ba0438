"""The quick look at a page's tags: what it passes needs no cutting, whatever hides the tags (issue "content fidelity",
hostile inputs)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.extract.html.nesting import is_shallow
from webdocs.extract.html.source import LARGE_PAGE_CHARS, MAX_ATTRIBUTES, MAX_NESTING, prepare

LEAVES = frozenset(("br", "p"))

SHALLOW = {
    "nothing": "",
    "text-alone": "a < b > c & </ < d",
    "siblings": "<div><span>a</span></div>" * 50,
    "elements-that-end-by-themselves": "<p>a<br>" * 50,
    "closed-in-other-letters": "<DIV></div>" * 50,
    "a-closing-tag-too-many": "</div>" * 50,
    "tags-in-comments": "<!-- " + "<div>" * 50 + " -->",
    "tags-in-scripts": "<script>" + "'<div>';" * 50 + "</script>",
    "tags-in-attributes": "<i title='" + "<div>" * 50 + "'></i>",
    "a-bracket-in-an-attribute": '<i title="a > b"></i>' * 50,
    "other-letters": "<b>\u00e9\u4e16\U0001f600</b>" * 50,
}
DEEP = {
    "open-elements": "<div>" * 11,
    "different-elements": "<a1><a2><a3><a4><a5><a6><a7><a8><a9><a10><a11>",
    "closed-at-the-end": "<div>" * 11 + "</div>" * 11,
    "closed-in-comments": "<div><!--</div>-->" * 11,
    "closed-in-scripts": "<div><script>'</div>'</script>" * 11,
    "closed-in-large-letters-of-a-script": "<div><SCRIPT></div></SCRIPT>" * 11,
    "closed-in-attributes": '<div title="</div>">' * 11,
    "closed-after-a-bracket-in-an-attribute": '<div title="> </div>">' * 11,
    "closed-between-two-kinds-of-quotes": """<div title='""> </div>'>""" * 11,
    "closed-by-other-names": "<div></dix>" * 11,
    "names-too-long-to-tell-apart": f"<x-{'a' * 30}1></x-{'a' * 30}2>" * 11,
    "after-letters-of-two-bytes": "\u00e9<div>" * 11,
    "an-over-long-tag": f"<div {'a ' * 200}>",
    "an-over-long-tag-with-brackets-in-quotes": f"<div {'''a='>' ''' * 200}>",
    "an-over-long-tag-with-tags-in-quotes": f"<div {'''a='<b>' ''' * 200}>",
    "an-over-long-script-tag": f"<script {'a ' * 200}></script>",
}


@pytest.mark.parametrize("text", SHALLOW.values(), ids=SHALLOW.keys())
def test_a_page_without_deep_elements_passes(text: str) -> None:
    assert is_shallow(text, max_tag_chars=400, max_nesting=10, not_nesting=LEAVES)


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_a_deep_element_or_a_long_tag_is_found_wherever_its_end_is_feigned(text: str) -> None:
    assert not is_shallow(text, max_tag_chars=400, max_nesting=10, not_nesting=LEAVES)


PIECES = (
    "<div>",
    "</div>",
    "<b>",
    "</b>",
    "<DIV>",
    "<p>",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    '"',
    "'",
    ">",
    "<",
    "x",
)


def _height(source: str) -> int:
    """How many elements are open together, of a source without comments, scripts and quotes."""
    open_names: list[str] = []
    most = 0
    for tag in source.lower().replace(">", "<").split("<"):
        if tag.startswith("/") and tag[1:] in open_names:
            del open_names[len(open_names) - 1 - open_names[::-1].index(tag[1:]) :]
        elif tag in ("div", "b"):
            open_names.append(tag)
        most = max(most, len(open_names))
    return most


@given(st.lists(st.sampled_from(("<div>", "</div>", "<b>", "</b>", "<DIV>", "</B>", "x")), max_size=40))
def test_what_passes_is_as_shallow_as_it_says(pieces: list[str]) -> None:
    source = "".join(pieces)
    if is_shallow(source, 400, 5, LEAVES):
        assert _height(source) <= 5


@given(st.lists(st.sampled_from(PIECES), max_size=60), st.integers(0, 3))
def test_a_page_is_either_passed_or_found_deep_whatever_it_is_made_of(pieces: list[str], most: int) -> None:
    deeper = is_shallow("".join(pieces), 400, most, LEAVES)
    assert not deeper or is_shallow("".join(pieces), 400, most + 1, LEAVES)


def test_a_long_page_that_is_shallow_stays_as_it_is() -> None:
    page = "<div><i title='a > b'>word</i></div>\n" * 3000
    assert len(page) > LARGE_PAGE_CHARS
    assert prepare(page) == page


def test_a_deep_page_keeps_its_text_and_loses_what_is_too_deep() -> None:
    page = "<div>word <!--</div>-->" * 10_000
    prepared = prepare(page)
    assert prepared.count("<div>") == MAX_NESTING
    assert prepared.count("word") == 10_000


def test_the_attributes_of_an_over_long_script_go_and_its_text_stays() -> None:
    page = f"<script {'a ' * 40_000}>f()</script>"
    assert len(page.split()) > MAX_ATTRIBUTES
    assert prepare(page) == "<script>f()</script>"
