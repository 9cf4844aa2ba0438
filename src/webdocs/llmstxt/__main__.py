"""`python -m webdocs.llmstxt URL` prints what a site offers."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from webdocs.errors import LlmsTxtError
from webdocs.llmstxt.discovery import discover
from webdocs.llmstxt.parse import parse
from webdocs.llmstxt.records import DiscoveryResult

_USAGE = "usage: python -m webdocs.llmstxt URL\n"


def main(arguments: list[str]) -> int:
    """Run the command; answers its exit code: 0 found, 1 nothing there, 2 wrong input."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write(_USAGE)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        found = discover(arguments[0])
    except LlmsTxtError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.writelines(f"{line}\n" for line in describe(found))
    return 0 if found.llms_txt or found.llms_full_txt else 1


def describe(found: DiscoveryResult) -> Iterator[str]:
    """What a person reads about a site's files."""
    for name, text in (("llms.txt", found.llms_txt), ("llms-full.txt", found.llms_full_txt)):
        size = "not there" if text is None else f"{len(text)} characters"
        yield f"{found.source_url}/{name}: {size}"
    if found.llms_txt is None:
        return
    try:
        doc = parse(found.llms_txt)
    except LlmsTxtError as error:
        yield str(error)
        return
    yield f"{doc.title}: {doc.description}" if doc.description else doc.title
    for section, entries in (*doc.sections.items(), ("Optional", doc.optional)):
        if entries:
            yield f"  {section}: {len(entries)} links"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
