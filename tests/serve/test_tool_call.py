"""Contract B1 to B5: what each tool answers, what is a tool's error and what the protocol's."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from fake_service import MARKDOWN, PAGE_ID, PAGE_URL, SITE, FakeService

from webdocs.model import Answer, CrawlOptions
from webdocs.serve.answer_text import answer_text
from webdocs.serve.tool_arguments import schema_of
from webdocs.serve.tool_call import call_tool
from webdocs.serve.tool_messages import (
    ToolAnswer,
    ToolCall,
    ToolPolicy,
    ToolRejection,
    dump_call,
    dump_outcome,
    load_call,
    load_outcome,
)
from webdocs.serve.tools import TOOLS, find_tool, offered_tools
from webdocs.settings import Settings

SETTINGS = Settings(db_path=":memory:")


def _answer(name: str, arguments: dict[str, Any], service: FakeService | None = None) -> ToolAnswer:
    outcome = call_tool(service or FakeService(), SETTINGS, ToolCall(name, arguments))
    assert isinstance(outcome, ToolAnswer), outcome
    return outcome


CALLS = [
    ("search_docs", {"query": "install"}),
    ("search_docs", {"query": "long", "max_tokens": 256, "top_k": 25}),
    ("search_docs", {"query": "nothing"}),
    ("list_doc_pages", {"site": SITE, "limit": 1}),
    ("get_doc_page", {"page_id": PAGE_ID}),
    ("list_sites", {}),
    ("submit_document", {"url": "https://x.test/"}),
    ("submit-document", {"url": "https://x.test/"}),
    ("job_progress", {}),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_b6_structured_output_follows_the_declared_schema(name: str, arguments: dict[str, Any]) -> None:
    answer = _answer(name, arguments)
    tool = find_tool(name, read_only=False)
    assert tool is not None
    assert answer.is_error is False
    jsonschema.validate(answer.structured, schema_of(tool.gives, mode="serialization"))


@pytest.mark.parametrize("max_tokens", [256, 1000, 4000])
@pytest.mark.parametrize("name", ["search_docs", "get_doc_page"])
def test_b1_b3_text_stays_within_the_budget(name: str, max_tokens: int) -> None:
    asked = {"query": "long"} if name == "search_docs" else {"page_id": PAGE_ID}
    # The fake counts two characters a token for pages, and four for passages.
    chars = max_tokens * (2 if name == "get_doc_page" else 4)
    assert len(_answer(name, asked | {"max_tokens": max_tokens}).text) <= chars


def test_b3_an_offset_past_the_end_is_told() -> None:
    answer = _answer("get_doc_page", {"page_id": PAGE_ID, "offset": 99_999})
    assert answer.text.endswith(f"Nothing is left to read: the text ends at character {len(MARKDOWN)}.")


def test_b1_a_budget_that_holds_no_passage_is_told_apart_from_nothing_found() -> None:
    nothing, tight = Answer("q", (), 0), Answer("q", (), 0, "Cut: 2 more")
    assert answer_text(nothing) == "No passage found for 'q'. list_sites() shows what is indexed."
    assert answer_text(tight) == "No passage fits into this budget. Cut: 2 more"


def test_b1_nothing_relevant_gives_a_hint_in_text_and_structure() -> None:
    answer = _answer("search_docs", {"query": "unrelated"})
    assert answer.text == "No passage found for 'unrelated'. Indexed: Größe 2. Try other words."
    assert answer.structured is not None
    assert (answer.structured["hits"], answer.structured["hint"]) == ([], "Indexed: Größe 2. Try other words.")


def test_b3_the_pieces_of_a_page_make_the_page() -> None:
    text, offset = "", 0
    while offset is not None:
        piece = _answer("get_doc_page", {"page_id": PAGE_ID, "offset": offset, "max_tokens": 1000}).structured
        assert piece is not None
        text, offset = text + piece["text"], piece["next_offset"]
    assert text == MARKDOWN


PLACES = [
    ("section-by-heading", {"page_id": PAGE_ID, "section": "Install"}, "## Install\n\nRun `pip install it`.\n\n"),
    ("section-by-fragment", {"url": f"{PAGE_URL}#install"}, "## Install\n\nRun `pip install it`.\n\n"),
]


@pytest.mark.parametrize(("asked", "text"), [row[1:] for row in PLACES], ids=[row[0] for row in PLACES])
def test_b3_one_section(asked: dict[str, Any], text: str) -> None:
    structured = _answer("get_doc_page", asked).structured
    assert structured is not None
    assert structured["text"] == text


def test_b3_a_fragment_that_names_no_heading_gives_the_page() -> None:
    structured = _answer("get_doc_page", {"url": f"{PAGE_URL}#id42"}).structured
    assert structured is not None
    assert (structured["section"], structured["text"].startswith("# Guide")) == ("", True)


MENDABLE = [
    ("B1-unknown-site", "search_docs", {"query": "a", "site": "nope"}, "docs.example.org, python/3"),
    ("B1-unknown-version", "search_docs", {"query": "a", "site": SITE, "version": "9"}, "Known: 2.0."),
    ("B2-unknown-site", "list_doc_pages", {"site": "nope"}, "docs.example.org, python/3"),
    ("B3-unknown-page", "get_doc_page", {"page_id": "ffff"}, "no page 'ffff'"),
    ("B3-unknown-section", "get_doc_page", {"page_id": PAGE_ID, "section": "nope"}, "Guide, Install, Use"),
    ("B5-unknown-job", "job_progress", {"job_id": "zz"}, "no job 'zz'"),
    ("B5-unknown-job-cancel", "cancel_job", {"job_id": "zz"}, "no job 'zz'"),
    ("B5-bad-url", "submit_document", {"url": "nonsense"}, "not an absolute URL"),
    ("B5-bad-scheme", "submit_document", {"url": "ftp://x.test/"}, "neither http nor https"),
    ("store-gone", "search_docs", {"query": "storeless"}, "Look at the disk."),
]


@pytest.mark.parametrize(("name", "asked", "words"), [row[1:] for row in MENDABLE], ids=[row[0] for row in MENDABLE])
def test_what_the_agent_can_mend_is_the_tools_error(name: str, asked: dict[str, Any], words: str) -> None:
    answer = _answer(name, asked)
    assert (answer.is_error, answer.structured) == (True, None)
    assert words in answer.text


def test_a_crash_is_an_error_without_its_details() -> None:
    answer = _answer("search_docs", {"query": "crash"})
    assert answer.is_error
    assert answer.text == "search_docs failed for a reason that is in webdocs' log."


REJECTED = [
    ("B6-unknown-tool", "drop_tables", {}, "Unknown tool 'drop_tables'. Tools: search_docs"),
    ("B6-missing-argument", "search_docs", {}, "query: Field required"),
    ("B6-unknown-argument", "search_docs", {"query": "a", "colour": 1}, "colour"),
    ("B6-wrong-type", "search_docs", {"query": "a", "top_k": "many"}, "top_k"),
    ("B6-out-of-range", "search_docs", {"query": "a", "top_k": 26}, "top_k"),
    ("B2-offset-beyond-64-bits", "list_doc_pages", {"offset": 10**20}, "offset: Input should be less than"),
    ("B6-page-and-url", "get_doc_page", {"page_id": "a", "url": "b"}, "either page_id or url"),
    ("B6-neither-page-nor-url", "get_doc_page", {}, "either page_id or url"),
    ("B5-negative-depth", "submit_document", {"url": "https://x.test/", "maxDepth": -1}, "maxDepth"),
    (
        "B5-no-way-to-private",
        "submit_document",
        {"url": "https://x.test/", "allow_private": ["10.0.0.1"]},
        "allow_private",
    ),
]


@pytest.mark.parametrize(("name", "asked", "words"), [row[1:] for row in REJECTED], ids=[row[0] for row in REJECTED])
def test_b6_what_makes_no_sense_is_rejected(name: str, asked: dict[str, Any], words: str) -> None:
    outcome = call_tool(FakeService(), SETTINGS, ToolCall(name, asked))
    assert isinstance(outcome, ToolRejection)
    assert words in outcome.message


E_LIMITS = {"reads_sitemaps": False, "time_limit_s": 600.0, "page_limit_s": 30.0, "concurrency": 8}
START = "https://docs.x.test/a/"
SPIDER = [
    ("one-page-by-default", {}, CrawlOptions(1, 0, "subdomains", **E_LIMITS), ()),
    ("defaults-of-e", {"spider": True}, CrawlOptions(25, 2, "subdomains", **E_LIMITS), ()),
    (
        "ceilings",
        {"spider": True, "maxPages": 201, "maxDepth": 6},
        CrawlOptions(200, 5, "subdomains", **E_LIMITS),
        (
            "maxPages 201 was lowered to 200, the most for a submission.",
            "maxDepth 6 was lowered to 5, the most for a submission.",
        ),
    ),
    (
        "everything-said",
        {
            "spider": True,
            "maxPages": 200,
            "maxDepth": 5,
            "sameDomain": False,
            "pathPrefix": "/a/",
            "excludePatterns": ["*/b/*"],
        },
        CrawlOptions(200, 5, "web", "/a/", (), ("*/b/*",), **E_LIMITS),
        (),
    ),
    (
        "snake-case-is-taken",
        {"spider": True, "max_pages": 3, "same_domain": False},
        CrawlOptions(3, 2, "web", **E_LIMITS),
        (),
    ),
]


@pytest.mark.parametrize(
    ("asked", "options", "notes"), [row[1:] for row in SPIDER], ids=[f"E-{row[0]}" for row in SPIDER]
)
def test_b5_spider_options(asked: dict[str, Any], options: CrawlOptions, notes: tuple[str, ...]) -> None:
    service = FakeService()
    answer = _answer("submit_document", {"url": START} | asked, service)
    assert service.submitted == [(START, options, "", "")]
    assert answer.structured is not None
    assert tuple(answer.structured["notes"]) == notes
    assert answer.text.splitlines()[1:] == list(notes)


def test_b5_the_operators_hosts_bound_the_whole_crawl() -> None:
    service = FakeService()
    call = ToolCall("submit_document", {"url": START, "sameDomain": False}, ToolPolicy(submit_hosts=("docs.x.test",)))
    call_tool(service, SETTINGS, call)
    assert service.submitted[0][1].only_hosts == ("docs.x.test",)


HOSTS = [
    ("any-host", (), "https://x.test/", True),
    ("named-host", ("x.test",), "https://x.test/", True),
    ("named-host-other-case", ("X.test",), "https://x.TEST/", True),
    ("other-host", ("x.test",), "https://y.test/", False),
    ("subdomain-of-a-named-host", ("x.test",), "https://a.x.test/", False),
    ("named-with-subdomains", ("*.x.test",), "https://a.x.test/", True),
    ("host-that-ends-alike", ("*.x.test",), "https://ax.test/", False),
    ("user-part-is-no-host", ("x.test",), "https://x.test@y.test/", False),
    ("backslash-is-a-slash", ("x.test",), "https://y.test\\@x.test/", False),
]


@pytest.mark.parametrize(("allowed", "url", "is_taken"), [row[1:] for row in HOSTS], ids=[row[0] for row in HOSTS])
def test_b5_submit_hosts_narrow_what_an_agent_may_submit(allowed: tuple[str, ...], url: str, is_taken: bool) -> None:
    service = FakeService()
    call = ToolCall("submit_document", {"url": url}, ToolPolicy(submit_hosts=allowed))
    outcome = call_tool(service, SETTINGS, call)
    assert isinstance(outcome, ToolAnswer)
    assert (not outcome.is_error, len(service.submitted)) == (is_taken, int(is_taken))


@pytest.mark.parametrize("name", ["submit_document", "submit-document", "job_progress", "cancel_job"])
def test_b5_read_only_has_no_such_tool(name: str) -> None:
    service = FakeService()
    call = ToolCall(name, {"url": "https://x.test/", "job_id": "job1"}, ToolPolicy(read_only=True))
    assert isinstance(call_tool(service, SETTINGS, call), ToolRejection)
    assert [tool.name for tool in offered_tools(read_only=True)] == [
        "search_docs",
        "list_doc_pages",
        "get_doc_page",
        "list_sites",
    ]


def test_b5_jobs_are_followed_and_cancelled() -> None:
    service = FakeService()
    _answer("submit_document", {"url": "https://x.test/slow"}, service)
    running = _answer("job_progress", {"job_id": "job1"}, service).structured
    cancelled = _answer("cancel_job", {"job_id": "job1"}, service).structured
    assert running is not None
    assert cancelled is not None
    assert (running["jobs"][0]["status"], cancelled["jobs"][0]["status"]) == ("running", "cancelled")


def test_calls_and_outcomes_travel_whole() -> None:
    call = ToolCall("search_docs", {"query": "é"}, ToolPolicy(True, ("x.test",)))
    answer = ToolAnswer("é", {"a": [1]}, is_error=True)
    assert load_call(dump_call(call)) == call
    assert load_outcome(dump_outcome(answer)) == answer
    assert load_outcome(dump_outcome(ToolRejection("no"))) == ToolRejection("no")


def test_b6_every_argument_is_described_with_an_example() -> None:
    bare = [
        (tool.name, name)
        for tool in TOOLS
        for name, field in schema_of(tool.takes).get("properties", {}).items()
        if not (field.get("description") and field.get("examples"))
    ]
    assert bare == []
