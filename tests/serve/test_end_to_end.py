"""The product whole, as processes with the real database: add, search, get, three servers, a crash, an update."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import ask
from processes import Running, run_command

COMMAND = (sys.executable, "-c", "from webdocs.cli.main import main; main()")
PAGES = {
    "/docs/": "<main><h1>Kettle</h1><p>The kettle library boils water on request, safely and quickly.</p>"
    '<p><a href="/docs/valve.html">Valves</a></p></main>',
    "/docs/valve.html": '<main><h1>Valves</h1><p>A valve lets steam out of the kettle.</p><h2 id="whistle">Whistle'
    "</h2><p>Call <code>kettle.whistle()</code> to hear a thermodynamic whistle when the water boils.</p></main>",
}
FAST = {"WEBDOCS_EMBEDDER": "hashing", "WEBDOCS_CRAWL_DELAY": "0"}


class _Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        page = PAGES.get(self.path)
        body = f"<!doctype html><title>Docs</title><body>{page}</body>".encode() if page else b""
        self.send_response(200 if page else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def _run(db_path: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(db_path, *arguments, command=COMMAND, **FAST)


def test_from_nothing_to_an_agent_that_answers(db_path: str, site: str) -> None:
    added = _run(db_path, "add", f"http://{site}/docs/", "--allow-private", site, "--json")
    assert added.returncode == 0, added.stderr
    assert json.loads(added.stdout)["pages_indexed"] == 2

    with Running(db_path, "mcp", command=COMMAND, **FAST) as first:
        first.initialize()
        hit = first.call_tool("search_docs", query="thermodynamic whistle")["structuredContent"]["hits"][0]
        assert hit["anchor_url"].partition("#")[0] == f"http://{site}/docs/valve.html"
        assert "thermodynamic whistle" in hit["text"]
        with (
            Running(db_path, "mcp", command=COMMAND, **FAST) as second,
            Running(db_path, "serve", "--port", "0", command=COMMAND, **FAST) as public,
        ):
            second.initialize()
            port = public.wait_for_port()
            assert len(second.call_tool("list_doc_pages")["structuredContent"]["pages"]) == 2
            assert ask(port, "GET", "/search_docs?query=whistle").json[0]["page_id"] == hit["page_id"]

            first.process.kill()
            first.process.wait()
            found = second.call_tool("get_doc_page", url=hit["anchor_url"])
            assert "kettle.whistle()" in found["content"][0]["text"]
            assert ask(port, "GET", "/health").json["pages"] == 2
            found = json.loads(_run(db_path, "search", "boils water", "--json").stdout)
            assert found[0]["url"].startswith(f"http://{site}/docs/")
            assert second.close_input() == 0
    updated = _run(db_path, "update", hit["site"], "--json")
    assert updated.returncode == 0, updated.stderr
    assert json.loads(updated.stdout)[0]["pages_unchanged"] == 2
    assert not Path(db_path + ".owner").exists()
