"""What is a source called, and may its URL be crawled at all? Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from webdocs.crawl import (
    AllowList,
    Scope,
    host_of,
    judge_address,
    judge_host,
    parse_start,
    path_of,
    port_of,
    registrable_domain,
    strip_fragment,
)
from webdocs.errors import SettingError, UrlError
from webdocs.model import CrawlOptions, Source, source_id_of

MAX_NAME_CHARS = 120
"""Our choice: names stand in lists, paths and commands."""

_DEFAULT_PORTS = (80, 443)


def make_source(url: str, options: CrawlOptions, name: str, version: str, now: datetime) -> Source:
    """A source from what the user typed, everything checked that can be checked without the network.

    Args:
        url: As typed; `https://` is added where a host stands alone.
        options: How to crawl it.
        name: The site's name; host and start folder unless given.
        version: The version's name; may be empty.
        now: The time of the request.

    Raises:
        UrlError: the URL can never be crawled.
        PatternError, SettingError: the options are wrong.
    """
    root = parse_start(url)
    allow = AllowList.parse(options.allow_private)
    host, port = host_of(root), port_of(root)
    reason = judge_host(host, port, allow) or (judge_address(host, port, host, allow) if _is_literal(host) else "")
    if reason:
        raise UrlError(f"{root} may not be crawled: {reason}")
    Scope.of(root, options)  # compiles the patterns
    site = _check_name("name", name) or default_site_name(root)
    checked = _check_name("version", version)
    return Source(source_id_of(site, checked, root), site, checked, root, replace(options), now)


def make_page_group(page: Source, name: str) -> Source:
    """The source that a page fetched by itself belongs to: one for all such pages of a domain (contract D1).

    Args:
        page: The page as a source of its own, checked.
        name: The site's name; the registrable domain unless given.
    """
    host = host_of(page.root_url)
    domain = _authority_of(registrable_domain(host), port_of(page.root_url))
    site = name.strip() or domain
    options = CrawlOptions(
        max_pages=1,
        max_depth=0,
        scope="web",
        delay_s=page.options.delay_s,
        concurrency=page.options.concurrency,
        respect_robots=page.options.respect_robots,
        allow_private=page.options.allow_private,
        render=page.options.render,
        pages=(),
        reads_sitemaps=False,
    )
    root_url = f"{page.root_url.partition(':')[0]}://{domain}/"
    # Not the id of a crawl that starts at that root, which is another source of the same site.
    return Source(
        source_id_of(site, page.version, f"pages:{domain}"), site, page.version, root_url, options, page.created_at
    )


def with_pages(group: Source, urls: Sequence[str]) -> Source:
    """The group as it is crawled: these of its pages."""
    return replace(group, options=replace(group.options, pages=tuple(urls), max_pages=max(len(urls), 1)))


def only_page(group: Source, page: Source) -> Source:
    """The group as it is crawled for one page, within the limits of the page's own request."""
    url = strip_fragment(page.root_url)
    options = replace(
        page.options,
        pages=(url,),
        max_depth=0,
        scope="web",
        path_prefix="",
        include=(),
        exclude=(),
        reads_sitemaps=False,
    )
    return replace(group, root_url=url, options=options)


def default_site_name(root_url: str) -> str:
    """Host and start folder: `docs.test/guide` for `https://docs.test/guide/intro.html`."""
    host, port = host_of(root_url), port_of(root_url)
    authority = _authority_of(host, port)
    folder = path_of(root_url).rpartition("/")[0].strip("/")
    return f"{authority}/{folder}" if folder else authority


def _authority_of(host: str, port: int) -> str:
    return host if port in _DEFAULT_PORTS else f"{host}:{port}"


def _is_literal(host: str) -> bool:
    return host.startswith("[") or ":" in host or host.replace(".", "").isdigit()


def _check_name(what: str, text: str) -> str:
    name = text.strip()
    if len(name) > MAX_NAME_CHARS or any(not char.isprintable() for char in name):
        raise SettingError(
            f"The {what} {name[:40]!r} cannot be used", f"Take up to {MAX_NAME_CHARS} printable letters."
        )
    return name
