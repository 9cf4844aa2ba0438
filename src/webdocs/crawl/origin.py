"""Which origin do all links to another one lead to? Learned from redirects: http to https, `www.` to the bare name.

One redirect that changes nothing else of the URL shows it, as long as no page of the old origin came in under its own
URL. A link that was changed so and led nowhere is asked for as it was written.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from webdocs.crawl.url import key_of, origin_of, target_of


@dataclass(slots=True)
class Origins:
    """What one crawl learned about the origins of its site."""

    rewritten: dict[str, str] = field(default_factory=dict)
    """URL as a page links to it, to the one that is asked for."""
    _moved: dict[str, str] = field(default_factory=dict)
    _answering: set[str] = field(default_factory=set)
    _written: dict[str, str] = field(default_factory=dict)

    def note_page(self, url: str, final_url: str) -> None:
        """A page came in."""
        own = origin_of(final_url)
        self._answering.add(own)
        self._moved.pop(own, None)
        old = origin_of(url)
        is_pair = old != own and _bare(old) == _bare(own) and target_of(url) == target_of(final_url)
        if is_pair and old not in self._answering and not (own.startswith("http:") and old.startswith("https:")):
            self._moved[old] = own

    def rewrite(self, url: str) -> str:
        """The URL to ask for."""
        if not self._moved or (own := self._moved.get(origin_of(url))) is None:
            return url
        final_url = own + target_of(url)
        self.rewritten[url] = final_url
        self._written.setdefault(key_of(final_url), url)
        return final_url

    def as_written(self, url: str) -> str:
        """The link that was changed to this URL, which led nowhere; empty if none was."""
        written = self._written.pop(key_of(url), "")
        self.rewritten.pop(written, None)
        return written


def _bare(origin: str) -> str:
    return origin.partition("://")[2].removeprefix("www.")
