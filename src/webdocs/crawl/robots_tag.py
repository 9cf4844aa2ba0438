"""What does an `X-Robots-Tag` header ask of us? The header's counterpart of `<meta name="robots">`.

Its form is the search engines' (no RFC): words between commas, which a user agent's name and a colon may narrow to
that agent, up to the next name. Several headers arrive joined by commas.
"""

from __future__ import annotations

from dataclasses import replace

from webdocs.crawl.reading import Reading

_VALUED = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))
"""Directives that carry a value behind a colon of their own, so what stands before the colon is no agent."""


def words_for(header: str, agent: str) -> frozenset[str]:
    """The directives of a header that concern an agent, in lower case.

    Args:
        header: Its value; empty if there was none.
        agent: Our product token in lower case.
    """
    words: set[str] = set()
    is_ours = True
    for part in header.lower().split(","):
        name, colon, rest = (piece.strip() for piece in part.partition(":"))
        if colon and name not in _VALUED:
            is_ours = name in (agent, "*")
            name = rest
        if is_ours and name:
            words.add(name)
    return frozenset(words)


def obey(header: str, agent: str, reading: Reading) -> Reading:
    """The reading with the header's wishes beside the page's own; either may forbid, neither may allow again."""
    words = words_for(header, agent) if header else frozenset()
    if not words.isdisjoint(("noindex", "none")):
        reading = replace(reading, index=False)
    if not words.isdisjoint(("nofollow", "none")):
        reading = replace(reading, follow=False, links=())
    return reading
