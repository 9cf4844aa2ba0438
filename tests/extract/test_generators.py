"""Pages of real generators, built here from texts of our own: what each theme makes of them says the same.

`./dev test --slow` installs the generators (`generators.lock`) beside the environment, not in it.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from webdocs.extract import extract
from webdocs.model import Page

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv" / "generators" / ("Scripts" if os.name == "nt" else "bin") / "python"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON.exists(), reason="./dev test --slow installs the generators"),
]

CODE = 'def turn(angle):\n    """Turn by `angle` & say <so>."""\n\n    return  angle % 360  # two spaces'

RST = f"""
Compass
=======

A compass shows where **north** is, see :ref:`use`.

.. _use:

Using it
--------

.. code-block:: python

{"".join(f"   {line}".rstrip() + chr(10) for line in CODE.splitlines())}
.. list-table::
   :header-rows: 1

   * - Point
     - Degrees
   * - East
     - 90

.. warning:: Keep it away from magnets.

.. tab-set::

   .. tab-item:: Linux

      Install the package.

   .. tab-item:: Windows

      Run the installer.

.. py:function:: compass.turn(angle, *, slowly=False)

   Turn the needle.

needle
   The part that turns.
"""

MARKDOWN = f"""
# Compass

A compass shows where **north** is, see [use](#using-it).

## Using it

```python
{CODE}
```

| Point | Degrees |
| ----- | ------- |
| East  | 90      |

!!! warning
    Keep it away from magnets.

=== "Linux"

    Install the package.

=== "Windows"

    Run the installer.

needle
:   The part that turns.
"""

MKDOCS = """
site_name: Field guide
theme: {name: material, font: false, features: [navigation.footer, content.code.copy]}
markdown_extensions:
  - admonition
  - def_list
  - tables
  - pymdownx.superfences
  - pymdownx.highlight: {pygments_lang_class: true}
  - pymdownx.tabbed: {alternate_style: true}
  - toc: {permalink: true}
"""

MODULE = '''"""Shows where **north** is."""


def turn(angle: int, *, slowly: bool = False) -> int:
    """Turn the needle.

    ```python
    turn(90)
    ```
    """
    return angle
'''

CHROME = ("Previous", "Next", "Search", "Copy", "Skip to", "Edit", "Powered", "Built with", "Made with", "Toggle", "¶")


def build(folder: Path, *arguments: str) -> None:
    done = subprocess.run([str(PYTHON), "-m", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def assert_says_it(page: Page) -> None:
    """What both sources say, each in its kind."""
    assert [(b.level, b.markdown.lstrip("# "), bool(b.anchors)) for b in page.blocks if b.kind == "heading"] == [
        (1, "Compass", True),
        (2, "Using it", True),
    ]
    assert [(b.markdown, b.language) for b in page.blocks if b.kind == "code"] == [
        (f"```python\n{CODE}\n```", "python")
    ]
    (table,) = (block.markdown for block in page.blocks if block.kind == "table")
    assert [[cell.strip() for cell in row.strip("|").split("|")] for row in table.split("\n")[::2]] == [
        ["Point", "Degrees"],
        ["East", "90"],
    ]
    assert [b.markdown for b in page.blocks if b.kind == "admonition"] == [
        "> **Warning**\n>\n> Keep it away from magnets."
    ]
    kinds = [(block.kind, block.markdown) for block in page.blocks]
    tabs = kinds.index(("tab", "**Linux**"))
    assert kinds[tabs + 1 : tabs + 4] == [
        ("paragraph", "Install the package."),
        ("tab", "**Windows**"),
        ("paragraph", "Run the installer."),
    ]
    term = kinds.index(("definition", "`needle`"))
    assert kinds[term + 1] == ("paragraph", "The part that turns.")
    assert not [word for word in CHROME if word in page.markdown]


@pytest.mark.parametrize("theme", ["alabaster", "furo", "sphinx_rtd_theme", "sphinx_book_theme"])
def test_5_pages_of_sphinx(tmp_path: Path, theme: str) -> None:
    (tmp_path / "conf.py").write_text(
        f"extensions = ['sphinx_design']\nhtml_theme = '{theme}'\nproject = 'Field guide'\n"
    )
    (tmp_path / "index.rst").write_text("Guide\n=====\n\n.. toctree::\n\n   compass\n   map\n", encoding="utf-8")
    (tmp_path / "compass.rst").write_text(RST, encoding="utf-8")
    (tmp_path / "map.rst").write_text("Map\n===\n\nA map.\n", encoding="utf-8")
    build(tmp_path, "sphinx", "-q", ".", "out")
    page = extract((tmp_path / "out" / "compass.html").read_bytes(), "https://docs.test/compass.html")
    assert_says_it(page)
    (signature,) = (block for block in page.blocks if block.kind == "signature")
    assert signature.markdown == "`compass.turn(angle, *, slowly=False)`"
    assert signature.anchors[0] == "compass.turn"


def test_5_pages_of_mkdocs_material(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text(MKDOCS, encoding="utf-8")
    (tmp_path / "docs" / "index.md").write_text("# Guide\n\nWords.\n", encoding="utf-8")
    (tmp_path / "docs" / "compass.md").write_text(MARKDOWN, encoding="utf-8")
    (tmp_path / "docs" / "map.md").write_text("# Map\n\nA map.\n", encoding="utf-8")
    build(tmp_path, "mkdocs", "build", "-q", "-d", "out")
    page = extract((tmp_path / "out" / "compass" / "index.html").read_bytes(), "https://docs.test/compass/")
    assert_says_it(page)


def test_5_pages_of_pdoc(tmp_path: Path) -> None:
    (tmp_path / "compass.py").write_text(MODULE, encoding="utf-8")
    build(tmp_path, "pdoc", "./compass.py", "-o", "out")
    page = extract((tmp_path / "out" / "compass.html").read_bytes(), "https://docs.test/compass.html")
    assert page.title == "compass"
    assert "Shows where **north** is." in page.markdown
    assert "```\nturn(90)\n```" in page.markdown  # pdoc names no language
    assert "[ ]" not in page.markdown
    assert "turn(angle: int, *, slowly: bool = False)" in page.markdown.replace("\\", "")
    assert any("turn" in block.anchors for block in page.blocks)
    assert not [word for word in CHROME if word in page.markdown]
