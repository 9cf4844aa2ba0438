"""Laws of the readers on random and mutated text: nothing but LlmsTxtError is raised, and what is written is read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table import INPUTS

from webdocs.errors import LlmsTxtError
from webdocs.llmstxt import discover, find_candidates, parse, read_seeds, render, split_full
from webdocs.model import Fetched, FetchOutcome, Request

MARKS = ["#", "##", " ", "\n", "\n\n", ">", "- ", "* ", "[", "](", ")", "<", "```", "~~~", "<!--", "-->", "=", "---"]
MARKS += ["\t", "Optional", "\\", "a", "http://lamp.test/", '"', ":", "|", "\r", "\ufeff", "\x00", "1. ", "\u2028", "("]

random_texts = st.lists(st.sampled_from(MARKS) | st.text(max_size=3), max_size=40).map("".join)


@st.composite
def mutated_texts(draw: st.DrawFn) -> str:
    """An input of the table with some pieces replaced."""
    text = draw(st.sampled_from(list(INPUTS.values())))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(MARKS)) + text[at + draw(st.integers(0, 3)) :]
    return text


texts = st.one_of(random_texts, random_texts.map("# Lamp\n".__add__), mutated_texts())


class Answers:
    """A fetcher whose answer is always the same bytes."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    async def fetch(self, request: Request) -> FetchOutcome:
        return Fetched(request.url, request.url, "text/plain", self.body)

    async def aclose(self) -> None:
        return


def hold_the_laws(text: str) -> None:
    read_seeds(text)
    split_full(text)
    try:
        doc = parse(text)
    except LlmsTxtError:
        return
    assert parse(render(doc)) == doc
    find_candidates("https://lamp.test/guide", doc)


def discover_anything(url: str, body: bytes) -> None:
    try:
        discover(url, fetcher=Answers(body))
    except LlmsTxtError:
        return


def limited(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)


@limited(500)
@given(texts)
def test_any_text_is_read_or_refused(text: str) -> None:
    hold_the_laws(text)


@limited(100)
@given(st.text(max_size=30) | st.text(max_size=20).map("https://".__add__), st.binary(max_size=80))
def test_any_url_and_any_body_can_be_discovered(url: str, body: bytes) -> None:
    discover_anything(url, body)


@pytest.mark.slow
@limited(80_000)
@given(texts)
def test_80_000_texts_are_read_or_refused(text: str) -> None:
    hold_the_laws(text)


@pytest.mark.slow
@limited(20_000)
@given(st.text(max_size=30) | st.text(max_size=20).map("https://".__add__), st.binary(max_size=80))
def test_20_000_urls_and_bodies_can_be_discovered(url: str, body: bytes) -> None:
    discover_anything(url, body)
