"""Routes for whole sites: list, crawl again, remove."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path, Query

from webdocs.serve.service import Service
from webdocs.serve.views import JobView, RemovalView, SiteView

SiteInPath = Annotated[
    str, Path(min_length=1, max_length=200, description="Name of the site.", examples=["docs.example.org"])
]
VersionName = Annotated[str, Query(max_length=100, description="Only this version; empty is all.", examples=["3.12"])]

IsFull = Annotated[
    bool,
    Query(
        description="Fetch and index every page anew, also where the server says that it did not change.",
        examples=[True],
    ),
]


def add_site_routes(app: FastAPI, service: Service) -> None:
    """Add the routes to the application. A site's name may hold slashes."""

    @app.get("/sites", tags=["sites"], summary="List sites")
    def list_sites() -> list[SiteView]:
        """One entry a source: a root URL with its version, counts and freshness."""
        return [SiteView.of(row) for row in service.sites()]

    @app.post("/sites/{site:path}/update", tags=["sites"], summary="Crawl a site again")
    def update_site(site: SiteInPath, version: VersionName = "", full: IsFull = False) -> list[JobView]:
        """Queue a fresh crawl of the site's sources, as they were added; answers the jobs."""
        return [JobView.of(job) for job in service.update(site, version=version, full=full)]

    @app.delete("/sites/{site:path}", tags=["sites"], summary="Remove a site")
    def remove_site(site: SiteInPath, version: VersionName = "") -> RemovalView:
        """Delete the site, or one version of it, with its pages and jobs."""
        pages = service.remove(site, version=version)
        return RemovalView(site=site, version=version, pages_removed=pages)
