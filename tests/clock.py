"""A clock for tests: time passes where the code under test waits, and nowhere else."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass
class FakeTime:
    """A clock that only sleeping moves."""

    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        until_s = self.now_s + seconds
        # Whoever can go on now does so before time passes.
        for _ in range(10):
            await asyncio.sleep(0)
        self.now_s = max(self.now_s, until_s)
