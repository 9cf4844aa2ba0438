"""Can an answer be a page, as far as its headers say? The body is unread when this is asked."""

from __future__ import annotations

from collections.abc import Mapping

from webdocs.model import Formats

_PAGE_APPLICATIONS = frozenset(("application/xhtml+xml", "application/markdown", "application/x-markdown"))
_NO_PAGE_TEXTS = frozenset(
    ("text/css", "text/javascript", "text/ecmascript", "text/csv", "text/calendar", "text/event-stream")
)

_SAYS_NOTHING = frozenset(("application/octet-stream", "binary/octet-stream", "application/json"))
"""Labels that servers put on files which they do not know: the ending decides."""

NO_FORMATS = Formats()


def media_type_of(content_type: str) -> str:
    """The type without its parameters, in lower case; empty where none was sent."""
    return content_type.partition(";")[0].strip().lower()


def judge_media(headers: Mapping[str, str], path: str = "/", formats: Formats = NO_FORMATS) -> str:
    """Why the body is no page; empty if it may be one.

    Args:
        headers: With lower-case names.
        path: Of the URL: its ending counts where the type says nothing.
        formats: Which files can be read beside HTML and text.
    """
    if headers.get("content-disposition", "").partition(";")[0].strip().lower() == "attachment":
        return "the server offers a file to save (Content-Disposition: attachment), not a page"
    media_type = media_type_of(headers.get("content-type", ""))
    # Without a type the body decides, later: old servers send Markdown and plain files without one.
    if not media_type or media_type in _PAGE_APPLICATIONS or media_type in formats.media_types:
        return ""
    if media_type.startswith("text/") and media_type not in _NO_PAGE_TEXTS:
        return ""
    suffix = suffix_of(path) if media_type in _SAYS_NOTHING else ""
    if suffix in formats.suffixes:
        return ""
    remedy = formats.missing.get(media_type) or formats.missing.get(suffix)
    return f"the body is {media_type[:80]}, not a page" + (f"; {remedy}" if remedy else "")


def suffix_of(path: str) -> str:
    """The ending of a path's last part, lower case, without the dot; empty if it has none."""
    stem, _, suffix = path.rpartition("/")[2].rpartition(".")
    return suffix.lower() if stem else ""
