"""Which links did the rules of a crawl keep out, and how many?"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field

from webdocs.crawl.url import key_of

logger = logging.getLogger(__name__)

MAX_EXAMPLES = 3
"""Our choice: enough links to see what a rule keeps out."""


@dataclass(frozen=True, slots=True)
class RefusedLinks:
    """How many different links one rule kept out, with the first few.

    `reason` starts with the rule's name and a colon.
    """

    reason: str
    count: int
    examples: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """The rule's name."""
        return self.reason.partition(":")[0]


@dataclass(slots=True)
class Refusals:
    """What one crawl did not ask for.

    Attributes:
        reasons: Key of each link that was kept out, to the reason.
    """

    reasons: dict[str, str] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _examples: dict[str, list[str]] = field(default_factory=dict)

    def count(self, reason: str, url: str, links: int = 1) -> None:
        """Links that are counted and not remembered."""
        logger.debug("url_skipped url=%s reason=%s", url, reason)
        self._counts[reason] += links
        examples = self._examples.setdefault(reason, [])
        if len(examples) < MAX_EXAMPLES:
            examples.append(url)

    def note(self, reason: str, url: str) -> None:
        """A link that is counted once, however often it is found."""
        self.reasons[key_of(url)] = reason
        self.count(reason, url)

    def forget(self, url: str) -> None:
        """The link may be found again."""
        self.reasons.pop(key_of(url), None)

    def links(self) -> tuple[RefusedLinks, ...]:
        """What each rule kept out, the busiest first."""
        ordered = self._counts.most_common()
        return tuple(RefusedLinks(reason, number, tuple(self._examples[reason])) for reason, number in ordered)
