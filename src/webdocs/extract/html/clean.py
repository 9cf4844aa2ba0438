"""What inside a page's main content is not content?

Everything here is a rule on one element, looked at where it stands; none names a page.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import lru_cache
from typing import Literal

from selectolax.lexbor import LexborNode

from webdocs.extract.html.hidden import KEPT_HIDDEN_ROLES, has_ground, hides, is_colourless, is_white_text
from webdocs.extract.html.names import CLASS_STRINGS, MAX_REMEMBERED_CHARS, classes_of, names

DROPPED_TAGS = names(
    """
    style template noscript svg button nav iframe object embed video audio canvas select textarea
    datalist dialog footer map link meta head title
    """
)

DROPPED_ROLES = frozenset(("navigation", "search", "contentinfo", "banner", "dialog", "alertdialog", "menu", "menubar"))
"""WAI-ARIA landmark and widget roles that are chrome wherever they stand."""

PAGE_NAVIGATION = names(
    """
    related sphinxsidebar footer-relations rst-footer-buttons rst-breadcrumbs-buttons wy-breadcrumbs
    prev-next-area prev-next-bottom prev-next-footer navheader navfooter toplang bottomlang pagination-nav
    pagination-links pagination theme-doc-footer theme-doc-toc-mobile theme-doc-breadcrumbs
    theme-doc-version-badge tsd-breadcrumb nextra-breadcrumb nextra-toc breadcrumb breadcrumbs md-path
    back-to-top backtotop skip-link skip-to-content nav-buttons nav-wrapper mobile-nav-chapters nav-chapters
    """
)
"""Sphinx and its themes, DocBook, Apache, Docusaurus, Starlight, TypeDoc, Nextra, MkDocs, mdBook."""

PAGE_CONTROLS = names(
    """
    viewcode-link viewcode-back copybtn copy-button copy-btn copy clipboard-copy clipboard-button
    md-clipboard md-content__button md-source-file md-feedback md-code__nav edit-this-page edit-page-link
    edit-link language-name content-icon-container last-updated buttonGroup toolbar-item js-flavor-toggle
    js-flavor-selector article-footer page-actions page-feedback srclink out-of-band test-arrow rightside
    collapse-toggle since
    """
)
"""Edit, copy, source and feedback controls; the last row is rustdoc's."""

READ_ALOUD = names(
    """
    sr-only visually-hidden screen-reader-text screenreader-only sl-sr ttc MathJax_Preview katex-html
    md-annotation__index
    """
)
"""Said to screen readers, shown on hover, or a second rendering of what stands beside it."""

DROPPED_CLASSES = PAGE_NAVIGATION | PAGE_CONTROLS | READ_ALOUD

GUTTER_CLASSES = names(
    """
    linenos linenodiv lineno rouge-gutter gutter hljs-ln-numbers line-numbers-rows line-numbers-wrapper
    line-number linenumber lineNumber lineNumbers react-syntax-highlighter-line-number ln-num ln lnt
    blob-num
    """
)
"""Line numbers beside code. Only dropped without a letter in them: some are grid classes elsewhere."""

DROPPED_IDS = names(
    """
    footer copy-path quickview comments_section comments_thread disqus_thread cookie-banner breadcrumbs
    breadcrumb searchbox sidebar
    """
)

DROPPED_WITH_TAG = frozenset(
    (
        ("a", "src"),
        ("a", "permalink"),
        ("a", "id_link"),
        ("a", "edit-page"),
        ("span", "lang"),
        ("span", "permalink"),
        ("div", "top"),
        ("p", "top"),
    )
)
"""Class names too common to drop on any element: rustdoc source links, DocBook marks, Apache's way to the top."""

PERMALINK_CLASSES = names(
    """
    headerlink header-anchor hash-link anchorjs-link permalink heading-anchor subheading-anchor
    sl-anchor-link tsd-anchor-icon id_link mark headinglink heading-link anchor-link direct-link
    docs-heading-anchor-permalink
    """
)

PERMALINK_MARK = re.compile(
    r"[\s¶#§¤⚓∞🔗⛓\uf0c1\ufe0f\u2060\u200b\u200c\u200d\ufeff]*"
    r"|(?:perma)?link(?: to this (?:heading|headline|definition|section|code|table|image|term|toctree|equation))?"
    r"|anchor|direct link to .{0,200}|↩︎?|⏎",
    re.IGNORECASE | re.DOTALL,
)
"""What the text of a link to the place where it stands is made of."""

TOC_NAMES = names(
    """
    toc table-of-contents tableofcontents on-this-page contents local-toc page-toc quick-toc
    toc-container toc_container inline-toc markdown-toc docs-toc tocwrapper
    """
)

_COOKIE_BANNER = re.compile(
    r"cookie[-_]?(?:banner|consent|notice|bar|law|popup)|(?:consent|gdpr)[-_]banner", re.IGNORECASE
)
CONTROLS = frozenset(("script", "input", "label"))
_HIDING = frozenset(("hidden", "aria-hidden", "style"))
_INLINE_TAGS = frozenset(("a", "span", "i", "b", "em", "strong", "small", "sup", "sub", "img"))


def is_dropped(tag: str, attrs: dict[str, str | None], node: LexborNode) -> bool:
    """True if the element goes with all that stands in it."""
    if tag in CONTROLS:
        return _is_dropped_control(tag, attrs)
    if attrs.get("role") in DROPPED_ROLES or attrs.get("id") in DROPPED_IDS:
        return True
    if not _HIDING.isdisjoint(attrs) and (is_hidden(tag, attrs) or (tag != "img" and _is_white_on_white(attrs, node))):
        return not _is_empty_anchor(tag, attrs, node)
    names = attrs.get("class") or ""
    rule = _remembered_rule(tag, names) if len(names) <= MAX_REMEMBERED_CHARS else _rule_of(tag, names)
    if rule == "keep" and "id" not in attrs:
        return False
    if rule == "drop" or (rule == "gutter" and not any(char.isalpha() for char in node.text())):
        return True
    return (rule == "contents" or (attrs.get("id") or "").lower() in TOC_NAMES) and _is_table_of_contents(node)


def _rule_of(tag: str, attribute: str) -> Literal["keep", "drop", "gutter", "contents"]:
    """What the classes of an element say about it; of several the rule that was named first in `is_dropped`."""
    classes = classes_of(attribute)
    if not DROPPED_CLASSES.isdisjoint(classes) or not DROPPED_WITH_TAG.isdisjoint((tag, name) for name in classes):
        return "drop"
    if not GUTTER_CLASSES.isdisjoint(classes):
        return "gutter"
    if _COOKIE_BANNER.search(attribute) is not None:
        return "drop"
    return "keep" if TOC_NAMES.isdisjoint(classes) else "contents"


_remembered_rule = lru_cache(maxsize=CLASS_STRINGS)(_rule_of)


def is_colour(names: str, style: str) -> bool:
    """True if no rule takes out a `span` with these classes and this inline style, wherever it stands."""
    is_seen = not style or not (hides(style) or is_colourless(style) or is_white_text(style))
    return is_seen and _remembered_rule("span", names) == "keep"


def is_hidden(tag: str, attrs: dict[str, str | None]) -> bool:
    """True if a person who looks at the page does not see the element."""
    if "hidden" in attrs and attrs.get("role") not in KEPT_HIDDEN_ROLES and attrs["hidden"] != "until-found":
        return True
    if attrs.get("aria-hidden") == "true" and tag in _INLINE_TAGS:
        return True
    style = attrs.get("style")
    if not style or attrs.get("role") in KEPT_HIDDEN_ROLES:
        return False
    return hides(style) or (tag != "img" and is_colourless(style))


def _is_white_on_white(attrs: dict[str, str | None], node: LexborNode) -> bool:
    """White text of which nothing says that it stands on another ground: no class, no style around it."""
    style = attrs.get("style")
    if not style or attrs.get("class") or not is_white_text(style):
        return False
    above = node.parent
    while above is not None and above.tag != "html":
        around = above.attributes
        if has_ground(around.get("style") or "") or around.get("bgcolor"):
            return False
        above = above.parent
    return True


def take_out(nodes: Sequence[LexborNode]) -> None:
    """Remove elements from their tree; what stands in another one of them goes with that, and is not touched again."""
    by_id = {node.mem_id: node for node in nodes}
    for node in [node for node in by_id.values() if not _is_below(node, by_id)]:
        node.decompose()


def _is_below(node: LexborNode, others: Container[int]) -> bool:
    """True if an element with one of these `mem_id` is around it."""
    above = node.parent
    while above is not None and above.mem_id not in others:
        above = above.parent
    return above is not None


def is_permalink(attrs: dict[str, str | None], node: LexborNode, page_path: str) -> bool:
    """True for a link to the very place where it stands, shown as a mark; not for a title that is such a link."""
    href = attrs.get("href")
    if not href or "#" not in href:
        return False
    text = node.text().strip()
    if not PERMALINK_CLASSES.isdisjoint((attrs.get("class") or "").split()):
        is_title = node.parent is not None and node.parent.text().strip() == text
        return PERMALINK_MARK.fullmatch(text) is not None or not is_title
    if not href.startswith("#") and not href.startswith(page_path + "#"):
        return False
    if not text and attrs.get("id"):
        return False
    return PERMALINK_MARK.fullmatch(text) is not None and node.css_first("img") is None


def _is_dropped_control(tag: str, attrs: dict[str, str | None]) -> bool:
    if tag == "script":
        return not (attrs.get("type") or "").startswith("math/")
    if tag == "input":
        names = attrs.get("class") or ""
        is_task = "disabled" in attrs or "task" in names
        is_switch = "js-flavor-toggle" in names or (bool(attrs.get("id")) and not is_task)  # a label works it (pdoc)
        return attrs.get("type") != "checkbox" or is_switch
    return not attrs.get("for")  # a label of a tab set names its input; the emitter decides


def _is_table_of_contents(node: LexborNode) -> bool:
    """A list of this page's own sections. One that leads to other pages (DocBook, toctree) is content."""
    links = node.css("a[href]")
    return len(links) > 1 and all((link.attributes.get("href") or "").startswith("#") for link in links)


def _is_empty_anchor(tag: str, attrs: dict[str, str | None], node: LexborNode) -> bool:
    """A place to link to, with nothing to see: older names of a section (Node.js) are hidden links."""
    return tag == "a" and not attrs.get("href") and bool(attrs.get("id") or attrs.get("name")) and not node.text()
