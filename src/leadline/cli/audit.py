"""`leadline audit`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from leadline.cli.command import Call
from leadline.cli.output import (
    FORMAT,
    STANDARD_OUTPUT,
    WRITTEN,
    ChartFile,
    TableForm,
    draw,
    emit,
    print_notices,
    say,
    written_as,
)
from leadline.io.write import check_writable, write_whole

if TYPE_CHECKING:
    from leadline.api.audit import JudgeAudit

PAGES = (".html", ".htm")


def audit(
    call: Call["JudgeAudit"],
    chart: ChartFile = None,
    output: Annotated[Path | None, WRITTEN] = None,
    form: Annotated[TableForm | None, FORMAT] = None,
) -> None:
    """Audit labels of a language model or another judge against human judgments.

    output: write to this file: a page if it ends in .html, else a table, by suffix .csv .tsv .json
        .parquet .md .tex
    """
    to_page = output is not None and output.suffix.lower() in PAGES
    if output is not None and to_page:
        check_writable(output)
        if form is not None:
            raise ValueError(f"{output}: its suffix says a page, --format {form}")
    else:
        written_as(form, output)
    if call.value("seed") < 0:
        raise ValueError(f"seed must be at least 0, not {call.value('seed')}")
    result = call("auditing labels")
    if output is not None and to_page and str(output) not in STANDARD_OUTPUT:
        write_whole(output, result.page)
        say([f"wrote {output}: open it in a browser"])
    else:
        emit(result, form, output)
    draw(result, chart)
    say(result.findings)
    print_notices(result)
