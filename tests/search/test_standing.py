"""What counts less than text: lists of links, release notes (issue: ranked below what they link to)."""

from __future__ import annotations

import pytest

from webdocs.search.standing import LIST_OF_LINKS, RELEASE_NOTES, standing_of

CONTENTS = "# Parts\n\n- [Shelves](shelf.html)\n  - [Lending a book](shelf.html#lend)\n- [Cards](card.html)"
PROSE = "A [shelf](shelf.html) holds books in the order in which they came, and gives them out one by one."
IMAGES = "![A plan of the shelves](plan.png)"


@pytest.mark.parametrize(
    ("markdown", "url", "standing"),
    [
        pytest.param("Plain text.", "https://d.test/a", 1.0, id="text"),
        pytest.param("", "https://d.test/a", 1.0, id="nothing"),
        pytest.param(PROSE, "https://d.test/a", 1.0, id="a-link-in-prose"),
        pytest.param(IMAGES, "https://d.test/a", 1.0, id="an-image-is-no-link"),
        pytest.param("`x[0](1)` and ](", "https://d.test/a", 1.0, id="no-link-at-all"),
        pytest.param(CONTENTS, "https://d.test/a", LIST_OF_LINKS, id="a-table-of-contents"),
        pytest.param("[`a.b`](x) [`c`](y)", "https://d.test/a", LIST_OF_LINKS, id="names-in-code"),
        pytest.param("Plain text.", "https://d.test/whatsnew/3.4.html", RELEASE_NOTES, id="a-folder-of-releases"),
        pytest.param("Plain text.", "https://d.test/en/release_notes/", RELEASE_NOTES, id="joined-by-an-underscore"),
        pytest.param("Plain text.", "https://d.test/CHANGELOG.md", RELEASE_NOTES, id="a-changelog"),
        pytest.param("Plain text.", "https://d.test/newsletter", 1.0, id="a-longer-word"),
        pytest.param("Plain text.", "https://news.d.test/a", 1.0, id="the-host-does-not-count"),
        pytest.param(CONTENTS, "https://d.test/releases/", LIST_OF_LINKS * RELEASE_NOTES, id="both"),
    ],
)
def test_standing(markdown: str, url: str, standing: float) -> None:
    assert standing_of(markdown, url) == pytest.approx(standing)


def test_between_few_links_and_many_it_falls_evenly() -> None:
    standing = standing_of("half [half](x)", "https://d.test/a")
    assert standing == pytest.approx(1 - (1 - LIST_OF_LINKS) / 2)
