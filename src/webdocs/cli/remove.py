"""`webdocs remove`: delete a site."""

from __future__ import annotations

import sys

import click

from webdocs.cli.client import path_segment
from webdocs.cli.output import count_pages, json_option, print_json
from webdocs.cli.session import Session
from webdocs.cli.words import WORDS

EXIT_DECLINED = 1


@click.command(name="remove")
@click.argument("site", type=WORDS)
@click.option("--version", type=WORDS, help="Only this version of the site.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def command(session: Session, site: str, version: str | None, yes: bool, as_json: bool) -> int:
    """Delete SITE, or one version of it, with its pages and jobs."""
    name = f"{site} {version or ''}".strip()
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(f"Removing {name} needs --yes where nobody can be asked.")
        if not click.confirm(f"Remove {name} with all its pages?", err=True):
            click.echo("Nothing was removed.", err=True)
            return EXIT_DECLINED
    answer = session.open_client().delete(f"/sites/{path_segment(site)}", version=version)
    if as_json:
        print_json(answer)
    else:
        click.echo(f"Removed {name}: {count_pages(answer['pages_removed'])}.")
    return 0
