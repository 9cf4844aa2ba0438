"""Which lines of Markdown stand inside a fence? Pure, and shared: chunks, answers and pages are cut by it alike."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^((?:[ >]|(?:[-*+]|\d+[.)])(?= ))*)(`{3,}(?=[^`]*$)|~{3,})(.*)$")
"""CommonMark 0.31, 4.5, behind quote marks and bullets; the info of a fence of backticks holds none."""


@dataclass(slots=True)
class FenceReader:
    """Follows Markdown line by line.

    Attributes:
        opening: The line that opened the fence we are in; empty outside.
    """

    opening: str = ""
    _mark: str = ""
    _prefix: str = ""

    def read(self, line: str) -> str:
        """Take the next line; tells what it is: `open`, `code`, `close` or `text`."""
        if "```" not in line and "~~~" not in line:
            return "code" if self.opening else "text"
        match = _FENCE.match(line)
        if not self.opening:
            if match is None:
                return "text"
            self.opening, self._mark = line, match[2]
            self._prefix = re.sub(r"[^ >]", " ", match[1])
            return "open"
        if match is not None and match[2].startswith(self._mark) and not match[3].strip():
            self.opening = ""
            return "close"
        return "code"

    @property
    def closing(self) -> str:
        """The line that ends the fence we are in."""
        return self._prefix + self._mark

    @property
    def reopening(self) -> str:
        """The line that opens the same fence again, without the bullet it may have stood behind."""
        return self._prefix + self.opening[len(self._prefix) :]
