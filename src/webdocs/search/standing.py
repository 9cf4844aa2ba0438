"""How much does a passage's score count? Pure.

A table of contents, a printed index or a list of releases repeats the words of everything that it names, and answers
nothing: it should stand below what it leads to. The figures are in docs/decisions/0023-ranking.md.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

FEW_LINKS, MOSTLY_LINKS = 0.2, 0.8
"""Shares of a passage's letters that stand in links. Prose about an interface links a name in five words; between the
two a passage's standing falls evenly."""

LIST_OF_LINKS = 0.6
"""What the score of a passage counts that is nothing but links."""

RELEASE_NOTES = 0.9
"""Likewise for what changed in some release: where the thing itself is described is the better answer."""

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\((?:<[^<>]*>|(?:[^()\s]|\([^()\s]*\))*)\)")
_LETTER = re.compile(r"[^\W_]+")
_RELEASES = re.compile(
    r"(?:^|/)(?:whats-?new|changes|changelogs?|change-?log|release-?notes|releases|news|history)(?:[/.-]|$)",
    re.IGNORECASE,
)


def standing_of(markdown: str, url: str) -> float:
    """The standing of a passage of a page, above 0 and at most 1.

    Args:
        markdown: The passage.
        url: Of its page.
    """
    of_links = min(max((_link_share(markdown) - FEW_LINKS) / (MOSTLY_LINKS - FEW_LINKS), 0.0), 1.0)
    of_page = RELEASE_NOTES if _RELEASES.search(urlsplit(url).path.replace("_", "-")) else 1.0
    return of_page * (1.0 - (1.0 - LIST_OF_LINKS) * of_links)


def _link_share(markdown: str) -> float:
    """The share of letters and digits that stand in links; headings do not count."""
    if "](" not in markdown:
        return 0.0
    text = "\n".join(line for line in markdown.split("\n") if not line.startswith("#"))
    linked = sum(_count_letters(match[1]) for match in _LINK.finditer(text))
    return linked / max(1, _count_letters(_LINK.sub(r"\1", text)))


def _count_letters(text: str) -> int:
    return sum(map(len, _LETTER.findall(text)))
