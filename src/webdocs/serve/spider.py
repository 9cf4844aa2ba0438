"""How is an agent's submission crawled? Contract E's spider options as crawl options, within its ceilings. Pure."""

from __future__ import annotations

from typing import cast
from urllib.parse import urlsplit

import ada_url

from webdocs.crawl.scope import is_host_in
from webdocs.errors import InputError, PatternError, UrlError
from webdocs.model import CrawlOptions, RenderMode
from webdocs.serve.tool_arguments import SubmitDocumentArguments
from webdocs.settings import Settings

MAX_PAGES = 200
"""Contract E: a ceiling that no request raises."""

MAX_DEPTH = 5
"""Contract E."""

PAGE_LIMIT_S = 30.0
"""Contract E."""

TIME_LIMIT_S = 600.0
"""Contract E: 10 minutes in all."""


def spider_options(
    request: SubmitDocumentArguments, settings: Settings, submit_hosts: tuple[str, ...] = ()
) -> tuple[CrawlOptions, tuple[str, ...]]:
    """Crawl options, and what was clamped, in words.

    Args:
        request: What was asked for.
        settings: Of the process that crawls.
        submit_hosts: The only hosts that may be crawled; empty is any.

    Raises:
        PatternError: an exclude pattern is no glob.
    """
    options = CrawlOptions(
        max_pages=min(request.max_pages, MAX_PAGES) if request.spider else 1,
        max_depth=min(request.max_depth, MAX_DEPTH) if request.spider else 0,
        scope="subdomains" if request.same_domain else "web",
        only_hosts=submit_hosts,
        path_prefix=request.path_prefix or "",
        exclude=tuple(_check_glob(pattern) for pattern in request.exclude_patterns),
        delay_s=settings.crawl_delay,
        concurrency=settings.concurrency,
        respect_robots=settings.respect_robots,
        allow_private=settings.allow_private,
        render=cast("RenderMode", settings.render),
        reads_sitemaps=False,  # contract E: links are taken from the HTML
        time_limit_s=TIME_LIMIT_S,
        page_limit_s=PAGE_LIMIT_S,
    )
    return options, _explain_clamps(request)


def _explain_clamps(request: SubmitDocumentArguments) -> tuple[str, ...]:
    notes = []
    if request.spider and request.max_pages > MAX_PAGES:
        notes.append(f"maxPages {request.max_pages} was lowered to {MAX_PAGES}, the most for a submission.")
    if is_depth_clamped(request):
        notes.append(f"maxDepth {request.max_depth} was lowered to {MAX_DEPTH}, the most for a submission.")
    return tuple(notes)


def is_depth_clamped(request: SubmitDocumentArguments) -> bool:
    """True if the crawl goes less deep than it was asked to."""
    return request.spider and request.max_depth > MAX_DEPTH


def _check_glob(pattern: str) -> str:
    """The pattern, which is no regular expression: contract E takes globs only."""
    if len(pattern) > 2 and pattern.startswith("/") and pattern.endswith("/"):
        raise PatternError(
            f"The pattern {pattern[:100]} is no glob", f"Write {pattern[:100]}* for all that lies in that folder"
        )
    return pattern


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
    if allowed and not any(is_host_in(host, name.lower()) for name in allowed):
        raise InputError(
            f"Pages of {host or 'this host'} may not be submitted here",
            f"Allowed hosts: {', '.join(allowed)}. The operator sets them in WEBDOCS_SUBMIT_HOSTS.",
        )
