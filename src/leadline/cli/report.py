"""`leadline report`."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from leadline.cli.command import Call
from leadline.cli.output import STANDARD_OUTPUT, WRITTEN, print_notices, put, say
from leadline.io.write import check_writable, write_whole

if TYPE_CHECKING:
    from leadline.api.report import Report


def report(call: Call["Report"], output: Annotated[Path | None, WRITTEN] = None) -> None:
    """Write a page with leaderboard, intervals, tests, topics and what to judge next.

    output: write the page to this .html file.
    """
    to_file = output is not None and str(output) not in STANDARD_OUTPUT
    if output is None and sys.stdout.isatty():
        raise ValueError("a page is no reading for a terminal: name a file with -o report.html")
    if output is not None and to_file:
        check_writable(output)
        if output.suffix.lower() not in (".html", ".htm", ""):
            raise ValueError(f"{output}: a page is written to a file that ends in .html")
    command = shlex.join(["leadline", *sys.argv[1:]])
    result = call("reading, then comparing", command=command)
    print_notices(result)
    if output is None or not to_file:
        put(result.page)
        return
    write_whole(output, result.page)
    say([f"wrote {output}, {len(result.page.encode()) / 1e6:.1f} MB: open it in a browser"])
