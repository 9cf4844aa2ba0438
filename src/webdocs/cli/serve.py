"""`webdocs serve`: REST and MCP over HTTP."""

from __future__ import annotations

import click

from webdocs.cli.session import Session
from webdocs.cli.setting_flags import SettingsCommand
from webdocs.errors import SettingError

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@click.command(name="serve", cls=SettingsCommand)
@click.option("--read-only", is_flag=True, help="Refuse what starts jobs or removes anything.")
@click.pass_obj
def command(session: Session, read_only: bool, flags: dict[str, str]) -> int:
    """Serve REST and, at /mcp, MCP over HTTP until ended. Every setting but keys has a flag."""
    settings = session.load_settings(flags)
    if settings.host not in LOOPBACK:
        raise SettingError(
            f"host is {settings.host!r}, but without access tokens only this machine may be served",
            "Use 127.0.0.1, and put a proxy that asks who calls before it.",
        )
    from webdocs.cli.serving import serve_http

    door = session.open_door(settings, settings.log_level, resumes_jobs=not read_only)
    return serve_http(door, settings, read_only=read_only)
