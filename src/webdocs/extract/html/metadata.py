"""What does the page say about itself: title, language, description, canonical URL, robots wishes?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from selectolax.lexbor import LexborHTMLParser, LexborNode

from webdocs.extract.html.hidden import strip_invisible
from webdocs.extract.resolve import Resolver

MAX_TITLE_CHARS = 300
MAX_DESCRIPTION_CHARS = 1000

_SEPARATOR = re.compile(r"\s+(?:[-–—|·•»«:/]|&middot;|::)\s+|\s*[|»·•—]\s*|:\s+")
_MARKS = re.compile(r"[\s¶#§¤🔗\uf0c1\u200b]+$")
_MODIFIED_METAS = ("article:modified_time", "og:updated_time", "dcterms.modified", "last-modified")
"""Open Graph's, Dublin Core's, and `http-equiv`; a page that has several means one time."""

_CHANGED = re.compile(r"\b(?:updated|modified|edited|changed)\b", re.IGNORECASE)
_BESIDE_CHARS = 200

MAX_REFRESH_S = 5
"""Our choice: a page that stays longer is meant to be read."""

# WHATWG HTML 4.2.5.3 (shared declarative refresh steps): seconds, a separator, `url=` and quotes may each be missing
_REFRESH = re.compile(
    r"""\s*(?P<seconds>\d+)[\d.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?:(["'])(?P<quoted>[^"']*)|(?P<plain>.+))""",
    re.IGNORECASE | re.DOTALL,
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the head of a page holds. `title` is raw; `title_of` makes the page's title of it."""

    title: str = ""
    site_name: str = ""
    language: str = ""
    description: str = ""
    canonical: str = ""
    refresh: str = ""
    index: bool = True
    follow: bool = True
    modified_at: datetime | None = None
    alternate: str = ""


def read_metadata(tree: LexborHTMLParser, resolver: Resolver) -> Metadata:
    """Read the `<html>` and `<head>` of a page; what is missing stays empty."""
    metas = _metas(tree)
    title = tree.css_first("head > title") or tree.css_first("title")
    robots = {word.strip() for word in metas.get("robots", "").lower().split(",")}
    return Metadata(
        title=_collapse(title.text() if title else "") or metas.get("og:title", ""),
        site_name=metas.get("og:site_name", ""),
        language=_language(tree, metas),
        description=(metas.get("description") or metas.get("og:description", ""))[:MAX_DESCRIPTION_CHARS],
        canonical=_link(tree, resolver, "canonical"),
        alternate=_link(tree, resolver, "alternate", "text/markdown"),
        refresh=_refresh(tree, resolver),
        index=robots.isdisjoint(("noindex", "none")),
        follow=robots.isdisjoint(("nofollow", "none")),
        modified_at=_modified_at(tree, metas),
    )


def title_of(metadata: Metadata, heading: str, url: str) -> str:
    """The page's title, without the site's name.

    Args:
        metadata: Its head.
        heading: Its first heading as plain text; empty if it has none.
        url: Named after its last segment where there is neither title nor heading.
    """
    raw, heading = metadata.title, _MARKS.sub("", _collapse(heading))
    if not raw:
        title = heading or _name_of(url)
    elif heading and _stands_in(heading, raw):
        title = heading
    else:
        title = _without_site_name(raw, metadata.site_name)
    return title[:MAX_TITLE_CHARS]


def _stands_in(heading: str, title: str) -> bool:
    """True if the title is the heading, before or after a separator."""
    if _fold(heading) in [_fold(part) for part in _SEPARATOR.split(title)]:
        return True
    low, wanted = title.lower(), heading.lower()
    starts = low.startswith(wanted) and not low[len(wanted) :][:1].isalnum()
    ends = low.endswith(wanted) and not low[: -len(wanted)][-1:].isalnum()
    return starts or ends


def _fold(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()


def _without_site_name(title: str, site_name: str) -> str:
    if not site_name:
        return title
    pattern = rf"\s*[-–—|·•»:]+\s*{re.escape(site_name)}\s*$"
    return re.sub(pattern, "", title, flags=re.IGNORECASE) or title


def _name_of(url: str) -> str:
    path = url.partition("#")[0].partition("?")[0].rstrip("/")
    return path.rpartition("/")[2] or url


def _metas(tree: LexborHTMLParser) -> dict[str, str]:
    """`<meta>` contents by lower-case name, property or http-equiv; several robots metas are joined."""
    metas: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        attrs = node.attributes
        name = (attrs.get("name") or attrs.get("property") or attrs.get("http-equiv") or "").lower()
        content = _collapse(attrs.get("content") or "")
        if name == "robots" and name in metas:
            metas[name] += "," + content
        else:
            metas.setdefault(name, content)
    return metas


def _language(tree: LexborHTMLParser, metas: dict[str, str]) -> str:
    html = tree.css_first("html")
    attrs = html.attributes if html else {}
    declared = attrs.get("lang") or attrs.get("xml:lang") or metas.get("content-language") or ""
    return declared.split(",")[0].strip()


def _link(tree: LexborHTMLParser, resolver: Resolver, rel: str, media_type: str = "") -> str:
    """Where the first `<link>` of this kind leads; empty if there is none."""
    for link in tree.css("link[rel][href]"):
        attrs = link.attributes
        is_of_type = not media_type or (attrs.get("type") or "").strip().lower() == media_type
        if is_of_type and rel in (attrs.get("rel") or "").lower().split():
            return resolver.resolve(attrs.get("href") or "")
    return ""


def _modified_at(tree: LexborHTMLParser, metas: dict[str, str]) -> datetime | None:
    """When the page says it was changed: in a meta, else in a `time` beside words that say so."""
    written = [metas[name] for name in _MODIFIED_METAS if name in metas]
    for node in tree.css("time[datetime]"):
        attrs = node.attributes
        beside = node.parent.text()[:_BESIDE_CHARS] if node.parent is not None else ""
        if attrs.get("itemprop") == "dateModified" or _CHANGED.search(beside):
            written.append(attrs.get("datetime") or "")
    return next((time for text in written if (time := _time_of(text)) is not None), None)


def _time_of(text: str) -> datetime | None:
    """An ISO 8601 or HTTP date in UTC; one that names no zone is taken for UTC."""
    try:
        time = datetime.fromisoformat(text) if text[:1].isdigit() else parsedate_to_datetime(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _refresh(tree: LexborHTMLParser, resolver: Resolver) -> str:
    """Where the page leads by itself, if it does so soon and leads elsewhere; empty otherwise."""
    for meta in tree.css("meta[http-equiv][content]"):
        attrs = meta.attributes
        if (attrs.get("http-equiv") or "").lower() != "refresh" or _is_for_no_script(meta):
            continue
        found = _REFRESH.match(attrs.get("content") or "")
        if found is None or float(found["seconds"]) > MAX_REFRESH_S:
            continue
        url = resolver.resolve(found["quoted"] or found["plain"] or "").partition("#")[0]
        if url != resolver.page_url.partition("#")[0]:
            return url
    return ""


def _is_for_no_script(node: LexborNode) -> bool:
    """True inside of `noscript`: a browser that runs scripts does not go there."""
    parent = node.parent
    while parent is not None:
        if parent.tag == "noscript":
            return True
        parent = parent.parent
    return False


def _collapse(text: str) -> str:
    return _SPACE.sub(" ", strip_invisible(text)).strip()
