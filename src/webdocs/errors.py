"""Every error that webdocs raises on purpose, as one tree.

    WebdocsError
    ├── InputError              the caller's words are off: exit code 2, HTTP 422
    │   ├── UrlError            a URL that can never be crawled
    │   ├── PatternError        an include or exclude pattern that does not compile
    │   ├── SettingError        a setting that is out of range or unknown
    │   └── UnknownNameError    a site, version, page or job that is not there: HTTP 404 for ids
    ├── FetchError              a page could not be had; `crawl` turns it into a `Failed` outcome
    ├── ExtractError            a body that is no document: listed as the page's fault
    ├── LlmsTxtError            a text that is no llms.txt, or a URL that has none
    ├── EmbedderError           the embedder cannot be loaded or does not answer
    ├── StoreError              the database cannot be opened, read or written
    │   ├── StorePathError      its path cannot be written: exit code 2
    │   ├── StoreLockedError    another process holds the database
    │   └── StoreFormatError    written by a newer webdocs or by another program
    └── OwnerError              the process that holds the database cannot be reached or is not ours

An expected result (404, 304, refused by robots.txt) is a value in `webdocs.model`, never an exception.
Errors of third-party libraries are translated in the adapter that calls them, with `from exc`.
"""

from __future__ import annotations


class WebdocsError(Exception):
    """Base of the tree. One line for a person: what happened, why, and what to do.

    Args:
        what: What could not be done and why, without a full stop at the end.
        remedy: What the reader can do about it; empty where nothing can be done.
    """

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(f"{what}. {remedy}" if remedy else what)
        self.what = what
        self.remedy = remedy


class InputError(WebdocsError):
    """The request itself is wrong; nothing was done."""


class UrlError(InputError):
    """A URL that can never be crawled: scheme, syntax, length or a refused address."""


class PatternError(InputError):
    """An include or exclude pattern that does not compile."""


class SettingError(InputError):
    """A setting, flag or option that is unknown or out of its range."""


class UnknownNameError(InputError):
    """A site, version, page or job that does not exist.

    `known` holds the names that do, so that the answer can list them.
    """

    def __init__(self, what: str, remedy: str = "", known: tuple[str, ...] = ()) -> None:
        super().__init__(what, remedy)
        self.known = known


class FetchError(WebdocsError):
    """A request that failed; `status` is the HTTP status if there was one."""

    def __init__(self, what: str, *, status: int | None = None, retryable: bool = False) -> None:
        super().__init__(what)
        self.status = status
        self.retryable = retryable


class ExtractError(WebdocsError):
    """A body that is not a document: binary, empty, undecodable."""


class LlmsTxtError(WebdocsError):
    """A text that is no llms.txt, or a URL under which there can be none."""


class EmbedderError(WebdocsError):
    """The embedder cannot be loaded or does not answer."""


class StoreError(WebdocsError):
    """The database cannot be opened, read or written."""


class StorePathError(StoreError):
    """The path of the database cannot be made, opened or written: the setting is wrong."""


class StoreLockedError(StoreError):
    """Another process holds the database file."""


class StoreFormatError(StoreError):
    """The database was written by a newer webdocs, or by another program."""


class OwnerError(WebdocsError):
    """The process that holds the database cannot be reached, or could not prove itself."""
