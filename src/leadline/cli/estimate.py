"""`leadline estimate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leadline.cli.evaluate import (
    DocsOption,
    InputArgument,
    LenientOption,
    MapGradeOption,
    MissingDocs,
    MissingDocsOption,
    Ranks,
    RanksOption,
    StatisticsOption,
    TopicsOption,
    grade_map,
    split_input,
)
from leadline.cli.output import FormatOption, OutputOption, emit, progress, say

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

    from leadline.verbs.estimate import Estimation

SHOWN = 20


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("estimate")(estimate)


def estimate(
    inputs: InputArgument,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="A weighted one: RBP, P, DCG, SDCG. Repeat it."),
    ] = None,
    estimator: Annotated[
        list[str] | None,
        typer.Option("-e", "--estimator", help="leadline list estimators shows all. Repeat it."),
    ] = None,
    pool_depth: Annotated[
        int | None, typer.Option(help="Only judgments of what some run ranks so high.")
    ] = None,
    pool: Annotated[
        Path | None, typer.Option(help="Only judgments in this pool (csv of leadline pool).")
    ] = None,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="A row per topic too.")] = False,
    explain: Annotated[
        str | None,
        typer.Option(
            metavar="TOPIC",
            help="Instead of scores, the unjudged documents of a topic that matter most.",
        ),
    ] = None,
    coverage: Annotated[
        float | None,
        typer.Option(
            metavar="THETA",
            help="Instead of scores, gamma of every topic and whether THETA would adjust it.",
        ),
    ] = None,
    topics: TopicsOption = None,
    docs: DocsOption = None,
    statistics: StatisticsOption = None,
    missing_docs: MissingDocsOption = MissingDocs.skip,
    ranks: RanksOption = Ranks.score,
    lenient: LenientOption = False,
    map_grade: MapGradeOption = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Scores with unjudged documents estimated, beside the interval that is certain."""
    from leadline.verbs.estimate import ESTIMATORS, MEASURES, estimate_runs

    if explain is not None and coverage is not None:
        raise ValueError("ask for --explain or --coverage, not for both")
    if coverage is not None and not 0 <= coverage < float("inf"):
        raise ValueError(f"--coverage wants a theta of 0 or more, not {coverage}")
    qrels, runs = split_input(inputs)
    with progress("reading, then estimating") as advance:
        result = estimate_runs(
            qrels,
            runs,
            measure or MEASURES,
            estimator or ESTIMATORS,
            pool_depth=pool_depth,
            pool=pool,
            topics=topics,
            docs=docs,
            statistics=statistics,
            missing_docs=missing_docs.value,
            ranks=ranks.value,
            lenient=lenient,
            map_grades=grade_map(map_grade),
            reading=advance,
            progress=advance,
        )
    if explain is not None:
        _plain(_explained(result, explain), form, output, SHOWN)
    elif coverage is not None:
        _plain(result.coverage(coverage), form, output, None)
    else:
        frame = result.frame(per_topic)

        def table() -> "RenderableType":
            from leadline.presentation.terminal.estimate_tables import estimates_table

            return estimates_table(frame)

        emit(frame, table, form, output)
    say(result.notices.lines())


def _explained(result: "Estimation", topic: str) -> "pl.DataFrame":
    """The documents that matter, for every measure and estimator asked for."""
    import polars as pl

    from leadline.verbs.leaders import explain

    parts = []
    for each in result.estimates:
        found = explain(topic, each.estimated)
        names = {"measure": str(each.measure), "estimator": str(each.estimator)}
        labels = [pl.lit(name).alias(column) for column, name in names.items()]
        parts.append(found.select("topic", *labels, pl.exclude("topic")))
    return pl.concat(parts)


def _plain(
    frame: "pl.DataFrame", form: FormatOption, output: Path | None, most: int | None
) -> None:
    import polars as pl

    def table() -> "RenderableType":
        from leadline.presentation.terminal.tables import plain_table

        shown = frame
        if most is not None:
            shown = frame.group_by("measure", "estimator", maintain_order=True).head(most)
        return plain_table(shown.with_columns(pl.col(pl.Float64).round(4)))

    emit(frame.with_columns(pl.col(pl.Float64).round(6)), table, form, output)
