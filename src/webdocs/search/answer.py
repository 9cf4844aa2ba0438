"""What fits into an answer of so many tokens? Pure: passages in order in, cited hits out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from urllib.parse import quote

from webdocs.fence import FenceReader
from webdocs.model import Answer, Hit, StoredChunk
from webdocs.search.fuse import Ranked
from webdocs.search.place import Place

HEAD_MARGIN_TOKENS = 8
"""Room for what stands around a hit's head and text: its number, marks and line ends."""

MIN_HIT_TOKENS = 80
"""Our choice: a cut passage shorter than this helps nobody; the hit is left out instead. The smallest budget that an
agent may name (256) leaves 96 beside what frames the answer."""

MIN_FIRST_TOKENS = 24
"""Our choice: about a line of print; with less beside it the best hit's heading path is shortened."""

MIN_WORDS = 20
"""Our choice: about two lines of print."""

CountTokens = Callable[[Sequence[str]], list[int]]


def compose_answer(
    query: str,
    found: Sequence[tuple[Ranked, StoredChunk, Place]],
    max_tokens: int | None,
    count_tokens: CountTokens,
) -> Answer:
    """Hits, best first, until the budget is used up.

    A passage that does not fit whole is cut at a line end where at least `MIN_HIT_TOKENS` of it fit, and is the
    last one; `Answer.cut` then says what is missing. The best one is there in part wherever its citation leaves room
    for a word, if need be without the outer headings.

    Args:
        query: As asked.
        found: Candidates with their chunks and the places to cite, best first.
        max_tokens: Budget for texts and citations together; None is unlimited.
        count_tokens: The measure.
    """
    hits: list[Hit] = []
    used = 0
    for ranked, chunk, place in found:
        head = _count_head(chunk, place, count_tokens)
        if not hits and max_tokens is not None and max_tokens - head < min(chunk.tokens, MIN_FIRST_TOKENS):
            place = replace(place, heading_path=place.heading_path[-1:])
            head = _count_head(chunk, place, count_tokens)
        room = None if max_tokens is None else max_tokens - used - head
        text = chunk.text if room is None or chunk.tokens <= room else _cut(chunk.text, room, count_tokens)
        if not text and not hits and room is not None:
            text = _first_words(chunk.text, room, count_tokens)
        if not text:
            break
        is_cut = len(text) < len(chunk.text)
        used += head + (count_tokens([text])[0] if is_cut else chunk.tokens)
        hits.append(_hit(ranked, chunk, text, is_cut, place))
        if is_cut:
            break
    return Answer(query, tuple(hits), used, _describe_cut(hits, len(found)))


def _count_head(chunk: StoredChunk, place: Place, count_tokens: CountTokens) -> int:
    return count_tokens([_head(chunk, place)])[0] + HEAD_MARGIN_TOKENS


def anchor_url_of(url: str, anchor: str) -> str:
    """The URL of a place on a page."""
    return f"{url}#{quote(anchor, safe=_FRAGMENT_SAFE)}" if anchor else url


_FRAGMENT_SAFE = "!$&'()*+,;=:@/?-._~"
"""What RFC 3986 section 3.5 allows in a fragment as it is."""


def _head(chunk: StoredChunk, place: Place) -> str:
    """What is said of a hit beside its text, to be counted: heading path, URL, site, version and date."""
    source = (
        f"{anchor_url_of(chunk.url, place.anchor)} | {chunk.site} {chunk.version} | fetched {chunk.fetched_at:%Y-%m-%d}"
    )
    return f"{' > '.join(place.heading_path)}\n{source}"


def _hit(ranked: Ranked, chunk: StoredChunk, text: str, is_cut: bool, place: Place) -> Hit:
    return Hit(
        page_id=chunk.page_id,
        url=chunk.url,
        anchor_url=anchor_url_of(chunk.url, place.anchor),
        title=chunk.title,
        heading_path=place.heading_path,
        text=text,
        score=round(ranked.score, 4),
        method=ranked.method,
        site=chunk.site,
        version=chunk.version,
        fetched_at=chunk.fetched_at,
        truncated=is_cut,
    )


def _cut(text: str, room: int, count_tokens: CountTokens) -> str:
    """As many lines of the text as fit into `room` tokens, an open fence closed; empty if too few do.

    A long paragraph, which is one line, is cut at a word.
    """
    if room < MIN_HIT_TOKENS:
        return ""
    lines = text.split("\n")
    costs = count_tokens(lines)
    kept: list[str] = []
    reader = FenceReader()
    left = room - 8  # for a closing fence and the line ends that a tokenizer counts apart
    for line, cost in zip(lines, costs, strict=True):
        left -= cost + 1
        if left < 0:
            kept += _begin_line(line, left + cost, count_tokens) if not reader.opening else []
            break
        kept.append(line)
        reader.read(line)
    return "\n".join([*kept, reader.closing] if reader.opening else kept).rstrip()


def _first_words(text: str, room: int, count_tokens: CountTokens) -> str:
    """As many words as fit into `room` tokens, on one line without marks; empty if not even a piece of one does."""
    words = [bare for word in text.split() if (bare := word.strip("`#|")).strip("-")]
    kept: list[str] = []
    left = room - 1  # the dots
    for word, cost in zip(words, count_tokens(words), strict=True):
        left -= cost
        if left < 0:
            break
        kept.append(word)
    beginning = " ".join(kept) or _first_letters(words[0] if words else "", room - 1, count_tokens)
    return f"{beginning} …" if beginning else ""


def _first_letters(word: str, room: int, count_tokens: CountTokens) -> str:
    """A beginning of a word that fits: half of it, or half of that."""
    while word and count_tokens([word])[0] > room:
        word = word[: len(word) // 2]
    return word


def _begin_line(line: str, room: int, count_tokens: CountTokens) -> list[str]:
    """The beginning of a line of prose, as a line or none: too few words, or a part of a table's row, tell nothing."""
    words = line.split(" ")
    kept = 0
    for cost in count_tokens(words):
        room -= cost
        if room < 0:
            break
        kept += 1
    return [" ".join(words[:kept]) + " …"] if kept >= MIN_WORDS and not line.startswith(("|", "`")) else []


def _describe_cut(hits: Sequence[Hit], n_found: int) -> str:
    parts = []
    if hits and hits[-1].truncated:
        parts.append("the last passage was cut")
    if n_found > len(hits):
        parts.append(f"{n_found - len(hits)} more found did not fit")
    return " and ".join(parts)
