"""`webdocs get`: one page."""

from __future__ import annotations

import click

from webdocs.cli.output import json_option, print_json
from webdocs.cli.session import Session
from webdocs.cli.words import WORDS


@click.command(name="get")
@click.argument("page", metavar="PAGE_ID_OR_URL", type=WORDS)
@json_option
@click.pass_obj
def command(session: Session, page: str, as_json: bool) -> None:
    """Print the page with this id or URL as Markdown."""
    client = session.open_client()
    answer = client.get("/get_doc_page", **{"url" if ":" in page else "page_id": page})
    if as_json:
        print_json(answer)
    else:
        click.echo(answer["text"])
