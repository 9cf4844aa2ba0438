"""`webdocs remove`: delete a site."""

from __future__ import annotations

import sys

import click

from webdocs.cli.client import path_segment
from webdocs.cli.output import json_option, print_json
from webdocs.cli.session import Session


@click.command(name="remove")
@click.argument("site")
@click.option("--version", default="", help="Only this version of the site.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def command(session: Session, site: str, version: str, yes: bool, as_json: bool) -> None:
    """Delete SITE, or one version of it, with its pages and jobs."""
    name = f"{site} {version}".strip()
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(f"Removing {name} needs --yes where nobody can be asked.")
        click.confirm(f"Remove {name} with all its pages?", abort=True, err=True)
    answer = session.open_client().delete(f"/sites/{path_segment(site)}", version=version)
    if as_json:
        print_json(answer)
    else:
        click.echo(f"Removed {name}: {answer['pages_removed']} pages.")
