"""Which typed blocks, in reading order, does the main content consist of?"""

from __future__ import annotations

from dataclasses import replace

from webdocs.extract.html import admonition, code, tabs
from webdocs.extract.html.compose import bold, list_markdown, quoted
from webdocs.extract.html.dom import BLOCK_TAGS, HEADING_TAGS, Element
from webdocs.extract.html.formula import display_math, math_source
from webdocs.extract.html.inline import InlineWriter, code_span, escape_line_starts, math_markdown
from webdocs.extract.html.names import names
from webdocs.extract.html.table import (
    Row,
    caption_of,
    grid_rows_of,
    is_cell_of,
    is_layout,
    only_code,
    rows_of,
    table_markdown,
)
from webdocs.extract.resolve import Resolver
from webdocs.model import Block, BlockKind

LAYOUT_IDS = names(
    """
    content main main-content maincontent page page-content page_content body body-content wrapper
    container root app __next __docusaurus docs-content doc-content documentation article layout top
    _top header docs-body docs-container apicontent main_content undefined null
    """
)
"""Ids of page frames, which name no place that somebody would cite."""

SIGNATURE_CLASSES = names(
    """
    member-signature type-signature memproto tsd-signature code-header
    """
)
"""What holds a signature outside of a `dt`: Javadoc, Doxygen, TypeDoc, rustdoc."""

_NAME_CLASSES = frozenset(("descname", "sig-name"))

LABEL_LISTS = names(
    """
    field-list footnote citation notes docinfo option-list params retval exception section
    """
)
"""Definition lists whose terms are labels ("Parameters:"), not things that somebody looks up."""


SECTION_CLASSES = names(
    """
    section sect1 sect2 sect3 sect4 sect5 refsect1 refsect2 refsect3 refsection refentry
    chapter appendix preface part
    """
)
"""What is written `section` since HTML 5: older docutils, DocBook, AsciiDoc."""

_TITLES = frozenset(("heading", "signature", "definition"))

_NO_TITLE_TAGS = frozenset(("pre", "table", "ul", "ol", "dl", "blockquote"))


class Emitter:
    """Walks a cleaned tree once and gathers blocks.

    Ids that are passed before a block is written wait for it: `_above` are the sections around, `_before` the
    marks just before it.
    """

    def __init__(self, resolver: Resolver) -> None:
        self.blocks: list[Block] = []
        self._writer = InlineWriter(resolver)
        self._above: list[str] = []
        self._before: list[str] = []
        self._section = ""  # the innermost section whose id waits in `_above`

    # ------------------------------------------------------------ walking

    def flow(self, nodes: list[Element | str]) -> None:
        """Set blocks as blocks, and what stands between them as paragraphs."""
        run: list[Element | str] = []
        for node in nodes:
            if isinstance(node, str):
                if run or not node.isspace() or self._writer.ids:  # else it is the line end between two blocks
                    run.append(node)
            elif not (node.has_block or node.tag in BLOCK_TAGS):
                run.append(node)
            else:
                if run:
                    self._paragraph(run)
                    run = []
                self.block(node)
        if run:
            self._paragraph(run)

    def end(self) -> None:
        """Give the ids that no block comes after to the last one, which is where a browser goes."""
        waiting = [*self._above, *self._before, *self._take_inline_ids()]
        if waiting and self.blocks:
            last = self.blocks[-1]
            self.blocks[-1] = replace(last, anchors=tuple(dict.fromkeys([*last.anchors, *waiting])))

    def block(self, element: Element) -> None:
        """Set one block-level element."""
        if element.tag == "pre" or (element.tag == "div" and element.has_class("fragment")):
            self._code(element)
        elif element.tag in HEADING_TAGS:
            self._heading(element)
        elif (kind := admonition.kind_of(element)) is not None:
            self._admonition(element, kind)
        elif _is_signature(element):
            self._signature(element)
        elif element.classes and (formula := display_math(element)) is not None:
            self._formula(*formula, element)
        elif (found := tabs.find_tabs(element)) is not None:
            self._tabs(found, element)
        else:
            self._by_tag(element)

    def _by_tag(self, element: Element) -> None:
        tag = element.tag
        if tag == "table":
            self._table(element)
        elif element.has_class("summary-table"):
            self.note(element)
            self._rows(grid_rows_of(element, self._writer))
        elif tag in ("ul", "ol", "menu"):
            self._list(element)
        elif tag == "dl":
            self._definitions(element)
        elif tag == "blockquote":
            self._quote(element)
        elif tag == "a":
            self._card(element)
        elif (tag == "summary" or element.has_class("rubric")) and not element.has_block:
            self.note(element)
            self._add("paragraph", bold(self._writer.render(element.children)))
        elif tag != "hr":
            self.note(element)
            self.flow(element.children)

    def _nested(self, nodes: list[Element | str]) -> list[Block]:
        """The blocks of what will be one block here (a list item, a quote)."""
        outer, self.blocks = self.blocks, []
        above, before, self._above, self._before = self._above, self._before, [], []
        self.flow(nodes)
        inner, self.blocks = self.blocks, outer
        self._above, self._before = above, before + self._above + self._before
        return inner

    # ------------------------------------------------------------ anchors

    def note(self, element: Element) -> None:
        """Remember the id of an element around what comes next."""
        name = element.attrs.get("id") if element.attrs else None
        if name and name.lower() not in LAYOUT_IDS:
            self._above.append(name)
            if element.tag == "section" or not SECTION_CLASSES.isdisjoint(element.classes):
                self._section = name

    def _anchors(self, own: list[str], *, is_title: bool) -> tuple[str, ...]:
        """Ids for the next block, best first: those of a title, then of the section it opens, then marks before it."""
        self._section = ""
        above, before = self._above, self._before
        if not above and not before and not own:
            return ()
        self._above, self._before = [], []
        if is_title:
            return tuple(dict.fromkeys([*own, *reversed(above), *reversed(before)]))
        return tuple(dict.fromkeys([*above, *before, *own]))

    def _take_inline_ids(self) -> list[str]:
        if not self._writer.ids:
            return []
        ids, self._writer.ids = self._writer.ids, []
        return ids

    def _add(
        self,
        kind: BlockKind,
        markdown: str,
        own: tuple[str, ...] = (),
        *,
        level: int = 0,
        language: str = "",
        header_lines: int = 0,
    ) -> None:
        inline_ids = self._take_inline_ids()
        if not markdown.strip():
            self._before.extend([*own, *inline_ids])
            return
        anchors = self._anchors([*own, *inline_ids], is_title=kind in _TITLES)
        self.blocks.append(Block(kind, markdown, level, anchors, language, header_lines))

    # ------------------------------------------------------------ kinds

    def _paragraph(self, run: list[Element | str]) -> None:
        markdown = self._writer.render(run)
        if markdown:
            markdown = escape_line_starts(markdown)
        self._add(_kind_of_run(run, markdown), markdown)

    def _names_of(self, heading: Element) -> tuple[str, ...]:
        """Its ids, best first. One without an id of its own is cited by the section that it opens."""
        own_id = heading.attr("id")
        names = (heading.permalink, own_id) if own_id else (self._section, heading.permalink)
        return tuple(name for name in names if name)

    def _heading(self, element: Element) -> None:
        own = self._names_of(element)
        if element.has_block and any(part.tag in _NO_TITLE_TAGS for part in element.descendants()):
            self.note(element)  # an unclosed title that swallowed what follows it
            self.flow(element.children)
            return
        if not SIGNATURE_CLASSES.isdisjoint(element.classes):
            self._gather_ids(element)
            text = code_span(element.text())
        else:
            text = self._writer.render(_without_self_links(element)).replace("  \n", " ")
        self._add("heading", f"{'#' * int(element.tag[1])} {text}" if text else "", own, level=int(element.tag[1]))

    def _formula(self, source: str, number: str, element: Element) -> None:
        self.note(element)
        self._gather_ids(element)
        self._add("math", f"{math_markdown(source)} {number}".rstrip())

    def _code(self, element: Element) -> None:
        self.note(element)
        text = code.code_of(element)
        language = code.language_of(element)
        self._add("code", code.fenced(text, language) if text.strip() else "", language=language)

    def _table(self, element: Element) -> None:
        self.note(element)
        nested_code = only_code(element)
        if nested_code is not None:
            self._code(nested_code)
            return
        if is_layout(element):
            self.flow([part for part in element.descendants() if is_cell_of(part, element)])
            return
        caption = caption_of(element)
        if caption is not None:
            self._paragraph(caption.children)
        self._rows(rows_of(element, self._writer))

    def _rows(self, rows: list[Row]) -> None:
        """Set rows as tables between the headings that stand in them."""
        ids = self._take_inline_ids()
        pending: list[Row] = []
        for row in [*rows, Row(heading=_END)]:
            if row.heading is None:
                pending.append(row)
                continue
            if pending:
                self._add("table", table_markdown(pending), tuple(ids), header_lines=2)
                pending, ids = [], []
            self.flow(row.heading.children)

    def _list(self, element: Element) -> None:
        if element.has_heading or element.has_class("tsd-signatures"):
            self.note(element)
            for item in element.elements:
                if item.has_class("tsd-signature") and not item.has_heading:
                    self._signature(item)
                    continue
                self.note(item)
                self.flow(item.children)
            return
        items: list[list[Block]] = []
        own: list[str] = [element.attr("id")] if element.attr("id") else []
        for child in element.children:
            if isinstance(child, str):
                if child.strip():
                    items.append(self._nested([child]))
            elif child.tag == "li" or not items:
                if child.attr("id"):
                    own.append(child.attr("id"))
                items.append(self._nested(child.children if child.tag == "li" else [child]))
            else:
                items[-1].extend(self._nested([child]))
        items = [blocks for blocks in items if blocks]
        own += [name for blocks in items for block in blocks for name in block.anchors]
        self._add("list", list_markdown(items, element), tuple(own))

    def _definitions(self, element: Element) -> None:
        self.note(element)
        are_labels = not LABEL_LISTS.isdisjoint(element.classes)
        for child in element.elements:
            terms = child.elements if child.tag == "div" else [child]
            for part in terms:
                if part.tag == "dt":
                    self._term(part, are_labels)
                else:
                    self.note(part)
                    self.flow(part.children)

    def _term(self, element: Element, is_label: bool) -> None:
        if is_label or element.text().rstrip().endswith(":"):
            self.note(element)
            self._add("paragraph", bold(self._writer.render(element.children)))
        elif element.has_block and element.has_heading:
            self.note(element)
            self.flow(element.children)
        else:
            is_linked = not element.has_class("sig") and any(
                part.tag == "a" and part.attr("href") for part in element.descendants()
            )
            self._signature(element, "signature" if _is_of_reference(element) else "definition", as_code=not is_linked)

    def _signature(self, element: Element, kind: BlockKind = "signature", *, as_code: bool = True) -> None:
        own = [name for name in (element.permalink, element.attr("id")) if name]
        if as_code:
            self._gather_ids(element)
            markdown = code_span(_spaced_text(element))
        else:
            markdown = escape_line_starts(self._writer.render(element.children).replace("  \n", " "))
        self._add(kind, markdown, tuple(own))

    def _gather_ids(self, element: Element) -> None:
        for inner in element.descendants():
            self._writer.note_ids(inner)

    def _quote(self, element: Element) -> None:
        inner = self._nested(element.children)
        own = [element.attr("id")] if element.attr("id") else []
        own += [name for block in inner for name in block.anchors]
        self._add("quote", quoted([block.markdown for block in inner]), tuple(own))

    def _admonition(self, element: Element, kind: str) -> None:
        title, body = admonition.split_title(element)
        label = self._writer.render(title.children).replace("  \n", " ") if title else kind.capitalize()
        inner = self._nested(body)
        own = [element.attr("id")] if element.attr("id") else []
        own += [name for block in inner for name in block.anchors]
        parts = [bold(label or kind.capitalize()), *(block.markdown for block in inner)]
        self._add("admonition", quoted(parts), tuple(own))

    def _tabs(self, found: list[tuple[str, Element]], element: Element) -> None:
        self.note(element)
        for label, panel in found:
            self._add("tab", bold(self._writer.render([label])))
            self.note(panel)
            self.block(panel) if panel.tag == "pre" else self.flow(panel.children)

    def _card(self, element: Element) -> None:
        """A link around blocks: one paragraph, unless it holds what cannot be linked."""
        if element.has_heading or any(part.tag in _NO_TITLE_TAGS for part in element.descendants()):
            self.note(element)
            self.flow(element.children)
        else:
            self._paragraph([element])


_END = Element("td", {}, None)


def _is_signature(element: Element) -> bool:
    if SIGNATURE_CLASSES.isdisjoint(element.classes) or element.has_heading:
        return False
    return not any(part.tag == "pre" for part in element.descendants())


def _is_of_reference(term: Element) -> bool:
    """True for a `dt` that sets out the parts of an object's signature: Sphinx since 4, and before."""
    return term.has_class("sig") or any(not _NAME_CLASSES.isdisjoint(part.classes) for part in term.descendants())


def _kind_of_run(run: list[Element | str], markdown: str) -> BlockKind:
    if markdown.startswith("![") and markdown.count("](") == 1 and markdown.endswith(")"):
        return "image"
    if markdown.startswith("$") and markdown.endswith("$"):
        only = [node for node in run if not isinstance(node, str)]
        if len(only) == 1 and math_source(only[0]):
            return "math"
    return "paragraph"


def _without_self_links(element: Element) -> list[Element | str]:
    """A heading's content; a link in it to its own section stays as text."""
    for part in element.descendants():
        if part.tag == "a" and part.attr("href").startswith("#"):
            part.attrs = {name: value for name, value in part.attrs.items() if name != "href"}
    return element.children


def _spaced_text(element: Element) -> str:
    """Text of a signature; cells and blocks in it stand apart."""
    parts: list[str] = []
    for child in element.children:
        if isinstance(child, str):
            parts.append(child)
        else:
            is_apart = child.is_block or child.tag == "br" or child.has_class("classifier")
            parts.append(f" {_spaced_text(child)} " if is_apart else _spaced_text(child))
    return "".join(parts)
