"""The shape of the source: does each package know only what it may know? (design.md section 1)"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
PACKAGE = SOURCE / "webdocs"

SHARED = ("webdocs.model", "webdocs.ports", "webdocs.errors", "webdocs.fence", "webdocs.signature")
SETTINGS_READERS = ("webdocs.build", "webdocs.api", "webdocs.cli", "webdocs.serve", "webdocs.ingest")
JOINERS = (*SETTINGS_READERS, "webdocs.search.engine", "webdocs.crawl.library", "webdocs.llmstxt.discovery")
ADAPTERS = (
    "webdocs.store.duckdb",
    "webdocs.extract.pool",
    "webdocs.embed",
    "webdocs.crawl.fetch_http",
    "webdocs.crawl.HttpFetcher",
)
PACKAGES = ("crawl", "extract", "chunk", "embed", "store", "ingest", "search", "serve", "cli", "llmstxt")

# What may be imported by whom, at the outer end of the flow: the command line stands on everything, nothing on it.
OUTERMOST = {
    "webdocs.cli": ("webdocs.cli",),
    "webdocs.api": (),
    "webdocs.build": ("webdocs.cli", "webdocs.api", "webdocs.serve", "webdocs.llmstxt.discovery"),
}

PURE = (
    "webdocs.crawl.url",
    "webdocs.crawl.pattern",
    "webdocs.crawl.media",
    "webdocs.crawl.version",
    "webdocs.crawl.language",
    "webdocs.crawl.edition",
    "webdocs.crawl.scope",
    "webdocs.crawl.address",
    "webdocs.crawl.robots",
    "webdocs.crawl.sitemap",
    "webdocs.crawl.trap",
    "webdocs.crawl.soft404",
    "webdocs.crawl.retry",
    "webdocs.crawl.pace",
    "webdocs.crawl.reading",
    "webdocs.crawl.robots_tag",
    "webdocs.crawl.refusals",
    "webdocs.crawl.twin",
    "webdocs.crawl.canonical",
    "webdocs.crawl.identity",
    "webdocs.crawl.origin",
    "webdocs.crawl.variant",
    "webdocs.crawl.frontier",
    "webdocs.crawl.host_queue",
    "webdocs.crawl.document",
    "webdocs.crawl.markdown_name",
    "webdocs.crawl.prune",
    "webdocs.fence",
    "webdocs.chunk",
    "webdocs.ingest.repeated",
    "webdocs.search.tokens",
    "webdocs.search.lexical",
    "webdocs.search.fuse",
    "webdocs.search.answer",
    "webdocs.search.place",
    "webdocs.llmstxt.records",
    "webdocs.llmstxt.lines",
    "webdocs.llmstxt.links",
    "webdocs.llmstxt.parse",
    "webdocs.llmstxt.render",
    "webdocs.llmstxt.seeds",
    "webdocs.llmstxt.candidates",
)
IMPURE_IMPORTS = (
    *("socket", "ssl", "select", "selectors", "asyncio", "anyio", "http", "urllib.request", "urllib.robotparser"),
    *("httpx2", "httpcore2", "requests", "urllib3", "duckdb", "sqlite3", "time", "random", "secrets", "os"),
    *("subprocess", "threading", "concurrent", "multiprocessing", "tempfile", "shutil"),
)
CLOCK_CALLS = ("now", "utcnow", "today")
NAMELESS = ("utils", "util", "helpers", "helper", "common", "misc", "manager")


@dataclass(frozen=True, slots=True)
class Module:
    """One source file: its dotted name, its tree and what it imports."""

    name: str
    tree: ast.Module
    imports: tuple[str, ...]


def read_module(path: Path) -> Module:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return Module(name, tree, tuple(imported_names(tree)))


def imported_names(tree: ast.AST) -> Iterator[str]:
    """`import a.b` gives a.b; `from a import b` gives a.b, and so holds for a module b as for a name b in a."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that this test can read them"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_within(name: str, *parents: str) -> bool:
    return any(name == parent or name.startswith(parent + ".") for parent in parents)


def own_package(name: str) -> str:
    return ".".join(name.split(".")[:2])


def foreign_imports(module: Module) -> list[str]:
    """Imports of webdocs that a module which joins nothing may not have."""
    allowed = (*SHARED, own_package(module.name))
    return [name for name in module.imports if is_within(name, "webdocs") and not is_within(name, *allowed)]


def clock_calls(tree: ast.AST) -> list[str]:
    return [
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCK_CALLS
    ]


MODULES = [read_module(path) for path in sorted(PACKAGE.rglob("*.py"))]
BY_NAME = {module.name: module for module in MODULES}


def modules_within(*parents: str) -> list[Module]:
    return [module for module in MODULES if is_within(module.name, *parents)]


def ids(modules: list[Module]) -> list[str]:
    return [module.name for module in modules]


NOT_JOINERS = [module for module in MODULES if not is_within(module.name, *JOINERS) and module.name != "webdocs"]
PURE_MODULES = modules_within(*PURE)


@pytest.mark.parametrize("module", NOT_JOINERS, ids=ids(NOT_JOINERS))
def test_a_package_imports_only_itself_and_the_shared_records(module: Module) -> None:
    found = foreign_imports(module)
    if own_package(module.name) in ("webdocs.model", "webdocs.ports", "webdocs.errors", "webdocs.settings"):
        found = [name for name in found if not is_within(name, *SHARED)]
    assert found == []


@pytest.mark.parametrize("module", MODULES, ids=ids(MODULES))
def test_settings_are_read_only_where_the_parts_are_joined(module: Module) -> None:
    readers = (*SETTINGS_READERS, "webdocs.settings")
    if any(is_within(name, "webdocs.settings") for name in module.imports):
        assert is_within(module.name, *readers)


@pytest.mark.parametrize("module", MODULES, ids=ids(MODULES))
def test_only_build_names_an_adapter(module: Module) -> None:
    named = [
        name
        for name in module.imports
        for adapter in ADAPTERS
        if is_within(name, adapter) and not is_within(module.name, own_package(adapter), "webdocs.build")
    ]
    assert named == []


@pytest.mark.parametrize("module", MODULES, ids=ids(MODULES))
def test_nothing_stands_on_the_outer_layers(module: Module) -> None:
    wrong = [
        name
        for name in module.imports
        for outer, users in OUTERMOST.items()
        if is_within(name, outer) and not is_within(module.name, outer, *users)
    ]
    assert wrong == []


@pytest.mark.parametrize("module", PURE_MODULES, ids=ids(PURE_MODULES))
def test_a_pure_module_reaches_no_network_database_clock_or_chance(module: Module) -> None:
    assert [name for name in module.imports if is_within(name, *IMPURE_IMPORTS)] == []
    assert clock_calls(module.tree) == []


@pytest.mark.parametrize("module", PURE_MODULES, ids=ids(PURE_MODULES))
def test_a_pure_module_stands_only_on_pure_modules(module: Module) -> None:
    ours = [name for name in module.imports if is_within(name, "webdocs")]
    assert [name for name in ours if not is_within(name, *SHARED, *PURE)] == []


@pytest.mark.parametrize("module", MODULES, ids=ids(MODULES))
def test_no_module_is_a_drawer_for_odds_and_ends(module: Module) -> None:
    assert not set(module.name.split(".")) & set(NAMELESS)


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_of_the_design_is_there(name: str) -> None:
    assert f"webdocs.{name}" in BY_NAME


@pytest.mark.parametrize(
    "name",
    [
        *("webdocs.crawl.url", "webdocs.crawl.scope", "webdocs.crawl.address", "webdocs.crawl.robots"),
        *("webdocs.crawl.frontier", "webdocs.chunk", "webdocs.search.tokens", "webdocs.search.fuse"),
    ],
)
def test_the_rule_for_pure_modules_finds_them(name: str) -> None:
    assert name in ids(PURE_MODULES)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("import webdocs.store.duckdb", ["webdocs.store.duckdb"], id="plain-import"),
        pytest.param("from webdocs import store", ["webdocs.store"], id="package-from-its-parent"),
        pytest.param("def f():\n    from webdocs.embed.static import A", ["webdocs.embed.static.A"], id="inside"),
        pytest.param("from webdocs.model import Page", [], id="shared-records-are-free"),
        pytest.param("from webdocs.crawl.url import join", [], id="its-own-package-is-free"),
        pytest.param("import json", [], id="other-packages-are-not-judged-here"),
    ],
)
def test_foreign_imports_are_seen(code: str, expected: list[str]) -> None:
    tree = ast.parse(code)
    assert foreign_imports(Module("webdocs.crawl.run", tree, tuple(imported_names(tree)))) == expected


@pytest.mark.parametrize(
    "code", ["datetime.now(UTC)", "date.today()", "datetime.datetime.utcnow()"], ids=["now", "today", "utcnow"]
)
def test_a_look_at_the_clock_is_seen(code: str) -> None:
    assert clock_calls(ast.parse(code)) != []
