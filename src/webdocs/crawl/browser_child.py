"""The process that drives the browser: `python -m webdocs.crawl.browser_child`, started by `browser.py`.

It is a process of its own because a browser can stop answering, and with it whoever waits for it. Its parent kills it
then. It reads one JSON line a page from standard input and answers with one JSON line, followed by as many bytes of
HTML as that line says. The first line holds its orders. It ends when its standard input does, and so with its parent.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, BrowserType, Page, Route

FOLDER_VARIABLE = "WEBDOCS_BROWSER_FOLDER"
"""Names the folder of one browser, which also marks its processes."""

PAGES_PER_CONTEXT = 25
"""Our choice: a context's memory grows with each page (fault H3); a new one costs some 20 ms."""

PAGES_PER_BROWSER = 500
"""Our choice: the same for the browser's own processes; a new one costs about a second."""

POLL_S = 0.1
QUIET_S = 0.5
"""Our choice: text that has not changed for so long, while nothing is on its way, has settled (fault H4)."""

MAX_SETTLE_S = 10.0
"""Our choice: a page that polls its server is never quiet; what it shows by then is taken."""

_UNNEEDED = frozenset(("image", "media", "font", "texttrack", "eventsource", "websocket", "manifest", "ping"))

FLAGS = (
    # No way out but the proxy: names are not looked up, UDP is not sent, QUIC is not tried.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    # What documentation does not need: devices, pictures, reports, much memory.
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-breakpad",
    "--blink-settings=imagesEnabled=false",
    "--mute-audio",
    "--disk-cache-size=33554432",
    "--js-flags=--max-old-space-size=512",
)

_TEXT_LENGTH = "() => document.body ? document.body.innerText.trim().length : 0"

_SERIALISE = """(maxChars) => {
  document.querySelectorAll('script, noscript').forEach((element) => element.remove());
  const html = '<!doctype html>' + document.documentElement.outerHTML;
  return html.length > maxChars ? null : html;
}"""


@dataclass(frozen=True, slots=True)
class Orders:
    """What holds for every page."""

    executable: str
    proxy: str
    username: str
    password: str
    user_agent: str
    max_chars: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a page; `html` is empty when `fault` is not."""

    url: str
    fault: str = ""
    html: bytes = b""


class Driver:
    """One browser with its contexts, replaced as they age."""

    def __init__(self, orders: Orders, chromium: BrowserType) -> None:
        self._orders = orders
        self._chromium = chromium
        self._browser: Browser | None = None
        self._context: BrowserContext | None = None
        self._pages = 0

    async def render(self, url: str, timeout_s: float) -> Answer:
        """Open a URL, wait until its text has settled, and answer its DOM."""
        from playwright.async_api import Error

        try:
            page = await (await self._fresh_context()).new_page()
            try:
                return await self._read(page, url, time.monotonic() + timeout_s)
            finally:
                await page.close()
        except Error as exc:
            return Answer(url, f"the browser could not show the page: {_first_line(exc.message)}")

    async def _fresh_context(self) -> BrowserContext:
        if self._browser is None or not self._browser.is_connected() or self._pages >= PAGES_PER_BROWSER:
            await self.launch()
        if self._context is None or self._pages % PAGES_PER_CONTEXT == 0:
            await self._renew_context()
        assert self._context is not None
        self._pages += 1
        return self._context

    async def launch(self) -> None:
        """Start the browser, or a new one in place of the old."""
        if self._browser is not None:
            await self._browser.close()
        self._context, self._pages = None, 0
        orders = self._orders
        self._browser = await self._chromium.launch(
            executable_path=orders.executable,
            args=list(FLAGS),
            proxy={"server": orders.proxy, "username": orders.username, "password": orders.password},
            chromium_sandbox=not _is_root(),
        )

    async def _renew_context(self) -> None:
        assert self._browser is not None
        if self._context is not None:
            await self._context.close()
        self._context = await self._browser.new_context(
            user_agent=self._orders.user_agent,
            accept_downloads=False,
            service_workers="block",
            reduced_motion="reduce",
        )
        await self._context.route("**/*", _judge_route)

    async def _read(self, page: Page, url: str, until_s: float) -> Answer:
        assert self._context is not None
        flight = _Flight()
        page.on("request", flight.begin)
        page.on("requestfinished", flight.end)
        page.on("requestfailed", flight.end)
        page.on("popup", lambda popup: asyncio.ensure_future(popup.close()))
        await page.goto(url, wait_until="domcontentloaded", timeout=max(until_s - time.monotonic(), 0.1) * 1000)
        is_settled = await _settle(page, flight, min(until_s, time.monotonic() + MAX_SETTLE_S))
        if not page.url.startswith(("http://", "https://")):
            # The browser's own error page: its words are not the site's.
            return Answer(url, "the page leads to where the browser may not go, or to what it cannot load")
        html = await _serialise(page, self._orders.max_chars)
        if html is None and not is_settled:
            return Answer(page.url, "the page does not stop changing its address")
        if html is None:
            return Answer(page.url, "the page as rendered is larger than a page may be")
        return Answer(page.url, html=html.encode("utf-8", "replace"))


class _Flight:
    """The requests of a page that have no answer yet."""

    def __init__(self) -> None:
        self._open: set[object] = set()

    def begin(self, request: object) -> None:
        self._open.add(request)

    def end(self, request: object) -> None:
        self._open.discard(request)

    @property
    def is_empty(self) -> bool:
        return not self._open


async def _judge_route(route: Route) -> None:
    """Let a page load what its text can depend on; a crawl changes nothing at a site, so it only asks."""
    request = route.request
    is_wanted = request.method in ("GET", "HEAD") and request.resource_type not in _UNNEEDED
    if is_wanted and request.url.startswith(("http://", "https://", "data:", "blob:")):
        await route.continue_()
    else:
        await route.abort("blockedbyclient")


async def _settle(page: Page, flight: _Flight, until_s: float) -> bool:
    """Wait until there is text and it stands still; false if it never did."""
    from playwright.async_api import Error

    seen, since_s = -1, time.monotonic()
    while (now_s := time.monotonic()) < until_s:
        try:
            length = await page.evaluate(_TEXT_LENGTH)
        except Error:  # the page went elsewhere while it was asked
            length = -1
        if length != seen or length <= 0 or not flight.is_empty:
            seen, since_s = length, (now_s if length != seen or not flight.is_empty else since_s)
        if length > 0 and now_s - since_s >= QUIET_S:
            return True
        await asyncio.sleep(POLL_S)
    return False


async def _serialise(page: Page, max_chars: int) -> str | None:
    from playwright.async_api import Error

    try:
        return await page.evaluate(_SERIALISE, max_chars)
    except Error:
        return None


def _is_root() -> bool:
    """Chromium's sandbox does not work for root, and it refuses to start with it."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _first_line(text: str) -> str:
    return text.partition("\n")[0].removeprefix("Page.goto: ")


def _write(out: BinaryIO, answer: Answer) -> None:
    head = {"url": answer.url, "fault": answer.fault, "size": len(answer.html)}
    out.write(json.dumps(head).encode() + b"\n" + answer.html)
    out.flush()


async def _serve(lines: asyncio.Queue[bytes], outward: BinaryIO) -> None:
    """Answer pages one after the other, without end."""
    from playwright.async_api import Error, async_playwright

    orders = Orders(**json.loads(await lines.get()))
    async with async_playwright() as playwright:
        driver = Driver(orders, playwright.chromium)
        try:
            await driver.launch()
        except Error as exc:
            _write(outward, Answer("", f"the browser does not start: {_first_line(exc.message)}"))
            return
        _write(outward, Answer(""))
        while True:
            asked = json.loads(await lines.get())
            _write(outward, await driver.render(asked["url"], asked["timeout_s"]))


def _read_lines(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes]) -> None:
    """Hand on what the parent says. When it has gone, end at once, whatever a page is doing.

    The driver then sees its own pipe close and ends the browser, as the browser does when the driver has gone.
    """
    for line in sys.stdin.buffer:
        loop.call_soon_threadsafe(lines.put_nowait, line)
    shutil.rmtree(os.environ.get(FOLDER_VARIABLE, ""), ignore_errors=True)
    os._exit(0)


async def _run(outward: BinaryIO) -> None:
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    threading.Thread(target=_read_lines, args=(asyncio.get_running_loop(), lines), daemon=True).start()
    await _serve(lines, outward)


def main() -> None:
    """Serve the parent until it closes our standard input."""
    outward = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    if hasattr(os, "nice"):
        os.nice(5)  # a page's scripts must not slow down those who search
    asyncio.run(_run(outward))


if __name__ == "__main__":
    main()
