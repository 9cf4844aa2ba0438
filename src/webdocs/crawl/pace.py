"""When may a host be asked again? Spacing between requests to one host; the clock's reading is passed in."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass(slots=True)
class _HostPace:
    delay_s: float
    next_at_s: float = -math.inf
    blocked_until_s: float = -math.inf
    is_held: bool = False


@dataclass(slots=True)
class Pace:
    """The spacing of every host of one crawl. `delay_s` is a floor: a host that asks for more wins."""

    delay_s: float
    _hosts: dict[str, _HostPace] = field(default_factory=dict)

    def ready_at(self, host: str) -> float:
        """The moment from which the host may be asked; infinite while it is held."""
        pace = self._pace_of(host)
        return math.inf if pace.is_held else max(pace.next_at_s, pace.blocked_until_s)

    def note_request(self, host: str, now_s: float) -> None:
        """A request starts now."""
        pace = self._pace_of(host)
        pace.next_at_s = now_s + pace.delay_s

    def reserve(self, host: str, now_s: float) -> float:
        """Take the host's next free moment for a request that does not come from the queue; answers that moment."""
        pace = self._pace_of(host)
        moment_s = max(pace.next_at_s, pace.blocked_until_s, now_s)
        pace.next_at_s = moment_s + pace.delay_s
        return moment_s

    def require_delay(self, host: str, delay_s: float) -> None:
        """The host asks for at least this spacing; it holds for the request that was just noted as well."""
        pace = self._pace_of(host)
        longer_s = max(delay_s - pace.delay_s, 0.0)
        pace.delay_s += longer_s
        pace.next_at_s += longer_s

    def slow_down(self, host: str, now_s: float, wait_s: float) -> None:
        """The host asked to be left alone for so long."""
        pace = self._pace_of(host)
        pace.blocked_until_s = max(pace.blocked_until_s, now_s + wait_s)

    def hold(self, host: str) -> None:
        """Ask the host for nothing more until it is released: its robots.txt is being read."""
        self._pace_of(host).is_held = True

    def release(self, host: str) -> None:
        """End a hold."""
        self._pace_of(host).is_held = False

    def _pace_of(self, host: str) -> _HostPace:
        return self._hosts.setdefault(host, _HostPace(self.delay_s))
