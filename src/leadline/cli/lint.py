"""`leadline lint`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leadline.cli.output import FormatOption, OutputOption, emit, say

if TYPE_CHECKING:
    from rich.console import RenderableType


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("lint")(lint)


def lint(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Runs, qrels, ndeval qrels.")
    ],
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """What is wrong in run, qrels and ndeval files, with line numbers; exit 1 on errors."""
    from leadline.verbs.lint import lint as lint_files

    paths = [path for file in files for path in _files_of(file)]
    frame = lint_files(paths)

    def table() -> "RenderableType":
        from leadline.presentation.terminal.tables import plain_table

        return plain_table(frame) if len(frame) else ""

    emit(frame, table, form, output)
    errors = int((frame["level"] == "error").sum())
    others = len(frame) - errors
    say([f"{len(paths)} files read: {errors} errors, {others} other findings"])
    if errors:
        raise typer.Exit(1)


def _files_of(path: str) -> list[str]:
    """A file, what a glob or a folder holds, or the qrels and runs of a collection folder."""
    from leadline.collection.inputs import collection_inputs, expand

    if (Path(path) / "runs").is_dir():
        qrels, runs = collection_inputs(path, need_qrels=False)
        return ([] if qrels is None else [str(qrels)]) + expand(str(runs))
    return expand(path)
