"""The documentation against the code: does every page say what the program does?"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import cast
from urllib.parse import urlsplit

import pytest

from webdocs.cli.main import VERBS
from webdocs.serve.rest import create_rest
from webdocs.serve.service import Service
from webdocs.serve.tools import TOOLS, ToolSpec
from webdocs.settings import Settings, document_settings, example_environment, flag_name, rules

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

# What later issues bring: no page may promise it before.
NOT_YET = ("docker", "postgres backend", "/map")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def page_names() -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in PAGES]


def run_webdocs(*arguments: str) -> str:
    """Standard output of the command, in a process of its own as a user has it."""
    code = "from webdocs.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def listed_verbs(help_text: str) -> set[str]:
    commands = help_text.partition("Commands:")[2]
    return set(re.findall(r"^  ([a-z][a-z-]*)(?:  |$)", commands, re.MULTILINE))


def named_verbs(markdown: str) -> set[str]:
    """Words after `webdocs` at the start of a line in a shell fence, and of a code span."""
    fenced = "".join(re.findall(r"^```sh\n(.*?)^```", markdown, re.MULTILINE | re.DOTALL))
    return {*re.findall(r"^webdocs ([a-z]+)", fenced, re.MULTILINE), *re.findall(r"`webdocs ([a-z]+)", markdown)}


def options_of_settings() -> set[str]:
    return {flag_name(name) for name in rules()}


@pytest.fixture(scope="module")
def verbs() -> set[str]:
    found = listed_verbs(run_webdocs("--help"))
    assert "add" in found
    return found


# ---------------------------------------------------------------- settings


def test_the_table_of_settings_is_the_one_that_the_code_writes() -> None:
    assert document_settings() in read("docs/settings.md")


def test_the_example_environment_is_the_one_that_the_code_writes() -> None:
    assert read(".env.example") == example_environment()


@pytest.mark.parametrize("name", page_names())
def test_every_variable_that_a_page_names_exists(name: str) -> None:
    named = set(re.findall(r"WEBDOCS_[A-Z_]*[A-Z]", read(name)))
    known = set(re.findall(r"WEBDOCS_[A-Z_]*[A-Z]", document_settings())) | {"WEBDOCS_CONFIG"}
    assert named - known - {"WEBDOCS_CORPORA"} == set()


# ---------------------------------------------------------------- command line


def test_the_readme_names_every_verb_and_no_other(verbs: set[str]) -> None:
    assert named_verbs(read("README.md")) == verbs


def test_the_page_of_the_command_line_has_every_verb(verbs: set[str]) -> None:
    assert set(re.findall(r"^\| `webdocs ([a-z]+)", read("docs/cli.md"), re.MULTILINE)) == verbs


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_the_page_of_the_command_line_has_every_option(verb: str) -> None:
    named = {"--help", *options_of_settings()} if verb in ("serve", "mcp") else {"--help"}
    offered = set(re.findall(r"^ .*?(--[a-z][a-z-]+)", run_webdocs(verb, "--help"), re.MULTILINE)) - named
    page = read("docs/cli.md")
    section = page.partition(f"## webdocs {verb}\n")[2].partition("\n## ")[0]
    row = re.search(rf"^\| `webdocs {verb}\b.*$", page, re.MULTILINE)
    assert row is not None
    rows = "\n".join([row[0], *re.findall(r"^\| `--.*$", section, re.MULTILINE)])
    assert set(re.findall(r"`(--[a-z][a-z-]+)", rows)) == offered


# ---------------------------------------------------------------- REST and MCP


def offered_routes() -> set[str]:
    """`METHOD /path` of every REST route. The routes are declared without the use cases being called."""
    paths = create_rest(cast("Service", object()), Settings(db_path=":memory:")).openapi()["paths"]
    return {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}


def test_the_page_of_rest_has_every_route() -> None:
    rows = re.findall(r"^\| `([A-Z]+ [^`?]+)", read("docs/rest.md"), re.MULTILINE)
    assert set(rows) == offered_routes() | {"POST /mcp"}


@pytest.mark.parametrize("name", ["README.md", "docs/agents.md"])
def test_every_tool_is_named_and_no_other(name: str) -> None:
    section = read(name).partition("| tool |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([a-z_]+)`", section, re.MULTILINE)) == {tool.name for tool in TOOLS}


@pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])
def test_every_argument_of_a_tool_is_named(tool: ToolSpec) -> None:
    row = re.search(rf"^\| `{tool.name}` .*$", read("docs/agents.md"), re.MULTILINE)
    assert row is not None
    takes = set(re.findall(r"`([A-Za-z_]+)`", row[0].split("|")[2]))
    assert takes == {field.alias or name for name, field in tool.takes.model_fields.items()}


# ---------------------------------------------------------------- project files


def test_the_changelog_has_the_version_of_the_project() -> None:
    assert f"## [{PROJECT['project']['version']}]" in read("CHANGELOG.md")


def test_the_lock_has_hashes_and_no_address() -> None:
    lock = read("requirements.lock")
    pinned = re.findall(r"^[a-z0-9._-]+==\S+.*(?:\n    --hash=sha256:[0-9a-f]{64}.*)+", lock, re.MULTILINE)
    assert len(pinned) == len(re.findall(r"^[a-z0-9]", lock, re.MULTILINE))
    assert "://" not in lock
    assert "index-url" not in lock
    assert "find-links" not in lock


def requirement_names() -> list[str]:
    wanted = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]]
    wanted += [*PROJECT["build-system"]["requires"], "editables", "uv"]
    return [re.split(r"[<>=;\[ ]", item)[0] for item in wanted]


@pytest.mark.parametrize("name", requirement_names())
def test_the_lock_holds_what_the_project_needs(name: str) -> None:
    assert re.search(rf"^{re.escape(name)}==", read("requirements.lock"), re.MULTILINE)


@pytest.mark.parametrize("requirement", PROJECT["project"]["dependencies"])
def test_every_dependency_is_weighed_in_its_decision(requirement: str) -> None:
    name = re.split(r"[<>=;\[ ]", requirement)[0]
    page = read("docs/decisions/0005-dependencies.md")
    assert f"| {name} |" in page
    assert f"**{name}**" in page


@pytest.mark.parametrize("name", ["dev", ".ci/run"])
def test_the_scripts_can_be_run(name: str) -> None:
    assert (ROOT / name).stat().st_mode & 0o111


@pytest.mark.parametrize("name", page_names())
def test_no_page_promises_what_is_not_there_yet(name: str) -> None:
    text = read(name).lower()
    assert [word for word in NOT_YET if word in text] == []


# ---------------------------------------------------------------- links


def relative_links(markdown: str) -> Iterator[str]:
    without_code = re.sub(r"^```.*?^```|`[^`\n]*`", "", markdown, flags=re.MULTILINE | re.DOTALL)
    for href in re.findall(r"\]\(([^)\s]+)\)", without_code):
        if not urlsplit(href).scheme:
            yield href.partition("#")[0]


@pytest.mark.parametrize("path", PAGES, ids=page_names())
def test_every_relative_link_leads_to_a_file(path: Path) -> None:
    links = list(relative_links(path.read_text(encoding="utf-8")))
    assert [link for link in links if link and not (path.parent / link).exists()] == []


class Links(HTMLParser):
    """The ids and the links of one built page."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.hrefs: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if tag == "a" and name == "href" and value and not urlsplit(value).scheme:
                self.hrefs.append(value)


def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_build"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("site")
    assert builder().build_site(ROOT, output) == len(list(output.rglob("*.html")))
    return output


def linked_file(page: Path, name: str) -> Path:
    target = (page.parent / name).resolve() if name else page
    return target / "index.html" if target.is_dir() else target


def read_links(path: Path) -> Links:
    found = Links()
    found.feed(path.read_text(encoding="utf-8"))
    return found


def test_the_built_site_has_a_page_for_every_file_of_the_documentation(built_site: Path) -> None:
    names = {path.relative_to(built_site).as_posix() for path in built_site.rglob("*.html")}
    guide = {path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert names == guide | {"index.html", "changelog.html", "contributing.html", "benchmarks.html"}


def test_every_link_of_the_built_site_leads_to_a_page_and_a_heading(built_site: Path) -> None:
    broken = []
    for path in built_site.rglob("*.html"):
        for href in read_links(path).hrefs:
            name, _, fragment = href.partition("#")
            target = linked_file(path, name)
            if not target.is_file() or (fragment and fragment not in read_links(target).ids):
                broken.append(f"{path.name}: {href}")
    assert broken == []


def test_every_page_can_be_reached_from_the_first(built_site: Path) -> None:
    first = built_site / "index.html"
    reached = {linked_file(first, link.partition("#")[0]) for link in read_links(first).hrefs}
    assert {path.resolve() for path in built_site.rglob("*.html")} <= reached


@pytest.mark.parametrize(
    ("heading", "taken", "expected"),
    [
        pytest.param("How does it travel?", set(), "how-does-it-travel", id="marks-leave"),
        pytest.param("Add", {"add"}, "add-1", id="second-of-a-name-gets-a-number"),
        pytest.param("???", set(), "section", id="nothing-left"),
    ],
)
def test_headings_get_ids(heading: str, taken: set[str], expected: str) -> None:
    assert builder().slug(heading, taken) == expected
