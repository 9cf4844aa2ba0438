"""`webdocs search`: find passages."""

from __future__ import annotations

import click

from webdocs.cli.output import edition, json_option, print_json
from webdocs.cli.session import Session
from webdocs.cli.words import WORDS

_WHAT_IS_THERE = "`webdocs list` shows what is indexed."


@click.command(name="search")
@click.argument("query", type=WORDS)
@click.option("--site", type=WORDS, help="Only this site.")
@click.option("--version", type=WORDS, help="Only this version of the site.")
@click.option("--top-k", type=click.IntRange(1, 25), default=5, show_default=True, help="Most passages.")
@click.option("--max-tokens", type=click.IntRange(1, 100_000), help="Most tokens of all passages together.")
@json_option
@click.pass_obj
def command(
    session: Session,
    query: str,
    site: str | None,
    version: str | None,
    top_k: int,
    max_tokens: int | None,
    as_json: bool,
) -> None:
    """Find passages that answer QUERY, with the URLs of their sections."""
    hits, headers = session.open_client().search(
        query=query,
        site=site,
        version=version,
        top_k=top_k,
        max_tokens=max_tokens,
    )
    if as_json:
        print_json(hits)
        return
    if not hits:
        budget = "" if max_tokens is None else f", or no passage fits into {max_tokens} tokens"
        click.echo(f"Nothing found{budget}. {headers.get('webdocs-hint', _WHAT_IS_THERE)}", err=True)
    for number, hit in enumerate(hits, 1):
        click.secho(f"{number}. {' > '.join(hit['heading_path']) or hit['title']}", bold=True)
        click.echo(f"{hit['anchor_url']}  ({edition(hit)}, fetched {hit['fetched_at'][:10]})\n")
        click.echo(f"{hit['text'].strip()}\n")
