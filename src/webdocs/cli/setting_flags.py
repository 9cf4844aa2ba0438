"""Which flags do the servers take? One for each setting, derived from its row in `webdocs.settings`."""

from __future__ import annotations

from typing import Any

import click


class SettingsCommand(click.Command):
    """A command with a flag for every setting; the flags are made when the command is parsed.

    The callback gets those that were given as `flags`, field name to text.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        from webdocs.settings import flag_name, rules

        derived = [
            click.Option([flag_name(name), name], help=rule.help, metavar="VALUE")
            for name, rule in rules().items()
            if not rule.secret
        ]
        return [*super().get_params(ctx), *derived]

    def invoke(self, ctx: click.Context) -> Any:
        from webdocs.settings import rules

        given = {name: ctx.params.pop(name) for name, rule in rules().items() if not rule.secret}
        ctx.params["flags"] = {name: text for name, text in given.items() if text is not None}
        return super().invoke(ctx)
