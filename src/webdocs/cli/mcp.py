"""`webdocs mcp`: MCP over standard input and output."""

from __future__ import annotations

import click

from webdocs.cli.session import Session
from webdocs.cli.setting_flags import SettingsCommand


@click.command(name="mcp", cls=SettingsCommand)
@click.option("--read-only", is_flag=True, help="Leave out the tools that start or end jobs.")
@click.pass_obj
def command(session: Session, read_only: bool, flags: dict[str, str]) -> int:
    """Serve MCP over standard input and output until the input ends. Every setting but keys has a flag."""
    settings = session.load_settings(flags)
    door = session.open_door(settings, settings.log_level, resumes_jobs=not read_only)
    from webdocs.cli.stdio import serve_stdio

    return serve_stdio(door, settings, read_only=read_only)
