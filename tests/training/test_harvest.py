"""What a page says about passages, read with the product's own extractor."""

from __future__ import annotations

from pathlib import Path

from harvest import Harvest, read_page

GUIDE = b"""<html lang="en"><head><title>Guide</title></head><body><main><h1>Guide</h1>
<p>The store keeps what was read so that it need not be read again.</p>
<h2 id="cache">Emptying the cache</h2><p>Run the command with the option that drops all that is kept.</p>
</main></body></html>"""
OTHER = b"""<html lang="en"><head><title>Tips</title></head><body><main><h1>Tips</h1>
<p>If answers look old, think about <a href="guide.html#cache">dropping stored answers</a> before anything else.</p>
</main></body></html>"""


def harvest_of(folder: Path, pages: dict[str, bytes]) -> Harvest:
    """The pages harvested in order."""
    found = Harvest()
    for number, (name, body) in enumerate(pages.items()):
        (folder / name).write_bytes(body)
        page = read_page(folder / name, f"http://docs.example/{name}")
        if page is not None:
            found.add(page, number, is_index_page=False)
    found.resolve()
    return found


def test_a_heading_and_a_link_from_another_page_name_the_same_passage(tmp_path: Path) -> None:
    """Provenance: issue 7, what documentation says about itself."""
    found = harvest_of(tmp_path, {"guide.html": GUIDE, "tips.html": OTHER})
    named = {(kind, query): found.passages[place][1] for kind, query, place in found.pairs}
    assert "drops all that is kept" in named["heading", "Emptying the cache"]
    assert "drops all that is kept" in named["anchor", "dropping stored answers"]
    assert "drops all that is kept" in next(text for (kind, _), text in named.items() if kind == "around")


def test_a_page_in_another_language_is_left_out(tmp_path: Path) -> None:
    """Provenance: issue 7, the card says what happens with text that is not English."""
    found = harvest_of(tmp_path, {"guide.html": GUIDE.replace(b'lang="en"', b'lang="de"')})
    assert not found.passages
