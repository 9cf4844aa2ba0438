"""What would a browser have brought? Signs of scripts that a crawl met, and the sentence for its notes. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from webdocs.crawl.shell import has_button_navigation, is_shell
from webdocs.crawl.url import route_of
from webdocs.model import RenderMode

MAX_ROUTES = 10_000
"""Our choice: as many different routes are counted; more say nothing more."""


@dataclass(slots=True)
class ScriptHints:
    """The signs of one crawl.

    Attributes:
        mode: How the crawl renders; decides what a hint advises.
    """

    mode: RenderMode
    _shells: int = 0
    _first_shell: str = ""
    _buttons: str = ""
    _routes: set[str] = field(default_factory=set)

    def note_page(self, url: str, body: bytes) -> None:
        """Take a page as the crawl got it: one that was rendered is no shell any more."""
        if is_shell(body):
            self._shells += 1
            self._first_shell = self._first_shell or url
        if not self._buttons and has_button_navigation(body):
            self._buttons = url

    def note_links(self, links: Iterable[str]) -> None:
        """Take a page's links; those to routes of an application count."""
        if self.mode == "never" and len(self._routes) < MAX_ROUTES:
            self._routes.update(route for link in links if "#" in link and (route := route_of(link)))

    def remarks(self) -> list[str]:
        """What to tell the user; empty without signs."""
        remarks = []
        if self._shells:
            what = "page holds" if self._shells == 1 else "pages hold"
            remarks.append(
                f"{self._shells} {what} no text before scripts ran, {self._first_shell} first. {self._remedy()}"
            )
        if self._routes:
            what = "link leads" if len(self._routes) == 1 else "links lead"
            remarks.append(
                f"{len(self._routes)} {what} to routes in the fragment (#/ or #!), which are one page here. "
                f"{self._remedy()}"
            )
        if self._buttons:
            remarks.append(
                f"{self._buttons} leads on by buttons and no link; nothing follows those. "
                "Add the pages that they lead to by their own URLs"
            )
        return remarks

    def _remedy(self) -> str:
        needs = "needs webdocs-mcp[browser] and Chromium"
        return f"Crawl with --render auto, which {needs}" if self.mode == "never" else f"Rendering {needs}"
