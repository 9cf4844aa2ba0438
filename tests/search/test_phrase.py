"""What a question quotes must stand in the answer as it is (issue 6.1)."""

from __future__ import annotations

import pytest

from webdocs.search.phrase import holds_all, phrases_of


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        pytest.param('why "Snapshot too old"?', (" snapshot too old ",), id="one"),
        pytest.param('"a b" and “c d”', (" a b ", " c d "), id="two-kinds-of-marks"),
        pytest.param("no marks", (), id="none"),
        pytest.param('a "docstring', (), id="one-mark-alone"),
        pytest.param('"" and "?!"', (), id="nothing-in-them"),
        pytest.param('"x" "x"', (" x ",), id="once"),
    ],
)
def test_phrases(query: str, phrases: tuple[str, ...]) -> None:
    assert phrases_of(query) == phrases


@pytest.mark.parametrize(
    ("markdown", "query", "holds"),
    [
        pytest.param("ERROR: snapshot too old.", '"snapshot too old"', True, id="as-it-is"),
        pytest.param("a **snapshot** too [old](x.html#y) for it", '"snapshot too old for"', True, id="through-marks"),
        pytest.param("the snapshot is too old", '"snapshot too old"', False, id="another-word-between"),
        pytest.param("snapshot too older", '"snapshot too old"', False, id="a-part-of-a-word"),
        pytest.param("one thing", '"one thing" "another"', False, id="every-phrase"),
        pytest.param("`os.path.join(a)`", '"os.path.join"', True, id="code"),
    ],
)
def test_holding(markdown: str, query: str, holds: bool) -> None:
    assert holds_all(markdown, phrases_of(query)) is holds
