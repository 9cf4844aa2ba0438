"""`webdocs cancel`: end a job."""

from __future__ import annotations

import click

from webdocs.cli.client import path_segment
from webdocs.cli.output import json_option, print_jobs, print_json
from webdocs.cli.session import Session
from webdocs.cli.words import WORDS


@click.command(name="cancel")
@click.argument("job_id", type=WORDS)
@json_option
@click.pass_obj
def command(session: Session, job_id: str, as_json: bool) -> None:
    """End the job with this id; what it indexed stays."""
    job = session.open_client().delete(f"/jobs/{path_segment(job_id)}")
    if as_json:
        print_json(job)
    else:
        print_jobs([job])
