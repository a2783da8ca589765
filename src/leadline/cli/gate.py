"""`leadline gate`."""

import os
import sys
from pathlib import Path
from typing import Annotated, Literal

from leadline.cli.options import CheapOption, HowToRead, InputArgument, Option, split_input
from leadline.cli.output import (
    STANDARD_OUTPUT,
    ChartOption,
    draw,
    emit,
    progress,
    put,
    say,
    say_notices,
    written_as,
)
from leadline.io.write import check_writable, write_whole

GateFormat = Literal["table", "csv", "json", "markdown", "latex", "junit"]
GateEstimator = Literal["Regression", "none"]
Correct = Literal["holm", "bh", "none"]


def gate(
    inputs: InputArgument,
    baseline: Annotated[
        str, Option(metavar="RUN", help="The run to beat: a file, or a run's name.")
    ],
    new: Annotated[
        str, Option(metavar="RUN", help="The run in question: a file, or a run's name.")
    ],
    measure: Annotated[
        list[str] | None,
        Option(
            "-m",
            "--measure",
            help="Repeat it for several: -m nDCG@10 -m 'RBP(p=0.8)'.",
            show_default="nDCG@10",
        ),
    ] = None,
    margin: Annotated[float, Option(help="How much worse the new run may be.")] = 0.01,
    confidence: Annotated[float, Option(help="Of the verdict, and of the interval.")] = 0.95,
    equivalence: Annotated[
        bool, Option("--equivalence", help="Neither worse nor better than by the margin?")
    ] = False,
    correct: Annotated[
        Correct, Option(help="How to allow for several measures, or slices.")
    ] = "holm",
    estimator: Annotated[
        GateEstimator,
        Option(
            "-e", "--estimator", help="What unjudged documents may be: what is likely, or anything."
        ),
    ] = "Regression",
    slices: Annotated[
        Path | None,
        Option(help="A table of topics with a column of groups.", dir_okay=False),
    ] = None,
    strict_slices: Annotated[
        bool, Option("--strict-slices", help="A slice that is worse fails the gate.")
    ] = False,
    markdown: Annotated[
        Path | None, Option(help="Write a summary in Markdown too.", dir_okay=False)
    ] = None,
    junit: Annotated[Path | None, Option(help="Write JUnit's XML too.", dir_okay=False)] = None,
    to_judge: Annotated[
        Path | None,
        Option(help="Write what to judge, by order of worth, to this csv.", dir_okay=False),
    ] = None,
    pool: Annotated[
        Path | None,
        Option(help="A pool drawn in batches with --undrawn: anytime-valid intervals."),
    ] = None,
    cheap: CheapOption = None,
    *,
    how: HowToRead,
    seed: Annotated[int, Option(help="Of the draws.")] = 0,
    chart: ChartOption = None,
    output: Annotated[
        Path | None,
        Option(
            "-o",
            "--output",
            help="Write to this file, by suffix: .csv .tsv .json .parquet .md .tex .xml",
            dir_okay=False,
        ),
    ] = None,
    form: Annotated[
        GateFormat | None,
        Option(
            "--format",
            metavar="FORM",
            help="table, csv, json, markdown, latex or junit; table for a terminal, csv when "
            "piped, unless you say.",
        ),
    ] = None,
) -> None:
    """Test whether a new run is non-inferior to a baseline. Exit 0 yes, 1 worse, 3 undecided."""
    from leadline.api.gate import gate as verb
    from leadline.views.gate import sentences

    tabular = form == "table" or (form is None and output is None and sys.stdout.isatty())
    as_junit = _as_junit(form, output)
    for path in (markdown, junit, to_judge):
        if path is not None:
            check_writable(path)
    qrels, runs = _input(inputs)
    with progress("reading, then looking at both runs") as advance:
        result = verb(
            qrels,
            runs,
            baseline=baseline,
            new=new,
            measures=measure,
            margin=margin,
            confidence=confidence,
            equivalence=equivalence,
            correct=correct,
            estimator=estimator,
            slices=slices,
            strict_slices=strict_slices,
            pool=pool,
            cheap=cheap,
            seed=seed,
            progress=advance,
            **how,
        )
    if as_junit:
        _write(result.junit(), output)
    else:
        assert form != "junit"
        emit(result, form, output)
    for path, text in ((markdown, result.markdown), (junit, result.junit)):
        if path is not None:
            write_whole(path, text().encode())
    if to_judge is not None:
        write_whole(to_judge, result.documents.write_csv().encode())
    draw(result, chart)
    if not tabular:
        # A table says it itself.
        say(sentences(result.outcome))
    say_notices(result)
    if result.exit_code:
        sys.exit(result.exit_code)


def _input(inputs: list[str]) -> tuple[str | None, list[str] | None]:
    """As for every verb; qrels alone will do, because both runs may be named as files."""
    if len(inputs) == 1 and Path(inputs[0]).is_file():
        return inputs[0], []
    return split_input(inputs)


def _as_junit(form: GateFormat | None, output: Path | None) -> bool:
    """Whether the result is written as JUnit's XML; a ValueError if suffix and format differ."""
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
