"""Which words may a command be given? Any but none: an empty one is more often an unset shell variable than a wish."""

from __future__ import annotations

import click


class Words(click.ParamType):
    """Text that is not blank."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text as given; blank text is a usage error."""
        if not value.strip():
            self.fail("it is empty; give a value or leave it out", param, ctx)
        return value


WORDS = Words()
