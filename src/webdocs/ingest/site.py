"""What is a source called, and may its URL be crawled at all? Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from webdocs.crawl import AllowList, Scope, host_of, judge_address, judge_host, parse_start, path_of, port_of
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


def default_site_name(root_url: str) -> str:
    """Host and start folder: `docs.test/guide` for `https://docs.test/guide/intro.html`."""
    host, port = host_of(root_url), port_of(root_url)
    authority = host if port in _DEFAULT_PORTS else f"{host}:{port}"
    folder = path_of(root_url).rpartition("/")[0].strip("/")
    return f"{authority}/{folder}" if folder else authority


def _is_literal(host: str) -> bool:
    return host.startswith("[") or ":" in host or host.replace(".", "").isdigit()


def _check_name(what: str, text: str) -> str:
    name = text.strip()
    if len(name) > MAX_NAME_CHARS or any(not char.isprintable() for char in name):
        raise SettingError(
            f"The {what} {name[:40]!r} cannot be used", f"Take up to {MAX_NAME_CHARS} printable letters."
        )
    return name
