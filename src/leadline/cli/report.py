"""`leadline report`."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

from leadline.cli.options import (
    CheapOption,
    ConfidenceOption,
    HowToRead,
    InputArgument,
    MeasureOption,
    Option,
    PoolOption,
    split_input,
)
from leadline.cli.output import STANDARD_OUTPUT, progress, put, say, say_notices
from leadline.io.write import check_writable, write_whole

Correct = Literal["holm", "bh", "none"]


def report(
    inputs: InputArgument,
    measure: MeasureOption = None,
    title: Annotated[str | None, Option(help="The page's heading.")] = None,
    test: Annotated[
        str, Option(help="The significance test; leadline list tests shows all.")
    ] = "t",
    correct: Annotated[Correct, Option(help="Allow for the number of pairs.")] = "holm",
    level: Annotated[float, Option(help="p below this is significant.")] = 0.05,
    confidence: ConfidenceOption = None,
    pool: PoolOption = None,
    cheap: CheapOption = None,
    pool_depth: Annotated[
        int | None,
        Option(help="The depth to which the runs were pooled, if the judgments do not show."),
    ] = None,
    estimates: Annotated[
        list[Path] | None,
        Option(help="A csv of leadline estimate, to compare orderings. Repeat it."),
    ] = None,
    seed: Annotated[int, Option(help="For tests that draw at random.")] = 0,
    *,
    how: HowToRead,
    output: Annotated[
        Path | None,
        Option(
            "-o",
            "--output",
            help="Write the page to this file: .html",
            dir_okay=False,
        ),
    ] = None,
) -> None:
    """One self-contained page: leaderboard, intervals, tests, topics, what to judge next."""
    from leadline.api.report import report as verb

    to_file = output is not None and str(output) not in STANDARD_OUTPUT
    if output is None and sys.stdout.isatty():
        raise ValueError("a page is no reading for a terminal: name a file with -o report.html")
    if output is not None and to_file:
        check_writable(output)
        if output.suffix.lower() not in (".html", ".htm", ""):
            raise ValueError(f"{output}: a page is written to a file that ends in .html")
    qrels, runs = split_input(inputs)
    with progress("reading, then comparing") as advance:
        result = verb(
            qrels,
            runs,
            measure,
            title=title,
            test=test,
            correct=correct,
            level=level,
            confidence=confidence,
            pool=pool,
            cheap=cheap,
            pool_depth=pool_depth,
            estimates=estimates or [],
            seed=seed,
            command=shlex.join(["leadline", *sys.argv[1:]]),
            progress=advance,
            **how,
        )
    say_notices(result)
    if output is None or not to_file:
        put(result.page)
        return
    write_whole(output, result.page)
    say([f"wrote {output}, {len(result.page.encode()) / 1e6:.1f} MB: open it in a browser"])
