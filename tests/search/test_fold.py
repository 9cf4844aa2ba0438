"""Which hits are left out because they say the same again (issue 6.3)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from webdocs.model import StoredChunk
from webdocs.search.fold import Found, fold_same
from webdocs.search.fuse import Ranked
from webdocs.search.place import Place

MOMENT = datetime(2026, 11, 29, tzinfo=UTC)
WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"


def hit(number: int, text: str, score: float, version: str = "1", site: str = "s") -> Found:
    chunk = StoredChunk(
        number, f"{number:016x}", site, version, f"https://s.test/{number}", "T", ("T",), "", (), 0, text, 9, MOMENT
    )
    return Ranked(number, number, score, "hybrid"), chunk, Place("", ("T",))


@pytest.mark.parametrize(
    ("hits", "kept"),
    [
        pytest.param([hit(1, "a b", 0.9), hit(2, "a  b", 0.8)], [1], id="one-page-under-two-addresses"),
        pytest.param([hit(1, "a b", 0.9), hit(2, "a c", 0.8)], [1, 2], id="other-texts"),
        pytest.param(
            [hit(1, f"{WORDS} x", 0.9), hit(2, f"{WORDS} y", 0.8)], [1, 2], id="nearly-the-same-in-one-version"
        ),
        pytest.param([hit(1, f"{WORDS} old", 0.9, "1"), hit(2, WORDS, 0.8, "2")], [1], id="nearly-in-two-versions"),
        pytest.param(
            [hit(1, f"{WORDS} x", 0.9), hit(2, WORDS, 0.8, "2", "t")], [1, 2], id="nearly-the-same-on-two-sites"
        ),
        pytest.param([hit(1, "a b", 0.9, "3.9"), hit(2, "a b", 0.9, "3.10")], [2], id="of-equals-the-newer-version"),
        pytest.param(
            [hit(1, "a b", 0.9, "3.9"), hit(2, "a b", 0.8, "3.10")], [1], id="the-better-placed-before-the-newer"
        ),
        pytest.param([], [], id="nothing"),
    ],
)
def test_folding(hits: list[Found], kept: list[int]) -> None:
    assert [chunk.chunk_id for _, chunk, _ in fold_same(hits)] == kept
