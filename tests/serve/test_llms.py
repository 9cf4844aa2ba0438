"""The index given back as llms.txt, llms-full.txt and Markdown twins, at the owner and forwarded."""

from __future__ import annotations

import pytest
from fake_service import MARKDOWN, PAGE_ID, PAGE_URL, SITE
from loopback import ask
from served import Served

from webdocs.llmstxt import FileEntry, parse, read_seeds


@pytest.fixture(params=["served", "forwarding"], ids=["at-the-owner", "forwarded"])
def server(request: pytest.FixtureRequest) -> Served:
    return request.getfixturevalue(request.param)


def text_of(server: Served, target: str) -> str:
    reply = ask(server.port, "GET", target)
    assert reply.status == 200
    return reply.body.decode()


def test_llms_txt_lists_every_page_by_site_and_version(server: Served) -> None:
    doc = parse(text_of(server, "/llms.txt"))
    assert list(doc.sections) == [f"{SITE} 2.0", "python/3"]
    assert doc.sections[f"{SITE} 2.0"][0] == FileEntry("Guide", f"/pages/{PAGE_ID}.md", PAGE_URL)


def test_llms_txt_can_be_narrowed(server: Served) -> None:
    assert list(parse(text_of(server, "/llms.txt?site=python/3")).sections) == ["python/3"]
    assert list(parse(text_of(server, "/llms.txt?version=2.0")).sections) == [f"{SITE} 2.0"]


@pytest.mark.parametrize("target", ["/llms.txt?site=nowhere", "/llms-full.txt?version=9"], ids=["site", "version"])
def test_an_unknown_name_is_a_problem_and_no_half_file(server: Served, target: str) -> None:
    reply = ask(server.port, "GET", target)
    assert (reply.status, reply.is_problem) == (422, True)


def test_every_link_of_llms_txt_leads_to_a_twin(server: Served) -> None:
    seeds = read_seeds(text_of(server, "/llms.txt")).seeds
    targets = [seed.url for seed in seeds if seed.url.startswith("/")]
    assert len(targets) == 3
    assert all(ask(server.port, "GET", target).status == 200 for target in targets)


def test_a_twin_is_markdown_and_names_the_page_that_it_was_made_from(server: Served) -> None:
    reply = ask(server.port, "GET", f"/pages/{PAGE_ID}.md")
    assert reply.body.decode() == MARKDOWN
    assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
    assert reply.headers["link"] == f'<{PAGE_URL}>; rel="canonical"'


def test_an_unknown_twin_is_a_404(server: Served) -> None:
    reply = ask(server.port, "GET", "/pages/ffff.md")
    assert (reply.status, reply.is_problem) == (404, True)


def test_llms_full_txt_holds_every_text_with_its_source(server: Served) -> None:
    text = text_of(server, f"/llms-full.txt?site={SITE}")
    assert text.startswith(f"# Guide\n\nSource: {PAGE_URL}\n\n# Guide\n\nWelcome.")
    assert f"\n\n# Two\n\nSource: {PAGE_URL}/two\n\n# Two\n\n" in text
