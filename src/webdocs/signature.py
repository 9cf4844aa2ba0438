"""What does a signature define, and which id links to exactly that? Pure, and shared: passages are cut and cited by it.

A signature is the first line of a definition: a call, a class, an option (`BlockKind` "signature"), or a term of a list
("definition").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webdocs.model import BlockKind

DEFINING_KINDS: frozenset[BlockKind] = frozenset(("signature", "definition"))
"""Blocks that name what the blocks after them tell of."""

_END_OF_NAME = re.compile(r"\(|\[|<(?=[A-Z\w, ]*>)|\s*[:=]\s|=|\s->|\s{2,}")
"""Where arguments, type, default value or result begin."""

_ALTERNATIVE = re.compile(r",\s+")
_NAME = re.compile(r"[-\w.$@:]+")
_PIECE = re.compile(r"\w+")
_LABEL = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def names_of(signature: str) -> tuple[str, ...]:
    """The names that a signature's Markdown defines, as they are written: `dict.get`, `--force`, `-f`."""
    line = _LABEL.sub(r"\1", signature.partition("\n")[0]).replace("\\", "").strip("`* ")
    names: list[str] = []
    for alternative in _ALTERNATIVE.split(_head(line)):
        words = _NAME.findall(alternative)
        if words:  # an option's value follows its name, a type or a keyword stands before it
            names.append((words[0] if words[0].startswith("-") else words[-1]).strip(".:"))
    return tuple(dict.fromkeys(name for name in names if name))


def permalink_of(signature: str, anchors: Sequence[str]) -> str:
    """The id that spells what a signature defines, and so was made for it; empty where none does.

    `asyncio.run`, `method.push`, `cmdoption-W` say the name as it is written. One that does not (`GUC-PORT` for `port`,
    `index-3`) marks a place in the text, and the section around it is the better citation.
    """
    wanted = [_PIECE.findall(last_part(name)) for name in names_of(signature)]
    for anchor in anchors:
        pieces = _PIECE.findall(anchor)
        if any(_holds(pieces, name) for name in wanted if name):
            return anchor
    return ""


def last_part(name: str) -> str:
    """What a dotted name says without its qualifiers: `get` of `dict.get`."""
    return re.split(r"\.|::|#", name)[-1] or name


def _head(line: str) -> str:
    """The line up to where its arguments begin; a line that opens with a bracket is all head."""
    match = _END_OF_NAME.search(line, 1)
    return line if match is None else line[: match.start()]


def _holds(pieces: Sequence[str], name: Sequence[str]) -> bool:
    length = len(name)
    return any(pieces[start : start + length] == name for start in range(len(pieces) - length + 1))
