"""What options take beside what click knows: seconds, addresses."""

from __future__ import annotations

from typing import Any

import click

LONGEST = 1e9
"""Some thirty years: what is kept in nanoseconds has room for it, and so has every clock that waits."""


class Seconds(click.FloatRange):
    """A range of seconds, none of which is without end; `nan` would be in every range, because it compares with nothing."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click does, for a number."""
        seconds = super().convert(value, param, ctx)
        if not seconds <= LONGEST:
            self.fail(f"{value} is not a number of seconds that anybody waits.", param, ctx)
        return seconds


class Address(click.ParamType):  # type: ignore[type-arg]  # generic in some versions of click only
    """An address as the setting of that name takes it."""

    name = "url"

    def __init__(self, setting: str) -> None:
        self._setting = setting

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The address itself."""
        from kvdocs.project import wanted_of

        if (wanted := wanted_of(self._setting, value)) is not None:
            self.fail(f"{value!r} is not {wanted}.", param, ctx)
        return value
