"""Sitemap files. Ids say whose row they are: url, fault or ssrf."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webdocs.crawl.sitemap import MAX_BYTES, MAX_ENTRIES, SitemapEntry, read_entries

BASE = "http://s.test/maps/sitemap.xml"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*locs: str) -> str:
    return f'<?xml version="1.0"?><urlset {NS}>' + "".join(f"<url><loc>{loc}</loc></url>" for loc in locs) + "</urlset>"


def page(path: str) -> SitemapEntry:
    return SitemapEntry(f"http://s.test{path}")


A, B = "http://s.test/a", "http://s.test/b"
PLAIN = urlset(A, B)
BOTH = [page("/a"), page("/b")]
INDEX = f"<sitemapindex {NS}><sitemap><loc>{A}.xml</loc></sitemap></sitemapindex>"
ATOM = f"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="{B}"/><entry><title>t</title>
<link rel="self" href="http://s.test/self"/><link rel="alternate" href="{A}"/><content src="x"/></entry></feed>"""
RSS = f"<rss version='2.0'><channel><link>{B}</link><item><link>{A}</link><guid>{B}</guid></item></channel></rss>"
RDF = f"<rdf:RDF xmlns:rdf='r' xmlns='p'><item rdf:about='x'><link>{A}</link></item></rdf:RDF>"
PICTURE = f"<image:image><image:loc>{B}</image:loc></image:image><image:loc>{B}</image:loc>"
IMAGES = f"<urlset><url><loc>{A}</loc>{PICTURE}</url></urlset>"
LAUGHS = """<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><urlset><url><loc>http://s.test/&c;</loc></url></urlset>"""
OUTSIDE = '<!DOCTYPE urlset [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><url><loc>/x&e;</loc></url></urlset>'
PARAMETER = '<!DOCTYPE urlset [<!ENTITY % p SYSTEM "http://10.0.0.1/x">%p;]><urlset><url><loc>/x</loc></url></urlset>'

FILES: list[tuple[str, str | bytes, list[SitemapEntry]]] = [
    ("url-32-urlset", PLAIN, BOTH),
    ("url-32-index", INDEX, [SitemapEntry(f"{A}.xml", is_sitemap=True)]),
    ("url-32-text", f"{A}\n{B}\n", BOTH),
    ("url-32-text-crlf-no-last-end", f" {A} \r\n\r\n{B}", BOTH),
    ("url-32-text-bom", b"\xef\xbb\xbf" + f"{A}\n{B}".encode(), BOTH),
    ("url-32-text-utf-16", f"{A}\n{B}".encode("utf-16"), BOTH),
    ("url-32-text-other-lines", f"# pages\n/c\n{A}\nftp://s.test/x\n{B}", BOTH),
    ("url-32-rss", RSS, [page("/a")]),
    ("url-32-rss-1.0", RDF, [page("/a")]),
    ("url-32-atom", ATOM, [page("/a")]),
    ("fault-D3-gzip", gzip.compress(PLAIN.encode()), BOTH),
    ("fault-D3-gzipped-text", gzip.compress(f"{A}\n{B}".encode()), BOTH),
    ("gzip-in-two-members", gzip.compress(PLAIN[:90].encode()) + gzip.compress(PLAIN[90:].encode()), BOTH),
    ("fault-D4-gzipped-twice-is-opened-once", gzip.compress(gzip.compress(PLAIN.encode())), []),
    ("gzip-cut", gzip.compress(PLAIN.encode())[:40], []),
    ("gzip-magic-alone", b"\x1f\x8b\x08", []),
    ("url-32-xml-bom", b"\xef\xbb\xbf" + PLAIN.encode(), BOTH),
    ("url-32-xml-utf-16", PLAIN.encode("utf-16"), BOTH),
    (
        "xml-latin-1",
        b'<?xml version="1.0" encoding="latin-1"?><urlset><url><loc>/\xe9</loc></url></urlset>',
        [page("/%C3%A9")],
    ),
    ("xml-unknown-encoding", b'<?xml version="1.0" encoding="x-none"?><urlset><url><loc>/a</loc></url></urlset>', []),
    (
        "xml-multi-byte-encoding",
        b'<?xml version="1.0" encoding="gb2312"?><urlset><url><loc>/a</loc></url></urlset>',
        [],
    ),
    ("url-32-space-before-the-declaration", "\n  " + PLAIN, BOTH),
    ("url-32-relative-loc", urlset("c", "/d", "//s.test/e"), [page("/maps/c"), page("/d"), page("/e")]),
    ("url-32-cdata", urlset("<![CDATA[http://s.test/?a=1&b=2]]>"), [page("/?a=1&b=2")]),
    ("url-32-ampersand", urlset("http://s.test/?a=1&amp;b=2"), [page("/?a=1&b=2")]),
    ("character-reference", urlset("http://s.test/?a=1&#38;b=&#x32;"), [page("/?a=1&b=2")]),
    ("url-32-loc-on-three-lines", urlset(f"\n  {A}\n"), [page("/a")]),
    ("fragment-is-dropped", urlset(f"{A}#top"), [page("/a")]),
    ("url-32-other-host-is-for-the-scope-to-judge", urlset("http://o.test/a"), [SitemapEntry("http://o.test/a")]),
    (
        "url-32-lastmod-is-passed-over",
        f"<urlset><url><loc>{A}</loc><lastmod>2999-99-99</lastmod></url></urlset>",
        [page("/a")],
    ),
    ("prefixed-names", f"<s:urlset xmlns:s='x'><s:url><s:loc>{A}</s:loc></s:url></s:urlset>", [page("/a")]),
    ("fault-D8-pictures-are-no-pages", IMAGES, [page("/a")]),
    ("url-32-html-with-200", "<!doctype html><html><body><a href='/x'>404</a></body></html>", []),
    ("html-without-a-root", "<p>nothing here</p>", []),
    ("plain-error-page", "404 not found, see http://s.test/", []),
    ("json", '{"loc": "http://s.test/a"}', []),
    ("empty", b"", []),
    ("empty-loc", urlset("", "  "), []),
    ("no-web-scheme", urlset("javascript:x", "ftp://s.test/", "file:///etc/passwd"), []),
    ("user-and-password-off", urlset("http://u:p@s.test/a"), [page("/a")]),
    ("loc-too-long", urlset("http://s.test/" + "x" * 2048, B), [page("/b")]),
    ("line-too-long", "http://s.test/" + "x" * 200_000 + f"\n{B}", [page("/b")]),
    ("xml-broken-later", PLAIN.replace("</urlset>", "<url><loc>&nope;"), BOTH),
    ("xml-cut", PLAIN[: PLAIN.index("b</loc>")], [page("/a")]),
    ("ssrf-35-billion-laughs", LAUGHS, []),
    ("ssrf-35-entity-of-a-file", OUTSIDE, []),
    ("ssrf-35-parameter-entity-of-the-network", PARAMETER, []),
    ("doctype-without-entities", f"<!DOCTYPE urlset SYSTEM 'http://10.0.0.1/x.dtd'>{urlset(A)[21:]}", [page("/a")]),
    ("deep-elements", "<urlset>" + "<url>" * 100_000 + f"<loc>{A}</loc>", []),
]


@pytest.mark.parametrize(("body", "entries"), [row[1:] for row in FILES], ids=[row[0] for row in FILES])
def test_a_file_gives_its_entries_whatever_it_is_called(body: str | bytes, entries: list[SitemapEntry]) -> None:
    assert list(read_entries(body.encode() if isinstance(body, str) else body, BASE)) == entries


@given(st.binary(max_size=400))
@example(b"\xff\xfe<")
@example(b"\xfe\xff")
@example(gzip.compress(b"<urlset>")[:-3] + b"\xff\xff\xff")
@example(b"<urlset><url><loc>\xff</loc>")
def test_no_bytes_make_it_raise(body: bytes) -> None:
    for start in (b"", b"<urlset><url><loc>", b"\x1f\x8b\x08", b"http://", b'<?xml version="1.0" encoding="'):
        for entry in read_entries(start + body, BASE):
            assert entry.url.startswith(("http://", "https://"))


@given(st.lists(st.sampled_from(["/a", "/b?x=1&amp;y=2", "/caf\u00e9", "c"]), max_size=30), st.booleans())
def test_every_entry_is_read_in_order_gzipped_or_not(locs: list[str], is_gzipped: bool) -> None:
    body = urlset(*locs).encode()
    named = {"/a": "/a", "/b?x=1&amp;y=2": "/b?x=1&y=2", "/caf\u00e9": "/caf%C3%A9", "c": "/maps/c"}
    found = read_entries(gzip.compress(body) if is_gzipped else body, BASE)
    assert list(found) == [page(named[loc]) for loc in locs]


@pytest.mark.parametrize("form", ["xml", "text"])
def test_ssrf_45_no_more_entries_are_taken_than_a_file_may_have(form: str) -> None:
    locs = [f"http://s.test/{number}" for number in range(MAX_ENTRIES + 1)]
    body = urlset(*locs) if form == "xml" else "\n".join(locs)
    assert sum(1 for _ in read_entries(body.encode(), BASE)) == MAX_ENTRIES


def test_fault_D9_a_huge_map_is_read_only_as_far_as_it_is_asked_for() -> None:
    body = gzip.compress(urlset(*(f"http://s.test/{number}" for number in range(200_000))).encode(), 1)
    tracemalloc.start()
    try:
        entries = read_entries(body, BASE)
        assert [next(entries).url for _ in range(3)][-1] == "http://s.test/2"
        assert tracemalloc.get_traced_memory()[1] < 4 * 1024 * 1024
    finally:
        tracemalloc.stop()


BOMBS = {
    "spaces-in-a-loc": b"<urlset><url><loc>" + b" " * 1024,
    "one-endless-comment": b"<urlset><!--" + b"x" * 1024,
    "one-endless-line": b"http://s.test/" + b"x" * 1024,
}


@pytest.mark.parametrize("start", BOMBS.values(), ids=BOMBS.keys())
def test_fault_D6_ssrf_45_a_gzip_bomb_takes_no_memory(start: bytes) -> None:
    bomb = gzip.compress(start + start[-1:] * (MAX_BYTES + 1024), 1)
    tracemalloc.start()
    try:
        assert list(read_entries(bomb + gzip.compress(b"\n" + PLAIN.encode()), BASE)) == []
        assert tracemalloc.get_traced_memory()[1] < 8 * 1024 * 1024
    finally:
        tracemalloc.stop()
