"""Files of other formats, made here so that each test says what stands in them."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

Add = Callable[[bytes], int]


@dataclass(frozen=True, slots=True)
class Words:
    """One line on a PDF's page: where it starts, in points, and how it is set. `F1` is Helvetica, `F2` Courier."""

    text: str
    y: float
    x: float = 72.0
    font: str = "F1"
    size: float = 12.0


def pdf(pages: Sequence[Sequence[Words]], bookmarks: Sequence[tuple[str, int]] = (), title: str = "") -> bytes:
    """A PDF of these pages; a bookmark is a title and the index of its page."""
    objects: list[bytes] = [b"", b""]  # catalogue and pages come first and are written last

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    face = b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
    fonts = [add(face % name) for name in (b"Helvetica", b"Courier")]
    resources = b"<< /Font << /F1 %d 0 R /F2 %d 0 R >> >>" % tuple(fonts)
    leaves = [_add_page(add, _drawn(page), resources) for page in pages]
    return _finish(objects, add, leaves, bookmarks, title)


def scanned_pdf(width: int = 40, height: int = 40) -> bytes:
    """A PDF with one page that holds a picture and no text."""
    objects: list[bytes] = [b"", b""]

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    pixels = zlib.compress(bytes(range(256)) * (width * height // 256 + 1))
    image = add(
        b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 "
        b"/Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (width, height, len(pixels), pixels)
    )
    leaf = _add_page(add, b"q 400 0 0 400 72 300 cm /I1 Do Q", b"<< /XObject << /I1 %d 0 R >> >>" % image)
    return _finish(objects, add, [leaf], (), "")


def _drawn(page: Sequence[Words]) -> bytes:
    lines = []
    for words in page:
        shown = words.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        lines.append(f"BT /{words.font} {words.size} Tf {words.x} {words.y} Td ({shown}) Tj ET")
    return "\n".join(lines).encode("latin-1")


def _add_page(add: Add, content: bytes, resources: bytes) -> int:
    stream = add(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return add(
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources %s /Contents %d 0 R >>" % (resources, stream)
    )


def _finish(
    objects: list[bytes], add: Add, leaves: list[int], bookmarks: Sequence[tuple[str, int]], title: str
) -> bytes:
    outline = b""
    if bookmarks:
        root = len(objects) + len(bookmarks) + 1
        first = len(objects) + 1
        for number, (name, index) in enumerate(bookmarks):
            following = b"/Next %d 0 R" % (first + number + 1) if number + 1 < len(bookmarks) else b""
            add(
                b"<< /Title (%s) /Parent %d 0 R %s /Dest [%d 0 R /XYZ 0 842 0] >>"
                % (name.encode(), root, following, leaves[index])
            )
        add(b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>" % (first, root - 1, len(bookmarks)))
        outline = b"/Outlines %d 0 R" % root
    info = b"/Info %d 0 R" % add(b"<< /Title (%s) >>" % title.encode()) if title else b""
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R %s >>" % outline
    kids = b" ".join(b"%d 0 R" % leaf for leaf in leaves)
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(leaves))
    return _file_of(objects, info)


def _file_of(objects: list[bytes], info: bytes) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, info, start)
    return bytes(out)


_NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_CONTENT_TYPES = """<?xml version="1.0"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
<Override PartName="/word/styles.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>"""
_RELATIONS = """<?xml version="1.0"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"
 Target="{target}"/></Relationships>"""


def docx(paragraphs: Sequence[tuple[str, str]], table: Sequence[Sequence[str]] = ()) -> bytes:
    """A Word document: paragraphs as (style's name, text), then a table."""
    body = "".join(_paragraph(style, text) for style, text in paragraphs)
    rows = "".join(map(_row, table))
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}"><w:name w:val="{name}"/></w:style>'
        for name in sorted({style for style, _ in paragraphs if style})
    )
    files = {
        "[Content_Types].xml": _CONTENT_TYPES,
        "_rels/.rels": _RELATIONS.format(kind="officeDocument", target="word/document.xml"),
        "word/_rels/document.xml.rels": _RELATIONS.format(kind="styles", target="styles.xml"),
        "word/styles.xml": f"<w:styles {_NAMESPACE}>{styles}</w:styles>",
        "word/document.xml": (
            f"<w:document {_NAMESPACE}><w:body>{body}{f'<w:tbl>{rows}</w:tbl>' if rows else ''}</w:body></w:document>"
        ),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def _paragraph(style: str, text: str) -> str:
    named = f'<w:pPr><w:pStyle w:val="{style.replace(" ", "")}"/></w:pPr>' if style else ""
    return f'<w:p>{named}<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def _row(cells: Sequence[str]) -> str:
    return f"<w:tr>{''.join(f'<w:tc>{_paragraph(str(), cell)}</w:tc>' for cell in cells)}</w:tr>"
