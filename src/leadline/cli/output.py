"""Where results go: standard output or a file, as a table, csv or JSON; notices to stderr."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leadline.files.whole_file import check_writable, whole_file, write_whole

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType


class Format(StrEnum):
    """How to print rows."""

    table = "table"
    csv = "csv"
    json = "json"


FormatOption = Annotated[
    Format | None,
    typer.Option("--format", help="table for a terminal, csv when piped, unless you say."),
]
OutputOption = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write to this file instead.", dir_okay=False)
]


def emit(
    frame: "pl.DataFrame",
    table: "Callable[[], RenderableType]",
    form: Format | None,
    output: Path | None,
) -> None:
    """Print the rows, or write them to a file that is there whole or not at all."""
    if output is not None:
        check_writable(output)
    if form is None:
        endings = {".json": Format.json, ".txt": Format.table}
        if output is not None:
            form = endings.get(output.suffix, Format.csv)
        else:
            form = Format.table if sys.stdout.isatty() else Format.csv
    if form is Format.table:
        from rich.console import Console

        if output is None:
            Console(highlight=False).print(table())
            return
        with whole_file(output) as path, path.open("w", encoding="utf-8") as file:
            Console(file=file, width=120, highlight=False).print(table())
        return
    text = frame.write_csv() if form is Format.csv else frame.write_json() + "\n"
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_whole(output, text)


def say(lines: list[str]) -> None:
    """Notices, on standard error."""
    for line in lines:
        sys.stderr.write(f"{line}\n")


@contextmanager
def progress(what: str) -> "Iterator[Callable[[int, int], None]]":
    """A bar on standard error for what takes longer than two seconds.

    None when it is piped, or on a terminal that cannot move its cursor.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda done, total: None
        return
    import time

    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    begin = time.monotonic()
    columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what)
    started = False

    def advance(done: int, total: int) -> None:
        nonlocal started
        if not started and time.monotonic() - begin > 2:
            started = True
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        bar.stop()
