"""What the headers say of a body that is still unread. Numbers are rows of the project's URL cases."""

from __future__ import annotations

import pytest

from webdocs.crawl.media import judge_media
from webdocs.model import Formats

READABLE = Formats(
    suffixes=frozenset(("pdf", "ipynb")),
    media_types=frozenset(("application/pdf",)),
    missing={"docx": "install the extra office", "application/msword": "install the extra office"},
)


@pytest.mark.parametrize(
    ("content_type", "path", "reason"),
    [
        pytest.param("application/pdf", "/download", "", id="34-a-type-that-is-read"),
        pytest.param("Application/PDF; x=y", "/a", "", id="34-in-capitals-with-parameters"),
        pytest.param("application/octet-stream", "/a.pdf", "", id="34-the-ending-where-the-type-says-nothing"),
        pytest.param("application/json", "/a.ipynb", "", id="34-a-notebook-is-json"),
        pytest.param("application/json", "/a", "not a page", id="34-json-is-no-page"),
        pytest.param("image/png", "/a.pdf", "not a page", id="34-a-type-that-says-something-counts"),
        pytest.param("application/zip", "/a.zip", "not a page", id="34-an-archive"),
        pytest.param("application/octet-stream", "/a.docx", "install the extra office", id="34-extra-by-ending"),
        pytest.param("application/msword", "/a", "install the extra office", id="34-extra-by-type"),
        pytest.param("", "/a", "", id="no-type"),
        pytest.param("text/html", "/a", "", id="a-page"),
    ],
)
def test_34_the_type_decides_and_the_ending_helps(content_type: str, path: str, reason: str) -> None:
    judged = judge_media({"content-type": content_type}, path, READABLE)
    assert reason in judged
    assert bool(judged) == bool(reason)


def test_34_a_file_to_save_is_no_page_whatever_its_type() -> None:
    headers = {"content-type": "application/pdf", "content-disposition": "attachment; filename=a.pdf"}
    assert "a file to save" in judge_media(headers, "/a.pdf", READABLE)
