"""Markdown as its authors write it, with what their generators add, becomes the same blocks as HTML."""

from __future__ import annotations

import pytest

from webdocs.extract import read_body
from webdocs.model import Page

NOTE = "> **Note**\n>\n> Text with `code`."
TABS = "**A**\n\none\n\n**B**\n\n```js\ntwo\n```"


def read(source: str) -> Page:
    return read_body(source.encode(), "text/markdown; charset=utf-8", "https://docs.test/a/page.md")


SYNTAX = {
    "admonition-of-mkdocs": ("!!! note\n\n    Text with `code`.\n", NOTE),
    "admonition-of-mkdocs-with-a-title": ('!!! tip "Do <this>"\n    Text', "> **Do \\<this>**\n>\n> Text"),
    "folded-admonition-of-mkdocs": ("???+ note\n    Text with `code`.\n", NOTE),
    "admonition-of-docusaurus": (":::note\n\nText with `code`.\n\n:::", NOTE),
    "admonition-of-docusaurus-with-a-title": (":::tip[My tip]\n\nText\n\n:::", "> **My tip**\n>\n> Text"),
    "admonition-of-vitepress": ("::: warning Mind\nText\n:::", "> **Mind**\n>\n> Text"),
    "alert-of-github": ("> [!NOTE]\n> Text with `code`.", NOTE),
    "admonition-that-holds-code": ("!!! note\n    ```py\n    x = 1\n    ```", "> **Note**\n>\n> ```py\n> x = 1\n> ```"),
    "admonition-in-an-admonition": ("::::note\n:::tip\nText\n:::\n::::", "> **Note**\n>\n> > **Tip**\n> >\n> > Text"),
    "admonition-that-is-never-closed": (":::note\nText with `code`.", NOTE),
    "tabs-of-mkdocs [fault-G10]": ('=== "A"\n\n    one\n\n=== "B"\n\n    ```js\n    two\n    ```', TABS),
    "tabs-of-docusaurus [fault-G10]": (
        'import Tabs from "@theme/Tabs";\n\n<Tabs>\n  <TabItem value="a" label="A">\n\none\n\n  </TabItem>\n'
        '  <TabItem value="b" label="B">\n\n```js\ntwo\n```\n\n  </TabItem>\n</Tabs>',
        TABS,
    ),
    "code-group-of-vitepress [fault-G10]": (
        "::: code-group\n```sh [npm]\nnpm i\n```\n```sh [pnpm]\npnpm i\n```\n:::",
        "**npm**\n\n```sh\nnpm i\n```\n\n**pnpm**\n\n```sh\npnpm i\n```",
    ),
    "imports-and-exports-of-mdx": ("import A from './a'\nexport const x = {\n  y: 1,\n}\n\nText", "Text"),
    "a-comment-of-mdx": ("Text{/* no */}", "Text"),
    "an-import-in-a-fence-stays": ("```js\nimport a from 'a'\n:::note\n```", "```js\nimport a from 'a'\n:::note\n```"),
    "prose-that-starts-with-import": ("import taxes are high", "import taxes are high"),
    "entities [fault-G13]": ("It&#x27;s &lt;b&gt; &amp; &quot;so&quot;", 'It\'s \\<b> & "so"'),
    "a-table [fault-G13]": ("| a | b |\n|---|---|\n| 1 | &#124; |", "| a | b |\n| --- | --- |\n| 1 | \\| |"),
}


@pytest.mark.parametrize(("source", "markdown"), SYNTAX.values(), ids=SYNTAX.keys())
def test_becomes_markdown(source: str, markdown: str) -> None:
    assert read(source).markdown == markdown


def test_one_title_of_front_matter_and_heading_g13() -> None:
    page = read("---\ntitle: The &amp; title\n---\n# The & title\n\nText")
    assert page.markdown == "# The & title\n\nText"


ANCHORS = {
    "a-slug": ("## Create an Index!", "create-an-index"),
    "code-in-a-title": ("## The `my_option` key", "the-my_option-key"),
    "an-own-id": ("## T {#own}", "own"),
    "an-own-id-of-mdx": ("## T {/* #own */}", "own"),
    "letters-beyond-ascii": ("## Über uns", "über-uns"),
}


@pytest.mark.parametrize(("source", "anchor"), ANCHORS.values(), ids=ANCHORS.keys())
def test_a_heading_has_the_anchor_of_its_generator(source: str, anchor: str) -> None:
    assert read(source).blocks[0].anchors == (anchor,)


def test_headings_of_one_name_have_anchors_of_their_own() -> None:
    assert [block.anchors for block in read("## A\n\n## A\n\n## A").blocks] == [("a",), ("a-1",), ("a-2",)]


MKDOCS_SLUGS = {
    "a-second-of-one-name": ("## A\n\n## A\n\n## A", ["a", "a_1", "a_2"]),
    "gaps-are-one-dash": ("## a  -- b", ["a-b"]),
    "accents-go": ("## Café ü", ["cafe-u"]),
    "no-ascii-letter-at-all": ("## 安装\n\n## 使用", ["_1", "_2"]),
    "underscores-stay": ("## my_name", ["my_name"]),
}


@pytest.mark.parametrize(("headings", "ids"), MKDOCS_SLUGS.values(), ids=MKDOCS_SLUGS.keys())
def test_headings_of_mkdocs_are_called_as_its_pages_call_them(headings: str, ids: list[str]) -> None:
    blocks = read(f"{headings}\n\n!!! note\n    Text.\n").blocks
    assert [block.anchors[0] for block in blocks if block.kind == "heading"] == ids


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            "> ## Documentation Index\n> Fetch it at: https://s.test/llms.txt\n\n# Title\n\nText.",
            "# Title\n\nText.",
            id="pointer-to-the-index",
        ),
        pytest.param("# Title\n\n> See the llms.txt.\n\nText.", "# Title\n\nText.", id="pointer-below-the-title"),
        pytest.param("[Skip to main content](#content)\n\n# Title\n\nText.", "# Title\n\nText.", id="skip-link"),
        pytest.param("# Title\n\n> A summary.\n\nText.", "# Title\n\n> A summary.\n\nText.", id="other-quotes-stay"),
    ],
)
def test_what_generators_add_to_served_markdown_is_left_out(body: str, expected: str) -> None:
    assert read_body(body.encode(), "text/markdown", "https://s.test/a").markdown == expected
