"""What each input of tests/data/llms_txt.json gives, as rows of docs/llms-txt-inputs.md."""

from __future__ import annotations

import json
from pathlib import Path

from webdocs.llmstxt import FileEntry, LlmsTxtError, Seed, parse, read_seeds

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "llms-txt-inputs.md"
INPUTS: dict[str, str] = json.loads((ROOT / "tests" / "data" / "llms_txt.json").read_text(encoding="utf-8"))


def row_of(name: str) -> str:
    """The row of one input."""
    return f"| {name} | {_strict(INPUTS[name])} | {_tolerant(INPUTS[name])} |"


def _strict(text: str) -> str:
    try:
        doc = parse(text)
    except LlmsTxtError as error:
        return f"error: {error.what}"
    parts = [f"title {_code(doc.title)}"]
    parts += [f"description {_code(doc.description)}"] if doc.description else []
    parts += [f"details {_code(doc.details)}"] if doc.details else []
    parts += [f"{_code(section)}: {_entries(entries)}" for section, entries in doc.sections.items()]
    parts += [f"optional: {_entries(doc.optional)}"] if doc.optional else []
    return "; ".join(parts)


def _entries(entries: list[FileEntry]) -> str:
    return ", ".join(_code(" ".join((e.name, e.url, e.notes)).strip()) for e in entries) or "no links"


def _tolerant(text: str) -> str:
    return ", ".join(map(_seed, read_seeds(text).seeds)) or "nothing"


def _seed(seed: Seed) -> str:
    return _code(f"{seed.title} {seed.url}".strip()) + (" optional" if seed.is_optional else "")


def _code(text: str) -> str:
    quoted = json.dumps(text)[1:-1].replace("|", "\\|")
    return f"`` {quoted} ``" if quoted else "(empty)"
