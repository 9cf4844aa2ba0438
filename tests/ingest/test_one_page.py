"""One page under many URLs: a real site is crawled three times over, and what is stored is the same each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from servers import LoopbackServer, Reply, Route
from webdocs.build import Application, open_application
from webdocs.model import CrawlOptions, Job
from webdocs.settings import load_settings


def html(title: str, *links: str, head: str = "", text: str = "") -> str:
    words = f"Enough words about {title} to make a paragraph that counts as the main content of a page. {text}"
    anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
    body = f"<main><h1>{title}</h1><p>{words}</p></main><footer>{anchors}</footer>"
    return f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


def canonical(url: str) -> str:
    return f'<link rel="canonical" href="{url}">'


def bare_refresh(content: str, *, around: str = "{}") -> str:
    meta = around.format(f'<meta http-equiv="Refresh" content="{content}">')
    return f"<html><head>{meta}</head><body>Moved.</body></html>"


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    opened = open_application(
        load_settings({"WEBDOCS_DB_PATH": str(tmp_path / "i.duckdb"), "WEBDOCS_EMBEDDER": "hashing"})
    )
    yield opened
    opened.close()


def crawl(application: Application, server: LoopbackServer, **changes) -> Job:
    base = {"delay_s": 0.0, "allow_private": (server.socket,), "max_depth": None, "max_pages": 1000}
    job = application.service.submit(server.url("/"), CrawlOptions(**{**base, **changes}))
    return application.service.watch(job.job_id, 30)


def stored(application: Application) -> list[str]:
    rows = application.service.list_pages(limit=1000)
    return sorted("/" + row.url.partition("://")[2].partition("/")[2] for row in rows)


def to(url: str) -> Reply:
    return Reply(302, {"Location": url})


A, B = html("Alpha"), html("Beta")

SITES: list[tuple[str, Mapping[str, Route], list[str]]] = [
    ("url-3-slash and no slash with other texts are two pages", {"/a/": A, "/a": B}, ["/a", "/a/"]),
    ("url-4-no slash redirects to slash", {"/a": to("/a/"), "/a/": A}, ["/a/"]),
    ("url-5-folder and index.html with one text", {"/d/": A, "/d/index.html": A}, ["/d/"]),
    ("url-6-folder answers and index.html does not", {"/d/index.html": Reply(404), "/d/": A}, ["/d/"]),
    ("B7-slash answers and no slash does not", {"/a": Reply(404), "/a/": A}, ["/a/"]),
    ("url-37-case variants with one text", {"/API/x": A, "/api/x": A}, ["/API/x"]),
    ("url-37-case variants with other texts", {"/API/x": A, "/api/x": B}, ["/API/x", "/api/x"]),
    ("url-10-B16-pages that differ by query alone", {"/p?page=a": A, "/p?page=b": B}, ["/p?page=a", "/p?page=b"]),
    ("fault-B15-queries with one text", {"/p?x=1": A, "/p?x=2": A}, ["/p?x=1"]),
    ("other paths with one text are two pages", {"/a": A, "/b": A}, ["/a", "/b"]),
    ("url-21-canonical to itself", {"/a": html("Alpha", head=canonical("/a"))}, ["/a"]),
    ("url-21-fault-B17-canonical to another page", {"/a?view=1": html("V", head=canonical("/a")), "/a": A}, ["/a"]),
    ("url-21-fault-B17-canonical that nothing links", {"/a?view=1": html("V", head=canonical("a")), "!/a": A}, ["/a"]),
    ("url-21-canonical to another host", {"/a": html("Alpha", head=canonical("http://other.test/a"))}, ["/a"]),
    (
        "url-21-fault-B20-canonical to another version",
        {"/1.0/a": html("Old", head=canonical("/2.0/a")), "!/2.0/a": B},
        ["/1.0/a"],
    ),
    ("url-21-canonical is malformed", {"/a": html("Alpha", head=canonical("http://["))}, ["/a"]),
    ("url-21-canonical is not there", {"/a": html("Alpha", head=canonical("/gone"))}, ["/a"]),
    ("url-21-canonical fails", {"/a": html("Alpha", head=canonical("/no")), "!/no": Reply(403)}, ["/a"]),
    ("url-21-fault-B18-canonical redirects back", {"/a": html("Alpha", head=canonical("/b")), "!/b": to("/a")}, ["/a"]),
    (
        "21-two pages name each other",
        {"/a": html("Alpha", head=canonical("/b")), "/b": html("Beta", head=canonical("/a"))},
        ["/a", "/b"],
    ),
    (
        "21-a canonical that names another one proves nothing",
        {"/a": html("Alpha", head=canonical("/b")), "/b": html("Beta", head=canonical("/c")), "!/c": html("Gamma")},
        ["/a", "/c"],
    ),
    (
        "21-home page from all pages",
        {"/a": html("Alpha", head=canonical("/")), "/b": html("Beta", head=canonical("/"))},
        ["/a", "/b"],
    ),
    ("url-22-refresh at once", {"/a": bare_refresh("0; URL=sub/b"), "!/sub/b": B}, ["/sub/b"]),
    ("url-22-refresh in quotes", {"/a": bare_refresh("5;url='sub/b' "), "!/sub/b": B}, ["/sub/b"]),
    ("url-22-refresh after an hour", {"/a": bare_refresh("3600; url=/b"), "!/b": B}, ["/a"]),
    (
        "22-refresh for browsers without scripts",
        {"/a": bare_refresh("0; url=/b", around="<noscript>{}</noscript>"), "!/b": B},
        ["/a"],
    ),
    ("url-22-refresh to itself", {"/a": bare_refresh("1; url=/a")}, ["/a"]),
    ("url-22-refresh to what is gone", {"/a": bare_refresh("0; url=/b")}, []),
    ("url-22-refresh to no web page", {"/a": bare_refresh("0; url=ftp://127.0.0.1/b")}, []),
    ("url-22-refresh to another site", {"/a": bare_refresh("0; url=http://other.test/")}, []),
    (
        "22-a page with content that refreshes is a page",
        {"/a": html("Alpha", head='<meta http-equiv="refresh" content="3; url=/b">', text="words " * 80), "!/b": B},
        ["/a", "/b"],
    ),
    ("fault-C1-a page below one that says the same", {"/x/": html("Same", "y/"), "!/x/y/": html("Same")}, ["/x/"]),
]


def make_routes(site: Mapping[str, Route]) -> dict[str, Route]:
    """The start page links to each route but those marked with `!`."""
    linked = [target for target in site if not target.startswith("!")]
    return {"/": html("Start", *linked)} | {target.removeprefix("!"): route for target, route in site.items()}


@pytest.mark.parametrize(("site", "wanted"), [row[1:] for row in SITES], ids=[row[0] for row in SITES])
def test_which_urls_are_pages(application: Application, site: Mapping[str, Route], wanted: list[str]) -> None:
    with LoopbackServer(make_routes(site)) as server:
        for concurrency in (1, 4, 2):
            job = crawl(application, server, concurrency=concurrency)
            assert stored(application) == sorted(["/", *wanted]), f"concurrency {concurrency}: {job}"
            assert job.pruned == ()


# ---------------------------------------------------------------- three crawls leave the same rows (contract G1)


def rows(application: Application) -> list[tuple[str, str]]:
    """Page ids and URLs."""
    return sorted((row.page_id, row.url) for row in application.service.list_pages(limit=1000))


def everything() -> dict[str, Route]:
    """A site with each of the variants above, each in a folder of its own."""
    site: dict[str, Route] = {}
    for number, (_, routes, _) in enumerate(SITES):
        if any("canonical" in str(route) for route in routes.values()):
            continue  # they name absolute paths
        for target, route in routes.items():
            mark = "!" if target.startswith("!") else ""
            body = route.replace("Alpha", f"Alpha {number}") if isinstance(route, str) else route
            if isinstance(body, Reply) and "Location" in body.headers:
                body = to(f"/part{number}{body.headers['Location']}")
            site[f"{mark}/part{number}{target.removeprefix('!')}"] = body
    loop = {"/loop/a": html("La", head=canonical("/loop/b")), "/loop/b": html("Lb", head=canonical("/loop/a"))}
    views = {f"/view?v{n}=1": html(f"View {n}", head=canonical("/view")) for n in range(5)}
    many = {f"/many?session={n}": html("Many") for n in range(9)}
    return make_routes(site | loop | views | many | {"/view": html("View")})


def test_g1_three_crawls_of_all_variants_leave_the_same_rows(application: Application) -> None:
    with LoopbackServer(everything()) as server:
        crawl(application, server, concurrency=8)
        first = rows(application)
        assert len(first) > len(SITES) / 2
        for concurrency in (3, 8, 1):
            job = crawl(application, server, concurrency=concurrency)
            assert rows(application) == first
            assert (job.pages_pruned, job.pages_indexed) == (0, 0)


def test_g1_the_stored_form_stays_though_the_other_one_comes_first(application: Application) -> None:
    routes = {"/": html("Start", "/d/"), "/d/": A, "/d/index.html": A}
    with LoopbackServer(routes) as server:
        crawl(application, server)
        server.routes["/"] = html("Start", "/d/index.html", "/e")
        server.routes["/e"] = html("E", "/d/")
        job = crawl(application, server, concurrency=1)
        assert stored(application) == ["/", "/d/", "/e"]
        assert job.pages_pruned == 0


def test_g1_both_forms_changed_and_the_stored_one_stays(application: Application) -> None:
    with LoopbackServer({"/": html("Start", "/d/", "/d/index.html"), "/d/": A, "/d/index.html": A}) as server:
        crawl(application, server, concurrency=1)
        server.routes |= {"/": html("Start", "/d/index.html", "/d/"), "/d/": B, "/d/index.html": B}
        job = crawl(application, server, concurrency=1)
        assert stored(application) == ["/", "/d/"]
        assert job.pages_pruned == 0


@pytest.mark.parametrize("first", ["/d/", "/d/index.html"])
def test_g1_the_other_form_is_stored_once_the_first_is_gone(application: Application, first: str) -> None:
    other = "/d/index.html" if first == "/d/" else "/d/"
    with LoopbackServer({"/": html("Start", first, other), "/d/": A, "/d/index.html": A}) as server:
        crawl(application, server, concurrency=1)
        assert stored(application) == ["/", first]
        server.routes |= {"/": html("Start", other, first), first: Reply(404)}
        job = crawl(application, server, concurrency=1)
        assert [page.url.removeprefix(server.origin) for page in job.pruned] == [first]
        assert stored(application) == ["/", other]
        crawl(application, server)
        assert stored(application) == ["/", other]


def test_g1_the_other_form_is_stored_once_it_says_something_else(application: Application) -> None:
    with LoopbackServer({"/": html("Start", "/d/", "/d/index.html"), "/d/": A, "/d/index.html": A}) as server:
        crawl(application, server, concurrency=1)
        server.routes |= {"/": html("Start", "/d/index.html", "/d/"), "/d/index.html": B}
        for _ in range(2):
            crawl(application, server, concurrency=1)
            assert stored(application) == ["/", "/d/", "/d/index.html"]


def test_g1_the_other_form_is_not_stored_while_the_first_one_fails(application: Application) -> None:
    with LoopbackServer({"/": html("Start", "/d/", "/d/index.html"), "/d/": A, "/d/index.html": A}) as server:
        crawl(application, server, concurrency=1)
        server.routes |= {"/": html("Start", "/d/index.html", "/d/"), "/d/": Reply(403)}
        crawl(application, server, concurrency=1)
        assert stored(application) == ["/", "/d/"]


def test_two_stored_forms_that_come_to_say_the_same_become_one_5(application: Application) -> None:
    with LoopbackServer({"/": html("Start", "/d/", "/d/index.html"), "/d/": A, "/d/index.html": B}) as server:
        crawl(application, server)
        server.routes["/d/"] = B
        job = crawl(application, server, concurrency=1)
        assert (len(job.pruned), len(stored(application))) == (1, 2)
        assert "holds the same content" in job.pruned[0].reason


# ---------------------------------------------------------------- the other URLs still name the page


@pytest.mark.parametrize(
    ("other", "route"),
    [
        pytest.param("/d/index.html", A, id="url-5-equal-content"),
        pytest.param("/d?view=1", html("V", head=canonical("/d/")), id="fault-B17-canonical"),
        pytest.param("/old", bare_refresh("0; url=/d/"), id="url-22-refresh"),
        pytest.param("/older", to("/d/"), id="url-4-redirect"),
    ],
)
def test_links_to_an_alias_speak_for_the_page(application: Application, other: str, route: Route) -> None:
    """The link text stands on no page, so that only the alias can bring it to the page that it names."""
    start = html("Start").replace(
        "</main>", f'<p><a href="/d/">Alpha</a>. See <a href="{other}">zebrafish</a> too.</p></main>'
    )
    with LoopbackServer({"/": start, "/d/": A, other: route}) as server:
        crawl(application, server, concurrency=1)
        assert stored(application) == ["/", "/d/"]
        assert server.url("/d/") in [hit.url for hit in application.service.search("zebrafish").hits]


# ---------------------------------------------------------------- branches and parameters that bring nothing


def test_fault_c1_fault_c4_a_catch_all_route_ends_after_three_equal_pages(application: Application) -> None:
    routes: dict[str, Route] = {"/": html("Start", "/infra/")}
    target = "/infra/"
    for number in range(9):
        routes[target] = html("Catch all", f"www{number}.x.test/")
        target = f"{target}www{number}.x.test/"
    with LoopbackServer(routes) as server:
        job = crawl(application, server)
        asked = [target for target in server.targets if target.startswith("/infra/") and "no-such-page" not in target]
    assert len(asked) == 3
    assert stored(application) == ["/", "/infra/"]
    assert job.status == "completed"


def test_fault_C5_pages_beside_one_another_that_say_the_same_end_a_branch(application: Application) -> None:
    routes: dict[str, Route] = {f"/c{chr(97 + n)}": html("Error", f"/c{chr(98 + n)}") for n in range(20)}
    with LoopbackServer({"/": html("Start", "/ca")} | routes) as server:
        crawl(application, server)
    assert stored(application) == ["/", "/ca", "/cb", "/cc"]


def test_fault_B15_three_equal_variants_teach_that_a_parameter_does_not_count(application: Application) -> None:
    paths = [f"/{name}" for name in "abcdefgh"]
    start = html("Start", *[f"/first?from={n}" for n in range(3)], "/next")
    later = html("Next", *[f"{path}?from={n}" for path in paths for n in range(1, 6)])
    routes: dict[str, Route] = {f"{path}?from={n}": html(f"Page {path}") for path in paths for n in range(6)}
    routes |= {f"/first?from={n}": html("First") for n in range(3)} | {"/": start, "/next": later}
    routes |= {path: html(f"Page {path}") for path in paths}
    later_with_plain = later.replace("<footer>", "<footer>" + "".join(f'<a href="{path}">p</a>' for path in paths))
    with LoopbackServer(routes | {"/next": later_with_plain}) as server:
        crawl(application, server, concurrency=1)
        asked = [target for target in server.targets if target.startswith("/a?")]
        first = rows(application)
        crawl(application, server, concurrency=4)
        assert rows(application) == first
    assert asked == []
    assert len(first) == 3 + len(paths)
