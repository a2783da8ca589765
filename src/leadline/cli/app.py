"""The `leadline` program: its verbs, and what happens when input is wrong."""

import os
import sys
from typing import Annotated

import typer

from leadline import __version__
from leadline.cli import (
    adjust,
    compare,
    correlate,
    demo,
    estimate,
    evaluate,
    explain,
    judge,
    lint,
    listing,
    order,
    pool,
    report,
    reproduce,
)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Search evaluation that tells what a score is worth when few documents were judged.",
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"leadline {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Tell the version.", is_eager=True, callback=_tell_version),
    ] = False,
) -> None:
    pass


VERBS = (
    evaluate,
    explain,
    lint,
    listing,
    pool,
    order,
    judge,
    estimate,
    adjust,
    compare,
    correlate,
    report,
    reproduce,
    demo,
)
for verb in VERBS:
    verb.add_to(app)


def main() -> None:
    """Run the program: exit 0 done, 1 lint found errors, 2 input or usage wrong."""
    # Matrices here are small: threads of the linear algebra wait for each other more than they
    # work, most of all where several processes share the cores. Heeded because numpy loads later.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        app()
    except BrokenPipeError:
        # The reader, `head` for instance, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (ValueError, OSError) as error:
        sys.stderr.write(f"leadline: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("leadline: stopped\n")
        sys.exit(130)


def program() -> None:
    """`main`, and then an end at once: handing back a gigabyte piece by piece takes time."""
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
        code = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        code = 0
    os._exit(code if isinstance(code, int) else 0)
