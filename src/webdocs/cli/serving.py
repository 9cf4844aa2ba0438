"""How does `serve` run? Bind first, reach the database, then answer until a signal comes."""

from __future__ import annotations

import click

from webdocs.serve.door import Door
from webdocs.serve.front import create_front
from webdocs.serve.listener import Server, bind, port_of, uvicorn_config
from webdocs.settings import Settings


def serve_http(door: Door, settings: Settings, *, read_only: bool) -> int:
    """Serve on the main thread until SIGINT or SIGTERM.

    Raises:
        WebdocsError: the port is taken.
        OwnerError, StoreError: the database cannot be reached.
    """
    with bind(settings.host, settings.port) as bound:
        try:
            door.knock()
            config = uvicorn_config(create_front(door, settings, read_only=read_only))
            welcome = _welcome(settings.host, port_of(bound))
            server = Server(config, lambda: click.echo(welcome, err=True))
            server.run(sockets=[bound])
        except (KeyboardInterrupt, SystemExit):
            # uvicorn has shut down in order and raises the signal again; for a server that is a good end.
            return 0
    return 0


def _welcome(host: str, port: int) -> str:
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    return f"webdocs serves {address} (MCP at {address}/mcp); Ctrl-C ends it"
