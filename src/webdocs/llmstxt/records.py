"""What an llms.txt holds. Texts are Markdown as the file has it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One link of a list: its text, its target as written, and what is said about it."""

    name: str
    url: str
    notes: str = ""


@dataclass(frozen=True, slots=True)
class LlmsTxt:
    """A parsed file.

    Attributes:
        title: The H1.
        description: The quote right after it, without its marks; empty if there is none.
        details: What else stands before the first H2.
        sections: Name of each H2 to its links, in the file's order; a repeated H2 goes on with the first.
        optional: The links of the section named Optional.
    """

    title: str
    description: str = ""
    details: str = ""
    sections: dict[str, list[FileEntry]] = field(default_factory=dict)
    optional: list[FileEntry] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DiscoveryResult:
    """The text of a site's two files; None for one that is not there. `source_url` is the site's root."""

    llms_txt: str | None
    llms_full_txt: str | None
    source_url: str


@dataclass(frozen=True, slots=True)
class Seed:
    """A link that a crawl may start from; `url` as written. `section` is empty before the first H2."""

    url: str
    title: str
    description: str = ""
    section: str = ""
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class SeedFile:
    """What the tolerant reader found; everything is empty for what is no llms.txt."""

    title: str = ""
    summary: str = ""
    seeds: tuple[Seed, ...] = ()
