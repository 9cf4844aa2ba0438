"""robots.txt of an origin over time: copies, failures, delays (contract D3, faults E1 and E4)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from webdocs.crawl.robots_gate import MAX_CRAWL_DELAY_S, RobotsGate
from webdocs.model import Failed, Fetched, FetchOutcome, Gone, Request, RobotsCopy

PAGE = "http://s.test:8080/docs/a"
ORIGIN = "http://s.test:8080"
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
RULES = b"User-agent: *\nDisallow: /docs/closed\nCrawl-delay: 0.5\nSitemap: /map.xml\n"
DOWN = Failed(f"{ORIGIN}/robots.txt", "HTTP 503", 503, True)


@dataclass
class World:
    """A server's robots.txt, the store's copies and the time of day; all can be changed."""

    answer: FetchOutcome
    now: datetime = NOW
    copies: dict[str, RobotsCopy] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    slept_s: list[float] = field(default_factory=list)

    async def fetch(self, request: Request) -> FetchOutcome:
        self.asked.append(request.url)
        return self.answer

    async def aclose(self) -> None: ...

    def save_robots_copy(self, copy: RobotsCopy) -> None:
        self.copies[copy.origin] = copy

    def robots_copy(self, origin: str) -> RobotsCopy | None:
        return self.copies.get(origin)

    async def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)

    def gate(self) -> RobotsGate:
        return RobotsGate(self, "webdocs", self.sleep, copies=self, now=lambda: self.now)


def fetched(body: bytes) -> Fetched:
    return Fetched(f"{ORIGIN}/robots.txt", f"{ORIGIN}/robots.txt", "text/plain", body)


def load(gate: RobotsGate) -> RobotsGate:
    asyncio.run(gate.load(PAGE))
    return gate


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(DOWN, id="fault-E1-503"),
        pytest.param(Failed(DOWN.url, "HTTP 429", 429, True), id="fault-E4-429"),
        pytest.param(Failed(DOWN.url, "time-out", None, True), id="fault-E1-time-out"),
        pytest.param(Failed(DOWN.url, "HTTP 500", 500, False), id="fault-E1-500"),
    ],
)
@pytest.mark.parametrize(
    ("age", "is_used"),
    [
        pytest.param(timedelta(hours=23, minutes=59), True, id="young-copy"),
        pytest.param(timedelta(hours=24), False, id="copy-of-a-day"),
        pytest.param(None, False, id="no-copy"),
    ],
)
def test_D3_a_robots_txt_that_cannot_be_had_is_forbidden_but_for_a_copy_of_today(
    answer: Failed, age: timedelta | None, is_used: bool
) -> None:
    world = World(answer)
    if age is not None:
        world.save_robots_copy(RobotsCopy(ORIGIN, RULES, NOW - age))
    gate = load(world.gate())
    refused = gate.judge(PAGE)
    assert (refused is None) is is_used
    assert len(world.asked) == (4 if answer.retryable else 1)
    if is_used:
        assert gate.judge(f"{ORIGIN}/docs/closed/x") is not None
        assert (gate.crawl_delay_s(PAGE), gate.sitemaps(PAGE)) == (0.5, ("/map.xml",))
        assert "2026-11-29 12:01" in gate.remarks[0]
    else:
        assert refused is not None
        assert "WEBDOCS_RESPECT_ROBOTS" in refused.reason


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        pytest.param(fetched(RULES), RULES, id="good"),
        pytest.param(fetched(b"#" * 600_000), b"#" * 512_000, id="cut-at-500-KiB"),
        pytest.param(Gone(DOWN.url, 404), None, id="fault-E2-404-allows"),
        pytest.param(DOWN, None, id="failure"),
    ],
)
def test_D3_only_what_was_had_is_kept(answer: FetchOutcome, kept: bytes | None) -> None:
    world = World(answer)
    load(world.gate())
    copy = world.copies.get(ORIGIN)
    assert (copy.body if copy is not None else None) == kept


def test_D3_a_copy_is_of_one_port_only() -> None:
    world = World(DOWN)
    world.save_robots_copy(RobotsCopy("http://s.test", RULES, NOW))
    assert load(world.gate()).judge(PAGE) is not None


def test_D3_a_long_crawl_asks_again_after_a_day() -> None:
    world = World(fetched(RULES))
    gate = load(world.gate())
    assert gate.is_loaded(PAGE)
    world.now += timedelta(hours=23)
    load(gate)
    assert len(world.asked) == 1
    world.now += timedelta(hours=1)
    assert not gate.is_loaded(PAGE)
    world.answer = fetched(b"User-agent: *\nDisallow: /\n")
    load(gate)
    assert len(world.asked) == 2
    assert gate.judge(PAGE) is not None


def test_D3_a_copy_that_was_obeyed_is_asked_for_again_when_it_is_a_day_old() -> None:
    world = World(DOWN)
    world.save_robots_copy(RobotsCopy(ORIGIN, RULES, NOW - timedelta(hours=20)))
    gate = load(world.gate())
    world.now += timedelta(hours=4)
    assert not gate.is_loaded(PAGE)
    load(gate)
    assert gate.judge(PAGE) is not None


@pytest.mark.parametrize(
    ("asked", "kept_s", "is_noted"),
    [
        pytest.param("0.25", 0.25, False, id="fraction"),
        pytest.param("60", 60.0, False, id="the-most"),
        pytest.param("60.5", MAX_CRAWL_DELAY_S, True, id="clamped"),
        pytest.param("86400", MAX_CRAWL_DELAY_S, True, id="clamped-from-a-day"),
    ],
)
def test_D3_an_absurd_crawl_delay_is_clamped_with_a_note(asked: str, kept_s: float, is_noted: bool) -> None:
    gate = load(World(fetched(f"User-agent: *\nCrawl-delay: {asked}".encode())).gate())
    assert gate.crawl_delay_s(PAGE) == kept_s
    assert [f"asks for {float(asked):g} s" in remark for remark in gate.remarks] == ([True] if is_noted else [])
