"""How is a page had whose text only its scripts bring? The `Fetcher` that shows pages in a browser where needed.

Every page is asked for plainly first, so that robots.txt, redirects, types, sizes and statuses are judged as for any
other; the browser opens the URL where that ended. What comes back is the same record with the DOM as its body.
"""

from __future__ import annotations

from dataclasses import replace

from webdocs.crawl.browser import Browser
from webdocs.crawl.shell import is_shell, text_length
from webdocs.crawl.url import drop_userinfo, page_url, route_of, strip_fragment
from webdocs.model import Failed, Fetched, FetchOutcome, NotModified, Request
from webdocs.ports import Fetcher

_MAX_SHELLS = 16
"""Our choice: one a site would do; a page of a hash-routed site is its shell with another fragment."""

_HTML = ("", "text/html", "application/xhtml+xml")


class BrowserFetcher:
    """Gets pages through a plain fetcher, and shows them in a browser.

    Args:
        plain: Gets everything first; closed with this one.
        browser: Shows pages; closed with this one.
        is_always: Show every HTML page; otherwise only those that hold no content, and the routes in a fragment.
    """

    def __init__(self, plain: Fetcher, browser: Browser, *, is_always: bool) -> None:
        self._plain = plain
        self._browser = browser
        self._is_always = is_always
        self._shells: dict[str, Fetched] = {}

    async def fetch(self, request: Request) -> FetchOutcome:
        """As the plain fetcher, with the DOM as the body of a page that was shown."""
        outcome = await self._fetch_plainly(request)
        if request.purpose != "page" or not isinstance(outcome, Fetched) or not self._needs_browser(request, outcome):
            return outcome
        if is_shell(outcome.body) and len(self._shells) < _MAX_SHELLS:
            self._shells[strip_fragment(request.url)] = outcome
        rendered = await self._browser.render(outcome.final_url)
        if rendered.fault:
            return Failed(request.url, rendered.fault, outcome.status)
        if not text_length(rendered.html):
            return Failed(request.url, "the page holds no text, not even after its scripts ran", outcome.status)
        return _with_dom(outcome, rendered.url, rendered.html)

    async def aclose(self) -> None:
        """End the browser and close every connection."""
        await self._browser.aclose()
        await self._plain.aclose()

    async def _fetch_plainly(self, request: Request) -> FetchOutcome:
        bare, route = strip_fragment(request.url), route_of(request.url)
        outcome: FetchOutcome | None = self._shells.get(bare) if route else None
        if outcome is None:
            asked = replace(request, url=bare)
            # An application's HTML stays as it is while what its scripts bring changes, so no 304 can be believed.
            outcome = await self._plain.fetch(replace(asked, etag="", last_modified="") if self._is_always else asked)
        if isinstance(outcome, Fetched | NotModified):
            return replace(outcome, url=request.url, final_url=strip_fragment(outcome.final_url) + route)
        return replace(outcome, url=request.url) if outcome.url == bare else outcome

    def _needs_browser(self, request: Request, page: Fetched) -> bool:
        if page.content_type.partition(";")[0].strip().lower() not in _HTML:
            return False
        return self._is_always or bool(route_of(request.url)) or is_shell(page.body)


def _with_dom(page: Fetched, shown_url: str, html: bytes) -> Fetched:
    """The page as shown. Its validators are those of the shell and say nothing of the text, so they go."""
    final_url = page_url(drop_userinfo(shown_url), keeps_routes=True)
    redirects = page.redirects if final_url == page.final_url else (*page.redirects, page.final_url)
    return replace(
        page,
        final_url=final_url,
        content_type="text/html; charset=utf-8",
        body=html,
        etag="",
        last_modified="",
        redirects=redirects,
    )
