"""Which place of a page is cited, and which passage is shown (issue bar: section citation)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from webdocs.model import Chunk, StoredChunk
from webdocs.search.place import Wanted, best_place, titles_in
from webdocs.search.tokens import query_terms

MOMENT = datetime(2026, 11, 29, tzinfo=UTC)


def chunk_of(text: str, anchor: str, path: tuple[str, ...], *ids: tuple[str, str], number: int = 0) -> StoredChunk:
    """A chunk; `ids` are pairs of an id and the line of the text that carries it."""
    lines = f"\n{text}\n"
    anchors = tuple((name, lines.index(f"\n{line}\n")) for name, line in ids)
    return StoredChunk(
        number, f"{1:016x}", "s", "1", "https://s.test/1", "T", path, anchor, anchors, number, text, 9, MOMENT
    )


def wanted(query: str) -> Wanted:
    return Wanted(query, dict.fromkeys(query_terms(query), 1.0))


CARE = chunk_of(
    "## Care\n\nFeed it.\n\n### Walrus\n\nFish.\n\nTusks.\n\n### Zebra\n\nGrass and walrus news.\n\n## Sale\n\nNone.",
    "care",
    ("T", "Care"),
    ("care", "## Care"),
    ("walrus", "### Walrus"),
    ("index-3", "Tusks."),
    ("note", "Fish."),
    ("zebra", "### Zebra"),
    ("sale", "## Sale"),
)


@pytest.mark.parametrize(
    ("query", "anchor", "path"),
    [
        pytest.param("walrus", "walrus", ("T", "Care", "Walrus"), id="a-heading-counts-more-than-text"),
        pytest.param("grass", "zebra", ("T", "Care", "Zebra"), id="a-sibling-takes-its-place-in-the-path"),
        pytest.param("feeding", "care", ("T", "Care"), id="the-start-of-the-chunk"),
        pytest.param("sale", "sale", ("T", "Sale"), id="a-higher-heading-ends-the-deeper-ones"),
        pytest.param("nothing", "care", ("T", "Care"), id="no-term-shared"),
        pytest.param("tusks", "walrus", ("T", "Care", "Walrus"), id="a-counted-id-is-no-place"),
        pytest.param("fish", "walrus", ("T", "Care", "Walrus"), id="an-id-of-a-paragraph-is-no-place"),
    ],
)
def test_the_cited_place_is_the_one_that_answers(query: str, anchor: str, path: tuple[str, ...]) -> None:
    _, place = best_place([(CARE, 1.0)], wanted(query))
    assert (place.anchor, place.heading_path) == (anchor, path)


METHODS = chunk_of(
    "`Shelf.lend(book)`\n\nGives it out.\n\n`Card.lend(reader)`\n\nNotes who has it.\n\n`Card.void()`\n\nEnds it. "
    "A shelf lends no more on it.",
    "lib.Shelf.lend",
    ("Library", "Objects"),
    ("lib.Shelf.lend", "`Shelf.lend(book)`"),
    ("lib.Card.lend", "`Card.lend(reader)`"),
    ("lib.Card.void", "`Card.void()`"),
)
SETTINGS = chunk_of(
    "`port (integer)`\n\nWhere it listens.\n\n`socket_mode (octal)`\n\nRights of the socket.",
    "connection",
    ("Server", "Connection"),
    ("GUC-PORT", "`port (integer)`"),
    ("GUC-SOCKET-MODE", "`socket_mode (octal)`"),
)


@pytest.mark.parametrize(
    ("chunk", "query", "anchor"),
    [
        pytest.param(METHODS, "lend", "lib.Shelf.lend", id="the-first-of-a-name"),
        pytest.param(METHODS, "Card.lend", "lib.Card.lend", id="its-qualifier-decides"),
        pytest.param(METHODS, "lend method of Card", "lib.Card.lend", id="a-qualifier-elsewhere-in-the-question"),
        pytest.param(METHODS, "void()", "lib.Card.void", id="a-call"),
        pytest.param(METHODS, "noting readers", "lib.Card.lend", id="by-its-text"),
        pytest.param(SETTINGS, "socket_mode", "connection", id="an-id-that-does-not-spell-the-name-gives-the-section"),
    ],
)
def test_a_definition_is_cited_by_the_id_that_spells_its_name(chunk: StoredChunk, query: str, anchor: str) -> None:
    assert best_place([(chunk, 1.0)], wanted(query))[1].anchor == anchor


def test_the_place_may_lie_in_another_passage_than_the_best() -> None:
    talk = chunk_of("Lend and lend: how `Card` came to lend, and void cards.", "history", ("Library", "History"))
    shown, place = best_place([(talk, 0.9), (METHODS, 0.8)], wanted("Card.void"))
    assert (shown, place.anchor) == (METHODS, "lib.Card.void")


def test_a_page_of_a_pdf_is_a_place() -> None:
    text = "Of walruses.\n\nOf zebras."
    pdf = chunk_of(text, "page=3", ("Animals",), ("page=3", "Of walruses."), ("page=4", "Of zebras."))
    assert best_place([(pdf, 1.0)], wanted("zebra"))[1].anchor == "page=4"


def test_a_comment_in_code_is_no_heading() -> None:
    chunk = chunk_of("## Care\n\n```sh\n# Walrus\nfeed walrus\n```", "care", ("T", "Care"), ("care", "## Care"))
    place = best_place([(chunk, 1.0)], wanted("walrus"))[1]
    assert (place.anchor, place.heading_path) == ("care", ("T", "Care"))


@pytest.mark.parametrize(
    ("text", "own_path", "query", "anchor", "path"),
    [
        pytest.param(
            "# T\n\n## Setup\n\nDo it.", ("T", "Setup"), "setup", "setup", ("T", "Setup"), id="with-its-title"
        ),
        pytest.param(
            "## Empty\n\n## Setup\n\nDo it.\n\n### Zebra\n\nGrass.",
            ("T", "Setup"),
            "zebra",
            "zebra",
            ("T", "Setup", "Zebra"),
            id="an-empty-section-before-it",
        ),
        pytest.param(
            "# T\n\n## Setup\n\nDo it.\n\n## Zebra\n\nGrass.",
            ("T", "Setup"),
            "zebra",
            "zebra",
            ("T", "Zebra"),
            id="a-later-section",
        ),
    ],
)
def test_b1_the_headings_that_a_chunk_opens_with_are_named_once(text, own_path, query, anchor, path) -> None:
    ids = [(line.lstrip("# ").lower(), line) for line in text.split("\n") if line.lstrip("# ") in ("Setup", "Zebra")]
    chunk = chunk_of(text, "setup", own_path, *ids)
    place = best_place([(chunk, 1.0)], wanted(query))[1]
    assert (place.anchor, place.heading_path) == (anchor, path)


@pytest.mark.parametrize(
    ("chunk", "titles"),
    [
        pytest.param(CARE, ("Walrus", "Zebra", "Sale"), id="headings-but-those-of-its-path"),
        pytest.param(METHODS, ("lib.Shelf.lend", "lib.Card.lend", "lib.Card.void"), id="definitions"),
        pytest.param(SETTINGS, (), id="no-id-that-spells-a-name"),
    ],
)
def test_titles_are_what_begins_in_a_chunk(chunk: StoredChunk, titles: tuple[str, ...]) -> None:
    drafted = Chunk(0, chunk.heading_path, chunk.anchor, chunk.text, chunk.text, 9, chunk.anchors)
    assert titles_in(drafted) == titles
