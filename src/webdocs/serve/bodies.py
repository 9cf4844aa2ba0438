"""What may a request to crawl say? The bodies of `POST /fetch_url` and of the operator's own submit."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from webdocs.errors import InputError
from webdocs.model import CrawlOptions, RenderMode
from webdocs.settings import Settings

Pattern = Annotated[str, Field(min_length=1, max_length=500)]
Patterns = Annotated[list[Pattern], Field(max_length=100)]

OPERATOR_MAX_PAGES = 5_000
"""Contract E: what the command line crawls unless told otherwise."""


class CrawlBody(BaseModel):
    """What every crawl request may say."""

    model_config = ConfigDict(extra="forbid")

    url: str = Field(
        min_length=1,
        max_length=8_000,
        description="Where the crawl starts.",
        examples=["https://docs.example.org/guide/"],
    )
    name: str = Field(
        default="",
        max_length=200,
        description="Name of the site; by default host and start folder.",
        examples=["example"],
    )
    version: str = Field(
        default="", max_length=100, description="Version that these pages document.", examples=["3.12"]
    )
    scope: Literal["subpages", "hostname", "domain"] = Field(
        default="subpages",
        description="`subpages`: the folder of the URL; `hostname`: its host; `domain`: its registrable domain.",
        examples=["subpages"],
    )
    path_prefix: str = Field(
        default="",
        max_length=2_000,
        description="Only pages whose path starts with it.",
        examples=["/guide/"],
    )
    include: Patterns = Field(
        default=[], description="Globs or /regex/; a page must match one.", examples=[["*/guide/*"]]
    )
    exclude: Patterns = Field(
        default=[], description="Globs or /regex/; a page that matches is left out.", examples=[["*/blog/*"]]
    )

    def options(self, settings: Settings) -> CrawlOptions:
        """The crawl's options; what the body leaves out comes from the settings."""
        return CrawlOptions(
            max_pages=settings.max_pages,
            max_depth=settings.max_depth,
            scope=self.scope,
            path_prefix=self.path_prefix,
            include=tuple(self.include),
            exclude=tuple(self.exclude),
            delay_s=settings.crawl_delay,
            concurrency=settings.concurrency,
            respect_robots=settings.respect_robots,
            allow_private=settings.allow_private,
            render=cast("RenderMode", settings.render),
        )


class FetchUrlBody(CrawlBody):
    """A crawl that anybody with access to the listener may ask for (contract A1)."""

    max_pages: int | None = Field(default=None, ge=1, le=500, description="Most pages to store.", examples=[50])
    max_depth: int | None = Field(default=None, ge=0, le=10, description="Most links from the start.", examples=[3])

    def options(self, settings: Settings) -> CrawlOptions:
        """The crawl's options; what the body leaves out comes from the settings."""
        base = super().options(settings)
        return replace(
            base,
            max_pages=base.max_pages if self.max_pages is None else self.max_pages,
            max_depth=base.max_depth if self.max_depth is None else self.max_depth,
        )


class OperatorBody(CrawlBody):
    """A crawl by the operator: no ceiling, and what a public request may never say."""

    max_pages: int = Field(default=OPERATOR_MAX_PAGES, ge=1, examples=[5000])
    max_depth: int | None = Field(default=None, ge=0, description="Null is unlimited.", examples=[None])
    delay_s: float | None = Field(default=None, ge=0, le=3600, examples=[1.0])
    concurrency: int | None = Field(default=None, ge=1, le=64, examples=[8])
    respect_robots: bool | None = Field(default=None, examples=[True])
    allow_private: list[str] = Field(default=[], examples=[["127.0.0.1:8000"]])
    render: RenderMode | None = Field(default=None, examples=["never"])

    def options(self, settings: Settings) -> CrawlOptions:
        """The crawl's options; what the body leaves out comes from the settings, but for its extent."""
        base = super().options(settings)
        return replace(
            base,
            max_pages=self.max_pages,
            max_depth=self.max_depth,
            delay_s=base.delay_s if self.delay_s is None else self.delay_s,
            concurrency=self.concurrency or base.concurrency,
            respect_robots=base.respect_robots if self.respect_robots is None else self.respect_robots,
            allow_private=(*base.allow_private, *self.allow_private),
            render=self.render or base.render,
        )


def parse_operator_body(body: bytes) -> OperatorBody:
    """The operator's request from its JSON.

    Raises:
        InputError: with every field that does not fit.
    """
    try:
        return OperatorBody.model_validate_json(body)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()[:5])
        raise InputError(f"The crawl cannot be started: {faults}") from error
