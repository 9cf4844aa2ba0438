"""May our agent ask for this URL? RFC 9309 as a parser and a matcher.

Beyond the RFC we read what Google's open parser reads: a missing colon, a broken byte-order mark, and
`Allow: /x/index.html` as allowing `/x/`. Crawl-delay is no part of the RFC; it holds for the group around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from webdocs.crawl.url import normalise_percent, target_of

MAX_BYTES = 500 * 1024
"""RFC 9309, 2.5: at least 500 KiB must be read; what follows is not."""

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(r"\r\n|\r|\n")
_TOKEN = re.compile(r"[\w-]+", re.ASCII)
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class _Rule:
    """One Allow or Disallow. `pieces` stand between the stars; `length` decides between rules that match."""

    is_allow: bool
    pieces: tuple[str, ...]
    is_anchored: bool
    length: int

    def matches(self, target: str) -> bool:
        # Leftmost search piece by piece is exact for this grammar and linear; a regex of `.*` is not.
        first, *rest = self.pieces
        if not target.startswith(first):
            return False
        at = len(first)
        if not rest:
            return not self.is_anchored or at == len(target)
        for piece in rest[:-1]:
            found = target.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        if self.is_anchored:
            return target.endswith(rest[-1]) and len(target) - len(rest[-1]) >= at
        return target.find(rest[-1], at) >= 0


@dataclass(frozen=True, slots=True)
class _Group:
    """Everything that names one agent, merged over the file (RFC 9309, 2.2.1)."""

    agent: str
    rules: tuple[_Rule, ...]
    crawl_delay_s: float | None


@dataclass(frozen=True, slots=True)
class Robots:
    """A parsed robots.txt. `sitemaps` are its Sitemap lines, not yet joined or judged."""

    groups: tuple[_Group, ...] = ()
    sitemaps: tuple[str, ...] = ()

    def is_allowed(self, product_token: str, url: str) -> bool:
        """True if the agent may ask for the URL: the longest rule that matches decides, Allow wins a tie."""
        target = _normalise(target_of(url)).replace("*", "%2A").replace("$", "%24") or "/"
        if target == "/robots.txt":
            return True
        group = self._group_for(product_token)
        matching = [rule for rule in group.rules if rule.matches(target)] if group else []
        return max(((rule.length, rule.is_allow) for rule in matching), default=(0, True))[1]

    def crawl_delay_s(self, product_token: str) -> float | None:
        """Seconds that the agent is asked to leave between requests; None if the file asks for nothing."""
        group = self._group_for(product_token)
        return group.crawl_delay_s if group else None

    def _group_for(self, product_token: str) -> _Group | None:
        by_agent = {group.agent: group for group in self.groups}
        return by_agent.get(product_token.lower(), by_agent.get("*"))


def parse(body: bytes) -> Robots:
    """Read a robots.txt. Never raises: a line that is no rule is passed over."""
    rules: dict[str, list[_Rule]] = {}
    delays: dict[str, float] = {}
    sitemaps: list[str] = []
    agents: list[str] = []
    is_open = False
    for name, value in _lines(body):
        if name == "user-agent":
            agents = [*agents, _agent_of(value)] if is_open else [_agent_of(value)]
            is_open = True
            rules.setdefault(agents[-1], [])
        elif name in ("allow", "disallow"):
            is_open = False
            found = list(_rules_of(name == "allow", value))
            for agent in agents:
                rules[agent] += found
        elif name == "crawl-delay" and (delay := _seconds(value)) is not None:
            delays.update(dict.fromkeys(agents, delay))
        elif name == "sitemap":
            sitemaps.append(value)
    groups = tuple(_Group(agent, tuple(found), delays.get(agent)) for agent, found in rules.items())
    return Robots(groups, tuple(dict.fromkeys(sitemaps)))


def _lines(body: bytes) -> Iterable[tuple[str, str]]:
    # A cut last line could turn `/private` into `/`, so only whole lines of a long file count.
    if len(body) > MAX_BYTES:
        body = body[: max(body.rfind(b"\n", 0, MAX_BYTES), body.rfind(b"\r", 0, MAX_BYTES)) + 1]
    for length in (3, 2, 1):
        body = body.removeprefix(_BOM[:length])
    # Bytes that are no UTF-8 survive as surrogates, so that they compare escaped like any other byte.
    text = body.decode("utf-8", "surrogateescape").replace("\x00", "")
    for line in _LINE_END.split(text):
        content = line.partition("#")[0].strip()
        name, colon, value = content.partition(":")
        if not colon:
            name, _, value = content.partition(" ")
            if " " in value.strip():
                continue
        yield name.strip().lower(), value.strip()


def _agent_of(value: str) -> str:
    if value.startswith("*"):
        return "*"
    token = _TOKEN.match(value)
    return token[0].lower() if token else ""


def _rules_of(is_allow: bool, value: str) -> Iterable[_Rule]:
    if not value:
        return
    yield _rule(is_allow, value)
    folder, slash, name = value.rpartition("/")
    if is_allow and slash and name in ("index.html", "index.htm"):
        yield _rule(is_allow, f"{folder}/$")


def _rule(is_allow: bool, value: str) -> _Rule:
    is_anchored = value.endswith("$")
    pattern = _normalise(value.removesuffix("$")).replace("$", "%24")
    return _Rule(is_allow, tuple(pattern.split("*")), is_anchored, len(pattern) + is_anchored)


def _normalise(text: str) -> str:
    escaped = _NON_ASCII.sub(_escape, text) if not text.isascii() else text
    return normalise_percent(escaped)


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogateescape"))


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
