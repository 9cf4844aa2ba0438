"""Which absolute URL does an href of this page mean?"""

from __future__ import annotations

import ada_url

SKIPPED_SCHEMES = ("javascript:", "mailto:", "tel:", "data:", "vbscript:", "blob:", "about:", "sms:")
"""Schemes that name no document: such a link runs code, starts a program or carries its own content."""

_TRIMMED = " \t\n\r\f\x00"


class Resolver:
    """Joins hrefs to one base URL (WHATWG), remembering what it joined.

    Args:
        page_url: The final URL of the page.
        base_href: The href of its first `<base href>`; empty or unusable means the page's own URL.
    """

    def __init__(self, page_url: str, base_href: str = "") -> None:
        self.page_url = page_url
        self._base = _join(page_url, base_href) or page_url
        if not self._base.startswith(("http:", "https:", "file:")):
            self._base = page_url
        self._joined: dict[str, str] = {}

    def resolve(self, href: str) -> str:
        """The absolute URL with its fragment; empty for one that names no document or does not parse."""
        url = self._joined.get(href)
        if url is None:
            url = self._joined[href] = self._resolve(href)
        return url

    def _resolve(self, href: str) -> str:
        trimmed = href.strip(_TRIMMED)
        if _scheme_of(trimmed).startswith(SKIPPED_SCHEMES):
            return ""
        return _join(self._base, trimmed)


def _scheme_of(href: str) -> str:
    """The start of the href as a browser reads it: tabs and newlines do not count (WHATWG URL 4.4)."""
    return href[:40].replace("\t", "").replace("\n", "").replace("\r", "").lower()


def _join(base: str, href: str) -> str:
    try:
        return ada_url.join_url(base, href).removesuffix("#")
    except ValueError:
        return ""
