"""The verbs of the program; the file of one is loaded when it is called."""

from collections.abc import Callable
from importlib import import_module

from leadline.cli.command import as_command

TABLES = (
    *("evaluate", "compare", "adjust", "plan", "order", "pool", "label", "correlate", "estimate"),
    *("lint", "list", "explain"),
)
"""Verbs that write a table, so that -o goes by suffix."""

OTHERS = ("report", "gate", "judge", "audit", "reproduce", "league", "demo")
VERBS = (*TABLES, *OTHERS)
_ELSEWHERE = {"list": ("listing", "list_registered")}
"""Verbs whose name is one of Python's, with file and function."""


def command_of(verb: str) -> Callable[..., None]:
    """The command of a verb."""
    module, function = _ELSEWHERE.get(verb, (verb, verb))
    return as_command(
        getattr(import_module(f"leadline.cli.{module}"), function), table=verb in TABLES
    )
