"""HTTPS to a pinned address: the certificate is checked against the URL's name, on a real TLS server (SSRF case 49)."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from certificates import Authority
from network import Names, ask
from servers import LoopbackServer
from webdocs.model import Failed, Fetched, FetchOutcome


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def ask_by_name(server: LoopbackServer, name: str, trust: ssl.SSLContext) -> FetchOutcome:
    """Ask for a name that leads to the loopback server."""
    allow = (f"{name}:{server.port}",)
    names = Names({name: [["127.0.0.1"]]})
    return ask(f"https://{name}:{server.port}/", allow_private=allow, resolver=names, ssl_context=trust)


def test_ssrf_49_server_name_host_header_and_certificate_go_by_the_name_of_the_url(authority: Authority) -> None:
    names: list[str | None] = []
    context = authority.server_context("docs.test")
    context.sni_callback = lambda connection, name, _: names.append(name)
    with LoopbackServer({"/": "page"}, context) as server:
        outcome = ask_by_name(server, "docs.test", authority.client_context())
    assert isinstance(outcome, Fetched), outcome
    assert outcome.body == b"page"
    assert names == ["docs.test"]
    assert server.asked[0].headers["host"] == f"docs.test:{server.port}"


@pytest.mark.parametrize(
    ("certified", "expired"),
    [("other.test", False), ("docs.test", True)],
    ids=["ssrf-49-other-name", "ssrf-49-expired"],
)
def test_a_certificate_that_does_not_hold_for_the_name_is_a_failure(
    authority: Authority, certified: str, expired: bool
) -> None:
    with LoopbackServer({"/": "page"}, authority.server_context(certified, expired)) as server:
        outcome = ask_by_name(server, "docs.test", authority.client_context())
    assert isinstance(outcome, Failed)
    assert "certificate" in outcome.reason
    assert server.asked == []


def test_ssrf_49_a_certificate_of_an_unknown_authority_is_a_failure(authority: Authority, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    trust = Authority(tmp_path / "other").client_context()
    with LoopbackServer({"/": "page"}, authority.server_context("docs.test")) as server:
        outcome = ask_by_name(server, "docs.test", trust)
    assert isinstance(outcome, Failed)
    assert server.asked == []
