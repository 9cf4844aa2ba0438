"""The browser as the crawl sees it: a process that shows one page at a time and is killed when it does not.

It lives in a process group of its own with nothing of our environment but the path, talks to us through its pipes,
and reaches the network through our proxy alone (`proxy.py`). It keeps its files in one folder, which goes with it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from webdocs.crawl.address import AllowList
from webdocs.crawl.browser_child import FOLDER_VARIABLE
from webdocs.crawl.dial import Dialler, GuardedBackend, Resolver, dial, resolve
from webdocs.crawl.process_tree import marked_processes
from webdocs.crawl.proxy import FilteringProxy

logger = logging.getLogger(__name__)

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""What the packages of Linux distributions and of Google call it."""

START_S = 60.0
"""Our choice: a browser starts in about a second; a loaded machine may take many."""

GRACE_S = 5.0
"""Our choice: the driver ends a page in time unless the browser is stuck; then it is killed (fault H2)."""

MAX_STOPS_IN_A_ROW = 5
"""Our choice: a site that hangs a browser five times will do so again (fault H1)."""

MAX_JOB_S = 2 * 3600.0
"""Our choice: some thousand pages at a second each; a job's browser takes no more in all."""

MAX_PAGE_BYTES = 64 * 1024 * 1024
"""Our choice: scripts of documentation sites are some MB. As it passes the wire, over all that a page loads."""

_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "SYSTEMROOT", "FONTCONFIG_PATH")


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a browser made of a page. `html` is the DOM as UTF-8; where there is a `fault`, it is empty."""

    url: str
    html: bytes = b""
    fault: str = ""


class Browser(Protocol):
    """Shows pages."""

    async def render(self, url: str) -> Rendered:
        """Run a page's scripts; never raises for what a page does."""
        ...

    async def aclose(self) -> None:
        """End every process."""
        ...


def find_chromium(path: str = "") -> str:
    """Chromium on this machine, or at the path of the setting; empty if there is none."""
    return next((found for name in ([path] if path else CHROMIUM_NAMES) if (found := shutil.which(name))), "")


def explain_missing(path: str = "") -> str:
    """What rendering lacks on this machine and how to get it; empty if nothing."""
    if importlib.util.find_spec("playwright") is None:
        return "the browser extra is not installed: pip install 'webdocs-mcp[browser]'"
    if find_chromium(path):
        return ""
    if path:
        return f"there is no browser at {path}: correct WEBDOCS_BROWSER_PATH"
    return "there is no Chromium: apt-get install chromium, or name one in WEBDOCS_BROWSER_PATH"


class ChromiumBrowser:
    """`Browser` on Chromium. Its processes start with the first page.

    Args:
        executable: From `find_chromium`.
        user_agent: Sent with every request.
        allow_private: As for the crawl.
        timeout_s: For one page.
        max_body_bytes: Of a page's DOM.
        resolver: Looks names up.
        dialler: Opens connections.
    """

    def __init__(
        self,
        executable: str,
        user_agent: str,
        *,
        allow_private: Sequence[str] = (),
        timeout_s: float = 30.0,
        max_body_bytes: int = 20 * 1024 * 1024,
        resolver: Resolver = resolve,
        dialler: Dialler = dial,
    ) -> None:
        self._executable = executable
        self._user_agent = user_agent
        self._timeout_s = timeout_s
        self._max_body_bytes = max_body_bytes
        self._backend = GuardedBackend(AllowList.parse(allow_private), resolver, dialler)
        self._turn = asyncio.Lock()
        self._proxy: FilteringProxy | None = None
        self._process: asyncio.subprocess.Process | None = None
        self.folder = ""
        """Of the present or last processes; its name marks them."""
        self._stops = 0
        self._spent_s = 0.0

    async def render(self, url: str) -> Rendered:
        """Run a page's scripts and answer its DOM once the text has settled. One page at a time."""
        async with self._turn:
            if self._stops >= MAX_STOPS_IN_A_ROW:
                return Rendered(url, fault=f"the browser had to be stopped {self._stops} times in a row; it rests now")
            if self._spent_s >= MAX_JOB_S:
                return Rendered(url, fault=f"the browser has run for {MAX_JOB_S / 3600:g} hours, the most for one job")
            began_s = time.monotonic()
            try:
                return await self._render(url)
            finally:
                self._spent_s += time.monotonic() - began_s

    async def _render(self, url: str) -> Rendered:
        is_whole = False
        try:
            if self._process is None:
                await self._start()
            rendered = await self._ask(url)
            is_whole = True
            self._stops = 0
        except TimeoutError:
            rendered = Rendered(url, fault=f"the browser did not come to an end within {self._timeout_s:g} s")
        except (asyncio.IncompleteReadError, ConnectionError, _BrokenBrowserError) as exc:
            rendered = Rendered(url, fault=str(exc) if isinstance(exc, _BrokenBrowserError) else "the browser crashed")
        finally:
            if not is_whole:  # a cancelled crawl as well: the next answer would belong to this page
                self._stops += 1
                await self._stop()
        logger.debug("page_rendered url=%s bytes=%d fault=%s", url, len(rendered.html), rendered.fault)
        return rendered

    async def aclose(self) -> None:
        """End every process and remove their files."""
        await self._stop()
        if self._proxy is not None:
            await self._proxy.aclose()

    # ------------------------------------------------------------ the process

    async def _start(self) -> None:
        if self._proxy is None:
            self._proxy = FilteringProxy(self._backend, max_page_bytes=MAX_PAGE_BYTES)
            await self._proxy.start()
        self.folder = tempfile.mkdtemp(prefix="webdocs-browser-")
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "webdocs.crawl.browser_child"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=_environment(self.folder),
            start_new_session=True,
        )
        logger.info("browser_started pid=%d", self._process.pid)
        self._say(
            executable=self._executable,
            proxy=self._proxy.url,
            username=self._proxy.username,
            password=self._proxy.password,
            user_agent=self._user_agent,
            max_chars=self._max_body_bytes,
        )
        async with asyncio.timeout(START_S):
            ready = await self._listen()
        if ready.fault:
            raise _BrokenBrowserError(ready.fault)

    async def _ask(self, url: str) -> Rendered:
        assert self._proxy is not None
        self._proxy.begin_page()
        self._say(url=url, timeout_s=self._timeout_s)
        async with asyncio.timeout(self._timeout_s + GRACE_S):
            return await self._listen()

    def _say(self, **words: object) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words).encode() + b"\n")

    async def _listen(self) -> Rendered:
        assert self._process is not None
        assert self._process.stdout is not None
        head = json.loads(await self._process.stdout.readuntil(b"\n"))
        html = await self._process.stdout.readexactly(head["size"])
        return Rendered(head["url"], html, head["fault"])

    async def _stop(self) -> None:
        """Kill the driver's group and whatever else bears the mark of this browser; the browser has its own group."""
        process, self._process = self._process, None
        if process is None:
            return
        _kill(-process.pid)
        for pid in marked_processes(f"{FOLDER_VARIABLE}={self.folder}"):
            _kill(pid)
        await process.wait()
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)
        if self._proxy is not None:
            self._proxy.close_connections()
        logger.info("browser_stopped pid=%d", process.pid)


class _BrokenBrowserError(Exception):
    """The browser says that it cannot work."""


def _environment(folder: str) -> dict[str, str]:
    """What the browser's processes know of us: no key and no setting, and a folder for all their files."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    places = ("HOME", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", FOLDER_VARIABLE)
    return {**kept, **dict.fromkeys(places, folder)}


def _kill(pid: int) -> None:
    try:
        if pid < 0:
            os.killpg(-pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
