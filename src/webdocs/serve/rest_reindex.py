"""Routes for a change of the embedder: begin to make its vectors, see how far they are (contract G2)."""

from __future__ import annotations

from fastapi import FastAPI

from webdocs.serve.service import Service
from webdocs.serve.views import ReindexView


def add_reindex_routes(app: FastAPI, service: Service) -> None:
    """Add the routes to the application."""

    @app.post("/reindex", tags=["reindex"], summary="Embed everything anew")
    def start_reindex() -> ReindexView:
        """Make the vectors of the embedder that is set, in the background; the old ones answer until all are there.

        Goes on where an earlier process stopped. Without need it does nothing.
        """
        return ReindexView.of(service.reindex())

    @app.get("/reindex", tags=["reindex"], summary="How far is it?")
    def show_reindex() -> ReindexView:
        """Which embedder is set, which one answers, and how many passages have the new vectors."""
        return ReindexView.of(service.reindex_state())
