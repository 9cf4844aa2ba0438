"""Brings the packages of packages.toml to disk and lists their pages. Nothing of them is part of this repository."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORK = Path(os.environ.get("WEBDOCS_TRAINING") or HERE / "work").resolve()
"""Everything that the steps write; each step reads what the one before it wrote."""

MAX_PAGES = 400
"""Of one package, so that a reference of thousands of pages does not drown the guides."""


def packages() -> dict[str, dict[str, str]]:
    """Package name to licence and pattern of what is not read."""
    return tomllib.loads((HERE / "packages.toml").read_text(encoding="utf-8"))["packages"]


def folder_of(package: str) -> Path:
    """Where a package is unpacked; downloaded first if it is not there. It is never installed."""
    folder = WORK / "root" / package
    if not folder.is_dir():
        downloads = WORK / "debs"
        downloads.mkdir(parents=True, exist_ok=True)
        if not list(downloads.glob(f"{package}_*.deb")):
            subprocess.run(["apt-get", "download", "-qq", package], check=True, cwd=downloads)
        folder.mkdir(parents=True)
        subprocess.run(["dpkg", "-x", str(next(downloads.glob(f"{package}_*.deb"))), str(folder)], check=True)
    return folder


def pages_of(package: str) -> list[Path]:
    """At most `MAX_PAGES` HTML files: index pages first, then in the order of a hash, the same on every machine."""
    skip = re.compile(packages()[package].get("skip", r"(?!)"))
    folder = folder_of(package)
    found = [path for path in (folder / "usr").rglob("*") if path.name.endswith((".html", ".htm", ".html.en"))]
    kept = [path for path in found if path.is_file() and not skip.search(path.as_posix())]
    kept.sort(key=lambda path: (not is_index(path), hashlib.sha256(str(path.relative_to(folder)).encode()).digest()))
    return kept[:MAX_PAGES]


def is_index(path: Path) -> bool:
    """True for a printed index: its links are terms that name their targets."""
    return re.search(r"(?:genindex|bookindex|index-all|keyword_index)", path.name) is not None
