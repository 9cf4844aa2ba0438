"""Blocks to chunks: the laws that hold for any page, and tables of what goes together."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webdocs.chunk import ChunkLimits, pack
from webdocs.embed.static import StaticEmbedder
from webdocs.fence import FenceReader
from webdocs.model import Block, BlockKind, Chunk, Page

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
LONG = " ".join(["word"] * 60) + "."


class WordCounter:
    """Counts white-space separated words as tokens, and how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, texts: Sequence[str]) -> list[int]:
        self.calls += 1
        return [len(text.split()) for text in texts]


def chunks_of(*blocks: Block, limits: ChunkLimits | None = None, title: str = "Page") -> tuple[Chunk, ...]:
    page = Page("https://docs.test/p", title, blocks)
    return pack(page, limits or ChunkLimits(max_chars=400), WordCounter())


def heading(level: int, text: str, *anchors: str) -> Block:
    return Block("heading", f"{'#' * level} {text}", level=level, anchors=anchors)


def text(words: str = LONG) -> Block:
    return Block("paragraph", words)


# ---------------------------------------------------------------- what goes together


def test_a_chunk_belongs_to_one_section() -> None:
    chunks = chunks_of(
        heading(1, "Page", "top"), text(), heading(2, "`a` *b*", "a"), text(), heading(3, "C", "c"), text()
    )
    assert [(chunk.heading_path, chunk.anchor) for chunk in chunks] == [
        (("Page",), "top"),
        (("Page", "a b"), "a"),
        (("Page", "a b", "C"), "c"),
    ]
    assert [chunk.position for chunk in chunks] == [0, 1, 2]
    assert chunks[1].text == f"## `a` *b*\n\n{LONG}"
    assert chunks[1].plain == f"a b\n\n{LONG}"


PATHS = {
    "the-title-before-the-first-heading": ([text()], ("Page",)),
    "a-first-heading-of-level-one-is-the-root": ([heading(1, "Other"), text()], ("Other",)),
    "otherwise-the-title-is-the-root": ([heading(2, "Other"), text()], ("Page", "Other")),
    "a-heading-that-is-the-title-stands-once": ([heading(2, "PAGE¶"), text()], ("Page",)),
    "skipped-levels": ([heading(1, "Page"), heading(4, "Deep"), text()], ("Page", "Deep")),
}


@pytest.mark.parametrize(("blocks", "path"), PATHS.values(), ids=PATHS.keys())
def test_heading_path(blocks: list[Block], path: tuple[str, ...]) -> None:
    assert chunks_of(*blocks)[0].heading_path == path


def test_tiny_neighbours_share_a_chunk() -> None:
    chunks = chunks_of(heading(2, "A", "a"), text("x."), heading(2, "B", "b"), text("y."), heading(2, "C", "c"), text())
    assert [chunk.text for chunk in chunks] == ["## A\n\nx.\n\n## B\n\ny.", f"## C\n\n{LONG}"]
    assert chunks[0].anchors == (("a", 0), ("b", chunks[0].text.index("## B")))


def test_tiny_sections_of_different_parents_do_not() -> None:
    chunks = chunks_of(heading(2, "A"), text(), heading(3, "A1"), text("x."), heading(2, "B"), text("y."))
    assert [chunk.heading_path[-1] for chunk in chunks] == ["A", "A1", "B"]


def test_a_bare_heading_goes_with_the_section_below_it() -> None:
    chunks = chunks_of(heading(1, "Page", "p"), heading(2, "A", "a"), heading(3, "B", "b"), text())
    assert len(chunks) == 1
    assert (chunks[0].anchor, chunks[0].heading_path) == ("b", ("Page", "A", "B"))


def test_a_last_heading_without_text_is_kept_but_not_as_a_heading() -> None:
    chunks = chunks_of(heading(2, "A"), text(), heading(3, "`impl Send`", "s"))
    assert chunks[-1].text.endswith("\n\n**`impl Send`**")
    assert "impl Send" in chunks[-1].plain


def test_a_definition_starts_a_chunk_and_is_its_anchor() -> None:
    names = ["m.a", "m.b", "m.c"]
    blocks = [block for name in names for block in (Block("signature", f"`{name}()`", anchors=(name,)), text())]
    chunks = chunks_of(heading(1, "Page", "top"), *blocks)
    assert [(chunk.anchor, chunk.heading_path) for chunk in chunks] == [
        ("top", ("Page",)),
        ("m.b", ("Page",)),
        ("m.c", ("Page",)),
    ]
    assert chunks[0].anchors == (("top", 0), ("m.a", len("# Page\n\n")))


def test_the_rest_of_a_definition_is_cited_by_it() -> None:
    chunks = chunks_of(Block("signature", "`f()`", anchors=("f",)), text(), text())
    assert [chunk.anchor for chunk in chunks] == ["f", "f"]


def test_an_announcement_stays_with_its_code() -> None:
    code = Block("code", "```\n" + "x\n" * 60 + "```")
    chunks = chunks_of(text(LONG[:200]), text("As in:"), code, limits=ChunkLimits(max_chars=330))
    assert [chunk.text.split("\n")[0][:6] for chunk in chunks] == ["word w", "As in:"]


def test_a_label_in_bold_stays_with_what_it_names() -> None:
    chunks = chunks_of(text(LONG[:300]), text("**Parameters:**"), text(LONG[:200]))
    assert [chunk.text.split("\n")[0][:15] for chunk in chunks] == ["word word word ", "**Parameters:**"]


def test_a_large_block_starts_beside_its_announcement() -> None:
    items = Block("list", "\n".join(f"- item number {number}" for number in range(60)))
    assert chunks_of(text("These are:"), items)[0].text.startswith("These are:\n\n- item number 0\n- item number 1")


def test_a_heading_without_an_id_is_cited_by_the_section_around_it() -> None:
    chunks = chunks_of(heading(2, "A", "a"), text(), heading(3, "B"), text())
    assert [chunk.anchor for chunk in chunks] == ["a", "a"]


def test_tokens_are_counted_once_where_all_fits() -> None:
    counter = WordCounter()
    pack(Page("https://t.test/", "P", (text(), text(), text())), ChunkLimits(max_chars=400), counter)
    assert counter.calls == 1


def test_a_page_without_blocks_has_no_chunks() -> None:
    counter = WordCounter()
    assert pack(Page("https://t.test/", "P", ()), ChunkLimits(), counter) == ()
    assert counter.calls == 0


def test_the_token_limit_holds_as_well() -> None:
    chunks = chunks_of(text(" ".join(["a"] * 190)), limits=ChunkLimits(max_chars=400, max_tokens=50))
    assert max(chunk.tokens for chunk in chunks) <= 50
    assert " ".join(chunk.text for chunk in chunks).split() == ["a"] * 190


PARENTS = {
    "before-the-first-heading": ([text()], [(0,)]),
    "sections-nest": (
        [heading(1, "P"), text(), heading(2, "A"), text(), heading(3, "B"), text(), heading(2, "C"), text()],
        [(1, 0), (2, 1, 0), (3, 2, 1, 0), (4, 1, 0)],
    ),
    "the-parts-of-a-section-share-it": ([heading(2, "A"), text(), text()], [(1, 0), (1, 0)]),
    "neighbours-in-one-chunk-have-what-holds-both": (
        [heading(1, "P"), text(), heading(2, "A"), text("x."), heading(2, "B"), text("y.")],
        [(1, 0), (1, 0)],
    ),
    "a-bare-heading-before-a-section-is-none-of-its-text": (
        [heading(1, "P"), heading(2, "A"), text(), text()],
        [(2, 1, 0), (2, 1, 0)],
    ),
    "a-bare-heading-at-the-end-belongs-to-the-section-it-closes": (
        [heading(2, "A"), text(), text(), heading(2, "B")],
        [(1, 0), (1, 0)],
    ),
}


@pytest.mark.parametrize(("blocks", "parents"), PARENTS.values(), ids=PARENTS.keys())
def test_5_6_the_sections_that_hold_a_chunk(blocks: list[Block], parents: list[tuple[int, ...]]) -> None:
    assert [chunk.parents for chunk in chunks_of(*blocks)] == parents


# ---------------------------------------------------------------- laws

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join)
sentences = st.lists(words, min_size=1, max_size=4).map(lambda parts: ". ".join(parts) + ".")
lines = st.lists(
    st.sampled_from(["x = 1", "    return y", "", "# comment", "``", "| a |", "- b", "z" * 50]), min_size=1, max_size=30
)


def _code(body: list[str]) -> str:
    return "\n".join(["```py", *body, "```"])


def _list(items: list[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _nested(body: list[str]) -> str:
    return "- item\n\n  " + _code(body).replace("\n", "\n  ")


def _table(cells: list[str]) -> str:
    return "\n".join(["| name | text |", "| --- | --- |", *(f"| row | {cell} |" for cell in cells)])


def _quote(parts: list[str]) -> str:
    return "\n>\n".join(f"> {part}" for part in parts)


blocks = st.one_of(
    st.builds(lambda level, name: heading(level, name, f"id-{name}"), st.integers(1, 6), st.sampled_from(WORDS)),
    sentences.map(text),
    lines.filter(lambda body: any(body)).map(lambda body: Block("code", _code(body), language="py")),
    st.lists(words, min_size=1, max_size=8).map(lambda items: Block("list", _list(items))),
    lines.filter(lambda body: any(body)).map(lambda body: Block("list", _nested(body))),
    st.lists(words, min_size=1, max_size=8).map(lambda cells: Block("table", _table(cells), header_lines=2)),
    st.lists(words, min_size=1, max_size=5).map(lambda parts: Block("admonition", _quote(parts))),
    st.sampled_from(WORDS).map(lambda name: Block("signature", f"`{name}()`", anchors=(name,))),
    st.sampled_from(WORDS).map(lambda name: Block("definition", f"`{name}()`", anchors=(name,))),
)
pages = st.lists(blocks, min_size=1, max_size=15).map(lambda found: Page("https://t.test/", "Title", tuple(found)))
limits = st.builds(ChunkLimits, max_chars=st.integers(80, 600), max_tokens=st.integers(16, 120))


def _tokens_of(markdown: str) -> list[str]:
    return re.findall(r"\w+", markdown)


def _is_balanced(markdown: str) -> bool:
    reader = FenceReader()
    for line in markdown.split("\n"):
        reader.read(line)
    return not reader.opening


@settings(max_examples=150, deadline=None)
@given(pages, limits)
def test_limits_hold(page: Page, limits: ChunkLimits) -> None:
    for chunk in pack(page, limits, WordCounter()):
        assert len(chunk.text) <= limits.max_chars
        assert chunk.tokens == len(chunk.text.split())
        assert chunk.tokens <= limits.max_tokens


@settings(max_examples=150, deadline=None)
@given(pages, limits)
def test_content_is_preserved_in_order(page: Page, limits: ChunkLimits) -> None:
    """What fences and repeated headers add aside, the chunks say what the page says."""
    added = {"py", "name", "text"}
    wanted = [word for word in _tokens_of(page.markdown) if word not in added]
    got = [word for chunk in pack(page, limits, WordCounter()) for word in _tokens_of(chunk.text) if word not in added]
    assert "".join(got) == "".join(wanted)


@settings(max_examples=150, deadline=None)
@given(pages, limits)
def test_fences_are_balanced_and_no_chunk_ends_on_a_heading(page: Page, limits: ChunkLimits) -> None:
    for chunk in pack(page, limits, WordCounter()):
        assert _is_balanced(chunk.text)
        assert not re.match(r"#{1,6} (?!comment)", chunk.text.split("\n")[-1])
        assert "```" not in chunk.plain


@settings(max_examples=150, deadline=None)
@given(pages, limits)
def test_5_6_rows_stay_whole_and_stand_under_their_header(page: Page, limits: ChunkLimits) -> None:
    rows = {line for block in page.blocks if block.kind == "table" for line in block.markdown.split("\n")}
    for chunk in pack(page, limits, WordCounter()):
        lines = [line for line in chunk.text.split("\n") if line.startswith("| ") and line != "| a |"]
        assert rows.issuperset(lines)
        assert not lines or lines[0] == "| name | text |"


DENSE = {
    "hex": "a3f9" * 2000,
    "chinese": "文档说明如何安装软件包并运行测试程序。" * 200,
    "emoji": "\U0001f600\U0001f9d1\u200d\U0001f680 " * 700,
    "signs": "<=>{}[]();: " * 500,
}


@pytest.mark.parametrize("kind", ["paragraph", "code"])
@pytest.mark.parametrize("words", DENSE.values(), ids=DENSE.keys())
def test_5_6_the_cap_holds_by_the_bundled_models_tokenizer(words: str, kind: BlockKind) -> None:
    embedder = StaticEmbedder()
    block = Block(kind, f"```\n{words}\n```" if kind == "code" else words)
    chunks = pack(Page("https://t.test/", "P", (heading(2, "A"), block)), ChunkLimits(), embedder.count_tokens)
    assert max(embedder.count_tokens([chunk.text for chunk in chunks])) <= ChunkLimits().max_tokens
    assert [chunk.tokens for chunk in chunks] == embedder.count_tokens([chunk.text for chunk in chunks])


@settings(max_examples=100, deadline=None)
@given(pages, limits)
def test_anchors_point_into_the_text(page: Page, limits: ChunkLimits) -> None:
    chunks = pack(page, limits, WordCounter())
    for chunk in chunks:
        for name, offset in chunk.anchors:
            line = chunk.text[offset:].partition("\n")[0]
            said = line.strip("#* ") if name.startswith("id-") else line
            assert said == (name.removeprefix("id-") if name.startswith("id-") else f"`{name}()`")
    named = {name for chunk in chunks for name, _ in chunk.anchors}
    assert named == {name for block in page.blocks for name in block.anchors}


@settings(max_examples=150, deadline=None)
@given(pages, limits)
def test_5_6_sections_are_a_tree_over_chunks_in_a_row(page: Page, limits: ChunkLimits) -> None:
    chunks = pack(page, limits, WordCounter())
    held: dict[int, list[int]] = {}
    around: dict[int, set[tuple[int, ...]]] = {}
    for chunk in chunks:
        assert chunk.parents[-1] == 0
        for depth, section in enumerate(chunk.parents):
            held.setdefault(section, []).append(chunk.position)
            around.setdefault(section, set()).add(chunk.parents[depth + 1 :])
    assert all(len(lineages) == 1 for lineages in around.values())
    assert held.get(0, []) == list(range(len(chunks)))
    assert all(positions == list(range(positions[0], positions[-1] + 1)) for positions in held.values())


@settings(max_examples=50, deadline=None)
@given(pages, limits)
def test_the_same_page_gives_the_same_chunks(page: Page, limits: ChunkLimits) -> None:
    assert pack(page, limits, WordCounter()) == pack(page, limits, WordCounter())
