"""Retries and spacing (contract D4)."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from webdocs.crawl.pace import Pace
from webdocs.crawl.retry import is_retryable_status, parse_retry_after, wait_before_retry
from webdocs.model import Failed

URL = "http://s.test/"

WAITS = [
    ("first", Failed(URL, "x", 503, True), 0, 1.0),
    ("second", Failed(URL, "x", 503, True), 1, 2.0),
    ("third", Failed(URL, "x", 503, True), 2, 4.0),
    ("no-fourth", Failed(URL, "x", 503, True), 3, None),
    ("network-fault", Failed(URL, "reset", None, True), 0, 1.0),
    ("not-retryable", Failed(URL, "x", 403, False), 0, None),
    ("server-asks-for-more", Failed(URL, "x", 429, True, 30.0), 0, 30.0),
    ("server-asks-for-less", Failed(URL, "x", 429, True, 0.0), 1, 2.0),
    ("server-asks-for-hours", Failed(URL, "x", 429, True, 86400.0), 0, 120.0),
    ("server-asks-for-the-past", Failed(URL, "x", 429, True, -5.0), 0, 1.0),
]


@pytest.mark.parametrize(("failed", "retries", "wait_s"), [row[1:] for row in WAITS], ids=[row[0] for row in WAITS])
def test_a_failure_is_tried_again_after_a_while_or_given_up(failed: Failed, retries: int, wait_s: float | None) -> None:
    assert wait_before_retry(failed, retries) == wait_s


@pytest.mark.parametrize(("status", "retryable"), [(429, True), (500, True), (503, True), (400, False), (403, False)])
def test_only_429_and_5xx_may_answer_otherwise_in_a_moment(status: int, retryable: bool) -> None:
    assert is_retryable_status(status) is retryable


NOW = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("5", 5.0),
        (" 0 ", 0.0),
        ("Sun, 29 Nov 2026 12:01:30 GMT", 90.0),
        ("Sun, 29 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("-5", None),
        ("9" * 5000, 999_999_999.0),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(value: str, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


def test_requests_to_one_host_are_spaced_and_other_hosts_are_not() -> None:
    pace = Pace(delay_s=2.0)
    pace.note_request("s.test", 10.0)
    assert pace.ready_at("s.test") == 12.0
    assert pace.ready_at("o.test") <= 10.0


def test_a_host_that_asks_for_more_wins_and_for_less_does_not() -> None:
    pace = Pace(delay_s=2.0)
    pace.note_request("s.test", 10.0)
    pace.require_delay("s.test", 5.0)
    assert pace.ready_at("s.test") == 15.0
    pace.require_delay("s.test", 0.5)
    pace.note_request("s.test", 15.0)
    assert pace.ready_at("s.test") == 20.0


def test_a_host_that_was_slowed_down_or_is_held_is_left_alone() -> None:
    pace = Pace(delay_s=1.0)
    pace.note_request("s.test", 10.0)
    pace.slow_down("s.test", 10.0, 30.0)
    pace.slow_down("s.test", 11.0, 5.0)
    assert pace.ready_at("s.test") == 40.0
    pace.hold("s.test")
    assert pace.ready_at("s.test") == math.inf
    pace.release("s.test")
    assert pace.ready_at("s.test") == 40.0


def test_a_reserved_moment_is_taken_from_the_queue() -> None:
    pace = Pace(delay_s=2.0)
    pace.note_request("s.test", 10.0)
    assert [pace.reserve("s.test", 10.5), pace.reserve("s.test", 10.5)] == [12.0, 14.0]
    assert pace.ready_at("s.test") == 16.0
    pace.slow_down("s.test", 10.5, 30.0)
    assert pace.reserve("s.test", 10.5) == 40.5
