"""Routes that read: search, pages, health (contract A3, A4, A5, A8)."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import FastAPI, Query, Response

from webdocs.errors import InputError
from webdocs.serve.rest_ids import id_lookup
from webdocs.serve.service import Service
from webdocs.serve.tool_arguments import MAX_OFFSET
from webdocs.serve.version import product_version
from webdocs.serve.views import HealthView, HitView, PageRowView, PageView

QueryText = Annotated[
    str,
    Query(min_length=1, max_length=1_000, description="What to find.", examples=["how to cancel a task"]),
]
TopK = Annotated[int, Query(ge=1, le=25, description="Most passages.", examples=[5])]
SiteName = Annotated[
    str, Query(max_length=200, description="Only this site; empty is all.", examples=["docs.example.org"])
]
VersionName = Annotated[str, Query(max_length=100, description="Only this version of the site.", examples=["3.12"])]
MaxTokens = Annotated[
    int | None, Query(ge=1, le=100_000, description="Most tokens of all passages together.", examples=[4000])
]
Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET, description="Pages to skip.", examples=[0])]
Limit = Annotated[int, Query(ge=1, le=1_000, description="Most pages.", examples=[100])]
PageId = Annotated[
    str, Query(max_length=100, description="Id of the page, or give `url`.", examples=["0a1b2c3d4e5f6071"])
]
PageUrl = Annotated[
    str,
    Query(
        max_length=8_000,
        description="URL of the page, instead of `page_id`.",
        examples=["https://docs.example.org/guide"],
    ),
]


_HEADER_SAFE = " !#$&'()*+,-./:;<=>?@[\\]^_`{|}~"
"""Visible ASCII without the sign of percent-encoding itself."""


def add_page_routes(app: FastAPI, service: Service) -> None:
    """Add the routes to the application."""

    @app.get("/search_docs", tags=["read"], summary="Find passages")
    def search_docs(
        query: QueryText,
        top_k: TopK = 5,
        site: SiteName = "",
        version: VersionName = "",
        max_tokens: MaxTokens = None,
        *,
        response: Response,
    ) -> list[HitView]:
        """The best passages, best first; an empty list if nothing is relevant.

        The header `Webdocs-Tokens` tells how long the answer is, `Webdocs-Hint` what to do where it is empty, with
        what a header cannot hold as %XX.
        """
        answer = service.search(query, top_k=top_k, site=site, version=version, max_tokens=max_tokens)
        response.headers["Webdocs-Tokens"] = str(answer.tokens)
        if answer.hint:
            response.headers["Webdocs-Hint"] = quote(answer.hint, safe=_HEADER_SAFE)
        return [HitView.of(hit) for hit in answer.hits]

    @app.get("/list_doc_pages", tags=["read"], summary="List pages")
    def list_doc_pages(site: SiteName = "", offset: Offset = 0, limit: Limit = 100) -> list[PageRowView]:
        """Indexed pages by site, then URL."""
        return [PageRowView.of(row) for row in service.list_pages(site=site, offset=offset, limit=limit)]

    @app.get("/get_doc_page", tags=["read"], summary="Read a page")
    def get_doc_page(page_id: PageId = "", url: PageUrl = "") -> PageView:
        """One page as Markdown."""
        if bool(page_id) == bool(url):
            raise InputError("One page must be named", "Give either page_id or url.")
        with id_lookup():
            return PageView.of(service.page(page_id or url))

    @app.get("/health", tags=["read"], summary="Is the service well?")
    def health() -> HealthView:
        """Counts pages and chunks; 503 when the database does not answer."""
        pages, chunks = service.counts()
        return HealthView(version=product_version(), pages=pages, chunks=chunks)
