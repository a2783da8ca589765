"""Output of results: to standard output or a file, by suffix or --format; notices to stderr."""

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict, Unpack

from leadline.io.write import check_writable, whole_file, write_whole
from leadline.options import OUTPUT_PANEL, Option, in_options

if TYPE_CHECKING:
    from leadline.api.result import Kind, Result


WRITTEN = Option("-o --output", "FILE", path="file", output=True, panel=OUTPUT_PANEL)
"""Main output of a verb that checks the suffix itself."""

TABLE_OUTPUT = replace(
    WRITTEN,
    text="Write to this file; the suffix sets the format: .csv .tsv .json .parquet .md .tex .html",
)
CHART = replace(WRITTEN, names="", text="Also write a chart: .svg, .png, .html or .json.")
FORMAT = Option(
    "--format",
    "FORM",
    panel=OUTPUT_PANEL,
    text="Output format: table, csv, json, markdown, latex or html. The default is a table on a "
    "terminal and csv otherwise.",
)
OutputFile = Annotated[Path | None, replace(WRITTEN, names="")]
ChartFile = Annotated[Path | None, CHART]
TableForm = Literal["table", "csv", "json", "markdown", "latex", "html"]
ScoresForm = Literal["table", "csv", "json", "markdown", "latex", "html", "trec_eval"]


class TableOutput(TypedDict, total=False):
    """Options for the output of a table."""

    output: Annotated[Path | None, TABLE_OUTPUT]
    form: Annotated[TableForm | None, FORMAT]


class ChartOutput(TableOutput, total=False):
    """Options for the output of a table and its chart."""

    chart: ChartFile


PICTURES = (".svg", ".png", ".html", ".json")
STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
WIDTH = 120
"""Columns of a table that goes to a file."""

MOST_COLUMNS = 10_000
"""Longest line of a table."""


def show(result: "Result", table: "Result | None" = None, **out: Unpack[ChartOutput]) -> None:
    """Print a result, or another table of it, or write that to a file; draw the result's chart."""
    emit(result if table is None else table, out.get("form"), out.get("output"))
    draw(result, out.get("chart"))


def emit(result: "Result", form: ScoresForm | None, output: Path | None) -> None:
    """Print a result, or write it to a file that is there whole or not at all."""
    kind = written_as(form, output)
    if output is None or str(output) in STANDARD_OUTPUT:
        put(_table(result) if kind == "table" else result.encoded(kind).decode())
    elif kind == "table":
        write_whole(output, _table(result, WIDTH))
    else:
        write_whole(output, result.encoded(kind))


def draw(result: "Result", chart: Path | None) -> None:
    """Write the picture of a result to a file, if there is one to write."""
    if chart is not None:
        with whole_file(chart) as path:
            result.chart().save(str(path), format=chart.suffix[1:])  # type: ignore[arg-type]


def check_chart(chart: Path) -> None:
    """Raise a ValueError if no chart can be drawn, or not as that file."""
    from leadline.views.page import can_draw

    if chart.suffix not in PICTURES:
        raise ValueError(f"{chart}: a chart ends in {', '.join(PICTURES)}")
    if not can_draw():
        raise ValueError("--chart needs altair and vl-convert: pip install 'leadline[charts]'")
    check_writable(chart)


def written_as(
    form: ScoresForm | None, output: Path | None, *more: str
) -> "Kind | Literal['table']":
    """Return the format by a file's suffix, else --format; raise a ValueError if they differ.

    `more` are further suffixes of the verb, which the error names too. Nothing is written, so that
    this can be checked before slow work.
    """
    from leadline.api.result import kind_of_file

    if output is None or str(output) in STANDARD_OUTPUT:
        return form or ("table" if output is None and sys.stdout.isatty() else "csv")
    check_writable(output)
    if not output.suffix:
        return form or "csv"
    kind = kind_of_file(output, *more)
    if form not in (None, kind):
        raise ValueError(f"{output}: its suffix says {kind}, --format {form}")
    return kind


def _table(result: "Result", width: int | None = None) -> str:
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(highlight=False)
    if width is not None:
        console = Console(file=io.StringIO(), width=width, highlight=False)
    table = result.table()
    # What must stay in one piece may need more than the terminal has: it shows that in two lines.
    wide = console.options.update(max_width=MOST_COLUMNS)
    console.width = max(console.width, Measurement.get(console, wide, table).minimum)
    with console.capture() as text:
        console.print(table)
    return text.get()


def put(text: str, error: bool = False) -> None:
    """Write to standard output or error; a closed pipe is not an error."""
    stream = sys.stderr if error else sys.stdout
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except OSError as problem:
        name = "standard error" if error else "standard output"
        raise OSError(problem.errno, problem.strerror, name) from None


_QUIET, _VERBOSE = False, False


def set_messages(quiet: bool, verbose: bool) -> None:
    """Set whether to print only errors, or every notice too."""
    global _QUIET, _VERBOSE
    _QUIET, _VERBOSE = quiet, verbose


def is_quiet() -> bool:
    """Return whether only errors are printed."""
    return _QUIET


def say(lines: Iterable[str]) -> None:
    """Print messages on standard error, unless --quiet is given."""
    if _QUIET:
        return
    put("".join(f"{line}\n" for line in lines), error=True)


def print_notices(result: "Result") -> None:
    """Print the notices of a result, with the names of options."""
    say(map(in_options, result.notices.lines(_VERBOSE)))


@contextmanager
def progress(what: str | Callable[[], str]) -> "Iterator[Callable[[int, int], None]]":
    """Show a progress bar on standard error after two seconds, with a description.

    There is no bar when piped or on a terminal that cannot move its cursor. A description that
    changes is a function.
    """
    if _QUIET or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
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
    words = TextColumn("{task.description}", markup=False)
    columns = words, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what if isinstance(what, str) else what())
    started = False

    def advance(done: int, total: int) -> None:
        nonlocal started
        if not started and time.monotonic() - begin > 2:
            started = True
            bar.start()
        said = None if isinstance(what, str) else what()
        bar.update(task, completed=done, total=total, description=said)

    try:
        yield advance
    finally:
        bar.stop()
