"""`leadline lint`."""

import sys
from typing import TYPE_CHECKING, Unpack

from leadline.cli.command import Call
from leadline.cli.output import TableOutput, say, show

if TYPE_CHECKING:
    from leadline.api.lint import Findings


def lint(call: Call["Findings"], **out: Unpack[TableOutput]) -> None:
    """Check run, qrels and ndeval files; report problems with line numbers."""
    result = call()
    show(result, **out)
    n_errors, n_others = result.n_errors, len(result) - result.n_errors
    say([f"{result.n_files} files read: {n_errors} errors, {n_others} other findings"])
    if n_errors:
        sys.exit(1)
