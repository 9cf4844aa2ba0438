"""Does a URL belong to what the user asked for, and if not, which rule says so?

A refusal is one constant sentence a rule, `kind: why; what to do`, so that refusals can be counted by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from webdocs.crawl.edition import Edition, Parting
from webdocs.crawl.media import NO_FORMATS, suffix_of
from webdocs.crawl.pattern import Pattern
from webdocs.crawl.trap import judge_repeats
from webdocs.crawl.url import (
    MAX_URL_BYTES,
    authority_of,
    host_of,
    key_of,
    normalise_percent,
    path_of,
    registrable_domain,
    target_of,
)
from webdocs.model import CrawlOptions, Formats, ScopeKind

MAX_PATH_PARTS = 100
MAX_QUERY_PAIRS = 50
"""Our choice: no page of the documentation sites that we read comes near; generated traps pass them."""

DEFAULT_EXCLUDES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("search page", re.compile(r"/search(?:\.html?|\.php)?/?\?")),
    ("source view", re.compile(r"/(?:_sources|_modules)/")),
    ("print page", re.compile(r"/(?:print|printview|printable)(?:\.html?)?/?(?:\?|$)")),
    ("whole-book page", re.compile(r"/singlehtml/|/all\.html(?:\?|$)")),
    (
        "account page",
        re.compile(r"/(?:login|logout|signin|signup|sign-in|sign-up)(?:\.html?|\.php)?/?(?:\?|$)"),
    ),
    ("edit view", re.compile(r"/(?:_edit|edit)/(?:main|master)/|[?&]action=(?:edit|history|raw)(?:&|$)")),
)
"""Pages that repeat others or hold no documentation, by path and query. A start page of such a kind lifts it."""

_SEARCH_FORM = re.compile(r"(/(?:.*/)?)search(?:\.html?|\.php)?/?")
"""A form to search with lies beside the start page or above it; deeper, `search.html` is a page about searching."""

LINK_PAGES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "index page",
        re.compile(r"/(?:genindex(?:-[^/?]+)?|(?:[a-z]+-)?modindex|bookindex|index-all)(?:\.html?)?/?(?:\?|$)"),
    ),
)
"""Lists of names and nothing else (Sphinx, DocBook, Javadoc): read for their links, which lead to every page."""

LEFT_OUT = "left out by default"
"""How every reason begins that no setting of the user gave, behind the rule's name: a crawl's notes count these."""

UNFETCHED_SUFFIXES: tuple[tuple[str, str], ...] = (
    ("image", "png jpg jpeg gif svg webp avif ico bmp tif tiff"),
    ("archive", "zip tar gz tgz bz2 xz zst 7z rar jar war whl egg deb rpm dmg iso apk msi exe bin pkg"),
    ("style or script", "css js mjs cjs map wasm"),
    ("font", "woff woff2 ttf otf eot"),
    ("audio or video", "mp3 mp4 m4a m4v ogg ogv oga wav flac webm avi mov mkv"),
    ("data", "json jsonl xml rss atom csv tsv yaml yml toml sqlite db parquet proto inv"),
    ("office document", "pdf ps epub mobi doc docx xls xlsx ppt pptx odt ods odp"),
)
"""What no page ends in, unless it can be read here (urls.md row 34); behind another suffix the type decides."""

_KIND_OF_SUFFIX = {suffix: kind for kind, suffixes in UNFETCHED_SUFFIXES for suffix in suffixes.split()}


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a crawl may go.

    Attributes:
        start_url: Always in scope, whatever the rules say.
        authority: Host and port of the start, without a trailing dot.
        folder: Path that `subpages` holds to; starts and ends with a slash, percent-normalised. The page of the same
            name without its slash belongs to it.
        formats: Which files can be read beside HTML and text.
        is_lone: True after the start redirected to a foreign site: nothing but the start is in scope.
        edition: The version and the language that the start lies in.
    """

    start_url: str
    kind: ScopeKind
    authority: str
    folder: str
    path_prefix: str = ""
    only_hosts: tuple[str, ...] = ()
    include: tuple[Pattern, ...] = ()
    exclude: tuple[Pattern, ...] = ()
    formats: Formats = NO_FORMATS
    is_lone: bool = False
    edition: Edition = field(default_factory=Edition)
    _typed_path: str = "/"
    _defaults: tuple[tuple[str, re.Pattern[str]], ...] = ()
    _exempt: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, start_url: str, options: CrawlOptions, formats: Formats = NO_FORMATS) -> Scope:
        """The scope of a crawl from this URL.

        Raises:
            PatternError: An include or exclude pattern does not compile.
        """
        path = normalise_percent(path_of(start_url))
        return cls(
            start_url,
            options.scope,
            _site_of(start_url),
            _folder_of(path),
            _prefix(options.path_prefix),
            tuple(host.lower() for host in options.only_hosts),
            tuple(map(Pattern.compile, options.include)),
            tuple(map(Pattern.compile, options.exclude)),
            formats,
            edition=Edition.of(path),
            _typed_path=path,
            _defaults=tuple(_lifted(DEFAULT_EXCLUDES, start_url)),
            _exempt=frozenset((key_of(start_url),)),
        )

    def judge(self, url: str) -> str:
        """Why the URL is out of scope; empty when it is in."""
        target = target_of(url)
        path = target.partition("?")[0]
        if reason := self._judge_llms(url, path) or self._judge_only_hosts(url):
            return reason
        if len(url) <= MAX_URL_BYTES and key_of(url) in self._exempt:
            return ""
        if self.is_lone:
            return "redirect: the start redirects to another site; start a crawl at the new address"
        return (
            _judge_length(url, target)
            or self._judge_place(url, normalise_percent(path))
            or self._judge_patterns(url)
            or self._judge_edition(url)
            or self._judge_kind(target, path)
            or self._judge_trap(url)
        )

    def _judge_llms(self, url: str, path: str) -> str:
        name = normalise_percent(path).rpartition("/")[2].lower()
        if name == "llms.txt":
            return "llms.txt: a list of links is no page; start at the site that it describes"
        if name == "llms-full.txt" and key_of(url) not in self._exempt:
            return "llms.txt: the full text repeats the pages; start at the file itself to have it"
        return ""

    def _judge_only_hosts(self, url: str) -> str:
        if self.only_hosts and not any(is_host_in(host_of(url), name) for name in self.only_hosts):
            return f"host: only {', '.join(self.only_hosts)} may be taken; the operator decides that"
        return ""

    def _judge_host(self, url: str) -> str:
        own = _host_of_site(self.authority)
        match self.kind:
            case "domain" if registrable_domain(host_of(url)) != registrable_domain(own):
                return f"host: outside the domain {registrable_domain(own)}; add the other site as a source of its own"
            case "subdomains" if not is_host_in(host_of(url), f"*.{own}"):
                return f"host: outside {own} and its subdomains; use sameDomain=false to leave them"
            case "subpages" | "hostname" if _site_of(url) != self.authority:
                return f"host: outside {self.authority}; use the scope 'domain' or add the other site as a source"
            case _:  # `web` is anywhere
                return ""

    def _judge_place(self, url: str, path: str) -> str:
        if reason := self._judge_host(url):
            return reason
        if self.kind == "subpages" and not self._is_in_folder(path):
            return f"folder: outside {self.folder}; start higher up or use the scope 'hostname'"
        if self.path_prefix and not _is_below(path, self.path_prefix):
            return f"prefix: outside the path prefix {self.path_prefix}; shorten it or leave it out"
        return ""

    def _is_in_folder(self, path: str) -> bool:
        return _is_below(path, self.folder.removesuffix("/"))

    def _judge_patterns(self, url: str) -> str:
        for pattern in self.exclude:
            if pattern.matches(url):
                return f"exclude: matches {pattern.text}; change the exclude patterns to have it"
        if self.include and not any(pattern.matches(url) for pattern in self.include):
            return "include: matches none of the include patterns; add one for it"
        return ""

    def _judge_edition(self, url: str) -> str:
        """A sibling version or language, unless an include pattern or the path prefix names it."""
        if _apex_of(host_of(url)) != _apex_of(_host_of_site(self.authority)):
            return ""
        for parting in self.edition.partings(url):
            if not self._is_asked_for(url, parting):
                kind = parting.kind
                remedy = f"start above the {kind}s, or name it in an include pattern, to have it"
                return f"{kind}: {LEFT_OUT} as another {kind} than {parting.own}; {remedy}"
        return ""

    def _is_asked_for(self, url: str, parting: Parting) -> bool:
        # A pattern that also takes the URL without that folder is not about the folder: `*` asks for no version.
        is_named = any(pattern.matches(url) and not pattern.matches(parting.neutral_url) for pattern in self.include)
        return is_named or self.path_prefix.rstrip("/").count("/") > parting.position

    def _judge_kind(self, target: str, path: str) -> str:
        for name, expression in self._defaults:
            if expression.search(target):
                return f"{name}: {LEFT_OUT}; start the crawl at such a page to have them"
        form = _SEARCH_FORM.fullmatch(path)
        if form and self.folder.startswith(form[1]) and not _SEARCH_FORM.fullmatch(self._typed_path):
            return f"search page: {LEFT_OUT}; start the crawl at such a page to have them"
        suffix = suffix_of(path)
        kind = _KIND_OF_SUFFIX.get(suffix)
        if kind is None or suffix in self.formats.suffixes:
            return ""
        return (
            f"type: a link to .{suffix} is {kind}, not a page; {self.formats.missing.get(suffix, 'it is not fetched')}"
        )

    def _judge_trap(self, url: str) -> str:
        # A start below such a path is meant, and so is what lies below it.
        reason = judge_repeats(url)
        return reason if reason and not judge_repeats(self.start_url) else ""

    def judge_content(self, url: str) -> str:
        """Why a page in scope is read for its links alone; empty if it is to be stored."""
        target = target_of(url)
        for name, expression in _lifted(LINK_PAGES, self.start_url):
            if expression.search(target):
                return f"{name}: {LEFT_OUT}, its links are followed; start the crawl at such a page to have them"
        return ""

    def rebase(self, final_url: str) -> tuple[Scope, str]:
        """The scope once the start URL was redirected, and a remark for the user; empty if none is due.

        Scheme and host follow. The folder follows only into what the user typed (`/` to `/en/stable/`);
        otherwise the typed folder stays. Another site is not taken in: only that one page is.
        """
        exempt = self._exempt | {key_of(final_url)}
        is_foreign = registrable_domain(host_of(final_url)) != registrable_domain(_host_of_site(self.authority))
        if is_foreign and self.kind != "web":
            remark = f"The start redirects to another site, {final_url}: only that page was taken"
            return replace(self, is_lone=True, _exempt=exempt), f"{remark}. Crawl the new address instead"
        path = normalise_percent(path_of(final_url))
        narrowed = replace(self, authority=_site_of(final_url), _exempt=exempt)
        if _is_below(path, self._typed_path):
            return replace(narrowed, folder=_folder_of(path), edition=Edition.of(path)), ""
        if self.kind != "subpages" or self._is_in_folder(path):
            return narrowed, ""
        remark = f"The start redirects to {final_url}, outside the folder {self.folder}, which stays the scope"
        return narrowed, f"{remark}. Start at the new address, or use the scope 'hostname', to crawl there"


def is_host_in(host: str, name: str) -> bool:
    """True if a host is the one of this name, or for a name with a leading `*.` lies below it."""
    bare = host.removesuffix(".")
    return bare == name.removeprefix("*.") or (name.startswith("*.") and bare.endswith(name[1:]))


def _site_of(url: str) -> str:
    """Host and port that tell two sites apart: both default ports count as one, so http and https join."""
    authority = authority_of(url)
    return authority.removesuffix(".") if not authority.startswith("[") else authority


def _host_of_site(authority: str) -> str:
    return host_of(f"http://{authority}/")


def _apex_of(host: str) -> str:
    return host.removeprefix("www.")


def _folder_of(path: str) -> str:
    return path[: path.rfind("/") + 1] or "/"


def _prefix(text: str) -> str:
    """A path prefix as it is compared; empty when it is off."""
    stripped = normalise_percent(text.strip().replace(" ", "%20"))
    return stripped if not stripped or stripped.startswith("/") else f"/{stripped}"


def _is_below(path: str, prefix: str) -> bool:
    """True on segment boundaries: `/docs` holds `/docs` and `/docs/a`, not `/docs-old`."""
    return path == prefix or path.startswith(prefix if prefix.endswith("/") else f"{prefix}/")


def _lifted(excludes: Iterable[tuple[str, re.Pattern[str]]], start_url: str) -> Iterable[tuple[str, re.Pattern[str]]]:
    return (rule for rule in excludes if not rule[1].search(target_of(start_url)))


def _judge_length(url: str, target: str) -> str:
    if len(url) > MAX_URL_BYTES:
        return f"too long: over {MAX_URL_BYTES} bytes; such a link is a trap or an error of the site"
    if target.count("/") > MAX_PATH_PARTS:
        return f"too long: over {MAX_PATH_PARTS} path parts; such a link is a trap or an error of the site"
    if target.count("&") >= MAX_QUERY_PAIRS:
        return f"too long: over {MAX_QUERY_PAIRS} query pairs; such a link is a trap or an error of the site"
    return ""
