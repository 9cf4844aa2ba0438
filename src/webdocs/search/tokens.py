"""Which terms does a text have? One rule for documents and queries.

An identifier gives itself, whole and lower-cased, and its parts (`pg_stat_activity`, `os.path.join`,
`createIndex`), so that both the exact name and its words find it. Parts that read as English words are
stemmed; the whole never is. Words that only hold sentences together are left out, unless they stand in
capitals, as SQL keywords do.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache

import snowballstemmer

from webdocs.model import TermCounts

MAX_TERM_CHARS = 64
"""Our choice: longer runs are hashes and encoded data, which nobody searches by."""

_WORD = re.compile(r"\b[A-Za-z](?:\+\+|#)|\w+(?:[.:/\-'’]+\w+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")

_FUNCTION_WORDS = """
a an and are as at be been but by can did do does for from had has have how i if in into is it its me my of on or our
s so such t than that the their them then there these they this to was we were what when where which who why will with
you your
"""

STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Function words of English; question words too, since a question's answer rarely repeats them."""

_stemmer = snowballstemmer.stemmer("english")


def terms_of(text: str) -> list[str]:
    """The terms of a text in order, repeated as they repeat."""
    return list(itertools.chain.from_iterable(map(_expand, _WORD.findall(text))))


def count_wanted(text: str, wanted: Collection[str]) -> dict[str, int]:
    """How often each of some terms stands in a text; one that does not stand there is left out.

    What the whole text's terms are counted for, without making most of them: an English stem begins as its word does.
    """
    initials = {term[0] for term in wanted}
    found: dict[str, int] = {}
    for word, count in Counter(_WORD.findall(text)).items():
        if word[1:].islower() and word.isascii() and word.isalpha() and word[0].lower() not in initials:
            continue
        for term in _expand(word):
            if term in wanted:
                found[term] = found.get(term, 0) + count
    return found


def query_terms(query: str) -> tuple[str, ...]:
    """The distinct terms of a query, in order. A query of stop words alone keeps them."""
    terms = terms_of(query) or [word.lower() for word in re.findall(r"\w+", query)]
    return tuple(dict.fromkeys(terms))


def count_terms(body: str, headings: Iterable[str]) -> TermCounts:
    """How often each term stands in a chunk's body and in the headings above it."""
    in_body = Counter(terms_of(body))
    in_heading = Counter(term for heading in headings for term in terms_of(heading))
    terms = tuple(in_body | in_heading)
    return TermCounts(terms, tuple(in_body[term] for term in terms), tuple(in_heading[term] for term in terms))


def is_identifier_like(query: str) -> bool:
    """True where the query names code rather than asks in words: `pg_dump`, `os.path.join`, `--force`, `useState`.

    Mostly such a query is one word, or has a word with an inner mark, a capital in mid-word, or all capitals.
    """
    words = query.split()
    return bool(words) and (len(words) == 1 or any(_looks_like_code(word) for word in words))


_CODE = re.compile(r"\w[_.:/]+\w|^-{1,2}\w|[a-z][A-Z]|\(\)|^[A-Z][A-Z0-9]+$|^__\w+__$|\d")


def _looks_like_code(word: str) -> bool:
    return bool(_CODE.search(word.strip(",;?!\"'")))


@lru_cache(maxsize=50_000)
def _expand(word: str) -> tuple[str, ...]:
    """The terms of one run of letters, digits and joining marks."""
    word = word.replace("’", "'").removesuffix("'s")
    whole = _fold(word)
    if _UNSPACED.search(whole):
        return _bigrams(whole)
    if whole.isalpha() and not _has_inner_capital(word):
        is_left_out = whole in STOP_WORDS and not _is_keyword(word)
        return () if is_left_out or len(whole) > MAX_TERM_CHARS else (_stem(whole),)
    parts = tuple(
        _stem(part)
        for part in (_fold(piece) for piece in _PART.findall(word))
        if part not in STOP_WORDS and len(part) <= MAX_TERM_CHARS
    )
    return parts if parts == (whole,) or len(whole) > MAX_TERM_CHARS else (whole, *parts)


def _has_inner_capital(word: str) -> bool:
    return not (word.islower() or word.isupper() or word[1:].islower())


def _is_keyword(word: str) -> bool:
    return len(word) > 1 and word.isupper()


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return _stemmer.stemWord(word)


def _fold(word: str) -> str:
    """Lower case without diacritics."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return unicodedata.normalize("NFC", "".join(char for char in decomposed if not unicodedata.combining(char)))


def _bigrams(word: str) -> tuple[str, ...]:
    letters = [char for char in word if char.isalnum()]
    return tuple(a + b for a, b in itertools.pairwise(letters)) or tuple(letters)
