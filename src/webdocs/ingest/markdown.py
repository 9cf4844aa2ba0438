"""What of a site's Markdown offer is what it says it is?"""

from __future__ import annotations

import re

from webdocs.extract import is_html, text_of
from webdocs.llmstxt import read_seeds
from webdocs.llmstxt import text_of as text_of_list
from webdocs.model import Fetched

LEAST_WORDS = 8
"""Our choice: shorter bodies are "not found", "loading" and bare titles, not pages."""

_TEXT_TYPES = frozenset(("", "text/markdown", "text/x-markdown", "text/plain", "application/markdown"))
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n.*?\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}[ \t].*$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_NOT_FOUND = re.compile(r"\s*(?:#+\s*)?(?:error\s*:?\s*)?(?:404\b|(?:page\s+)?not\s+found\b)", re.IGNORECASE)


def judge_markdown(fetched: Fetched) -> str:
    """Why a body does not stand for a page as its Markdown; empty if it does (contract F7)."""
    media_type = fetched.content_type.partition(";")[0].strip().lower()
    if media_type not in _TEXT_TYPES:
        return f"its type is {media_type[:80]}"
    text = text_of(fetched.body, fetched.content_type)
    if is_html(text):
        return "it is HTML"
    return "it is a stub" if is_stub(text) else ""


def is_stub(text: str) -> bool:
    """True if the text says next to nothing besides its title, or that there is nothing."""
    body = _FRONT_MATTER.sub("", text, count=1)
    if _NOT_FOUND.match(body):
        return True
    words = _WORD.findall(_HEADING.sub("", body)[:2000])
    return len(words) < LEAST_WORDS


def read_list(fetched: Fetched) -> tuple[str, ...]:
    """The links of an llms.txt as written; none if it is no such file."""
    text = text_of_list(fetched)
    return tuple(seed.url for seed in read_seeds(text).seeds) if text else ()
