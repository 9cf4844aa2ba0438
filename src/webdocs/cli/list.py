"""`webdocs list`: what is indexed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from webdocs.cli.client import Client
from webdocs.cli.output import json_option, print_json, print_table
from webdocs.cli.session import Session
from webdocs.cli.words import WORDS

_PAGES_A_REQUEST = 1_000


@click.command(name="list")
@click.option("--site", type=WORDS, help="List the pages of this site.")
@json_option
@click.pass_obj
def command(session: Session, site: str | None, as_json: bool) -> None:
    """List the indexed sites, or with --site the pages of one."""
    client = session.open_client()
    rows = list(_pages(client, site)) if site else client.get("/sites")
    if as_json:
        print_json(rows)
    elif not rows:
        click.echo("Nothing is indexed yet. `webdocs add URL` adds a site.", err=True)
    elif site:
        print_table(("PAGE", "VERSION", "TITLE", "URL"), [_page_row(row) for row in rows])
    else:
        print_table(("SITE", "VERSION", "PAGES", "FETCHED", "URL"), [_site_row(row) for row in rows])


def _pages(client: Client, site: str) -> Iterator[dict[str, Any]]:
    offset = 0
    while True:
        rows = client.get("/list_doc_pages", site=site, offset=offset, limit=_PAGES_A_REQUEST)
        yield from rows
        offset += len(rows)
        if len(rows) < _PAGES_A_REQUEST:
            return


def _page_row(row: dict[str, Any]) -> tuple[str, ...]:
    return row["page_id"], row["version"] or "-", row["title"], row["url"]


def _site_row(row: dict[str, Any]) -> tuple[str, ...]:
    fetched = (row["fetched_at"] or "never")[:10]
    return row["site"], row["version"] or "-", str(row["pages"]), fetched, row["root_url"]
