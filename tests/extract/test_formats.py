"""Files that are neither HTML nor Markdown: what is read of them, and what is said where nothing here reads them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from extract.files import Words, docx, pdf, scanned_pdf
from webdocs.errors import ExtractError
from webdocs.extract import formats_here, read_body
from webdocs.model import Page

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MANUAL = pdf(
    [
        [
            Words("The Manual, page 1", 800),
            Words("Introduction", 760, size=18),
            Words("The first page says some-", 740),
            Words("thing in a long line that goes on and on until the margin is", 726),
            Words("there.", 712),
            Words("A second paragraph follows here.", 684),
            Words("def f(x):", 660, font="F2"),
            Words("return x", 648, x=100.8, font="F2"),
        ],
        [
            Words("The Manual, page 2", 800),
            Words("Usage", 760),
            Words("Choose one of these:", 740),
            Words("\x95 item one", 720),
            Words("\x95 item two", 706),
        ],
        [Words("The Manual, page 3", 800), Words("More of it.", 740)],
    ],
    [("Introduction", 0), ("Usage", 1)],
    "The Manual",
)


class NothingInstalled:
    """A finder on a system without any extra."""

    def __call__(self, module: str) -> bool:
        return False


def read(body: bytes, content_type: str, name: str) -> Page:
    return read_body(body, content_type, f"http://docs.test/guide/{name}")


def rst(text: str) -> str:
    return read(text.encode(), "text/plain", "a.rst").markdown


def adoc(text: str) -> str:
    return read(text.encode(), "text/plain", "a.adoc").markdown


def plain(text: str) -> str:
    return read(text.encode(), "text/plain", "a.txt").markdown


def notebook(*cells: dict, language: str = "python") -> bytes:
    return json.dumps({"cells": cells, "metadata": {"kernelspec": {"language": language}}, "nbformat": 4}).encode()


# ---------------------------------------------------------------- PDF


def test_5_8_a_pdf_is_read_page_by_page_under_its_bookmarks() -> None:
    page = read(MANUAL, "application/pdf", "manual.pdf")
    assert page.title == "The Manual"
    assert [(block.kind, block.anchors) for block in page.blocks if block.anchors] == [
        ("heading", ("page=1",)),
        ("heading", ("page=2",)),
        ("paragraph", ("page=3",)),
    ]
    assert page.markdown == (
        "# Introduction\n\n"
        "The first page says something in a long line that goes on and on until the margin is there.\n\n"
        "A second paragraph follows here.\n\n"
        "```\ndef f(x):\n    return x\n```\n\n"
        "# Usage\n\nChoose one of these:\n\n- item one\n\n- item two\n\nMore of it."
    )


def test_5_8_a_scan_among_pages_with_text_does_not_cost_the_text() -> None:
    both = pdf([[Words("Only this page has text.", 700)], []])
    assert read(both, "application/pdf", "a.pdf").markdown == "Only this page has text."


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param(b"%PDF-1.4\nnothing more", "the PDF cannot be opened: it is damaged", id="damaged"),
        pytest.param(pdf([[]]), "the PDF has no text on its pages", id="an-empty-page"),
        pytest.param(b"<html><body><p>Not found", "the PDF cannot be opened", id="html-under-the-label-of-a-pdf"),
    ],
)
def test_5_8_a_pdf_without_text_is_a_fault_that_says_why(body: bytes, said: str) -> None:
    with pytest.raises(ExtractError, match=said):
        read(body, "application/pdf", "a.pdf")


OCR_PROGRAM = """#!{python}
import sys
header = sys.stdin.buffer.readline()
width, height = map(int, header.split()[1:3])
assert header.startswith(b"P5") and len(sys.stdin.buffer.read()) == width * height
print("A scanned line\\nthat goes on.\\n\\nA new paragraph.")
"""


@pytest.mark.parametrize(
    ("has_program", "expected"),
    [
        pytest.param(True, "A scanned line that goes on.\n\nA new paragraph.", id="with-tesseract"),
        pytest.param(False, "the PDF is a scan without text; install the program tesseract", id="without-it"),
    ],
)
def test_5_8_a_scan_is_read_where_the_system_has_tesseract(tmp_path: Path, has_program: bool, expected: str) -> None:
    """In a process of its own, whose PATH holds one program or none."""
    if has_program:
        program = tmp_path / "tesseract"
        program.write_text(OCR_PROGRAM.format(python=sys.executable))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "scan.pdf").write_bytes(scanned_pdf())
    code = (
        "import sys; from webdocs.extract import read_body; from webdocs.errors import ExtractError\n"
        "try: print(read_body(open(sys.argv[1], 'rb').read(), 'application/pdf', 'http://docs.test/a.pdf').markdown)\n"
        "except ExtractError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "scan.pdf")],
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert expected in done.stdout


# ---------------------------------------------------------------- Word and notebooks


def test_5_8_a_word_document_keeps_titles_code_and_tables() -> None:
    body = docx(
        [("heading 1", "Install"), ("", "Use <this>."), ("Source Code", "a = 1"), ("Source Code", "  b")],
        [["Name", "Value"], ["x", "1"]],
    )
    page = read(body, DOCX, "guide.docx")
    assert page.title == "Install"
    assert [block.kind for block in page.blocks] == ["heading", "paragraph", "code", "table"]
    assert page.blocks[1].markdown == "Use \\<this>."
    assert page.blocks[2].markdown == "```\na = 1\n  b\n```"
    assert "| Name | Value |\n| x | 1 |" in page.blocks[3].markdown


def archive(name: str, content: bytes) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param(b"no archive", "it is not a ZIP archive", id="no-archive"),
        pytest.param(archive("a.txt", b"a"), "without a Word document in it", id="another-archive"),
        pytest.param(archive("word/document.xml", b"<broken"), "the Word document is damaged", id="damaged"),
        pytest.param(archive("word/document.xml", bytes(201 << 20)), "unpacks to over 200 MiB", id="a-bomb"),
    ],
)
def test_5_8_what_is_no_word_document_is_a_fault_that_says_why(body: bytes, said: str) -> None:
    with pytest.raises(ExtractError, match=said):
        read(body, DOCX, "a.docx")


@pytest.mark.parametrize("content_type", ["application/x-ipynb+json", "application/json", "text/plain", ""])
def test_5_8_a_notebook_is_read_from_its_json_under_any_label(content_type: str) -> None:
    body = notebook(
        {"cell_type": "markdown", "source": ["# Title\n", "Some *text*."]},
        {
            "cell_type": "code",
            "source": "print('```')\n",
            "outputs": [
                {"output_type": "stream", "text": ["\x1b[31mred\x1b[0m\n"]},
                {"output_type": "execute_result", "data": {"text/plain": "<A object>", "image/png": "aGk="}},
            ],
        },
        language="julia",
    )
    page = read(body, content_type, "a.ipynb")
    assert page.title == "Title"
    assert page.markdown == (
        "# Title\n\nSome *text*.\n\n```julia\nprint('```')\n```\n\n```\nred\n```\n\n```\n<A object>\n```"
    )


def test_5_8_a_cell_that_leaves_its_fence_open_does_not_swallow_the_next() -> None:
    body = notebook({"cell_type": "markdown", "source": "```\nopen"}, {"cell_type": "markdown", "source": "# After"})
    assert [block.kind for block in read(body, "", "a.ipynb").blocks] == ["code", "heading"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param(b"{", "not valid JSON", id="cut"),
        pytest.param(b'{"a": 1}', "no notebook", id="other-json"),
        pytest.param(b"[]", "no notebook", id="a-list"),
        pytest.param(notebook(), "empty", id="no-cells"),
        pytest.param(notebook({"cell_type": 1}, {"cell_type": "code", "outputs": 3}), "empty", id="wrong-types"),
    ],
)
def test_5_8_what_is_no_notebook_is_a_fault_that_says_why(body: bytes, said: str) -> None:
    with pytest.raises(ExtractError, match=said):
        read(body, "", "a.ipynb")


# ---------------------------------------------------------------- reStructuredText


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("=====\nTitle\n=====\n\nPart\n----\n\nText.", "# Title\n\n## Part\n\nText.", id="titles"),
        pytest.param("Like so::\n\n  $ ls\n    <x>", "Like so:\n\n```\n$ ls\n  <x>\n```", id="literal-block"),
        pytest.param(
            ".. code-block:: python\n   :linenos:\n\n   def f():\n       pass",
            "```python\ndef f():\n    pass\n```",
            id="code-with-language",
        ),
        pytest.param(".. note:: Mind it.", "> **Note**\n>\n> Mind it.", id="admonition"),
        pytest.param(
            ".. versionadded:: 2.1 At last.", "> **New in version 2.1**\n>\n> At last.", id="sphinx-version-note"
        ),
        pytest.param("* one\n* two\n\n  * deep", "- one\n- two\n  - deep", id="nested-list"),
        pytest.param(
            "===  ===\nA    B\n===  ===\n1    2\n===  ===", "| A | B |\n| --- | --- |\n| 1 | 2 |", id="simple-table"
        ),
        pytest.param("``a`` and :func:`~m.f` in :ref:`Here <x>`", "`a` and `f` in Here", id="inline-code-and-roles"),
        pytest.param(".. py:function:: f(x)\n\n   Does it.", "`f(x)`\n\nDoes it.", id="sphinx-object"),
        pytest.param("Text.\n\n.. toctree::\n\n   a\n   b", "Text.", id="toctree-is-no-text"),
        pytest.param("Text.\n\n.. unheard-of:: A\n   :x: 1\n\n   Body.", "Text.\n\n`A`\n\nBody.", id="unknown"),
        pytest.param("Text.\n\n.. include:: /etc/hostname\n\n.. raw:: html\n\n   <b>x</b>", "Text.", id="no-files"),
        pytest.param("`A <b.html>`_", "[A](http://docs.test/guide/b.html)", id="link"),
    ],
)
def test_5_8_restructuredtext(source: str, expected: str) -> None:
    assert rst(source) == expected


def test_5_8_the_source_that_sphinx_serves_is_known_by_both_endings() -> None:
    assert read(b"A\n=\n\n.. note:: B", "text/plain", "a.rst.txt").blocks[-1].kind == "admonition"


# ---------------------------------------------------------------- AsciiDoc


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("= Title\nA. Name <a@b.test>\nv1\n\n== Part\nText.", "# Title\n\n## Part\n\nText.", id="titles"),
        pytest.param("[source,bash]\n----\nrun <1>\n----\n<1> Runs.", "```bash\nrun\n```\n\n1. Runs.", id="code"),
        pytest.param("NOTE: Mind it.", "> **Note**\n>\n> Mind it.", id="admonition-paragraph"),
        pytest.param("[WARNING]\n====\nHot.\n\n* x\n====", "> **Warning**\n>\n> Hot.\n>\n> - x", id="admonition-block"),
        pytest.param("* one\n** deep\n* two", "- one\n  - deep\n- two", id="nested-list"),
        pytest.param(". one\n. two", "1. one\n2. two", id="ordered-list"),
        pytest.param("* one\n+\nmore", "- one\n\n  more", id="list-continuation"),
        pytest.param("term:: said", "`term`\n\nsaid", id="definition"),
        pytest.param(
            '[options="header"]\n|===\n|A |B\n|1\n|2 \\| 3\n|===',
            "| A | B |\n| --- | --- |\n| 1 | 2 \\| 3 |",
            id="table",
        ),
        pytest.param(":v: 4\n\nIs {v} and {unset}.", "Is 4 and {unset}.", id="attributes"),
        pytest.param("*b* _e_ `c*d` a_b_c", "**b** *e* `c*d` a_b_c", id="inline-marks"),
        pytest.param("link:a.html[A]", "[A](http://docs.test/guide/a.html)", id="link"),
        pytest.param("<<x,see>>", "[see](http://docs.test/guide/a.adoc#x)", id="cross-reference"),
        pytest.param("a\n\n// no\n\n////\nno\n////\n\nb", "a\n\nb", id="comments"),
        pytest.param(" code\n  deep", "```\ncode\n deep\n```", id="indented"),
        pytest.param("____\nSaid.\n____", "> Said.", id="quote"),
        pytest.param("----\nleft open", "```\nleft open\n```", id="unclosed-block"),
        pytest.param("a <script>alert(1)</script> b", "a \\<script>alert(1)\\</script> b", id="no-raw-html"),
    ],
)
def test_5_8_asciidoc(source: str, expected: str) -> None:
    assert adoc(source) == expected


def test_5_8_a_title_is_cited_by_the_id_that_its_source_gives() -> None:
    page = read(b"= T\n\n[[inst]]\n== Install\n\n[#use]\n== Use\n", "text/asciidoc", "a.adoc")
    assert [block.anchors for block in page.blocks] == [(), ("inst",), ("use",)]


# ---------------------------------------------------------------- plain text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("Run it with\n-i <file> twice.", "Run it with -i \\<file> twice.", id="angle-brackets-stay"),
        pytest.param("TITLE\n=====\n\nText\n\nPart\n----\nMore", "# TITLE\n\nText\n\n## Part\n\nMore", id="titles"),
        pytest.param("Do:\n\n    make\n\n    make install", "Do:\n\n```\n    make\n\n    make install\n```", id="code"),
        pytest.param("NAME     VALUE\na        1", "```\nNAME     VALUE\na        1\n```", id="columns"),
        pytest.param("- one\n- two\n  more\n", "- one\n- two more", id="list"),
        pytest.param("# A\n\n[b](c.html)", "# A\n\n[b](http://docs.test/guide/c.html)", id="F6-markdown-stays"),
    ],
)
def test_5_8_plain_text(source: str, expected: str) -> None:
    assert plain(source) == expected


# ---------------------------------------------------------------- what is not read


@pytest.mark.parametrize(
    ("body", "content_type", "name"),
    [
        pytest.param(bytes(range(256)) * 8, "text/plain", "a.txt", id="fault-H8-noise-labelled-text"),
        pytest.param(b"\x89PNG\r\n\x1a\n", "text/plain", "a", id="fault-H8-image-labelled-text"),
        pytest.param(b"%PDF-1.4 cut", "text/plain", "a", id="fault-H8-broken-pdf-labelled-text"),
        pytest.param(b"a\0b" * 40, "text/x-rst", "a.rst", id="fault-H8-nul-bytes-in-a-source"),
        pytest.param(b"MZ\x90", "application/x-msdownload", "a.exe", id="fault-H8-a-program"),
        pytest.param(archive("a", b"a"), "application/octet-stream", "a", id="fault-H8-an-archive-without-a-name"),
    ],
)
def test_5_8_bytes_are_never_text(body: bytes, content_type: str, name: str) -> None:
    with pytest.raises(ExtractError):
        read(body, content_type, name)


@pytest.mark.parametrize("content_type", ["application/octet-stream", "text/plain", ""])
def test_fault_H8_a_pdf_is_known_by_its_first_bytes_where_its_label_says_nothing(content_type: str) -> None:
    assert read(MANUAL, content_type, "download").title == "The Manual"


@pytest.mark.parametrize(
    ("body", "content_type", "said"),
    [
        pytest.param(MANUAL, "application/pdf", "a PDF file is read by an extra: .* .webdocs-mcp.pdf", id="pdf"),
        pytest.param(docx([]), DOCX, "a Word document is read by an extra: pip install .webdocs-mcp.office", id="word"),
    ],
)
def test_5_8_a_missing_extra_is_named_in_one_line(body: bytes, content_type: str, said: str) -> None:
    with pytest.raises(ExtractError, match=said) as caught:
        read_body(body, content_type, "http://docs.test/a", NothingInstalled())
    assert "\n" not in str(caught.value)


def test_5_8_without_its_extra_restructuredtext_is_read_as_the_text_that_it_is() -> None:
    page = read_body(b"A\n=\n\nText::\n\n    code\n", "text/plain", "http://docs.test/a.rst", NothingInstalled())
    assert [block.kind for block in page.blocks] == ["heading", "paragraph", "code"]


def test_5_8_the_crawl_is_told_what_can_be_read_and_what_would_have_to_be_installed() -> None:
    here, bare = formats_here(), formats_here(NothingInstalled())
    assert {"pdf", "docx", "ipynb", "rst", "adoc"} <= here.suffixes
    assert here.missing == {}
    assert bare.suffixes == {"ipynb", "adoc", "asciidoc"}
    assert bare.missing["application/pdf"] == "a PDF file is read by an extra: pip install 'webdocs-mcp[pdf]'"
