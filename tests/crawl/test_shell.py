"""Which pages need a browser: the rule over HTML (contract D10, faults B12, H5, H7)."""

from __future__ import annotations

import pytest

from webdocs.crawl.hints import ScriptHints
from webdocs.crawl.shell import has_button_navigation, is_shell
from webdocs.crawl.url import key_of, page_url, route_of

SCRIPT = "<script src=app.js></script>"

SHELLS = [
    ("react-root", f"<div id=root></div>{SCRIPT}", True),
    ("loading-text", f'<div id="app">Loading...</div>{SCRIPT}', True),
    (
        "noscript-text-does-not-count",
        f"<noscript>{'Turn it on. ' * 30}</noscript><p id=a>{SCRIPT}",
        True,
    ),
    ("angular-element", f"<app-root></app-root>{SCRIPT}", True),
    ("bare-body", f"<body>{SCRIPT}</body>", True),
    ("data-in-a-script", "<div id=__next></div><script>var d='<p>a<p>b'</script>", True),
    ("static-page", f"<h1>Title</h1><p>{'Words of a page. ' * 30}</p>{SCRIPT}", False),
    ("prerendered-root", f"<div id=root><h1>T</h1><p>{'Words of a page. ' * 30}</p></div>{SCRIPT}", False),
    ("no-script", "<div id=root></div>", False),
    ("only-data", '<div id=root></div><script type="application/ld+json">{}</script>', False),
    (
        "short-page-without-root",
        f"<h1>Moved</h1><p>This page has moved to another manual.</p>{SCRIPT}",
        False,
    ),
    ("meta-refresh-only-sends-on", f'<meta http-equiv="refresh" content="0; url=/a">Redirecting...{SCRIPT}', False),
    ("fault-H7-empty-body", "", False),
]


@pytest.mark.parametrize(("html", "wanted"), [case[1:] for case in SHELLS], ids=[f"D10-{case[0]}" for case in SHELLS])
def test_a_shell_is_html_without_content(html: str, wanted: bool) -> None:
    assert is_shell(html.encode()) is wanted


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        pytest.param("<button onclick=\"location.href='/a'\">A</button>", True, id="fault-H5-button"),
        pytest.param("<button onclick=\"location='/a'\">A</button><a href=/b>b</a>", False, id="fault-H5-links-too"),
        pytest.param("<button onclick=copy()>Copy</button>", False, id="fault-H5-copy-button"),
    ],
)
def test_fault_H5_navigation_by_buttons_is_seen(html: str, wanted: bool) -> None:
    assert has_button_navigation(html.encode()) is wanted


ROUTES = [
    ("slash-route", "http://s.test/#/intro", "#/intro"),
    ("bang-route", "http://s.test/#!x", "#!x"),
    ("application-start", "http://s.test/#/", ""),
    ("bang-start", "http://s.test/#!/", ""),
    ("anchor", "http://s.test/#intro", ""),
    ("docsify-place-on-a-page", "http://s.test/#/intro?id=more", "#/intro"),
    ("place-in-a-route", "http://s.test/#/intro#more", "#/intro"),
    ("query-of-a-route", "http://s.test/#/a?tab=2", "#/a?tab=2"),
    ("none", "http://s.test/", ""),
]


@pytest.mark.parametrize(("url", "route"), [case[1:] for case in ROUTES], ids=[f"fault-B12-{row[0]}" for row in ROUTES])
def test_fault_B12_a_route_is_what_scripts_read_from_the_fragment(url: str, route: str) -> None:
    assert route_of(url) == route
    assert page_url(url, keeps_routes=True) == f"http://s.test/{route}"
    assert page_url(url, keeps_routes=False) == "http://s.test/"
    assert key_of(url) == f"http://s.test/{route}"


def test_urls_7_without_rendering_the_routes_are_hinted_at() -> None:
    hints = ScriptHints("never")
    hints.note_links(["http://s.test/#/intro", "http://s.test/#/api", "http://s.test/#!x", "http://s.test/#top"])
    assert len(hints.remarks()) == 1
    assert hints.remarks()[0].startswith("3 links lead to routes")
    assert "--render auto" in hints.remarks()[0]


def test_D10_auto_without_a_browser_says_what_is_missing() -> None:
    hints = ScriptHints("auto")
    hints.note_page("http://s.test/", f"<div id=root></div>{SCRIPT}".encode())
    assert hints.remarks() == [
        "1 page holds no text before scripts ran, http://s.test/ first. "
        "Rendering needs webdocs-mcp[browser] and Chromium"
    ]


def test_a_site_of_plain_pages_gives_no_hint() -> None:
    hints = ScriptHints("never")
    hints.note_page("http://s.test/", b"<h1>Title</h1><a href=/a>a</a>")
    hints.note_links(["http://s.test/a#b"])
    assert hints.remarks() == []
