"""`leadline adjust`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leadline.cli.evaluate import (
    InputArgument,
    LenientOption,
    MapGradeOption,
    Ranks,
    RanksOption,
    TopicsOption,
    grade_map,
    split_input,
)
from leadline.cli.output import FormatOption, OutputOption, emit, progress, say

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leadline.verbs.adjust import Adjustment


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("adjust")(adjust)


def adjust(
    inputs: InputArgument,
    new: Annotated[
        list[str] | None,
        typer.Option(metavar="RUN", help="A run that was not pooled: a file, or a run's name."),
    ] = None,
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="The measure whose scores are put right.")
    ] = "RBP(p=0.8)",
    by: Annotated[
        str | None,
        typer.Option(
            help="How: Predicted unless given, Topics if common topics are. "
            "`leadline list adjusters` shows all."
        ),
    ] = None,
    pool_depth: Annotated[
        int | None,
        typer.Option(help="Depth of the pool; found from the judgments unless given.", min=1),
    ] = None,
    trusted: Annotated[
        Path | None, typer.Option(help="Trusted qrels of some topics; INPUT's are the cheap ones.")
    ] = None,
    common: Annotated[
        Path | None, typer.Option(help="Topics judged in full: a file with one on each line.")
    ] = None,
    topics: TopicsOption = None,
    ranks: RanksOption = Ranks.score,
    lenient: LenientOption = False,
    map_grade: MapGradeOption = None,
    seed: Annotated[int, typer.Option(help="For bootstrap intervals.")] = 0,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Scores of runs that were not pooled, or judged cheaply, put right, each with an interval."""
    from leadline.verbs.adjust import DEFAULT, adjust_runs

    qrels, runs = split_input(inputs)
    chosen = by or ("Topics" if trusted is not None or common is not None else DEFAULT)
    with progress("adjusting") as advance:
        made = adjust_runs(
            qrels,
            runs,
            new,
            measure,
            chosen,
            pool_depth=pool_depth,
            trusted=trusted,
            common=common,
            topics=topics,
            seed=seed,
            ranks=ranks.value,
            lenient=lenient,
            map_grades=grade_map(map_grade),
            progress=advance,
        )
    frame = made.frame()

    def table() -> "RenderableType":
        from leadline.presentation.terminal.adjusted_table import adjusted_table

        return adjusted_table(frame)

    emit(frame, table, form, output)
    say([*made.adjusted.assumed, *_agreement(made), *made.notices.lines()])


def _agreement(made: "Adjustment") -> list[str]:
    lines: list[str] = []
    if made.agreement is not None:
        seen = made.agreement
        lines.append(
            f"cheap and trusted judgments agree on {seen.observed():.1%} of {seen.n:,} documents "
            f"that both judged on the common topics, kappa {seen.kappa():.3f}"
        )
        for cheap, true, n in seen.frame().iter_rows():
            if n:
                lines.append(f"  cheap grade {cheap}, trusted grade {true}: {n:,}")
        lines += _orders(made)
    if made.more_topics is not None:
        lines.append(
            f"{made.more_topics} more common topics would halve the intervals"
            if made.more_topics
            else "the intervals have no width that more common topics could halve"
        )
    return lines


def _orders(made: "Adjustment") -> list[str]:
    table = made.adjusted
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
