"""Does a URL match what a person wrote as include or exclude pattern?

A pattern is a glob, or a regular expression between two slashes (`/v[12]/`), which is searched anywhere in
the URL. In a glob only `*` is special and crosses `/`. A glob that starts with `/` is held against the path
(with the query, if the glob has a `?`), any other against the whole URL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

import re2

from webdocs.crawl.url import normalise_percent, path_of, strip_fragment, target_of
from webdocs.errors import PatternError

MAX_PATTERN_CHARS = 1000
"""Our choice: far longer than any pattern meant for one site."""


_MAX_PROGRAM_BYTES = 1 << 20
"""Our choice: patterns of people need some kB; `(a{999}){999}` would take the 8 MiB that RE2 allows by default."""


class _Expression(Protocol):
    """What `re` and RE2 offer alike."""

    def search(self, text: str, /) -> object | None: ...

    def fullmatch(self, text: str, /) -> object | None: ...


@dataclass(frozen=True, slots=True)
class Pattern:
    """One compiled pattern; `text` is as it was written."""

    text: str
    _expression: _Expression
    _part: str

    @classmethod
    def compile(cls, text: str) -> Pattern:
        """Compile one pattern.

        Raises:
            PatternError: Empty, too long, or an expression that is none.
        """
        if not text or len(text) > MAX_PATTERN_CHARS:
            raise PatternError(
                f"The pattern {text[:40]!r} has {len(text)} characters",
                f"Write one of 1 to {MAX_PATTERN_CHARS}",
            )
        if len(text) > 2 and text.startswith("/") and text.endswith("/"):
            return cls(text, _compile_regex(text), "url")
        part = "target" if "?" in text else "path"
        return cls(text, _compile_glob(text), part if text.startswith("/") else "url")

    def matches(self, url: str) -> bool:
        """True if the URL (its fragment aside) matches."""
        if self._part == "path":
            return self._expression.fullmatch(normalise_percent(path_of(url))) is not None
        if self._part == "target":
            return self._expression.fullmatch(normalise_percent(target_of(url))) is not None
        whole = normalise_percent(strip_fragment(url))
        is_regex = self.text.startswith("/")
        return (self._expression.search if is_regex else self._expression.fullmatch)(whole) is not None


def _compile_glob(text: str) -> re.Pattern[str]:
    # Both sides are normalised, so that `/a b/*`, `/a%20b/*` and `/%61%20b/*` compare as the URLs do.
    literals = [re.escape(normalise_percent(part.replace(" ", "%20"))) for part in text.split("*")]
    if len(literals) == 1:
        return re.compile(literals[0])
    first, *middle, last = literals
    # Leftmost and atomic: exact for `*`, and no pattern can make the match take more than linear time.
    return re.compile(f"(?s:{first}{''.join(f'(?>.*?{part})' for part in middle)}.*{last})")


def _compile_regex(text: str) -> _Expression:
    """RE2 matches in linear time: `re` can be kept busy for years by a short pattern, which a request may bring."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_PROGRAM_BYTES
    try:
        return re2.compile(text[1:-1], options)
    except re2.error as exc:
        reason = exc.args[0].decode(errors="replace") if isinstance(exc.args[0], bytes) else exc
        raise PatternError(
            f"The pattern {text} is no regular expression that RE2 takes: {reason}",
            "Mend it (there is neither look-around nor back-reference), or write a glob without the closing slash",
        ) from exc
