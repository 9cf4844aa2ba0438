"""When is an unknown name a 404? When a request named one job or page by its id."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from starlette.exceptions import HTTPException

from webdocs.errors import UnknownNameError
from webdocs.serve.problem import missing


class MissingIdError(HTTPException):
    """A 404 that says which id is not there, instead of which route."""

    def __init__(self, error: UnknownNameError) -> None:
        super().__init__(404, str(error))
        self.problem = missing(error)


@contextmanager
def id_lookup() -> Generator[None]:
    """Turn the unknown id of a job or page into a 404."""
    try:
        yield
    except UnknownNameError as error:
        raise MissingIdError(error) from error
