"""Candidates, discovery against a real server, and the command (contract F1, F2; urls.md 35)."""

from __future__ import annotations

import pytest

from servers import LoopbackServer, Reply
from webdocs.crawl.fetch_http import HttpFetcher
from webdocs.errors import LlmsTxtError
from webdocs.llmstxt import DiscoveryResult, discover, find_candidates, parse, read_seeds
from webdocs.llmstxt.__main__ import describe, main

SITE = "https://lamp.test"
DOC = parse(
    "# Lamp\n## Guide\n"
    "- [Below](https://lamp.test/wick/trim)\n- [Twin](/wick.html.md)\n- [Itself](https://lamp.test/wick/)\n"
    "- [Elsewhere](https://oil.test/wick)\n## Optional\n- [Twin too](https://lamp.test/wick.md)\n"
)


def urls(url: str, *, with_doc: bool = False) -> list[str]:
    return [entry.url.removeprefix(SITE) for entry in find_candidates(SITE + url, DOC if with_doc else None)]


def test_F2_exact_then_extension_then_prefix_and_no_other_host() -> None:
    assert urls("/wick", with_doc=True) == ["/wick/", "/wick.html.md", "/wick.md", "/wick/trim"]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param("/a.md", ["/a.md"], id="markdown-is-itself"),
        pytest.param("/a/", ["/a/index.md", "/a/index.html.md"], id="folder"),
        pytest.param("/a", ["/a.md", "/a/index.md", "/a/index.html.md"], id="page"),
        pytest.param("", ["/index.md", "/index.html.md"], id="root"),
    ],
)
def test_F2_by_convention(page: str, expected: list[str]) -> None:
    assert urls(page) == expected


def test_fault_G1_a_section_without_links_is_read_as_an_empty_one() -> None:
    assert parse("# Lamp\n## Guide\nOil first, then light.\n").sections == {"Guide": []}


def test_fault_G3_bare_urls_are_taken_for_links() -> None:
    found = read_seeds("# Lamp\n- https://lamp.test/wick\n- https://lamp.test/oil: how much\n")
    assert [seed.url for seed in found.seeds] == ["https://lamp.test/wick", "https://lamp.test/oil"]


TEXT = "# Lamp\n## Guide\n- [Wick](/wick)\n"
PLAIN = {"Content-Type": "text/plain"}


def discover_at(server: LoopbackServer, **limits: int) -> DiscoveryResult:
    return discover(server.url("/any/page"), fetcher=HttpFetcher(allow_private=(server.socket,), **limits))


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        pytest.param(Reply(200, PLAIN, TEXT), TEXT, id="there"),
        pytest.param(Reply(200, {"Content-Type": "text/markdown"}, b"\xef\xbb\xbf# Lamp"), "# Lamp", id="bom"),
        pytest.param(Reply(404, PLAIN, TEXT), None, id="404-with-markdown"),
        pytest.param(Reply(200, {"Content-Type": "text/html"}, TEXT), None, id="html-by-type"),
        pytest.param(
            Reply(200, {"Content-Type": "text/markdown"}, "<!doctype html><p>x"), None, id="html-labelled-as-markdown"
        ),
        pytest.param(Reply(200, PLAIN, b"# L\x00\x01"), None, id="binary"),
        pytest.param(Reply(200, PLAIN, b"  \n"), None, id="blank"),
        pytest.param(Reply(302, {"Location": "http://10.0.0.1/llms.txt"}), None, id="redirect-to-a-private-address"),
        pytest.param(Reply(200, PLAIN, b"#" * 200_000), None, id="over-the-size-cap"),
    ],
)
def test_F1_discover_takes_text_only(route: Reply, expected: str | None) -> None:
    with LoopbackServer({"/llms.txt": route}) as server:
        found = discover_at(server, max_body_bytes=100_000)
        assert found == DiscoveryResult(expected, None, server.origin)
        assert [target for target in server.targets if target.startswith("/llms")] == ["/llms.txt", "/llms-full.txt"]


def test_discover_refuses_private_addresses_by_itself() -> None:
    with LoopbackServer({"/llms.txt": Reply(200, PLAIN, TEXT)}) as server:
        assert discover(server.origin).llms_txt is None
        assert server.targets == []


@pytest.mark.parametrize("url", ["", "lamp.test", "ftp://lamp.test/", "https://", "https://[", "http://a:99999/"])
def test_a_url_that_has_no_site_is_an_error(url: str) -> None:
    with pytest.raises(LlmsTxtError):
        discover(url)


def test_the_command_says_what_a_site_offers() -> None:
    found = DiscoveryResult(TEXT, None, SITE)
    assert list(describe(found))[1:] == [f"{SITE}/llms-full.txt: not there", "Lamp", "  Guide: 1 links"]
    assert main([]) == 2
    assert main(["nonsense"]) == 2
