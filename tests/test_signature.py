"""What a signature defines, and which id spells it."""

from __future__ import annotations

import pytest

from webdocs.signature import names_of, permalink_of


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        pytest.param("`shelf.lend(book, *, days=14)`", ("shelf.lend",), id="a-call"),
        pytest.param("`class Shelf(size=0)`", ("Shelf",), id="a-class"),
        pytest.param("`exception shelf.FullError`", ("shelf.FullError",), id="no-brackets"),
        pytest.param("`--force, -f`", ("--force", "-f"), id="options"),
        pytest.param("`-m <module>`", ("-m",), id="an-option-with-its-value"),
        pytest.param("`--pull[=<mode>]`", ("--pull",), id="an-option-with-an-optional-value"),
        pytest.param("`size: int = 0`", ("size",), id="a-typed-attribute"),
        pytest.param("[`Shelf.size`](shelf.html) : int", ("Shelf.size",), id="a-linked-name"),
        pytest.param("`const char *shelf_name(Shelf *shelf)`", ("shelf_name",), id="c"),
        pytest.param("`public boolean add(E e)`", ("add",), id="java"),
        pytest.param("`Shelf<T>(items)`", ("Shelf",), id="generic"),
        pytest.param("`port (integer)`", ("port",), id="a-type-in-brackets"),
        pytest.param("`(a)`", ("a",), id="opens-with-a-bracket"),
        pytest.param("`...`", (), id="no-name"),
        pytest.param("", (), id="empty"),
    ],
)
def test_names(signature: str, names: tuple[str, ...]) -> None:
    assert names_of(signature) == names


@pytest.mark.parametrize(
    ("signature", "anchors", "permalink"),
    [
        pytest.param("`shelf.lend(book)`", ["shelf.lend"], "shelf.lend", id="sphinx"),
        pytest.param("`--force, -f`", ["index-3", "cmdoption-shelf-f"], "cmdoption-shelf-f", id="any-of-its-names"),
        pytest.param("`pub fn push(&mut self)`", ["method.push"], "method.push", id="rustdoc"),
        pytest.param("`boolean add(E e)`", ["add(E)"], "add(E)", id="javadoc"),
        pytest.param("`dead letter`", ["term-dead-letter"], "term-dead-letter", id="a-glossary"),
        pytest.param("`log_line (string)`", ["GUC-LOG-LINE"], "", id="docbook-spells-it-another-way"),
        pytest.param("`push()`", ["pusher", "id-1.2.3"], "", id="a-part-of-a-word-is-not-the-name"),
        pytest.param("`push()`", [], "", id="no-id"),
    ],
)
def test_permalinks(signature: str, anchors: list[str], permalink: str) -> None:
    assert permalink_of(signature, anchors) == permalink
