"""`webdocs status`: jobs."""

from __future__ import annotations

import click

from webdocs.cli.output import json_option, print_jobs, print_json
from webdocs.cli.session import Session
from webdocs.cli.words import WORDS


@click.command(name="status")
@click.argument("job_id", required=False, type=WORDS)
@json_option
@click.pass_obj
def command(session: Session, job_id: str | None, as_json: bool) -> None:
    """Show all jobs, newest first, or the one with this id."""
    answer = session.open_client().get("/job_progress", job_id=job_id)
    if as_json:
        print_json(answer)
    elif not answer:
        click.echo("No jobs yet. `webdocs add URL` starts one.", err=True)
    else:
        print_jobs([answer] if job_id else answer, is_detailed=bool(job_id))
