"""Is a folder of a path a language, and do two such folders name different ones?

Codes are ISO 639-1 with a region or script behind a dash (BCP 47), as documentation is translated into them.
Some are words or abbreviations as well (`it`, `no`, `hr`, `cs`): of two folders at one place at least one must be a
clear code, so that `/docs/it/` beside `/docs/hr/` are two departments, and `/it/` beside `/en/` is Italian.
"""

from __future__ import annotations

import re

_CLEAR_LANGUAGES = """
    ar bg bn ca da de el en es eu fa fi fr he hi hu hy ja ka kk ko lt lv nb nl pl pt ro ru sk sl sq sr sv ta th
    uk ur uz vi zh
"""
CLEAR_LANGUAGES = frozenset(_CLEAR_LANGUAGES.split())

WORDS_AS_WELL = frozenset(["be", "cs", "et", "gl", "hr", "id", "is", "it", "ml", "ms", "my", "no", "tr"])
"""Belarusian, Czech, Estonian, Galician, Croatian, Indonesian, Icelandic, Italian, Malayalam, Malay, Burmese,
Norwegian, Turkish; in English paths also C#, OpenGL, human resources, identity, IT, machine learning."""

_REGIONS = """
    ae ar at au be bg br ca ch cl cn co cz de dk ee eg es fi fr gb gr hk hr hu id ie il in ir it jp kr lt lv mo
    mx my nl no nz pe ph pl pt ro rs ru sa se sg si sk th tr tw ua uk us vn za hans hant latn cyrl 419
"""
REGIONS = frozenset(_REGIONS.split())

_CODE = re.compile(r"([a-z]{2})(?:[-_]([a-z]{2}|[a-z]{4}|\d{3}))?(?:[-_]([a-z]{2}))?")


def is_language(segment: str) -> bool:
    """True for a language code, in lower case: `ja`, `zh-cn`, `pt_br`, `zh-hans-cn`."""
    return _base_of(segment) != ""


def is_clear_language(segment: str) -> bool:
    """True for a language code that is no word beside."""
    return _base_of(segment) in CLEAR_LANGUAGES


def is_other_language(one: str, other: str) -> bool:
    """True if two segments at one place name different languages, or one language for different regions."""
    if not (is_language(one) and is_language(other)) or one.replace("_", "-") == other.replace("_", "-"):
        return False
    return is_clear_language(one) or is_clear_language(other)


def _base_of(segment: str) -> str:
    """The language of a code; empty for what is none."""
    match = _CODE.fullmatch(segment)
    if match is None or any(part and part not in REGIONS for part in match.groups()[1:]):
        return ""
    return match[1] if match[1] in CLEAR_LANGUAGES | WORDS_AS_WELL else ""
