"""Is a failed request tried again, and when?"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from webdocs.model import Failed

MAX_RETRIES = 3
"""Contract D4."""

FIRST_BACKOFF_S = 1.0
"""Our choice: 1, 2 and 4 s outlast a restart of most servers and do not hold a small crawl up."""

MAX_RETRY_AFTER_S = 120.0
"""Our choice: a server may slow a crawl down, not park it for hours."""


def wait_before_retry(outcome: Failed, retries: int) -> float | None:
    """Seconds to wait before the request is made again; None to give it up.

    Args:
        outcome: What went wrong.
        retries: How often it was already tried again.
    """
    if not outcome.retryable or retries >= MAX_RETRIES:
        return None
    return max(FIRST_BACKOFF_S * 2**retries, clamp_retry_after(outcome.retry_after_s))


def clamp_retry_after(seconds: float | None) -> float:
    """What we honour of a server's wish, in [0, 120] seconds."""
    return min(max(seconds or 0.0, 0.0), MAX_RETRY_AFTER_S)


def is_retryable_status(status: int) -> bool:
    """True for 429 and 5xx: the answer may be another one in a moment."""
    return status == 429 or status >= 500


def parse_retry_after(value: str, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for (RFC 9110, 10.2.3); None if it is neither number nor date."""
    text = value.strip()
    if text.isascii() and text.isdigit():
        # A number of a thousand digits is a lie, not an overflow.
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)
