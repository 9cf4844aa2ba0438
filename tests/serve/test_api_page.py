"""Contract A10: the page at `/docs` names everything that the OpenAPI description has, and loads nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fake_service import FakeService
from loopback import ask
from served import Served

from webdocs.serve.api_page import api_page
from webdocs.serve.rest import create_rest
from webdocs.settings import Settings

DESCRIPTION: dict[str, Any] = create_rest(FakeService(), Settings(db_path=":memory:")).openapi()
PAGE = api_page(DESCRIPTION)


def test_a10_nothing_is_loaded_and_nothing_runs() -> None:
    assert re.findall(r"<(?:script|link|img|iframe|object)|\son\w+=|@import|url\(", PAGE) == []
    assert re.findall(r'(?:href|src|action)="([^"]*)"', PAGE) == ["/openapi.json"]


def test_a10_every_endpoint_has_method_path_and_summary() -> None:
    for path, methods in DESCRIPTION["paths"].items():
        for method, operation in methods.items():
            heading = f"<h2><code>{method.upper()} {path}</code></h2><p><b>{operation['summary'].replace('?', '')}"
            assert heading in PAGE


def test_a10_every_parameter_is_in_its_endpoints_table() -> None:
    for path, methods in DESCRIPTION["paths"].items():
        for method, operation in methods.items():
            section = PAGE.partition(f"<code>{method.upper()} {path}</code>")[2].partition("<h2>")[0]
            for parameter in operation.get("parameters", ()):
                assert f"<tr><td><code>{parameter['name']}</code></td><td>{parameter['in']}</td>" in section
    schemas = DESCRIPTION["components"]["schemas"]
    fields = [*schemas["FetchUrlBody"]["properties"], *schemas["SubmitDocumentArguments"]["properties"]]
    assert re.findall(r"<td><code>(\w+)</code></td><td>body</td>", PAGE) == fields


ROWS = [
    (
        "type-range-default-example",
        "<td><code>top_k</code></td><td>query</td><td>integer, from 1, to 25</td><td><code>5</code></td>"
        "<td><code>5</code></td><td>Most passages.</td>",
    ),
    (
        "a-choice",
        "<td><code>scope</code></td><td>body</td><td>one of subpages, hostname, domain</td>"
        "<td><code>&quot;subpages&quot;</code></td>",
    ),
    (
        "a-list",
        "<td><code>exclude</code></td><td>body</td>"
        "<td>list of string, at least 1 characters, at most 500 characters, at most 100 items</td>"
        "<td><code>[]</code></td>",
    ),
    ("required", "<td><code>url</code></td><td>body</td><td>string, at least 1 characters, at most 8000 characters</td>"
     "<td>required</td>"),
    ("null-or", "<td><code>max_pages</code></td><td>body</td><td>integer, from 1, to 500 or null</td><td>none</td>"),
]  # fmt: skip


@pytest.mark.parametrize("row", [row[1] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a10_a_parameters_row(row: str) -> None:
    assert row in PAGE


def test_a10_text_is_escaped() -> None:
    operation = {
        "summary": "<b>",
        "description": "`<i>` & more",
        "parameters": [{"name": '"><script>', "in": "query", "schema": {"type": "string", "examples": ["<u>"]}}],
    }
    info = {"title": "<t>", "version": "1", "description": "<d>"}
    page = api_page({"info": info, "paths": {"/<p>": {"get": operation}}})
    assert "<h2><code>GET /&lt;p&gt;</code></h2><p><b>&lt;b&gt;.</b> <code>&lt;i&gt;</code> &amp; more</p>" in page
    assert "<td><code>&quot;&gt;&lt;script&gt;</code></td>" in page
    assert "<td><code>&quot;&lt;u&gt;&quot;</code></td>" in page
    assert "<title>&lt;t&gt; 1: REST</title>" in page


def test_a10_the_server_answers_it(served: Served) -> None:
    reply = ask(served.port, "GET", "/docs")
    assert (reply.status, reply.body.decode()) == (200, PAGE)
