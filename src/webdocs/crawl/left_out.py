"""Which pages are read and not stored, by what they are and by what they say?"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from webdocs.crawl.name_probe import NameProbe
from webdocs.crawl.reading import Ask, Read, Reading
from webdocs.crawl.scope import Scope
from webdocs.crawl.soft404 import SOFT_404, LookAlikes, is_alike, likeness_of
from webdocs.model import Page, Request


class LeftOut:
    """The pages that one crawl left out, counted by reason.

    Args:
        ask: Asks with the crawl's manners.
        read: Says what a body says.
    """

    def __init__(self, ask: Ask, read: Read) -> None:
        self.counts: Counter[str] = Counter()
        self._look_alikes = LookAlikes()
        self._probe = NameProbe(ask, read)

    async def judge(self, scope: Scope, request: Request, url: str, reading: Reading) -> Reading:
        """The reading, with the reason if the page is not to be stored.

        Args:
            scope: Knows the start page, which is always stored.
            request: What was asked for.
            url: The final URL.
            reading: What the page says.
        """
        if reading.fault or not reading.index:
            return reading
        reason = scope.judge_content(url)
        if not reason and reading.page is not None and await self._is_soft_404(request, reading.page):
            # Its links lead to more of its kind.
            reason, reading = SOFT_404, replace(reading, links=())
        self.counts.update([reason] if reason else [])
        return replace(reading, left_out=reason)

    async def _is_soft_404(self, request: Request, page: Page) -> bool:
        likeness = likeness_of(page)
        is_suspect = self._look_alikes.is_suspect(page.url, likeness)
        if request.parent_url is None:
            return False
        answer = await self._probe.answer(page.url) if is_suspect else self._probe.known(page.url)
        return answer is not None and is_alike(likeness, answer)
