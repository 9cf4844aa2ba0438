"""What a body and its headers say together."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from webdocs.extract.pool import ExtractorPool
from webdocs.ingest.read import read_page
from webdocs.model import Fetched

URL = "https://docs.test/a"
META = '<meta property="article:modified_time" content="2024-05-06T07:08:09Z">'
OF_PAGE = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
OF_SERVER = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)

TIMES = {
    "the-pages-own-time-counts": (META, "Sun, 01 Nov 2026 12:00:00 GMT", OF_PAGE),
    "else-that-of-the-server": ("", "Sun, 01 Nov 2026 12:00:00 GMT", OF_SERVER),
    "a-zone-of-its-own": ("", "Sun, 01 Nov 2026 14:00:00 +0200", OF_SERVER),
    "neither-says": ("", "", None),
    "no-date": ("", "yesterday", None),
    "a-day-that-there-is-not": ("", "Sun, 99 Nov 2026 12:00:00 GMT", None),
}


@pytest.mark.parametrize(("head", "header", "expected"), TIMES.values(), ids=TIMES.keys())
def test_5_1_when_a_page_was_last_changed(head: str, header: str, expected: datetime | None) -> None:
    body = f"<head>{head}</head><main><p>Enough words to be the content of a page.</p></main>".encode()
    pool = ExtractorPool()
    reading = asyncio.run(read_page(pool, Fetched(URL, URL, "text/html", body, last_modified=header)))
    pool.close()
    assert reading.page is not None
    assert reading.page.modified_at == expected
