"""What do AsciiDoc's marks in a line of text mean? Line in, HTML out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape

_ATTRIBUTE = re.compile(r"(?<!\\)\{([\w-]+)\}")
_PASS = re.compile(r"pass:[a-z,]*\[(.*?)(?<!\\)\]|\+\+\+(.+?)\+\+\+", re.DOTALL)
_CODE = re.compile(r"(?<![\w`\\])(?:``(.+?)``|`\+(.+?)\+`|`([^`\s](?:[^`]*[^`\s])?)`)(?!\w)")
_LINK = re.compile(r"(?:link:([^\s\[\]]+)|(?<![\"'=\w:/])((?:https?|ftp)://[^\s\[\]<>]+))\[([^\]]*)\]")
_BARE_LINK = re.compile(r"(?<![\"'=\w:/>])(https?://[^\s\[\]<>&\"']*[^\s\[\]<>&\"'.,;:!?)])")
_XREF = re.compile(r"xref:([^\s\[\]]+)\[([^\]]*)\]|&lt;&lt;([^,&]+?)(?:,\s*(.+?))?&gt;&gt;")
_IMAGE = re.compile(r"image::?([^\s\[\]]+)\[([^\]]*)\]")
_MACRO_TEXT = re.compile(r"(?:kbd|btn|menu|footnote|term|indexterm2?|icon):[^\s\[\]]*\[([^\]]*)\]")
_ANCHOR = re.compile(r"\[\[([\w:.-]+)(?:,[^\]]*)?\]\]|\[#([\w:.-]+)\]|anchor:([\w:.-]+)\[[^\]]*\]")
_ROLE = re.compile(r"\[[\w.#%-]+\](?=#\S)")
_STYLES = (
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![\w*])\*(?=\S)(.+?)(?<=\S)\*(?![\w*])", re.DOTALL), "strong"),
    (re.compile(r"__(?=\S)(.+?)(?<=\S)__|(?<![\w_])_(?=\S)(.+?)(?<=\S)_(?![\w_])", re.DOTALL), "em"),
    (re.compile(r"##(?=\S)(.+?)(?<=\S)##|(?<![\w#&])#(?=\S)(.+?)(?<=\S)#(?![\w#])", re.DOTALL), "span"),
)
_KEPT = re.compile("\ufdd0(\\d+)\ufdd1")

ENTITIES = {"nbsp": " ", "zwsp": "", "sp": " ", "empty": "", "lt": "<", "gt": ">", "amp": "&", "plus": "+"}
"""Attributes that AsciiDoc itself defines (Asciidoctor, "Character Replacement Attributes")."""


def fill(text: str, attributes: Mapping[str, str]) -> str:
    """The text with the values of the attributes that are known; others stay as they stand."""
    return _ATTRIBUTE.sub(lambda match: attributes.get(match[1].lower(), ENTITIES.get(match[1], match[0])), text)


def to_html(text: str, attributes: Mapping[str, str]) -> str:
    """A run of text as HTML."""
    kept: list[str] = []

    def keep(html: str) -> str:
        kept.append(html)
        return f"\ufdd0{len(kept) - 1}\ufdd1"

    text = text.replace("\ufdd0", "").replace("\ufdd1", "")
    text = _PASS.sub(lambda match: keep(escape(match[1] or match[2] or "")), text)
    text = _CODE.sub(lambda match: keep(f"<code>{_code(match, attributes)}</code>"), text)
    text = escape(fill(text, attributes), quote=False)
    text = _ANCHOR.sub(lambda match: keep(f'<a id="{escape(match[1] or match[2] or match[3])}"></a>'), text)
    text = _IMAGE.sub(lambda match: keep(_image(match[1], match[2])), text)
    text = _LINK.sub(
        lambda match: keep(f'<a href="{escape(match[1] or match[2])}">') + _label(match) + keep("</a>"), text
    )
    text = _XREF.sub(lambda match: _xref(match, keep), text)
    text = _BARE_LINK.sub(lambda match: keep(f'<a href="{escape(match[1])}">{match[1]}</a>'), text)
    text = _MACRO_TEXT.sub(r"\1", text)
    text = _style(_ROLE.sub("", text))
    while _KEPT.search(text):
        text = _KEPT.sub(lambda match: kept[int(match[1])], text)
    return text


def _code(match: re.Match[str], attributes: Mapping[str, str]) -> str:
    literal = match[2]
    return escape(literal if literal is not None else fill(match[1] or match[3] or "", attributes), quote=False)


def _style(text: str) -> str:
    for pattern, tag in _STYLES:
        text = pattern.sub(lambda match, tag=tag: f"<{tag}>{match[1] or match[2]}</{tag}>", text)
    return text


def _label(match: re.Match[str]) -> str:
    """A link's text: without the options that follow it, and the URL where there is none."""
    label = re.sub(r",\s*(?:window|role|opts|title)=.*$|\^$", "", match[3]).strip('"')
    return label or match[1] or match[2]


def _xref(match: re.Match[str], keep: Callable[[str], str]) -> str:
    target = (match[1] or match[3] or "").strip()
    label = (match[2] or match[4] or "").strip() or target.rpartition("#")[2] or target
    is_file = "#" in target or target.endswith(".adoc")
    href = target.replace(".adoc", ".html") if is_file else f"#{target}"
    return keep(f'<a href="{escape(href)}">') + label + keep("</a>")


def _image(target: str, label: str) -> str:
    return f'<img src="{escape(target)}" alt="{escape(label.partition(",")[0].strip(chr(34)))}">'
