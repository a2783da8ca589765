"""`leadline gate`."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from leadline.cli.command import Call
from leadline.cli.output import (
    FORMAT,
    STANDARD_OUTPUT,
    WRITTEN,
    ChartFile,
    OutputFile,
    draw,
    emit,
    print_notices,
    put,
    say,
    written_as,
)
from leadline.io.write import check_writable, write_whole

if TYPE_CHECKING:
    from leadline.api.gate import GateResult

GateFormat = Literal["table", "csv", "json", "markdown", "latex", "html", "junit"]


def gate(
    call: Call["GateResult"],
    markdown: OutputFile = None,
    junit: OutputFile = None,
    judge_next: OutputFile = None,
    chart: ChartFile = None,
    output: Annotated[Path | None, WRITTEN] = None,
    form: Annotated[GateFormat | None, FORMAT] = None,
) -> None:
    """Test whether a new run is non-inferior to a baseline. Exit 0 yes, 1 worse, 3 undecided.

    markdown: also write a summary in Markdown to this file.
    junit: also write JUnit XML to this file.
    judge_next: write the pairs to judge next to this csv file, the most informative first. Its
        columns are measure, topic, doc, worth, rank_baseline and rank_new.
    output: write to this file; the suffix sets the format: .csv .tsv .json .parquet .md .tex .html
        .xml
    form: output format: table, csv, json, markdown, latex, html or junit. By default a table on a
        terminal, csv otherwise.
    """
    from leadline.views.gate import sentences

    tabular = form == "table" or (form is None and output is None and sys.stdout.isatty())
    as_junit = _as_junit(form, output)
    for path in (markdown, junit, judge_next):
        if path is not None:
            check_writable(path)
    result = call("comparing both runs", **_input(call))
    if as_junit:
        _write(result.junit(), output)
    else:
        assert form != "junit"
        emit(result, form, output)
    for path, text in ((markdown, result.markdown), (junit, result.junit)):
        if path is not None:
            write_whole(path, text().encode())
    if judge_next is not None:
        write_whole(judge_next, result.documents.write_csv().encode())
    draw(result, chart)
    if not tabular:
        # A table contains the sentences.
        say(sentences(result.outcome))
    print_notices(result)
    if result.exit_code:
        sys.exit(result.exit_code)


def _input(call: Call["GateResult"]) -> dict[str, Any]:
    """Return qrels without runs if both runs are given as files."""
    inputs = call.given["inputs"]
    if len(inputs) == 1 and Path(inputs[0]).is_file():
        del call.given["inputs"]
        return {"qrels": inputs[0], "runs": []}
    return {}


def _as_junit(form: GateFormat | None, output: Path | None) -> bool:
    """Return whether to write JUnit XML; raise a ValueError if suffix and format differ."""
    suffix = "" if output is None else output.suffix.lower()
    if form == "junit" and suffix not in ("", ".xml"):
        raise ValueError(f"{output}: its suffix says {suffix[1:]}, --format junit")
    if form != "junit" and suffix != ".xml":
        written_as(form, output, ".xml")
        return False
    if form not in (None, "junit"):
        raise ValueError(f"{output}: its suffix says junit, --format {form}")
    if output is not None and str(output) not in STANDARD_OUTPUT:
        check_writable(output)
    return True


def _write(text: str, output: Path | None) -> None:
    if output is None or os.fspath(output) in STANDARD_OUTPUT:
        put(text)
    else:
        write_whole(output, text.encode())
