"""The command as people call it: what it prints, where, and how it ends. In this process, over the fake service."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fake_application import FakeApplication
from fake_service import MARKDOWN, PAGE_ID, PAGE_URL, SITE, FakeService

from webdocs.cli.main import VERBS, run
from webdocs.errors import StoreError, StorePathError
from webdocs.model import CrawlOptions
from webdocs.serve.door import Door
from webdocs.settings import Settings, rules


@dataclass
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Shell:
    """Runs commands; `service` is the fake of the last one that opened the database."""

    capture: pytest.CaptureFixture[str]
    opened: list[FakeApplication] = field(default_factory=list)
    owner: _Owner | None = None

    def __call__(self, *arguments: str) -> Ended:
        code = run(arguments, self._open)
        captured = self.capture.readouterr()
        return Ended(code, captured.out, captured.err)

    @property
    def service(self) -> FakeService:
        return self.owner.service if self.owner else self.opened[-1].service

    def _open(self, settings: Settings) -> FakeApplication:
        self.opened.append(FakeApplication(settings))
        return self.opened[-1]


class _Owner:
    """Another process that holds the database."""

    def __init__(self, db_path: str) -> None:
        self.db_path = db_path
        self._opened: list[FakeApplication] = []
        self._door = Door(Settings(db_path=db_path), self._open)

    @property
    def service(self) -> FakeService:
        return self._opened[0].service

    def _open(self, settings: Settings) -> FakeApplication:
        self._opened.append(FakeApplication(settings))
        return self._opened[0]

    def __enter__(self) -> FakeService:
        self._door.knock()
        return self.service

    def __exit__(self, *error: object) -> None:
        self._door.close()


@pytest.fixture(autouse=True)
def _own_settings(db_path: str) -> Iterator[None]:
    """The user's environment is put aside, and put back; so is the logging that a command starts."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith("WEBDOCS_")]:
        del os.environ[name]
    os.environ["WEBDOCS_DB_PATH"] = db_path
    os.environ["XDG_CONFIG_HOME"] = str(Path(db_path).parent)
    handler = signal.getsignal(signal.SIGTERM)
    handlers, level = list(logging.root.handlers), logging.root.level
    yield
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)
    signal.signal(signal.SIGTERM, handler)
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def _shared_owner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Owner]:
    owner = _Owner(str(tmp_path_factory.mktemp("shared") / "webdocs.duckdb"))
    with owner:
        yield owner


@pytest.fixture
def owned(shell: Shell, _shared_owner: _Owner) -> Shell:
    """A shell beside another process that holds the database; quick, as nothing is opened."""
    os.environ["WEBDOCS_DB_PATH"] = _shared_owner.db_path
    _shared_owner.service.reset()
    shell.owner = _shared_owner
    return shell


@pytest.fixture
def shell(capfd: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capfd)


def test_add_as_owner_crawls_to_the_end_and_says_how_many_failed(shell: Shell) -> None:
    done = shell("add", "http://x.test/")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"job job1  completed  {SITE}  http://x.test/\n"
        "  2 pages crawled: 2 indexed, 0 unchanged, 0 pruned, 1 failed, 0 skipped; 7 chunks\n"
        "  failed: http://x.test/bad: HTTP 500 after 3 retries\n"
    )


def test_add_with_an_owner_hands_the_job_over(shell: Shell, db_path: str) -> None:
    with _Owner(db_path) as service:
        done = shell("add", "http://x.test/slow")
        assert (done.code, shell.opened) == (0, [])
        assert done.out.startswith("job job1  pending")
        assert service.job("job1").status == "running"


def test_add_with_an_owner_waits_when_told(shell: Shell, db_path: str) -> None:
    with _Owner(db_path):
        done = shell("add", "http://x.test/", "--wait", "--json")
    assert (done.code, done.json["status"], done.json["pages_failed"]) == (0, "completed", 1)


OPTIONS = [
    ("E-operators-defaults", (), CrawlOptions(5000, None, concurrency=8), "", ""),
    ("more-than-the-public-ceiling", ("--max-pages", "90000"), CrawlOptions(90000, None, concurrency=8), "", ""),
    ("depth-0", ("--max-depth", "0"), CrawlOptions(5000, 0, concurrency=8), "", ""),
    ("delay-0", ("--delay", "0"), CrawlOptions(5000, None, delay_s=0.0, concurrency=8), "", ""),
    ("no-robots", ("--no-robots",), CrawlOptions(5000, None, concurrency=8, respect_robots=False), "", ""),
    ("render", ("--render", "auto"), CrawlOptions(5000, None, concurrency=8, render="auto"), "", ""),
    (
        "private-hosts",
        ("--allow-private", "127.0.0.1:80", "--allow-private", "10.0.0.0/8"),
        CrawlOptions(5000, None, concurrency=8, allow_private=("127.0.0.1:80", "10.0.0.0/8")),
        "",
        "",
    ),
    (
        "everything-else",
        (
            *("--name", "x", "--version", "1", "--scope", "hostname", "--path-prefix", "/a"),
            *("--include", "*/a*", "--exclude", "/b/", "--exclude", "*c*", "--concurrency", "2"),
        ),
        CrawlOptions(5000, None, "hostname", "/a", ("*/a*",), ("/b/", "*c*"), concurrency=2),
        "x",
        "1",
    ),
]


@pytest.mark.parametrize(
    ("flags", "options", "name", "version"), [row[1:] for row in OPTIONS], ids=[row[0] for row in OPTIONS]
)
def test_add_passes_its_options_on(
    owned: Shell, flags: tuple[str, ...], options: CrawlOptions, name: str, version: str
) -> None:
    assert owned("add", "http://x.test/", *flags).code == 0
    assert owned.service.submitted == [("http://x.test/", options, name, version)]


def test_settings_reach_the_crawl(shell: Shell) -> None:
    os.environ |= {"WEBDOCS_CRAWL_DELAY": "0.5", "WEBDOCS_ALLOW_PRIVATE": "a.test", "WEBDOCS_RESPECT_ROBOTS": "no"}
    shell("add", "http://x.test/", "--allow-private", "b.test")
    options = shell.service.submitted[0][1]
    assert (options.delay_s, options.allow_private, options.respect_robots) == (0.5, ("a.test", "b.test"), False)


OUTPUTS: list[tuple[str, tuple[str, ...], str]] = [
    (
        "list-sites",
        ("list",),
        "SITE              VERSION  PAGES  FETCHED     URL\n"
        "docs.example.org  2.0      2      2026-11-02  https://docs.example.org/\n"
        "python/3          -        1      never       https://python.example.org/3/\n",
    ),
    (
        "list-pages-of-a-site",
        ("list", "--site", "python/3"),
        "PAGE              VERSION  TITLE  URL\n00000000000000b1  -        Py     https://python.example.org/3/\n",
    ),
    (
        "search",
        ("search", "install", "--top-k", "1"),
        "1. Guide > Install\n"
        "https://docs.example.org/guide#install  (docs.example.org 2.0, fetched 2026-11-02)\n\n"
        "Run `pip install it`.\n\n",
    ),
    ("get-by-id", ("get", PAGE_ID), MARKDOWN + "\n"),
    ("get-by-url", ("get", PAGE_URL), MARKDOWN + "\n"),
    ("remove", ("remove", "python/3", "--yes"), "Removed python/3: 1 page.\n"),
]


@pytest.mark.parametrize(("arguments", "out"), [row[1:] for row in OUTPUTS], ids=[row[0] for row in OUTPUTS])
def test_what_people_read(owned: Shell, arguments: tuple[str, ...], out: str) -> None:
    done = owned(*arguments)
    assert (done.code, done.out, done.err) == (0, out, "")


JSON: list[tuple[tuple[str, ...], Callable[[Any], object], object]] = [
    (("list", "--json"), lambda rows: [row["site"] for row in rows], [SITE, "python/3"]),
    (("list", "--site", SITE, "--json"), lambda rows: len(rows), 2),
    (("search", "install", "--json"), lambda hits: len(hits), 3),
    (("search", "nothing", "--json"), lambda hits: hits, []),
    (("get", PAGE_ID, "--json"), lambda page: page["url"], PAGE_URL),
    (("status", "--json"), lambda jobs: jobs, []),
    (("reindex", "--wait", "--json"), lambda state: (state["status"], state["embedded"]), ("done", 3)),
    (("reindex", "--status", "--json"), lambda state: (state["status"], state["wanted"]), ("needed", "hashing:1:64")),
    (("update", "python/3", "--wait", "--json"), lambda jobs: [job["status"] for job in jobs], ["completed"]),
    (("update", "python/3", "--full", "--wait", "--json"), lambda jobs: len(jobs), 1),
    (("remove", "python/3", "--yes", "--json"), lambda answer: answer["pages_removed"], 1),
    (("add", "http://x.test/", "--wait", "--json"), lambda job: job["status"], "completed"),
]


@pytest.mark.parametrize(
    ("arguments", "look", "expected"), JSON, ids=["-".join(row[0]).replace("--", "") for row in JSON]
)
def test_under_json_standard_output_is_one_value(
    owned: Shell, arguments: tuple[str, ...], look: Callable[[Any], object], expected: object
) -> None:
    done = owned(*arguments)
    assert (done.code, look(done.json), done.err) == (0, expected, "")


def test_status_and_cancel_work_on_the_owners_jobs(shell: Shell, db_path: str) -> None:
    with _Owner(db_path):
        shell("add", "http://x.test/slow")
        assert shell("status", "job1").out.startswith("job job1  running")
        assert shell("cancel", "job1").out.startswith("job job1  cancelled")
        assert shell("status", "--json").json[0]["status"] == "cancelled"


FAILURES = [
    ("no-such-verb", ("destroy",), 2, "webdocs: There is no command 'destroy'. Commands: add, search"),
    ("no-such-flag", ("list", "--colour"), 2, "webdocs: No such option '--colour'. See `webdocs list --help`."),
    ("argument-missing", ("add",), 2, "webdocs: Missing argument 'URL'. See `webdocs add --help`."),
    ("value-out-of-range", ("search", "a", "--top-k", "26"), 2, "webdocs: Invalid value for '--top-k'"),
    ("url-never-crawlable", ("add", "ftp://x.test/"), 2, "webdocs: ftp://x.test/ is neither http nor https. Give"),
    ("search-for-nothing", ("search", " "), 2, "webdocs: Invalid value for 'QUERY': it is empty; give a value or"),
    ("remove-an-unset-variable", ("remove", "", "--yes"), 2, "webdocs: Invalid value for 'SITE': it is empty"),
    (
        "remove-an-unset-version",
        ("remove", SITE, "--version", "", "--yes"),
        2,
        "webdocs: Invalid value for '--version': it is empty; give a value or leave it out. See",
    ),
    ("update-an-unset-variable", ("update", ""), 2, "webdocs: Invalid value for 'SITE': it is empty"),
    ("status-of-an-unset-variable", ("status", ""), 2, "webdocs: Invalid value for '[JOB_ID]': it is empty"),
    ("unknown-site", ("search", "a", "--site", "nope"), 2, "webdocs: There is no site 'nope'. Known: docs.example"),
    ("unknown-page", ("get", "ffff"), 2, "webdocs: There is no page 'ffff'. List pages first."),
    ("unknown-job", ("status", "zz"), 2, "webdocs: There is no job 'zz'."),
    ("unknown-job-cancel", ("cancel", "zz"), 2, "webdocs: There is no job 'zz'."),
    ("unknown-site-update", ("update", "nope"), 2, "webdocs: There is no site 'nope'."),
    ("unknown-site-remove", ("remove", "nope", "--yes"), 2, "webdocs: There is no site 'nope'."),
    ("remove-unasked", ("remove", SITE), 2, "webdocs: Removing docs.example.org needs --yes where nobody"),
    ("store-gone", ("search", "storeless"), 1, "webdocs: The database does not answer. Look at the disk."),
    ("crash-at-the-owner", ("search", "crash"), 1, "webdocs: The request failed for a reason that is in the server"),
]


@pytest.mark.parametrize(("arguments", "code", "line"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_a_failure_is_one_line_and_an_exit_code(owned: Shell, arguments: tuple[str, ...], code: int, line: str) -> None:
    done = owned(*arguments)
    assert (done.code, done.out) == (code, "")
    told = re.findall(r"webdocs: .*", done.err)  # anywhere: the owner's log shares this process's standard error
    assert len(told) == 1
    assert told[0].startswith(line)


@pytest.mark.parametrize("flags", [(), ("--json",)], ids=["text", "json"])
def test_a_job_that_failed_ends_with_1_and_its_reason(shell: Shell, flags: tuple[str, ...]) -> None:
    done = shell("add", "http://x.test/broken", *flags)
    assert done.code == 1
    assert "The root answered 500" in done.out


def test_a_bad_setting_names_key_value_and_form(shell: Shell) -> None:
    os.environ["WEBDOCS_MAX_PAGES"] = "many"
    done = shell("list")
    assert (done.code, done.err) == (
        2,
        "webdocs: WEBDOCS_MAX_PAGES is 'many'. It must be a whole number from 1 to 500, in pages.\n",
    )


def test_an_unexpected_error_is_one_line_without_a_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    def crash(settings: Settings) -> FakeApplication:
        raise RuntimeError("broken\nin two lines")

    assert run(["list"], crash) == 1
    assert capfd.readouterr().err == (
        "webdocs: Unexpected RuntimeError: broken in two lines. Run `webdocs --debug ...` for the traceback.\n"
    )
    assert run(["--debug", "list"], crash) == 1
    assert "Traceback (most recent call last)" in capfd.readouterr().err


def test_an_expected_error_at_opening_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    def refuse(settings: Settings) -> FakeApplication:
        raise StoreError("The file is no database", "Move it away.")

    assert run(["list"], refuse) == 1
    assert capfd.readouterr().err == "webdocs: The file is no database. Move it away.\n"


def test_a_path_that_cannot_be_written_is_wrong_input(capfd: pytest.CaptureFixture[str]) -> None:
    def refuse(settings: Settings) -> FakeApplication:
        raise StorePathError("The folder cannot be made", "Name another.")

    assert run(["list"], refuse) == 2
    assert capfd.readouterr().err == "webdocs: The folder cannot be made. Name another.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("ftp://x.test/",),
        ("http://127.0.0.1:8000/",),
        ("http://x.test/", "--include", "/(/"),
        ("http://x.test/", "--allow-private", "no host!"),
    ],
    ids=["scheme", "private-address", "pattern", "allow-private"],
)
def test_a_wrong_request_makes_no_database(shell: Shell, db_path: str, arguments: tuple[str, ...]) -> None:
    done = shell("add", *arguments)
    assert (done.code, done.out, len(done.err.splitlines()), shell.opened) == (2, "", 1, [])
    assert list(Path(db_path).parent.iterdir()) == []


def test_a_budget_too_small_for_a_passage_is_named(owned: Shell) -> None:
    done = owned("search", "nothing", "--max-tokens", "3")
    assert (done.code, done.out) == (0, "")
    assert done.err == "Nothing found, or no passage fits into 3 tokens. `webdocs list` shows what is indexed.\n"


def test_nothing_found_says_what_to_try(owned: Shell) -> None:
    done = owned("search", "unrelated")
    assert (done.code, done.out) == (0, "")
    assert done.err == "Nothing found. Indexed: Größe 2. Try other words.\n"


# ---------------------------------------------------------------- eval

JUDGED = '{"query": "install", "relevant": ["guide"], "anchors": {"guide": ["install"]}}\n'


def test_eval_tells_the_means_in_a_table(owned: Shell, tmp_path: Path) -> None:
    file = tmp_path / "judged.jsonl"
    file.write_text(JUDGED + '{"query": "nothing", "relevant": ["https://docs.example.org/guide"]}\n')
    done = owned("eval", str(file))
    assert done.code == 0
    heads, row = done.out.splitlines()
    assert heads.split()[:3] == ["QUESTIONS", "COUNT", "MRR@10"]
    assert row.split()[:7] == ["all", "2", "0.500", "0.500", "0.500", "1.000", "1.000"]
    assert done.err == "\nNot among the first five (1): nothing\n"


def test_eval_gives_means_and_every_verdict_as_json(owned: Shell, tmp_path: Path) -> None:
    file = tmp_path / "judged.jsonl"
    file.write_text(JUDGED)
    answer = json.loads(owned("eval", str(file), "--site", SITE, "--json").out)
    assert (answer["means"]["all"]["mrr_at_10"], answer["queries"][0]["section_at_1"]) == (1.0, 1.0)
    assert answer["queries"][0]["tokens"] > 0


BAD_ROWS = [
    ("no-json", '{"query"', "line 1: no JSON (Expecting ':' delimiter at character 8)"),
    ("no-object", "[1]", "line 1: query must be text"),
    ("no-query", '{"relevant": ["a"]}', "line 1: query must be text"),
    ("no-relevant", '{"query": "a", "relevant": []}', "line 1: relevant must be a list of URLs or paths, at least one"),
    ("anchors-that-are-none", '{"query": "a", "relevant": ["a"], "anchors": {"a": "b"}}', "line 1: anchors must be"),
    ("the-second-line", JUDGED + "{}", "line 2: query must be text"),
    ("no-rows", "\n", "The file holds no question"),
]


@pytest.mark.parametrize(("text", "says"), [row[1:] for row in BAD_ROWS], ids=[row[0] for row in BAD_ROWS])
def test_eval_names_each_line_that_is_off(owned: Shell, tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "judged.jsonl"
    file.write_text(text)
    done = owned("eval", str(file))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"webdocs: {says}")


def test_without_a_verb_the_help_is_shown_as_it_is(shell: Shell) -> None:
    done = shell()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: webdocs [OPTIONS] COMMAND [ARGS]...\n\n")


def test_a_running_job_says_what_waits(shell: Shell, db_path: str) -> None:
    with _Owner(db_path):
        shell("add", "http://x.test/slow")
        assert " pages known and waiting\n" in shell("status", "job1").out
        shell("cancel", "job1")
        assert "waiting" not in shell("status", "job1").out


def test_an_interrupted_job_says_how_to_go_on(shell: Shell, db_path: str) -> None:
    with _Owner(db_path) as service:
        shell("add", "http://x.test/slow", "--name", "two words")
        service.interrupt()
        out = shell("status", "job1").out
    assert (
        "  its process ended early; the next `webdocs serve` or `webdocs update 'two words'` goes on with it\n" in out
    )


def test_help_lists_every_verb_with_its_line(shell: Shell) -> None:
    done = shell("--help")
    assert done.code == 0
    for verb, line in VERBS.items():
        assert f"  {verb} " in done.out
        assert line in done.out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(shell: Shell, verb: str) -> None:
    done = shell(verb, "--help")
    assert (done.code, done.out.startswith(f"Usage: webdocs {verb} ")) == (0, True)


@pytest.mark.parametrize("verb", ["serve", "mcp"])
def test_c_servers_have_a_flag_for_every_setting_but_keys(shell: Shell, verb: str) -> None:
    text = shell(verb, "--help").out
    for name, rule in rules().items():
        assert (f"--{name.replace('_', '-')} " in text) is not rule.secret


def test_the_release_is_told(shell: Shell) -> None:
    assert shell("--version").out == "webdocs 0.1.0\n"
