"""kill -9 of the process that crawls, at random points; contract G4."""

from __future__ import annotations

import random

import pytest

from ingest.kill import kill_and_resume

SEED = 20261130
"""Any will do; a fixed one makes a failure come again."""


@pytest.mark.parametrize(
    ("kills", "pages", "most_requests"),
    [
        pytest.param(2, 40, 20, id="two-points"),
        pytest.param(20, 300, 24, id="twenty-points", marks=pytest.mark.slow),
    ],
)
def test_G4_a_killed_crawl_goes_on_and_asks_for_no_stored_page_again(
    kills: int, pages: int, most_requests: int
) -> None:
    rng = random.Random(SEED)
    figures = kill_and_resume([rng.randint(2, most_requests) for _ in range(kills)], pages)
    assert figures.kills == kills
    assert (figures.pages, figures.fetched_again, figures.half_pages) == (pages, 0, 0)
    job = figures.job
    assert (job.status, job.resumes) == ("completed", kills)
    assert (job.pages_indexed, job.pages_failed, job.pages_queued) == (pages, 1, 0)
    assert job.chunks_indexed == pages
    assert "Resumed" in job.notes[0]
