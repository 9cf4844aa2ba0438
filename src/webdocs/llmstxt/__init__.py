"""What does a site offer to language models, and how is such a list read and written?

A library that stands alone: strict `parse` and `render` of the format of https://llmstxt.org/, `find_candidates` for
a page's Markdown, `discover` for a site's files, and the tolerant `read_seeds`, which a crawler can give anything.
"""

from __future__ import annotations

from webdocs.errors import LlmsTxtError
from webdocs.llmstxt.candidates import find_candidates
from webdocs.llmstxt.discovery import discover, text_of
from webdocs.llmstxt.full import FullPart, split_full
from webdocs.llmstxt.parse import parse
from webdocs.llmstxt.records import DiscoveryResult, FileEntry, LlmsTxt, Seed, SeedFile
from webdocs.llmstxt.render import render
from webdocs.llmstxt.seeds import read_seeds

__all__ = [
    "DiscoveryResult",
    "FileEntry",
    "FullPart",
    "LlmsTxt",
    "LlmsTxtError",
    "Seed",
    "SeedFile",
    "discover",
    "find_candidates",
    "parse",
    "read_seeds",
    "render",
    "split_full",
    "text_of",
]
