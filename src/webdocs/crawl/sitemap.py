"""Which URLs does a sitemap file name? Bytes to entries: urlset, index, plain text, RSS and Atom, gzipped or not.

What a file is, its bytes decide: names, content types and codings of sitemaps are wrong too often. Nothing raises and
nothing is looked up: what cannot be read ends the file, and what came before it counts. `lastmod`, `priority` and
`changefreq` are passed over: sites set them to the moment of the build, so they say nothing about a page.
"""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from webdocs.crawl.url import MAX_URL_BYTES, join, strip_fragment

MAX_BYTES = 52_428_800
MAX_ENTRIES = 50_000
"""Both from sitemaps.org/protocol: 50 MB uncompressed and 50,000 URLs a file."""

_PIECE_BYTES = 64 * 1024
_MAX_ELEMENT_DEPTH = 32
"""Our choice: the formats need four levels, with extensions six."""

_MAX_TOKEN_BYTES = 1024 * 1024
"""Our choice: expat keeps a tag or comment whole until it ends; one this long is there to fill memory."""

_GZIP_MAGIC = b"\x1f\x8b\x08"
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_WEB = ("http://", "https://")

_ROOTS = frozenset(("urlset", "sitemapindex", "rss", "rdf", "feed"))
_PLACES = {("url", "loc"): False, ("sitemap", "loc"): True, ("item", "link"): False, ("entry", "link"): False}
"""Element that holds a URL, after its parent; true where that URL is another sitemap."""


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One absolute URL without fragment; `is_sitemap` if it is another file of entries, not a page."""

    url: str
    is_sitemap: bool = False


class _EndOfUseError(Exception):
    """Ends the reading of a file from within a callback of the parser."""


Entries = Generator[SitemapEntry, None, bool]
_Found = Generator[tuple[str, bool], None, bool]


def read_entries(body: bytes, base_url: str) -> Entries:
    """The entries of one file, read as they are asked for.

    Args:
        body: The file as it came, after the transport's own decoding. A gzip file is opened once.
        base_url: The file's final URL, to which relative entries are joined.

    Returns:
        At its end, whether the file was read whole: false if it broke off, held no sitemap or passed a limit.
    """
    entries = _entries(_pieces(body), base_url)
    for _ in range(MAX_ENTRIES):
        try:
            entry = next(entries)
        except StopIteration as end:
            return end.value
        yield entry
    return next(entries, None) is None


def _entries(pieces: Iterator[bytes], base_url: str) -> Entries:
    first = next(pieces, b"")
    bom, encoding = next((pair for pair in _BOMS if first.startswith(pair[0])), (b"", "utf-8"))
    head = first[len(bom) :]
    is_xml = head.decode(encoding, "replace").lstrip().startswith("<")
    if is_xml and encoding == "utf-8":
        # Space before the XML declaration is an error that sites make, and no loss to mend.
        head = head.lstrip()
    found = _read_xml(bom + head, pieces) if is_xml else _read_lines(head, pieces, encoding)
    while True:
        try:
            text, is_sitemap = next(found)
        except StopIteration as end:
            return end.value
        if len(text) <= MAX_URL_BYTES and (url := join(base_url, text)) is not None:
            yield SitemapEntry(strip_fragment(url), is_sitemap)


# ---------------------------------------------------------------- bytes


def _pieces(body: bytes) -> Iterator[bytes]:
    """The file in pieces, at most `MAX_BYTES` of it; none is kept."""
    source = _gunzip(body) if body.startswith(_GZIP_MAGIC) else _slices(body)
    left = MAX_BYTES
    for piece in source:
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


def _slices(body: bytes) -> Iterator[bytes]:
    return (body[at : at + _PIECE_BYTES] for at in range(0, len(body), _PIECE_BYTES))


def _gunzip(body: bytes) -> Iterator[bytes]:
    """Members one after another (RFC 1952, 2.2); ends quietly at what is broken or cut."""
    for data in _members(body):
        if data:
            yield data


def _members(body: bytes) -> Iterator[bytes]:
    member = zlib.decompressobj(wbits=31)
    for compressed in _slices(body):
        data = compressed
        while data:
            if member.eof:
                member = zlib.decompressobj(wbits=31)
            try:
                yield member.decompress(data, _PIECE_BYTES)
            except zlib.error:
                return
            data = member.unused_data if member.eof else member.unconsumed_tail


# ---------------------------------------------------------------- text


def _read_lines(head: bytes, pieces: Iterator[bytes], encoding: str) -> _Found:
    """One absolute URL a line; any other line is an error page's or a comment."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    rest = ""
    for piece in _chain(head, pieces):
        *lines, rest = (rest + decoder.decode(piece)).splitlines(keepends=True) or [""]
        if rest.endswith(("\n", "\r")):
            lines, rest = [*lines, rest], ""
        yield from ((line, False) for line in map(str.strip, lines) if line.startswith(_WEB))
        # A line that is too long for a URL is not gathered: its end is no URL either, as it starts in its middle.
        rest = rest if len(rest) <= MAX_URL_BYTES else " x"
    if rest.strip().startswith(_WEB):
        yield rest.strip(), False
    return True  # lines have no end mark by which a cut file could be told


def _chain(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from pieces


# ---------------------------------------------------------------- XML


def _read_xml(head: bytes, pieces: Iterator[bytes]) -> _Found:
    reader = _XmlReader()
    for piece in _chain(head, pieces):
        is_done = reader.feed(piece)
        yield from reader.take()
        if is_done:
            return False
    return reader.is_at_end


@dataclass(slots=True)
class _XmlReader:
    """Callbacks for expat: keeps the path of open elements and the text of the one that holds a URL."""

    _path: list[tuple[str, str]] = field(default_factory=list)
    _found: list[tuple[str, bool]] = field(default_factory=list)
    _text: list[str] | None = None
    _length: int = 0
    _fed: int = 0
    _parser: expat.XMLParserType = field(default_factory=expat.ParserCreate)

    def __post_init__(self) -> None:
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        # A sitemap needs no entity of its own; without any, none can grow or be fetched.
        self._parser.EntityDeclHandler = self._refuse

    @property
    def is_at_end(self) -> bool:
        """True once the root element was closed."""
        return self._fed > 0 and not self._path

    def feed(self, piece: bytes) -> bool:
        """Read on; true once nothing more can come."""
        try:
            self._parser.Parse(piece, False)
        except (_EndOfUseError, expat.ExpatError, ValueError, LookupError):
            # The last two: a declared encoding that Python does not know, or knows as multi-byte only.
            return True
        self._fed += len(piece)
        return self._fed - self._parser.CurrentByteIndex > _MAX_TOKEN_BYTES

    def take(self) -> list[tuple[str, bool]]:
        """What was found since the last time."""
        found, self._found = self._found, []
        return found

    def _refuse(self, *_: object) -> None:
        raise _EndOfUseError

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        prefix, _, local = name.lower().rpartition(":")
        if len(self._path) >= _MAX_ELEMENT_DEPTH or (not self._path and local not in _ROOTS):
            raise _EndOfUseError
        self._path.append((prefix, local))
        if self._place() is None:
            return
        self._text, self._length = [], 0
        # Atom (RFC 4287, 4.2.7.2): the page is the link without a relation, or with `alternate`.
        if local == "link" and "href" in attributes and attributes.get("rel", "alternate") == "alternate":
            self._characters(attributes["href"])

    def _characters(self, text: str) -> None:
        if self._text is not None and self._length <= MAX_URL_BYTES:
            self._text.append(text)
            self._length += len(text)

    def _end(self, _name: str) -> None:
        is_sitemap = self._place()
        if is_sitemap is not None and self._text is not None:
            self._found.append(("".join(self._text).strip(), is_sitemap))
            self._text = None
        self._path.pop()

    def _place(self) -> bool | None:
        """Whether a sitemap's URL stands in the innermost element; None if no URL does."""
        if len(self._path) < 2:
            return None
        (parent_prefix, parent), (prefix, local) = self._path[-2:]
        # `image:loc` in `url` is a picture: the element must be of the vocabulary that its parent is of.
        return _PLACES.get((parent, local)) if prefix == parent_prefix else None
