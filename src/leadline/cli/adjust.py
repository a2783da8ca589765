"""`leadline adjust`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from leadline.cli.options import (
    HowToRead,
    InputArgument,
    Option,
    WeightedMeasureOption,
    split_input,
)
from leadline.cli.output import (
    ChartOption,
    FormatOption,
    OutputOption,
    draw,
    emit,
    progress,
    say,
    say_notices,
)
from leadline.cli.workers import SchedulerOption, WorkersOption, workforce

if TYPE_CHECKING:
    from leadline.api.adjust import Adjustment
    from leadline.completions.adjuster import Adjusted


def adjust(
    inputs: InputArgument,
    new: Annotated[
        list[str] | None,
        Option(metavar="RUN", help="A run that was not pooled: a file, or a run's name."),
    ] = None,
    measure: WeightedMeasureOption = None,
    by: Annotated[
        str | None,
        Option(
            help="How: Regression unless given, Topics if common topics are. "
            "`leadline list adjusters` shows all."
        ),
    ] = None,
    pool_depth: Annotated[
        int | None,
        Option(help="Depth of the pool; found from the judgments unless given.", min=1),
    ] = None,
    trusted: Annotated[
        Path | None, Option(help="Trusted qrels of some topics; INPUT's are the cheap ones.")
    ] = None,
    common: Annotated[
        Path | None, Option(help="Topics judged in full: a file with one on each line.")
    ] = None,
    differences: Annotated[
        bool,
        Option(
            "--differences",
            help="Instead of scores, differences of the new runs from each other and from the "
            "pooled ones, each with a 95% prediction interval.",
        ),
    ] = False,
    *,
    how: HowToRead,
    seed: Annotated[int, Option(help="For intervals that are drawn.")] = 0,
    chart: ChartOption = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Adjusted scores of runs not pooled, or judged cheaply, each with a prediction interval."""
    from leadline.api.adjust import adjust as verb

    qrels, runs = split_input(inputs)
    with workforce(workers, scheduler) as force, progress("reading, then adjusting") as advance:
        result = verb(
            qrels,
            runs,
            new,
            measure,
            by,
            pool_depth=pool_depth,
            trusted=trusted,
            common=common,
            seed=seed,
            scheduler=force,
            progress=advance,
            **how,
        )
        table = result.differences() if differences else result
    emit(table, form, output)
    draw(result, chart)
    for adjusted in result.adjusted:
        several = f"{adjusted.measure}: " if len(result.adjusted) > 1 else ""
        say(f"{several}{line}" for line in adjusted.assumed)
    say(_agreement(result))
    say_notices(result)


def _agreement(result: "Adjustment") -> list[str]:
    lines: list[str] = []
    if result.agreement is not None:
        seen = result.agreement
        lines.append(
            f"cheap and trusted judgments agree on {seen.observed():.1%} of {seen.n:,} documents "
            f"that both judged on the common topics, kappa {seen.kappa():.3f}"
        )
        for cheap, true, n in seen.frame().iter_rows():
            if n:
                lines.append(f"  cheap grade {cheap}, trusted grade {true}: {n:,}")
        for table in result.adjusted:
            lines += _orders(table)
    if result.more_topics is not None:
        lines.append(
            f"{result.more_topics} more common topics would halve the intervals"
            if result.more_topics
            else "the intervals have no width that more common topics could halve"
        )
    return lines


def _orders(table: "Adjusted") -> list[str]:
    if len(table.runs) < 2:
        return []
    from scipy.stats import kendalltau

    tau = float(kendalltau(table.unadjusted, table.adjusted).statistic)
    before = max(range(len(table.runs)), key=lambda run: table.unadjusted[run])
    after = max(range(len(table.runs)), key=lambda run: table.adjusted[run])
    best = (
        f"{table.runs[before]} is best with and without"
        if before == after
        else f"{table.runs[before]} is best without, {table.runs[after]} with it"
    )
    return [f"adjusting changes the order of the runs to a Kendall tau of {tau:.3f}: {best}"]
