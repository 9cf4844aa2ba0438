"""`webdocs`, the command: which verbs are there, and how does a command end?

Exit codes: 0 done, 1 could not be done, 2 wrong input, 130 Ctrl-C, 143 ended by SIGTERM (servers: 0).
Each verb lives in the module of its name and is imported when it is called, so that `webdocs --help` is quick.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import click

# Products of a matrix and one vector wait for memory, not for arithmetic: a second thread of the library spun 10 ms of
# CPU a query and won 1 ms. It reads this when numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from webdocs.cli.session import Session, build_application
from webdocs.errors import InputError, StorePathError, WebdocsError

if TYPE_CHECKING:
    from webdocs.serve.owner import OpenApplication

logger = logging.getLogger(__name__)

VERBS = {
    "add": "Crawl a documentation site and index it.",
    "search": "Find passages in what is indexed.",
    "list": "List the indexed sites, or the pages of one.",
    "get": "Print one page as Markdown.",
    "eval": "Measure how well the index answers judged questions.",
    "status": "Show jobs, or one of them.",
    "cancel": "End a job; what it indexed stays.",
    "update": "Crawl a site again.",
    "reindex": "Embed everything anew after the embedder was changed.",
    "remove": "Delete a site, or one version of it.",
    "serve": "Serve REST and MCP over HTTP.",
    "mcp": "Serve MCP over standard input and output.",
}
"""Verb to its one line in `--help`; the module of a verb is never imported for it."""

EXIT_FAILED, EXIT_INPUT, EXIT_INTERRUPTED, EXIT_TERMINATED = 1, 2, 130, 143


class _Verbs(click.Group):
    """The group of the verbs, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        return import_module(f"webdocs.cli.{cmd_name}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            raise click.UsageError(f"There is no command {args[0]!r}. Commands: {', '.join(VERBS)}.", ctx)
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from webdocs.serve.version import product_version

        click.echo(f"webdocs {product_version()}")
        ctx.exit()


@click.command(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Log everything and show tracebacks.")
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Show the release."
)
@click.pass_context
def webdocs(ctx: click.Context, debug: bool) -> None:
    """Index documentation sites and answer from them with citations.

    The database is WEBDOCS_DB_PATH, or webdocs.duckdb in your data folder.
    """
    ctx.obj.is_debug = debug or ctx.obj.is_debug


def main() -> NoReturn:
    """Entry of the scripts `webdocs` and `webdocs-mcp`."""
    sys.exit(run(sys.argv[1:], build_application))


def run(arguments: Sequence[str], open_application: OpenApplication) -> int:
    """Run one command.

    Args:
        arguments: Without the program's name.
        open_application: Opens the database, when this process comes to hold it.

    Returns:
        The exit code.
    """
    session = Session(open_application, is_debug=os.environ.get("WEBDOCS_LOG_LEVEL") == "DEBUG")
    signal.signal(signal.SIGTERM, _end)
    try:
        with session:
            result = webdocs.main(list(arguments), "webdocs", standalone_mode=False, obj=session)
        return result if isinstance(result, int) else 0
    except (Exception, KeyboardInterrupt) as error:
        return _tell(error, session)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(EXIT_TERMINATED)  # so that every `finally` runs and the owner file goes


def _tell(error: BaseException, session: Session) -> int:
    if isinstance(error, (click.Abort, KeyboardInterrupt)):
        return EXIT_INTERRUPTED
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return EXIT_INPUT
    if session.is_debug:
        logger.error("command_failed", exc_info=error)
    line, code = _line_of(error)
    click.echo(f"webdocs: {line}", err=True)
    return code


def _line_of(error: BaseException) -> tuple[str, int]:
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "webdocs"
        return f"{_one_line(error.format_message())} See `{command} --help`.", EXIT_INPUT
    if isinstance(error, click.ClickException):
        return _one_line(error.format_message()), EXIT_FAILED
    if isinstance(error, WebdocsError):
        return _one_line(str(error)), EXIT_INPUT if isinstance(error, (InputError, StorePathError)) else EXIT_FAILED
    kind = type(error).__name__
    return f"Unexpected {kind}: {_one_line(str(error))} Run `webdocs --debug ...` for the traceback.", EXIT_FAILED


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if not line or line.endswith((".", "?", "!", "`")) else f"{line}."
