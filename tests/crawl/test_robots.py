"""RFC 9309. The table in tests/data holds one fact a line; `source` says whose rule it is."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.crawl.robots import MAX_BYTES, parse

FACTS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "robots.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("fact", FACTS, ids=[fact["id"] for fact in FACTS])
def test_a_fact_about_robots_txt_holds(fact: dict) -> None:
    text = fact["robots"]
    if isinstance(text, list):  # long files are kept as pieces and how often each is repeated
        text = "".join(piece * times for piece, times in text)
    robots = parse(text.encode("utf-8", "surrogateescape"))
    assert robots.is_allowed(fact["agent"], fact["url"]) is fact["allowed"]


OWN = [
    ("fault-E5-token-is-whole", "User-agent: bot\nDisallow: /", "mybot", "/x", True),
    ("fault-E6-wildcard-in-query", "User-agent: *\nDisallow: /*s=", "webdocs", "/?s=a", False),
    ("fault-E8-dollar", "User-agent: *\nDisallow: /*.json$", "webdocs", "/a.json?x", True),
    ("fault-E8-two-agents-one-group", "User-agent: *\nUser-agent: x\nDisallow: /a", "x", "/a", False),
    ("fault-E9-our-token-is-shorter", "User-agent: webdocs-plus\nDisallow: /", "webdocs", "/a", True),
    ("own-group-empty-allows", "User-agent: *\nDisallow: /\nUser-agent: webdocs\nDisallow:", "webdocs", "/a", True),
    ("stars-overlap", "User-agent: *\nDisallow: /ab*ba$", "webdocs", "/aba", True),
    ("fragment-is-no-part", "User-agent: *\nDisallow: /a$", "webdocs", "/a#b", False),
    ("star-in-the-url", "User-agent: *\nDisallow: /a%2Ab", "webdocs", "/a*b", False),
    ("empty-file", "", "webdocs", "/a", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "agent", "path", "allowed"), [row[1:] for row in OWN], ids=[row[0] for row in OWN])
def test_groups_and_patterns_are_read_to_the_letter(text: str, agent: str, path: str, allowed: bool) -> None:
    assert parse(text.encode()).is_allowed(agent, f"http://s.test{path}") is allowed


DELAYS = [
    ("fraction", "User-agent: *\nCrawl-delay: 0.5", 0.5),
    ("none", "User-agent: *\nDisallow: /x", None),
    ("own-group-first", "User-agent: *\nCrawl-delay: 9\nDisallow:\nUser-agent: webdocs\nCrawl-delay: 2\nAllow: /", 2.0),
    ("own-group-without", "User-agent: *\nCrawl-delay: 9\nDisallow:\nUser-agent: webdocs\nAllow: /", None),
    ("before-any-group", "Crawl-delay: 3\nUser-agent: *\nAllow: /", None),
    ("negative", "User-agent: *\nCrawl-delay: -1", None),
    ("infinite", "User-agent: *\nCrawl-delay: inf", None),
    ("not-a-number", "User-agent: *\nCrawl-delay: nan", None),
    ("word", "User-agent: *\nCrawl-delay: slow", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "delay_s"), [row[1:] for row in DELAYS], ids=[row[0] for row in DELAYS])
def test_the_crawl_delay_is_that_of_our_group(text: str, delay_s: float | None) -> None:
    assert parse(text.encode()).crawl_delay_s("webdocs") == delay_s


def test_sitemaps_are_kept_whatever_group_they_stand_in() -> None:
    text = b"Sitemap: http://s.test/1.xml\nUser-agent: x\nsitemap: /2.xml\nDisallow: /\nSitemap: http://s.test/1.xml"
    assert parse(text).sitemaps == ("http://s.test/1.xml", "/2.xml")


def test_a_rule_cut_at_the_size_limit_does_not_count() -> None:
    head = b"User-agent: *\nAllow: /ok\n"
    filler = b"#" * (MAX_BYTES - len(head) - len(b"\nDisallow: /")) + b"\n"
    body = head + filler + b"Disallow: /private\n"
    assert body[:MAX_BYTES].endswith(b"Disallow: /")
    assert parse(body).is_allowed("webdocs", "http://s.test/page")


def test_a_pattern_of_many_stars_stays_quick() -> None:
    robots = parse(b"User-agent: *\nDisallow: /" + b"*a" * 5000 + b"b$\n")
    began = time.process_time()
    assert robots.is_allowed("webdocs", "http://s.test/" + "a" * 2000)
    assert time.process_time() - began < 0.5


@given(st.binary(max_size=300))
def test_no_file_makes_the_parser_fail(body: bytes) -> None:
    robots = parse(b"User-agent: *\n" + body)
    assert robots.is_allowed("webdocs", "http://s.test/robots.txt")
    assert robots.is_allowed("webdocs", "http://s.test/a") in (True, False)
