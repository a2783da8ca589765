"""`leadline lint`."""

import sys
from typing import Annotated

from leadline.cli.options import Argument
from leadline.cli.output import FormatOption, OutputOption, emit, say


def lint(
    files: Annotated[list[str], Argument(metavar="FILE...", help="Runs, qrels, ndeval qrels.")],
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """What is wrong in run, qrels and ndeval files, with line numbers; exit 1 on errors."""
    from leadline.api.lint import lint as verb

    result = verb(files)
    emit(result, form, output)
    n_errors, n_others = result.n_errors, len(result) - result.n_errors
    say([f"{result.n_files} files read: {n_errors} errors, {n_others} other findings"])
    if n_errors:
        sys.exit(1)
