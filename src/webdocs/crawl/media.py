"""Can an answer be a page, as far as its headers say? The body is unread when this is asked."""

from __future__ import annotations

from collections.abc import Mapping

_PAGE_APPLICATIONS = frozenset(("application/xhtml+xml", "application/markdown", "application/x-markdown"))
_NO_PAGE_TEXTS = frozenset(
    ("text/css", "text/javascript", "text/ecmascript", "text/csv", "text/calendar", "text/event-stream")
)


def media_type_of(content_type: str) -> str:
    """The type without its parameters, in lower case; empty where none was sent."""
    return content_type.partition(";")[0].strip().lower()


def judge_media(headers: Mapping[str, str]) -> str:
    """Why the body is no page; empty if it may be one.

    Args:
        headers: With lower-case names.
    """
    if headers.get("content-disposition", "").partition(";")[0].strip().lower() == "attachment":
        return "the server offers a file to save (Content-Disposition: attachment), not a page"
    media_type = media_type_of(headers.get("content-type", ""))
    # Without a type the body decides, later: old servers send Markdown and plain files without one.
    if not media_type or media_type in _PAGE_APPLICATIONS:
        return ""
    if media_type.startswith("text/") and media_type not in _NO_PAGE_TEXTS:
        return ""
    return f"the body is {media_type[:80]}, not a page"
