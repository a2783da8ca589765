"""`leadline run`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from leadline.cli.command import Call
from leadline.cli.output import (
    STANDARD_OUTPUT,
    WRITTEN,
    ChartFile,
    draw,
    print_notices,
    put,
    say,
)
from leadline.io.write import check_writable

if TYPE_CHECKING:
    from leadline.api.run import Run


def run(
    call: Call["Run"],
    chart: ChartFile = None,
    output: Annotated[Path | None, WRITTEN] = None,
) -> None:
    """Run a retriever on the topics, and write what it returns as a run.

    output: write the run to this file, in TREC's format; compressed if it ends in .gz.
    """
    to_file = output is not None and str(output) not in STANDARD_OUTPUT
    if output is not None and to_file:
        check_writable(output)
    result = call("asking the retriever")
    if output is not None and to_file:
        result.write_run(output)
    else:
        put(result.text)
    draw(result, chart)
    seconds = sum(result.seconds.values()) / max(1, len(result.seconds))
    say([f"{len(result.hits):,} topics, {len(result):,} documents, {seconds:.3g} seconds a query"])
    print_notices(result)
