"""`webdocs eval`: how well does this index answer judged questions?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from webdocs.cli.output import json_option, print_json, print_table
from webdocs.cli.session import Session
from webdocs.cli.words import WORDS
from webdocs.errors import InputError

if TYPE_CHECKING:
    from webdocs.cli.client import Client
    from webdocs.search.judge import Judged, Means, Verdict

_COLUMNS = ("QUESTIONS", "COUNT", "MRR@10", "HIT@5", "NDCG@5", "SECTION@1", "SECTION@5", "TOKENS")


@click.command(name="eval")
@click.argument("file", type=click.File(encoding="utf-8"))
@click.option("--site", type=WORDS, help="Only this site.")
@click.option("--version", type=WORDS, help="Only this version of the site.")
@json_option
@click.pass_obj
def command(session: Session, file: Any, site: str | None, version: str | None, as_json: bool) -> None:
    """Ask the questions in FILE and tell how well they were answered.

    FILE has one JSON object a line, {"query": "...", "relevant": ["URL or path"]}, if wanted with "anchors", an
    object of page to list of ids that are a right citation, and "kind", by which means are told apart. - is standard
    input.
    """
    from webdocs.search.judge import means_by_kind, read_judged

    try:
        lines = file.readlines()
    except UnicodeDecodeError as exc:
        raise InputError(f"{file.name} is no UTF-8 text") from exc
    rows = read_judged(lines)
    client = session.open_client()
    verdicts = [_ask(client, row, site, version) for row in rows]
    means = means_by_kind(verdicts)
    if as_json:
        print_json(
            {
                "means": {kind: asdict(found) for kind, found in means.items()},
                "queries": [asdict(verdict) for verdict in verdicts],
            }
        )
        return
    print_table(_COLUMNS, [_row(kind, found) for kind, found in means.items()])
    _list_missed(verdicts)


def _ask(client: Client, row: Judged, site: str | None, version: str | None) -> Verdict:
    from webdocs.search.judge import MRR_CUTOFF, judge

    hits, _ = client.search(query=row.query, top_k=MRR_CUTOFF, site=site, version=version)
    _, headers = client.search(query=row.query, site=site, version=version)
    return judge(row, [hit["anchor_url"] for hit in hits], int(headers["webdocs-tokens"]))


def _row(kind: str, means: Means) -> tuple[str, ...]:
    scores = (means.mrr_at_10, means.hit_at_5, means.ndcg_at_5, means.section_at_1, means.section_at_5)
    cells = ("-" if score is None else f"{score:.3f}" for score in scores)
    return (kind, str(means.count), *cells, "-" if means.tokens is None else f"{means.tokens:.0f}")


def _list_missed(verdicts: Sequence[Verdict]) -> None:
    missed = [verdict.query for verdict in verdicts if not verdict.hit_at_5]
    if missed:
        click.echo(f"\nNot among the first five ({len(missed)}): {'; '.join(missed[:10])}", err=True)
