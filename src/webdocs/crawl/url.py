"""Which page does a link name? Join, serialise and compare URLs as browsers do.

Two values per page are never mixed: the fetch URL (WHATWG-serialised, as the site wrote it, fragment off) and
the key, which only answers "seen before?" and is never requested. Every function but `join` and `parse_start`
takes URLs that one of those two made, so that they can be taken apart by plain string search.
"""

from __future__ import annotations

import re
from functools import lru_cache

import ada_url
from publicsuffixlist import PublicSuffixList

from webdocs.errors import UrlError

MAX_URL_BYTES = 2048
"""Our choice: what the sitemap protocol allows (2,048), and servers and proxies take no more for certain."""

_WEB = ("http://", "https://")
_SCHEME = re.compile(r"^([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_HOST_LIKE = re.compile(
    r"^(?:[^\s/?#@:\[\]\\]+\.[^\s/?#@:\[\]\\]+|localhost|\[[0-9a-f:.]+\]|[^\s/?#@:\[\]\\]+(?=:\d))(?::\d+)?(?:[/?#]|$)",
    re.IGNORECASE,
)

_TRACKING = ("gclid", "fbclid", "msclkid", "mc_cid", "mc_eid", "_ga", "_gl", "ref", "share", "replytocom")
_SESSION = ("sid", "phpsessid", "jsessionid", "sessionid")
_DISPLAY = ("highlight", "print", "printable", "plain")
NOISE_PARAMETERS = frozenset((*_TRACKING, *_SESSION, *_DISPLAY))
"""Query parameters that never change which document is answered: tracking, sessions, display. Any case."""

_NOISE_PREFIX = "utm_"
# A cache buster names a build, so it holds both a digit and a letter; `v=2` or `v=2024` may name a version.
_BUILD_HASH = re.compile(r"^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{7,64}$", re.IGNORECASE)
_SESSION_PART = re.compile(r";jsessionid=[^/?;]*", re.IGNORECASE)
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
# RFC 3986, section 2.3
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def join(base: str, href: str) -> str | None:
    """The absolute URL of a link, with its fragment and without user and password.

    Args:
        base: Absolute URL of the document, or of its `<base href>`.
        href: The attribute's value as the page has it.

    Returns:
        The WHATWG serialisation, or None for what is no crawlable link: another scheme than http and https,
        an empty reference, a bare `#`, and what does not parse.
    """
    # A link of megabytes is not worth remembering, and thousands of them are there to fill memory.
    return _join_anew(base, href) if len(href) > MAX_URL_BYTES else _join(base, href)


def _join_anew(base: str, href: str) -> str | None:
    if href.strip() in ("", "#"):
        return None
    try:
        url = ada_url.join_url(base, href)
    except ValueError:
        return None
    if not url.startswith(_WEB):
        return None
    return drop_userinfo(url)


_join = lru_cache(maxsize=8192)(_join_anew)


def parse_start(text: str) -> str:
    """The fetch URL that a person meant by what they typed.

    Only `https://` is added, and only where the scheme is missing and the text looks like a host.

    Raises:
        UrlError: Another scheme, no URL, user and password in it, or longer than 2,048 bytes.
    """
    typed = text.strip()
    try:
        url = ada_url.normalize_url(_with_scheme(typed))
    except ValueError as exc:
        raise UrlError("This is no valid URL", "Give the address as the browser shows it: https://host/path") from exc
    if has_userinfo(url):
        raise UrlError("The URL holds a user name or a password", "Give it without the part before the @")
    url = strip_fragment(url)
    if len(url) > MAX_URL_BYTES:
        raise UrlError(f"The URL is {len(url)} bytes long", f"Give one of at most {MAX_URL_BYTES} bytes")
    return url


def _with_scheme(typed: str) -> str:
    if typed.startswith("//"):
        return f"https:{typed}"
    if _HOST_LIKE.match(typed):
        return f"https://{typed}"
    scheme = _SCHEME.match(typed)
    if scheme is None:
        raise UrlError("The URL has no host", "Give a whole address: https://host/path")
    if scheme[1].lower() not in ("http", "https"):
        raise UrlError(f"The scheme {scheme[1].lower()!r} cannot be crawled", "Give an http:// or https:// address")
    return typed


@lru_cache(maxsize=16384)
def key_of(url: str) -> str:
    """What two spellings of one page have in common. It is compared, never requested.

    Anchor off, one trailing dot of the host off, percent-escapes normalised, session part of the path off,
    noise parameters off, an exactly repeated pair once, an empty query off. A route in the fragment stays: where
    routes are no pages (without rendering) the crawl takes them off before it asks for a key.

    Raises:
        UrlError: The URL holds a user or a password.
    """
    if has_userinfo(url):
        raise UrlError("The URL holds a user name or a password", "Give it without the part before the @")
    key = normalise_percent(strip_fragment(url))
    head, mark, query = key.partition("?")
    if ";" in head:
        head = _SESSION_PART.sub("", head)
    scheme, authority, path = _split(head)
    query = _significant(query) if mark else ""
    route = normalise_percent(route_of(url)) if "#" in url else ""
    return f"{scheme}://{_without_dot(authority)}{path}" + (f"?{query}" if query else "") + route


def _significant(query: str) -> str:
    """The pairs of a query that may change the answer, each once, in order."""
    return "&".join(dict.fromkeys(pair for pair in query.split("&") if pair and not _is_noise(pair)))


def _is_noise(pair: str) -> bool:
    name, _, value = pair.partition("=")
    name = name.lower()
    if name == "v":
        return _BUILD_HASH.match(value) is not None
    return name in NOISE_PARAMETERS or name.startswith(_NOISE_PREFIX)


def normalise_percent(text: str) -> str:
    """Escapes of unreserved characters decoded, all others with upper-case digits (RFC 3986, 6.2.2)."""
    return _PERCENT.sub(_normal_escape, text) if "%" in text else text


def _normal_escape(match: re.Match[str]) -> str:
    character = chr(int(match[0][1:], 16))
    return character if character in _UNRESERVED else match[0].upper()


def strip_fragment(url: str) -> str:
    """The URL without `#` and what follows."""
    return url.partition("#")[0]


def route_of(url: str) -> str:
    """The page that a fragment names to an application's scripts, with its `#`; empty for an anchor.

    `#/guide` and `#!guide` are routes, `#/` is the application's start and so the page itself. What follows in the
    route's own fragment or as `?id=` (Docsify) is a place on that page.
    """
    route = url.partition("#")[2].partition("#")[0]
    if not route.startswith(("/", "!")) or not route.strip("/!"):
        return ""
    path, _, query = route.partition("?")
    return f"#{path if query.startswith('id=') and '&' not in query else route}"


def page_url(url: str, *, keeps_routes: bool) -> str:
    """The URL of the page that a link names: its anchor off, and its route too unless routes are pages."""
    return strip_fragment(url) + (route_of(url) if keeps_routes else "")


def has_userinfo(url: str) -> bool:
    """True if the URL carries a user or a password."""
    return "@" in url and "@" in authority_of(url)


def drop_userinfo(url: str) -> str:
    """The URL as it may be shown and logged: without user and password."""
    if not has_userinfo(url):
        return url
    scheme, authority, path = _split(url)
    return f"{scheme}://{authority.rpartition('@')[2]}{path}"


def authority_of(url: str) -> str:
    """Host and, where it is not the scheme's own, port; as serialised."""
    return _split(url)[1]


def host_of(url: str) -> str:
    """Host name or address: no port, no brackets, no trailing dot."""
    authority = authority_of(url).rpartition("@")[2]
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0].removesuffix(".")


def port_of(url: str) -> int:
    """The port that a request goes to."""
    port = authority_of(url).rpartition("]")[2].rpartition(":")[2]
    if port.isdigit() and ":" in authority_of(url).rpartition("]")[2]:
        return int(port)
    return 443 if url.startswith("https:") else 80


def origin_of(url: str) -> str:
    """Scheme, host and port: what robots.txt is asked for once."""
    scheme, authority, _ = _split(url)
    return f"{scheme}://{authority}"


def path_of(url: str) -> str:
    """The path, from its first slash, without query and fragment."""
    return _split(strip_fragment(url).partition("?")[0])[2]


def sibling_of(url: str, name: str) -> str:
    """The URL of another name in the same folder."""
    return f"{origin_of(url)}{path_of(url).rpartition('/')[0]}/{name}"


def target_of(url: str) -> str:
    """Path and query: what stands in the request line."""
    return _split(strip_fragment(url))[2]


def _split(url: str) -> tuple[str, str, str]:
    """Scheme, authority and everything from the path on; a serialised web URL always has its slash."""
    scheme, _, rest = url.partition("://")
    slash = rest.find("/")
    return (scheme, rest, "") if slash < 0 else (scheme, rest[:slash], rest[slash:])


def _without_dot(authority: str) -> str:
    if "." not in authority:
        return authority
    host, colon, port = authority.partition(":") if not authority.startswith("[") else (authority, "", "")
    return f"{host.removesuffix('.')}{colon}{port}"


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    # Loaded at the first question: 60 ms CPU that only a crawl over a whole domain needs.
    return PublicSuffixList()


@lru_cache(maxsize=4096)
def registrable_domain(host: str) -> str:
    """The name that its owner registered (`docs.s.co.uk` -> `s.co.uk`); an address or a suffix is its own."""
    if ":" in host or host.rpartition(".")[2].isdigit():
        return host
    return _suffixes().privatesuffix(host) or host
