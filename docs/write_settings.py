"""Writes what derives from the settings: the table of docs/settings.md and .env.example."""

from __future__ import annotations

from pathlib import Path

from webdocs.settings import document_settings, example_environment

ROOT = Path(__file__).resolve().parent.parent
BEGIN = "<!-- settings: written by docs/write_settings.py -->\n\n"
END = "\n<!-- end of settings -->"


def with_table(page: str) -> str:
    """The page with its table as the settings have it now."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return before + BEGIN + document_settings() + END + after


if __name__ == "__main__":
    settings_page = ROOT / "docs" / "settings.md"
    settings_page.write_text(with_table(settings_page.read_text(encoding="utf-8")), encoding="utf-8")
    (ROOT / ".env.example").write_text(example_environment(), encoding="utf-8")
