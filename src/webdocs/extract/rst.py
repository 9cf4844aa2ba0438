"""What does a reStructuredText source say? docutils parses it; needs the extra `rst`.

Sphinx writes directives and roles that docutils does not know. Those are read by their shape: a directive's argument is
its signature or title and its content is content, a role's text is its text. Nothing is included from files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from docutils import nodes
from docutils.core import publish_parts
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.languages import en
from docutils.writers import html5_polyglot

from webdocs.errors import ExtractError
from webdocs.extract.charset import decode
from webdocs.extract.composed import code_html, page_of
from webdocs.extract.html.names import names
from webdocs.model import Page

_SETTINGS = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "halt_level": 5,
    "report_level": 5,
    "warning_stream": "",
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "initial_header_level": 1,
    "doctitle_xform": False,
    "smart_quotes": False,
    "line_length_limit": 100_000,
    "input_encoding": "unicode",
}

_DIRECTIVE = re.compile(r"^[ \t]*(?:\.\. (?:\|[^|\n]+\| )?)([\w:+.-]+?)::", re.MULTILINE)
_ROLE = re.compile(r":([\w+.-]+(?::[\w+.-]+)*):`")
_TITLED_TARGET = re.compile(r"^(.+?)\s*<([^<>]+)>$", re.DOTALL)

_CODE = frozenset(("code-block", "sourcecode", "highlight-block", "ipython", "prompt", "doctest", "testcode"))
_DROPPED = names(
    """
    toctree index highlight module currentmodule py:module py:currentmodule default-domain literalinclude automodule
    autoclass autofunction automethod autosummary only-dev tabularcolumns cssclass rst-class meta codeauthor
    sectionauthor contents include raw graphviz testsetup testcleanup testoutput default-role
    """
)
"""Directives that hold no prose: they order, index, or point to what is not in this file."""

_VERSION_WORDS = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}
_CONTAINERS = frozenset(
    ("tab-set", "tabs", "grid", "container", "only", "ifconfig", "hlist", "centered", "productionlist")
)
_OWN_NAMES = frozenset(("seealso", "todo", *_VERSION_WORDS, *_CODE, *_DROPPED, *_CONTAINERS))


def extract_rst(body: bytes, content_type: str, url: str) -> Page:
    """Read one reStructuredText file.

    Raises:
        ExtractError: There is no text in it, or docutils cannot read it.
    """
    text = decode(body, content_type)
    if not text.strip():
        raise ExtractError("the body is empty")
    _learn(text)
    try:
        html = publish_parts(text, writer=_writer(), settings_overrides=_SETTINGS)["body"]
    except (ValueError, KeyError, IndexError, AttributeError, TypeError, RecursionError) as error:
        raise ExtractError("the reStructuredText cannot be parsed") from error
    return page_of(html, url)


def _learn(text: str) -> None:
    """Register what the text uses and docutils does not know; its registers are global, hence the names."""
    for name in set(_DIRECTIVE.findall(text)):
        if name.lower() in _OWN_NAMES or not _is_known_directive(name.lower()):
            directives.register_directive(name.lower(), _SphinxDirective)
    for name in set(_ROLE.findall(text)):
        if name.lower() not in en.roles:
            roles.register_local_role(name.lower(), _read_role)


def _is_known_directive(name: str) -> bool:
    return name in en.directives


class _Translator(html5_polyglot.HTMLTranslator):
    """Writes code as the HTML emitter reads it: docutils writes `span` elements and keeps the language elsewhere."""

    def visit_literal(self, node: nodes.literal) -> None:
        self.body.append(f"<code>{escape(node.astext())}</code>")
        raise nodes.SkipNode

    def visit_literal_block(self, node: nodes.literal_block) -> None:
        named = [name for name in node["classes"] if name != "code"]
        self.body.append(code_html(node.astext(), named[0] if named else ""))
        raise nodes.SkipNode


def _writer() -> html5_polyglot.Writer:
    writer = html5_polyglot.Writer()
    writer.translator_class = _Translator
    return writer


class _AnyOption(dict):
    """Sphinx and its extensions have hundreds of options; all are taken and none is used."""

    def __getitem__(self, name: str) -> Any:
        return directives.unchanged

    def __contains__(self, name: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return True


class _SphinxDirective(Directive):
    """Any directive that docutils has no class for."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = _AnyOption()

    def run(self) -> Sequence[nodes.Node]:
        """The nodes that stand for it."""
        name = self.name.lower()
        if name in _DROPPED:
            return []
        if name in _CODE:
            return [self._code()]
        if name == "seealso" or name == "todo" or name in _VERSION_WORDS:
            return [self._admonition(name)]
        if name in _CONTAINERS:
            return self._content()
        return self._described()

    def _code(self) -> nodes.Node:
        code = nodes.literal_block("\n".join(self.content), "\n".join(self.content))
        language = self.arguments[0] if self.arguments else ""
        if language:
            code["classes"] += ["code", language]
        return code

    def _admonition(self, name: str) -> nodes.Node:
        """Title and text; a version's text may stand on the directive's own line."""
        argument = self.arguments[0] if self.arguments else ""
        title = {"seealso": "See also", "todo": "Todo"}.get(name, "")
        if name in _VERSION_WORDS:
            version, _, said = argument.partition(" ")
            title, argument = f"{_VERSION_WORDS[name]} {version}", said
        box = nodes.admonition("", nodes.title("", title), classes=["admonition", "note"])
        if argument:
            box += self._inline(nodes.paragraph(), argument)
        box += self._content()
        return box

    def _described(self) -> list[nodes.Node]:
        """An object's description (`py:function`), or a titled box: its argument, then its content."""
        if not self.arguments:
            return self._content()
        signatures = [line.strip().removesuffix("\\").strip() for line in self.arguments[0].split("\n")]
        terms = [nodes.term("", "", nodes.literal("", line)) for line in signatures if line]
        if not self.content:
            return [nodes.paragraph("", "", *[child for term in terms for child in term.children])]
        item = nodes.definition_list_item("", *terms, nodes.definition("", *self._content()))
        return [nodes.definition_list("", item)]

    def _inline(self, parent: nodes.Element, text: str) -> nodes.Element:
        parsed, _ = self.state.inline_text(text, self.lineno)
        parent += parsed
        return parent

    def _content(self) -> list[nodes.Node]:
        holder = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, holder)
        return holder.children


def _read_role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> Any:
    """The text of an unknown role: of `title <target>` the title, of code-like names code."""
    titled = _TITLED_TARGET.match(text)
    if titled:
        return [nodes.inline("", titled[1])], []
    is_prose = name.rpartition(":")[2] in ("ref", "doc", "term", "abbr", "guilabel", "menuselection", "numref")
    shown = text.lstrip("!~") if not text.startswith("~") else text.rpartition(".")[2]
    return [nodes.inline("", shown) if is_prose else nodes.literal("", shown)], []
