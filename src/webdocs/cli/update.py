"""`webdocs update`: crawl a site again."""

from __future__ import annotations

import click

from webdocs.cli.client import path_segment
from webdocs.cli.follow import exit_code_of, follow_jobs
from webdocs.cli.output import json_option, print_jobs, print_json
from webdocs.cli.session import Session
from webdocs.cli.words import WORDS


@click.command(name="update")
@click.argument("site", type=WORDS)
@click.option("--version", type=WORDS, help="Only this version of the site.")
@click.option("--full", is_flag=True, help="Fetch and index every page anew, whatever the server says of changes.")
@click.option("--wait", is_flag=True, help="Wait for the end although another process crawls.")
@json_option
@click.pass_obj
def command(session: Session, site: str, version: str | None, full: bool, wait: bool, as_json: bool) -> int:
    """Crawl SITE again as it was added; unchanged pages are not indexed again, pages that are gone are deleted."""
    client = session.open_client()
    jobs = client.post(f"/sites/{path_segment(site)}/update", version=version, full="true" if full else None)
    if wait or client.is_owner:
        jobs = follow_jobs(client, jobs)
    if as_json:
        print_json(jobs)
    else:
        print_jobs(jobs)
    return exit_code_of(jobs)
