"""Web servers made for measuring, each a process of its own, so that what they cost is not counted.

usage: python benchmarks/hostile.py bombs PORT        300 MB of zeros as /gzip, /br and /zstd, a small page as /
       python benchmarks/hostile.py site PORT PAGES   a synthetic site of so many pages, each with forty links
"""

from __future__ import annotations

import asyncio
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import brotli
import process

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BOMB_BYTES = 300_000_000
_PIECE = bytes(1_000_000)
_BRANCHES = 2
_NEIGHBOURS = 38

Answer = Callable[[str], tuple[str, bytes] | None]
"""Path to content coding and body; None for what is not there."""


def gzip_bomb() -> bytes:
    """300 MB of zeros, made piece by piece."""
    encoder = zlib.compressobj(9, wbits=31)
    return b"".join(encoder.compress(_PIECE) for _ in range(BOMB_BYTES // len(_PIECE))) + encoder.flush()


def br_bomb() -> bytes:
    """Likewise under br."""
    encoder = brotli.Compressor()
    return b"".join(encoder.process(_PIECE) for _ in range(BOMB_BYTES // len(_PIECE))) + encoder.finish()


def zstd_bomb() -> bytes:
    """Likewise under zstd."""
    encoder = zstd.ZstdCompressor()
    return b"".join(encoder.compress(_PIECE) for _ in range(BOMB_BYTES // len(_PIECE))) + encoder.flush()


def bombs() -> Answer:
    """The three bombs and a page."""
    bodies = {"/gzip": gzip_bomb(), "/br": br_bomb(), "/zstd": zstd_bomb()}
    return lambda path: (path[1:], bodies[path]) if path in bodies else ("", b"<p>page") if path == "/" else None


def site(pages: int) -> Answer:
    """Page n links to its two children and the pages before it: what is known grows with what was read."""

    def answer(path: str) -> tuple[str, bytes] | None:
        name = path.removeprefix("/page/").removesuffix(".html") if path != "/" else "0"
        if not name.isdigit() or int(name) >= pages:
            return None
        number = int(name)
        children = [number * _BRANCHES + branch for branch in range(1, _BRANCHES + 1)]
        others = range(max(number - _NEIGHBOURS, 0), number)
        links = "".join(f'<li><a href="/page/{n}.html">Page {n}</a></li>' for n in [*children, *others] if n < pages)
        # Letters, since the crawler leaves pages that differ in their digits alone.
        matter = "".join(chr(ord("a") + int(digit)) for digit in str(number))
        words = f"This is page {number} of the manual, on the matter of {matter}. " * 40
        return "", f"<html><title>Page {number}</title><main><p>{words}</p><ul>{links}</ul></main>".encode()

    return answer


async def serve(answer: Answer, port: int) -> None:
    """Answer on loopback until the process is ended."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                found = answer(head.split(b" ", 2)[1].decode("latin-1"))
                coding, body = found or ("", b"not here")
                fields = f"Content-Type: text/html\r\nContent-Length: {len(body)}\r\n"
                fields += f"Content-Encoding: {coding}\r\n" if coding else ""
                writer.write(f"HTTP/1.1 {'200 OK' if found else '404 Not Found'}\r\n{fields}\r\n".encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", port)
    await server.serve_forever()


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """One of these servers in a process of its own; yields its root URL."""
    port = process.free_port()
    kind, *rest = arguments
    with process.ended_afterwards(Popen([sys.executable, str(Path(__file__)), kind, str(port), *rest])) as child:
        process.wait_until_answers(f"http://127.0.0.1:{port}/", child)
        yield f"http://127.0.0.1:{port}/"


if __name__ == "__main__":
    asyncio.run(serve(bombs() if sys.argv[1] == "bombs" else site(int(sys.argv[3])), int(sys.argv[2])))
