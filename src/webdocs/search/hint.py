"""What can be tried where nothing was found, or a name is unknown? Pure."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from webdocs.model import Source

MAX_NAMES = 12
"""Our choice: as many names as are read at a glance."""

_MIN_LIKENESS = 0.5
"""Our choice: `pyton` and `python3` are near `python`, `rust` is not. difflib's ratio, 0 to 1."""


def closest(name: str, known: Sequence[str]) -> str:
    """The known name that was probably meant, case aside; empty if none is near."""
    folded = {other.casefold(): other for other in known}
    wanted = name.casefold()
    part = next((other for key, other in folded.items() if wanted and (wanted in key or key in wanted)), "")
    near = get_close_matches(wanted, folded, 1, _MIN_LIKENESS)
    return folded[near[0]] if near else part


def hint_of(sources: Sequence[Source], site: str, version: str, missing: Sequence[str]) -> str:
    """What to do where nothing was found.

    Args:
        sources: Everything that is indexed.
        site: That was searched; empty is all.
        version: Likewise.
        missing: Words of the question that no passage has.
    """
    if not sources:
        return "Nothing is indexed yet: `webdocs add URL` adds a site."
    parts = []
    if missing:
        parts.append(f"No passage has: {', '.join(missing[:5])}.")
    if site or version:
        parts.append(f"Only {f'{site} {version}'.strip()} was searched; leave it out to search everything.")
    parts.append(f"Indexed: {_names(sources)}.")
    parts.append("Try other words: those of the documentation, a name from the API, fewer of them.")
    return " ".join(parts)


def _names(sources: Sequence[Source]) -> str:
    names = sorted({f"{source.site} {source.version}".strip() for source in sources})
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return ", ".join(names[:MAX_NAMES]) + more
