"""`webdocs add`: crawl a site and index it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webdocs.cli.follow import exit_code_of, follow_jobs
from webdocs.cli.output import json_option, print_jobs, print_json
from webdocs.cli.session import Session
from webdocs.cli.words import WORDS

if TYPE_CHECKING:
    from webdocs.settings import Settings


@click.command(name="add")
@click.argument("url", type=WORDS)
@click.option("--name", type=WORDS, help="Name of the site; by default host and start folder.")
@click.option("--version", type=WORDS, help="Version that these pages document.")
@click.option("--max-pages", type=click.IntRange(min=1), help="Most pages to store.", default=5000, show_default=True)
@click.option("--max-depth", type=click.IntRange(min=0), help="Most links from the start; unlimited unless given.")
@click.option(
    "--scope",
    type=click.Choice(["subpages", "hostname", "domain"]),
    default="subpages",
    show_default=True,
    help="The folder of the URL, its host, or its registrable domain.",
)
@click.option("--path-prefix", type=WORDS, help="Only pages whose path starts with it.")
@click.option("--include", multiple=True, metavar="PATTERN", help="Glob or /regex/ that a page must match.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Glob or /regex/ of pages to leave out.")
@click.option("--delay", type=click.FloatRange(0, 3600), metavar="SECONDS", help="Between requests to a host.")
@click.option("--concurrency", type=click.IntRange(1, 64), help="Requests under way at once.")
@click.option("--allow-private", multiple=True, metavar="HOST", help="Private host, host:port or CIDR block to allow.")
@click.option("--no-robots", is_flag=True, help="Do not ask robots.txt. For sites that are yours.")
@click.option(
    "--render",
    type=click.Choice(["never", "auto", "always"]),
    help="Show pages in Chromium: never, where their HTML holds no content, or always.",
)
@click.option("--wait", is_flag=True, help="Wait for the end although another process crawls.")
@json_option
@click.pass_obj
def command(session: Session, url: str, wait: bool, as_json: bool, **options: Any) -> int:
    """Crawl the documentation site at URL and index it.

    Without another webdocs process this one crawls and shows its progress; otherwise the job is handed over.
    """
    client = session.open_client()
    crawl = {"url": url} | _crawl_options(options)
    _check_before_first_use(session.load_settings(), crawl)
    jobs = [client.submit(crawl)]
    if wait or client.is_owner:
        jobs = follow_jobs(client, jobs)
    if as_json:
        print_json(jobs[0])
    else:
        print_jobs(jobs)
    return exit_code_of(jobs)


def _check_before_first_use(settings: Settings, crawl: dict[str, Any]) -> None:
    """Refuse a wrong request before a database is made for it; where there is one, the owner refuses it.

    Raises:
        InputError: as the owner would.
    """
    if Path(settings.db_path).exists():
        return
    from webdocs.ingest.site import make_source
    from webdocs.serve.bodies import parse_operator_body

    asked = parse_operator_body(json.dumps(crawl).encode())
    make_source(asked.url, asked.options(settings), asked.name, asked.version, datetime.now(UTC))


def _crawl_options(options: dict[str, Any]) -> dict[str, Any]:
    """What was given, in the words of the owner's submit route; the rest is left to its defaults."""
    # By identity: 0 is a depth and a delay, and equals False.
    body = {name: value for name, value in options.items() if value is not None and value is not False and value != ()}
    if body.pop("no_robots", False):
        body["respect_robots"] = False
    if "delay" in body:
        body["delay_s"] = body.pop("delay")
    return body
