"""`leadline merge`."""

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
)
from leadline.io.write import check_writable

if TYPE_CHECKING:
    from leadline.api.merge import Merged


def merge(
    call: Call["Merged"],
    chart: ChartFile = None,
    output: Annotated[Path | None, WRITTEN] = None,
) -> None:
    """Merge judgments of several sources into one qrels file.

    output: write to this file, in the format of the first source.
    """
    to_file = output is not None and str(output) not in STANDARD_OUTPUT
    if output is not None and to_file:
        check_writable(output)
    result = call()
    if output is not None and to_file:
        result.write_qrels(output)
    else:
        put(result.text)
    draw(result, chart)
    print_notices(result)
