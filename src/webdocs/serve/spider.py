"""How is an agent's submission crawled? Contract E's spider options as crawl options, within its ceilings. Pure."""

from __future__ import annotations

import re
from typing import cast
from urllib.parse import urlsplit

import ada_url

from webdocs.errors import InputError, UrlError
from webdocs.model import CrawlOptions, RenderMode
from webdocs.serve.tool_arguments import SubmitDocumentArguments
from webdocs.settings import Settings

MAX_PAGES = 200
"""Contract E: a ceiling that no request raises."""

MAX_DEPTH = 5
"""Contract E."""


def spider_options(request: SubmitDocumentArguments, settings: Settings) -> tuple[CrawlOptions, tuple[str, ...]]:
    """Crawl options, and what was clamped, in words."""
    notes = []
    if request.spider and request.max_pages > MAX_PAGES:
        notes.append(f"maxPages {request.max_pages} was lowered to {MAX_PAGES}, the most for a submission.")
    if request.spider and request.max_depth > MAX_DEPTH:
        notes.append(f"maxDepth {request.max_depth} was lowered to {MAX_DEPTH}, the most for a submission.")
    options = CrawlOptions(
        max_pages=min(request.max_pages, MAX_PAGES) if request.spider else 1,
        max_depth=min(request.max_depth, MAX_DEPTH) if request.spider else 0,
        scope="domain",
        path_prefix=request.path_prefix or "",
        include=_own_host_patterns(request.url) if request.same_domain else (),
        exclude=tuple(request.exclude_patterns),
        delay_s=settings.crawl_delay,
        concurrency=settings.concurrency,
        respect_robots=settings.respect_robots,
        allow_private=settings.allow_private,
        render=cast("RenderMode", settings.render),
    )
    return options, tuple(notes)


def _own_host_patterns(url: str) -> tuple[str, ...]:
    """`sameDomain`: the host and its subdomains, but not the hosts beside it in the registrable domain."""
    host = re.escape(host_of(url))
    return (rf"/^https?://(?:[^/?#]+\.)?{host}(?::\d+)?(?:[/?#]|$)/",)


def host_of(url: str) -> str:
    """The host that would be dialled, as the URL parser of the crawl reads it.

    Raises:
        UrlError: the text is no absolute URL.
    """
    try:
        return urlsplit(ada_url.URL(url).href).hostname or ""
    except ValueError as exc:
        raise UrlError(f"{url[:200]!r} is not an absolute URL", "Give one that begins with https://.") from exc


def check_submit_host(url: str, allowed: tuple[str, ...]) -> None:
    """Refuse a host that the operator did not name in `WEBDOCS_SUBMIT_HOSTS`; with none named, any will do.

    A name with a leading `*.` also stands for every subdomain.

    Raises:
        InputError: with the hosts that are allowed.
    """
    host = host_of(url)
    if allowed and not any(_is_host_in(host, name.lower()) for name in allowed):
        raise InputError(
            f"Pages of {host or 'this host'} may not be submitted here",
            f"Allowed hosts: {', '.join(allowed)}. The operator sets them in WEBDOCS_SUBMIT_HOSTS.",
        )


def _is_host_in(host: str, name: str) -> bool:
    return host == name.removeprefix("*.") or (name.startswith("*.") and host.endswith(name[1:]))
