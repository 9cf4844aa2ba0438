"""Where on the page is the main content?"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

MIN_CHARS = 40
"""A candidate with less text than this is a shell or a stray element; the next selector is tried."""

PART_SHARE = 0.6
"""An `article` with less of the text of `main` than this is one of several parts, so `main` is taken."""

DESCENT_SHARE = 0.92
"""A child that holds this much of the text outside links is the content, and its siblings are chrome."""

SELECTORS = (
    "#furo-main-content",
    "article[role=main]",
    ".theme-doc-markdown",
    "article.md-content__inner",
    ".vp-doc",
    ".rst-content [itemprop=articleBody]",
    ".bd-article",
    "div.body[role=main]",
    "div.documentwrapper div.body",
    "#docs-body",
    "#yui-main .yui-b",
    ".sl-markdown-content",
    "section#main-content",
    "body.manpage",
    "body.article",
    "body.book",
    "body > div.sect1",
    "body > div.refentry",
    "body > div.chapter",
    "body > div.section",
    "body > div.article",
    "body > div.appendix",
    "body > div.preface",
    "body > div.part",
    "body > div.reference",
    "body > div.book",
    "body > div.glossary",
    "body > div.bibliography",
    "body > div.index",
    "body > div.sect2",
    "body > section.sect1",
    "body > section.chapter",
    "#content > main",
    "#apicontent",
    "article main",
    "#content-area",
    ".td-content",
    ".col-content",
    ".api-content",
    "#page-content",
    "div.contents",
    ".contentContainer",
    "main article",
    "main",
    "[role=main]",
    "article",
    "#content",
)
"""In this order, measured on 34 generators: Sphinx themes, Docusaurus, MkDocs, VitePress, Starlight, rustdoc,
AsciiDoc, DocBook, mdBook, Node.js, Nextra, Mintlify, Docsy, TypeDoc, Redoc, Apache, Doxygen, Javadoc, then what
HTML itself says."""

CLIMBING = frozenset((".sl-markdown-content",))
"""The title stands outside of these, in the `main` around them."""

_GENERIC = frozenset(("article main", "main article", "main", "[role=main]", "article", "#content"))
"""What HTML itself says may be one part of the content; a generator's own frame holds all of it, however short."""

_PARTIAL_TAGS = frozenset(("article", "main"))
_TABLE_TAGS = frozenset(("table", "tbody", "tr"))
_HEADINGS = "h1,h2,h3,h4,h5,h6"


def select_main(tree: LexborHTMLParser) -> LexborNode | None:
    """The element that holds the page's main content; None for a page without a body."""
    body = tree.body
    if body is None:
        return None
    marked = tree.css_first("main[data-markdown]")
    if marked is not None:
        return marked  # a Markdown body is all content, however short
    for selector in SELECTORS:
        for node in tree.css(selector)[:3]:
            if _has_text(node):
                node = _climb(node) if selector in CLIMBING else node
                return _widen(node) if selector in _GENERIC else node
    return _descend(body)


def _has_text(node: LexborNode) -> bool:
    return len(node.text().strip()) >= MIN_CHARS


def _climb(node: LexborNode) -> LexborNode:
    return _closest_main(node) or node


def _closest_main(node: LexborNode) -> LexborNode | None:
    above = node.parent
    while above is not None and above.tag != "main":
        above = above.parent
    return above


def _widen(node: LexborNode) -> LexborNode:
    """Take `main` where the candidate is only one part of it."""
    if node.tag not in _PARTIAL_TAGS:
        return node
    main = _closest_main(node)
    if main is None:
        return node
    is_part = len(node.text()) < PART_SHARE * len(main.text())
    return main if is_part else node


def _descend(body: LexborNode) -> LexborNode:
    """Go down while one child holds nearly all of the text, but never past a heading beside it."""
    node = body
    while True:
        child = _dominant_child(node)
        if child is None:
            break
        node = child
    while node.tag in _TABLE_TAGS and node.parent is not None:
        node = node.parent  # the table itself is the content, not the frame around it
    return node


def _dominant_child(node: LexborNode) -> LexborNode | None:
    children = [child for child in node.iter() if child.is_element_node]
    weights = [_prose_length(child) for child in children]
    total = sum(weights)
    if total == 0:
        return None
    best = max(range(len(children)), key=weights.__getitem__)
    has_heading_beside = any(
        index != best and (child.tag in _HEADINGS.split(",") or child.css_first(_HEADINGS) is not None)
        for index, child in enumerate(children)
    )
    is_container = children[best].tag in ("div", "section", "main", "article", "td", "table", "tbody", "tr", "center")
    is_dominant = weights[best] >= DESCENT_SHARE * total
    return children[best] if is_dominant and is_container and not has_heading_beside else None


def _prose_length(node: LexborNode) -> int:
    """Characters of its text that stand outside of links."""
    if node.tag in ("script", "style", "template", "noscript", "nav", "header", "footer"):
        return 0
    linked = sum(len(link.text().strip()) for link in node.css("a"))
    return len(node.text().strip()) - linked
