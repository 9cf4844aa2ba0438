"""Which URLs are one document in two forms? A page and its Markdown file, told by their names (contract F9)."""

from __future__ import annotations

from webdocs.crawl.markdown_name import is_markdown, stem_of
from webdocs.crawl.url import key_of
from webdocs.model import Request


class Documents:
    """The documents of one crawl: which form of each is stored, and which Markdown files wait for their page."""

    def __init__(self) -> None:
        self._stored: dict[str, str] = {}
        self._held: dict[str, list[Request]] = {}

    def other_form(self, url: str) -> str:
        """The URL of the other form of this URL's document, if that one is stored; empty if not."""
        other = self._stored.get(stem_of(url), "")
        is_other = other != "" and key_of(other) != key_of(url) and is_markdown(other) != is_markdown(url)
        return other if is_other else ""

    def note_page(self, url: str) -> tuple[Request, ...]:
        """A page is stored under this URL; answers the requests for its Markdown, which are settled by that."""
        self._stored[stem_of(url)] = url
        return () if is_markdown(url) else tuple(self._held.pop(stem_of(url), ()))

    def forget(self, url: str) -> None:
        """The page is not stored after all."""
        self._stored.pop(stem_of(url), None)

    def hold(self, request: Request) -> None:
        """Let a request for a Markdown file wait until it is known that no page comes up for it."""
        self._held.setdefault(stem_of(request.url), []).append(request)

    def take_held(self) -> tuple[Request, ...]:
        """The requests whose page never came up."""
        held, self._held = self._held, {}
        return tuple(request for requests in held.values() for request in requests)
