"""What is left of Markdown when its marks go: the words that are indexed.

Identifiers survive: an underscore is never a mark here, a star only in pairs that the emitter wrote, and what stands in
code or behind a backslash is taken as it is.
"""

from __future__ import annotations

import re

from webdocs.fence import FenceReader

_LABEL = r"(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.|\[[^\[\]]*\]\([^()]*\))*\](?:\((?:<[^<>]*>|[^()\s]*)\))?)*"
_TARGET = r"\((?:<[^<>]*>|(?:[^()\s]|\([^()\s]*\))*)(?:\s+\"[^\"]*\")?\)"
_INLINE = re.compile(
    r"`(?<!``)(?P<tick>`*)(?!`)(?P<code>.+?)(?<!`)`(?P=tick)(?!`)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    rf"|\[(?P<label>{_LABEL})\]{_TARGET}"
    rf"|!\[(?P<alt>{_LABEL})\]{_TARGET}"
    r"|<br>",
    re.DOTALL,
)
"""Each branch starts with a character of its own, so that the search leaps from one such character to the next."""
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_EMPHASIS = re.compile(r"\*(?=\S)([^*\n]+?)(?<=\S)\*")
_HEADING = re.compile(r"^#{1,6} ")
_QUOTE = re.compile(r"^(?:> ?)+")
_DELIMITER_ROW = re.compile(r"^\|(?: *:?-{3,}:? *\|)+$")
_PIPE = re.compile(r"(?<!\\)\|")
_KEPT = {"*": "\ufdd0", "[": "\ufdd1", "]": "\ufdd2", "\\": "\ufdd3", "`": "\ufdd4"}
_RESTORED = {held: char for char, held in _KEPT.items()} | {"\ufdd5": "|"}
_MARK = re.compile(r"[*\[\]\\`]")


def plain_of(markdown: str) -> str:
    """The text of Markdown without targets, marks, fence lines and pipes; code as it stands."""
    if "```" not in markdown and "~~~" not in markdown:
        return "\n".join(_plain_prose(markdown.split("\n"))).strip("\n")
    reader = FenceReader()
    lines: list[str] = []
    prose: list[str] = []
    for line in markdown.split("\n"):
        kind = reader.read(line)
        if kind == "text":
            prose.append(line)
            continue
        if prose:
            lines.extend(_plain_prose(prose))
            prose = []
        if kind == "code":
            lines.append(_QUOTE.sub("", line))
    lines.extend(_plain_prose(prose))
    return "\n".join(lines).strip("\n")


def plain_line(markdown: str) -> str:
    """A heading or other single line as plain text."""
    return " ".join(_plain_inline(_HEADING.sub("", markdown)).split())


def _plain_prose(lines: list[str]) -> list[str]:
    """Lines outside of fences; marks may run over line ends."""
    kept = [_bare_line(line) for line in lines]
    return _plain_inline("\n".join(line for line in kept if line is not None)).split("\n")


def _bare_line(line: str) -> str | None:
    """A line without the marks at its start; None for the line under a table's header."""
    if line.startswith(">"):
        line = _QUOTE.sub("", line)
    if line.startswith("#"):
        line = _HEADING.sub("", line)
    if not line.startswith("|"):
        return line.rstrip()
    if _DELIMITER_ROW.match(line):
        return None
    return " ".join(_PIPE.sub(" ", line).replace("\\|", "\ufdd5").split())


def _plain_inline(text: str) -> str:
    if not any(char in text for char in "`\\[*<\ufdd5"):
        return text
    text = _INLINE.sub(_unmark, text)
    if "*" in text:
        text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))
    for held, char in _RESTORED.items():
        text = text.replace(held, char)
    return text


def _unmark(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "code":
        code = match["code"]
        if match["tick"] and code[:1] == code[-1:] == " ":
            code = code[1:-1]
        return _MARK.sub(lambda mark: _KEPT[mark[0]], code)
    if kind == "escaped":
        return _KEPT.get(match["escaped"], match["escaped"])
    if kind is None:
        return " "
    return _INLINE.sub(_unmark, match[kind])
