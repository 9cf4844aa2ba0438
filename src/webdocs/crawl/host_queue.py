"""What waits for which host? Requests by host, nearest the root first, and those that wait for a moment."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from webdocs.crawl.pace import Pace
from webdocs.crawl.url import host_of
from webdocs.model import Request


class HostQueues:
    """The queue of one crawl. Of two requests at one depth the older one comes first.

    Args:
        pace: Says when a host may be asked; it is told of each request that is taken.
    """

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._order = count()
        self._hosts: dict[str, list[tuple[int, int, Request]]] = {}
        self._delayed: list[tuple[float, int, Request]] = []

    @property
    def is_empty(self) -> bool:
        """True if nothing waits, neither for its host nor for its moment."""
        return not self._hosts and not self._delayed

    def push(self, request: Request) -> None:
        """Let a request wait for its host."""
        entry = (request.depth, next(self._order), request)
        heapq.heappush(self._hosts.setdefault(host_of(request.url), []), entry)

    def push_later(self, moment_s: float, request: Request) -> None:
        """Let a request wait for a moment, then for its host."""
        heapq.heappush(self._delayed, (moment_s, next(self._order), request))

    def wake(self, now_s: float) -> None:
        """Move what waited for a moment that has come to its host's queue."""
        while self._delayed and self._delayed[0][0] <= now_s:
            self.push(heapq.heappop(self._delayed)[2])

    def drop(self, is_stale: Callable[[Request], bool]) -> None:
        """Take what is stale from the head of each host's queue."""
        for host, queue in list(self._hosts.items()):
            while queue and is_stale(queue[0][2]):
                heapq.heappop(queue)
            if not queue:
                del self._hosts[host]

    def take(self, now_s: float) -> Request | None:
        """The first request of all hosts that may be asked now; None if there is none."""
        ready = [host for host in self._hosts if self._pace.ready_at(host) <= now_s]
        if not ready:
            return None
        host = min(ready, key=lambda name: self._hosts[name][0][:2])
        self._pace.note_request(host, now_s)
        return heapq.heappop(self._hosts[host])[2]

    def wait_s(self, now_s: float) -> float | None:
        """Seconds until there may be a request to take, infinite while every host is held; None if nothing waits."""
        moments = [self._pace.ready_at(host) for host in self._hosts]
        moments += [self._delayed[0][0]] if self._delayed else []
        return max(min(moments) - now_s, 0.0) if moments else None
