"""Chromium itself, against real servers on loopback (contract D10, ssrf.md row 47, faults B12 and H)."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import httpcore2
import pytest

from servers import LoopbackServer, Reply
from webdocs.build import open_application
from webdocs.crawl.browser import ChromiumBrowser, Rendered, explain_missing, find_chromium
from webdocs.crawl.browser_child import FOLDER_VARIABLE, PAGES_PER_CONTEXT
from webdocs.crawl.dial import dial
from webdocs.crawl.process_tree import marked_processes
from webdocs.model import CrawlOptions
from webdocs.settings import load_settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(explain_missing() != "", reason=f"rendering is not possible here: {explain_missing()}"),
]

WRITE = "<div id=root></div><script>function put(t){document.getElementById('root').innerHTML='<h1>'+t+'</h1>'}"


Result = TypeVar("Result")


class RecordingDialler:
    """Dials as the crawl does and writes down where."""

    def __init__(self) -> None:
        self.dialled: list[int] = []

    async def __call__(self, address: str, port: int, timeout_s: float | None) -> httpcore2.AsyncNetworkStream:
        self.dialled.append(port)
        return await dial(address, port, timeout_s)


def with_browser(
    server: LoopbackServer, act: Callable[[ChromiumBrowser], Awaitable[Result]], timeout_s: float = 15.0
) -> tuple[Result, RecordingDialler]:
    dialler = RecordingDialler()

    async def scene() -> Result:
        browser = ChromiumBrowser(
            find_chromium(), "webdocs-test", allow_private=[server.socket], timeout_s=timeout_s, dialler=dialler
        )
        try:
            return await act(browser)
        finally:
            await browser.aclose()
            assert not marked_processes(f"{FOLDER_VARIABLE}={browser.folder}"), "a process outlived its browser"
            assert not Path(browser.folder).exists()

    return asyncio.run(scene()), dialler


def render(server: LoopbackServer, path: str = "/", timeout_s: float = 15.0) -> tuple[Rendered, RecordingDialler]:
    return with_browser(server, lambda browser: browser.render(server.url(path)), timeout_s)


def test_fault_H4_text_that_comes_after_the_load_is_waited_for() -> None:
    with LoopbackServer({"/": f"{WRITE};setTimeout(() => put('late text'), 300)</script>"}) as server:
        rendered, _ = render(server)
    assert (rendered.url, rendered.fault) == (server.url("/"), "")
    assert b"<h1>late text</h1>" in rendered.html
    assert b"<script" not in rendered.html


ESCAPES = [
    ("fetch", "fetch('{victim}')"),
    ("post", "fetch('{victim}', {{method: 'POST', mode: 'no-cors', body: 'x'}})"),
    ("beacon", "navigator.sendBeacon('{victim}', 'x')"),
    ("image", "new Image().src = '{victim}'"),
    ("websocket", "new WebSocket('{victim}'.replace('http', 'ws'))"),
    ("event-source", "new EventSource('{victim}')"),
    ("popup", "window.open('{victim}')"),
    ("iframe", "document.body.append(Object.assign(document.createElement('iframe'), {{src: '{victim}'}}))"),
    (
        "file-iframe",
        "document.body.append(Object.assign(document.createElement('iframe'), {{src: 'file:///etc/passwd'}}))",
    ),
    (
        "prefetch",
        "document.head.append(Object.assign(document.createElement('link'), {{rel: 'prefetch', href: '{victim}'}}))",
    ),
    (
        "preconnect",
        "document.head.append(Object.assign(document.createElement('link'), {{rel: 'preconnect', href: '{victim}'}}))",
    ),
    ("worker", "new Worker(URL.createObjectURL(new Blob([\"fetch('{victim}')\"])))"),
    ("service-worker", "navigator.serviceWorker && navigator.serviceWorker.register('/sw.js')"),
    (
        "webrtc",
        "const p = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{udp}'}}]}});"
        "p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o))",
    ),
]


@pytest.mark.parametrize("script", [case[1] for case in ESCAPES], ids=[f"ssrf-47-{case[0]}" for case in ESCAPES])
def test_nothing_that_a_page_tries_reaches_a_private_address(script: str) -> None:
    with (
        LoopbackServer({"/": "secret"}) as victim,
        LoopbackServer({"/sw.js": Reply(headers={"Content-Type": "text/javascript"}, body="")}) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        tried = script.format(victim=victim.url("/"), udp=udp.getsockname()[1])
        server.routes["/"] = f"{WRITE};put('shown');try {{ {tried} }} catch (e) {{}}</script>"
        rendered, dialler = render(server)
        assert b"<h1>shown</h1>" in rendered.html
        assert victim.connections == 0
        assert set(dialler.dialled) <= {server.port}
        assert "/sw.js" not in server.targets
        with pytest.raises(BlockingIOError):
            udp.recv(1)
        assert not {asked.target for asked in server.asked} - {"/", "/favicon.ico"}


@pytest.mark.parametrize(
    "html",
    [
        pytest.param('<meta http-equiv=refresh content="0; url={victim}"><p>before', id="ssrf-47-meta-refresh"),
        pytest.param("<p>before<script>location = '{victim}'</script>", id="ssrf-47-location"),
        pytest.param(
            "<form method=post action={victim}></form><script>document.forms[0].submit()</script>", id="ssrf-47-form"
        ),
        pytest.param("<p>before<script>location = 'file:///etc/passwd'</script>", id="ssrf-47-file-location"),
    ],
)
def test_a_page_that_sends_on_to_a_private_address_reaches_none(html: str) -> None:
    with LoopbackServer({"/": "secret"}) as victim, LoopbackServer({}) as server:
        server.routes["/"] = html.format(victim=victim.url("/"))
        rendered, dialler = render(server)
        assert victim.connections == 0
        assert set(dialler.dialled) <= {server.port}
        assert b"root:" not in rendered.html
        assert not rendered.url.startswith(("chrome", "file", victim.origin))


def test_fault_H2_a_page_that_never_ends_is_killed_and_the_next_one_shown() -> None:
    async def both(browser: ChromiumBrowser) -> tuple[Rendered, Rendered]:
        return await browser.render(server.url("/busy")), await browser.render(server.url("/"))

    with LoopbackServer({"/": f"{WRITE};put('fine')</script>", "/busy": "<p>x<script>while(1){}</script>"}) as server:
        (busy, fine), _ = with_browser(server, both, timeout_s=2.0)
    assert busy.fault
    assert b"fine" in fine.html


def test_fault_H1_pages_that_navigate_for_ever_end_within_their_budget() -> None:
    async def several(browser: ChromiumBrowser) -> list[Rendered]:
        return [await browser.render(server.url("/")) for _ in range(3)]

    with LoopbackServer({"/": "<script>onload = () => location.reload()</script>"}) as server:
        found, _ = with_browser(server, several, timeout_s=2.0)
    assert all(rendered.fault or b"<h1>" not in rendered.html for rendered in found)


def test_fault_H3_every_so_many_pages_a_new_context_begins() -> None:
    counts = "localStorage.n = 1 + Number(localStorage.n || 0); put('visit ' + localStorage.n)"

    async def many(browser: ChromiumBrowser) -> list[bytes]:
        return [(await browser.render(server.url("/"))).html for _ in range(PAGES_PER_CONTEXT + 1)]

    with LoopbackServer({"/": f"{WRITE};{counts}</script>"}) as server:
        found, _ = with_browser(server, many)
    assert b"<h1>visit 1</h1>" in found[0]
    assert b"<h1>visit %d</h1>" % PAGES_PER_CONTEXT in found[-2]
    assert b"<h1>visit 1</h1>" in found[-1]


def test_D10_a_cancelled_page_leaves_no_process() -> None:
    async def cancel(browser: ChromiumBrowser) -> None:
        task = asyncio.create_task(browser.render(server.url("/")))
        await asyncio.to_thread(asked.wait, 30)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asked = threading.Event()

    async def hang(writer: object) -> None:
        asked.set()
        await asyncio.Event().wait()

    with LoopbackServer({"/": hang}) as server:
        with_browser(server, cancel)


def test_fault_B12_a_site_built_by_scripts_becomes_searchable_pages(tmp_path: Path) -> None:
    application_js = """
      const texts = {'': 'Welcome to widgets', '/guide': 'Call spinWidget to turn it', '/api': 'The angle in degrees'};
      const show = () => { const at = location.hash.slice(1);
        document.title = at; document.getElementById('app').innerHTML =
        '<nav><a href="#/guide">Guide</a> <a href="#/api">API</a></nav><main>' +
        '<h1>Page ' + at + '</h1><p>' + texts[at]; };
      onhashchange = show; setTimeout(show, 200);"""
    routes = {
        "/": "<title>Docs</title><div id=app>Loading...</div><script src=/app.js></script>",
        "/app.js": Reply(headers={"Content-Type": "text/javascript"}, body=application_js),
    }
    settings = load_settings({"WEBDOCS_DB_PATH": str(tmp_path / "i.duckdb"), "WEBDOCS_EMBEDDER": "hashing"})
    application = open_application(settings)
    with LoopbackServer(routes) as server:
        options = CrawlOptions(delay_s=0.0, allow_private=(server.socket,), render="auto")
        job = application.service.watch(application.service.submit(server.url("/"), options).job_id, 60)
        answer = application.service.search("turn a widget with spinWidget", top_k=1)
        application.close()
    assert (job.status, job.pages_indexed, job.pages_failed, job.notes) == ("completed", 3, 0, ())
    assert answer.hits[0].url.startswith(server.url("/#/guide"))


def test_marked_processes_holds_this_process_by_its_own_environment() -> None:
    name, value = next((name, value) for name, value in os.environ.items() if "\n" not in value)
    assert os.getpid() in marked_processes(f"{name}={value}")
