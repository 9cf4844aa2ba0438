"""Brings real documentation to disk: which Debian package holds which site, and where does it lie?

The packages are downloaded and unpacked, never installed, and nothing of them is part of this repository.

usage: python benchmarks/corpora.py [PACKAGE ...]      default: the package that `main` needs
WEBDOCS_CORPORA names a folder where they are unpacked already; otherwise it is benchmarks/corpora.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Folder of the HTML pages under usr/share/doc. A release without a package of this name has a newer one.
PAGES = {
    "postgresql-doc-15": "postgresql-doc-15/html",
    "python3.11-doc": "python3.11/html",
    "python-django-doc": "python-django-doc/html",
    "git-doc": "git-doc",
    "apache2-doc": "apache2-doc/manual",
}


def corpora_folder() -> Path:
    """Where the packages are, or are to be, unpacked."""
    return Path(os.environ.get("WEBDOCS_CORPORA") or HERE / "corpora").resolve()


def pages_folder(package: str) -> Path:
    """The HTML of one package, fetched first if it is not there."""
    folder = corpora_folder() / "usr" / "share" / "doc" / PAGES[package]
    if not folder.is_dir():
        bring(package)
    return folder.resolve()


def bring(package: str) -> None:
    """Download one package with apt and unpack it."""
    folder = corpora_folder()
    downloads = folder / "debs"
    downloads.mkdir(parents=True, exist_ok=True)
    if not list(downloads.glob(f"{package}_*.deb")):
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "download", "-qq", package], check=True, cwd=downloads)
    archive = next(downloads.glob(f"{package}_*.deb"))
    subprocess.run(["dpkg", "-x", str(archive), str(folder)], check=True)


def count_pages(folder: Path) -> int:
    """HTML files under a folder."""
    return sum(1 for _ in folder.rglob("*.html"))


if __name__ == "__main__":
    for name in sys.argv[1:] or ["postgresql-doc-15"]:
        if name not in PAGES:
            sys.exit(f"{name} is unknown here. Known: {', '.join(PAGES)}.")
        place = pages_folder(name)
        print(f"{name}: {count_pages(place)} pages in {place}")
