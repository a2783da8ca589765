"""Options that say who does the work, and what is said of them before it begins."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from leadline.cli.options import Option
from leadline.cli.output import say

if TYPE_CHECKING:
    from leadline.io.parallel import Workforce


WORKERS_PANEL = "Who does the work"
WorkersOption = Annotated[
    int,
    Option(help="Processes that share the work.", rich_help_panel=WORKERS_PANEL),
]
SchedulerOption = Annotated[
    str | None,
    Option(
        metavar="ADDRESS",
        help="The scheduler of a dask cluster whose workers share it instead: tcp://HOST:8786.",
        rich_help_panel=WORKERS_PANEL,
    ),
]


@contextmanager
def workforce(workers: int, scheduler: str | None) -> "Iterator[Workforce]":
    """Whoever these options name, with a word on where to watch them."""
    from leadline.io.parallel import hired

    with hired(workers, scheduler) as force:
        say(force.describe())
        yield force
