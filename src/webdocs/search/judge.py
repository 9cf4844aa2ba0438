"""How well did a search answer judged questions? Pure: judged rows and answered URLs in, means out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from webdocs.errors import InputError

MRR_CUTOFF = 10
CUTOFF = 5
"""Pages that count for hit@5 and nDCG@5: as many as an answer has by default."""

_SHOWN_FAULTS = 10
_ENDINGS = (".md", ".html", ".htm", "/index")


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with what answers it.

    Attributes:
        query: The question.
        relevant: URLs or paths of the pages that answer it, at least one.
        anchors: One of these pages to the ids on it that are a right citation; empty where only pages are judged.
        kind: A label by which means are taken apart; may be empty.
    """

    query: str
    relevant: tuple[str, ...]
    anchors: Mapping[str, frozenset[str]] = field(default_factory=dict)
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one question was answered, each in [0, 1], higher is better; sections are None where none are judged."""

    query: str
    kind: str
    mrr_at_10: float
    hit_at_5: float
    ndcg_at_5: float
    section_at_1: float | None = None
    section_at_5: float | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Means:
    """Means of verdicts; `sections` of the `count` questions have judged sections."""

    count: int
    mrr_at_10: float
    hit_at_5: float
    ndcg_at_5: float
    sections: int
    section_at_1: float | None
    section_at_5: float | None
    tokens: float | None


def read_judged(lines: Iterable[str]) -> list[Judged]:
    """The rows of a file with one JSON object a line: `query`, `relevant`, and if wanted `anchors` and `kind`.

    Raises:
        InputError: lines that are none, each named with its number.
    """
    rows: list[Judged] = []
    faults: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append(_read_row(line))
        except ValueError as error:
            faults.append(f"line {number}: {error}")
    if faults:
        more = f"; and {len(faults) - _SHOWN_FAULTS} more" if len(faults) > _SHOWN_FAULTS else ""
        raise InputError("; ".join(faults[:_SHOWN_FAULTS]) + more, 'A row is {"query": "...", "relevant": ["URL"]}.')
    if not rows:
        raise InputError("The file holds no question", 'A row is {"query": "...", "relevant": ["URL"]}.')
    return rows


def _read_row(line: str) -> Judged:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON ({error.msg} at character {error.pos})") from error
    row = row if isinstance(row, dict) else {}
    query, relevant, anchors = row.get("query"), row.get("relevant"), row.get("anchors") or {}
    if not isinstance(query, str) or not query.strip():
        raise ValueError("query must be text")
    if not _is_texts(relevant) or not relevant:
        raise ValueError("relevant must be a list of URLs or paths, at least one")
    if not isinstance(anchors, dict) or not all(map(_is_texts, anchors.values())):
        raise ValueError("anchors must be an object of page to list of ids")
    right = {page: frozenset(ids) for page, ids in anchors.items()}
    return Judged(query, tuple(relevant), right, str(row.get("kind", "")))


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and item for item in value)


def is_same_page(url: str, judged: str) -> bool:
    """Does a URL name a judged page? A path is that of any site, whatever folder the site lies in."""
    path, wanted = _page_key(url), _page_key(judged)
    host = urlsplit(judged).netloc
    if host:
        return path == wanted and urlsplit(url).netloc == host
    return path == wanted or path.endswith(f"/{wanted}")


def _page_key(url: str) -> str:
    """Path without slashes at its ends, lower case; a page, its folder and its Markdown are alike."""
    path = unquote(urlsplit(url).path).strip("/").lower()
    for ending in _ENDINGS:
        path = path.removesuffix(ending)
    return path


def judge(row: Judged, urls: Sequence[str], tokens: int | None = None) -> Verdict:
    """Hold the answered URLs against the right ones.

    Args:
        row: The question.
        urls: With their fragments, best first; of a page that comes twice the first one counts.
        tokens: Length of the answer, if known.
    """
    first_of: dict[str, str] = {}
    for url in urls:
        first_of.setdefault(urlsplit(url).netloc + "/" + _page_key(url), url)
    pages = list(first_of.values())
    gains = _gains(row, pages[:MRR_CUTOFF])
    first = next((place for place, gain in enumerate(gains, 1) if gain), None)
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(CUTOFF, len(row.relevant)) + 1))
    gained = sum(gain / math.log2(place + 1) for place, gain in enumerate(gains[:CUTOFF], 1))
    cited = [_is_right_section(row, url) for url in urls[:CUTOFF]]
    return Verdict(
        row.query,
        row.kind,
        1 / first if first else 0.0,
        float(any(gains[:CUTOFF])),
        gained / ideal,
        float(any(cited[:1])) if row.anchors else None,
        float(any(cited)) if row.anchors else None,
        tokens,
    )


def _gains(row: Judged, pages: Sequence[str]) -> list[int]:
    """1 for a right page, each of the judged ones once."""
    left = list(row.relevant)
    gains = []
    for url in pages:
        found = next((page for page in left if is_same_page(url, page)), None)
        if found is not None:
            left.remove(found)
        gains.append(int(found is not None))
    return gains


def _is_right_section(row: Judged, url: str) -> bool:
    fragment = unquote(urlsplit(url).fragment)
    return any(is_same_page(url, page) and fragment in ids for page, ids in row.anchors.items())


def means_of(verdicts: Sequence[Verdict]) -> Means:
    """The means of at least one verdict."""
    of_section = [verdict for verdict in verdicts if verdict.section_at_5 is not None]
    return Means(
        len(verdicts),
        _mean([verdict.mrr_at_10 for verdict in verdicts]) or 0.0,
        _mean([verdict.hit_at_5 for verdict in verdicts]) or 0.0,
        _mean([verdict.ndcg_at_5 for verdict in verdicts]) or 0.0,
        len(of_section),
        _mean([verdict.section_at_1 or 0.0 for verdict in of_section]),
        _mean([verdict.section_at_5 or 0.0 for verdict in of_section]),
        _mean([verdict.tokens for verdict in verdicts if verdict.tokens is not None]),
    )


def means_by_kind(verdicts: Sequence[Verdict]) -> dict[str, Means]:
    """The means over `all`, and over each kind where there are several."""
    kinds = sorted({verdict.kind for verdict in verdicts})
    apart = {kind or "other": [v for v in verdicts if v.kind == kind] for kind in kinds} if len(kinds) > 1 else {}
    return {name: means_of(found) for name, found in {"all": list(verdicts), **apart}.items()}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
