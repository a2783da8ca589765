"""`leadline estimate`."""

from typing import Annotated

from leadline.cli.options import (
    CheapOption,
    DocsOption,
    HowToRead,
    InputArgument,
    MissingDocsOption,
    Option,
    PoolOption,
    StatisticsOption,
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
    say_notices,
)
from leadline.cli.workers import SchedulerOption, WorkersOption, workforce


def estimate(
    inputs: InputArgument,
    measure: WeightedMeasureOption = None,
    estimator: Annotated[
        list[str] | None,
        Option(
            "-e",
            "--estimator",
            help="leadline list estimators shows all. Repeat it.",
            show_default="LB, Regression; with --pool and --cheap LB, Assisted",
        ),
    ] = None,
    pool_depth: Annotated[
        int | None, Option(help="Only judgments of what some pooled run ranks so high.")
    ] = None,
    pool: PoolOption = None,
    cheap: CheapOption = None,
    per_topic: Annotated[bool, Option("--per-topic", help="A row per topic too.")] = False,
    explain: Annotated[
        str | None,
        Option(
            metavar="TOPIC",
            help="Instead of scores, the unjudged documents of a topic that matter most.",
        ),
    ] = None,
    coverage: Annotated[
        float | None,
        Option(
            metavar="THETA",
            help="Instead of scores, gamma of every topic and whether THETA would adjust it.",
        ),
    ] = None,
    differences: Annotated[
        bool,
        Option("--differences", help="Instead of scores, their differences with standard errors."),
    ] = False,
    *,
    how: HowToRead,
    docs: DocsOption = None,
    statistics: StatisticsOption = None,
    missing_docs: MissingDocsOption = "skip",
    chart: ChartOption = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Scores with unjudged documents estimated, beside the interval that is certain."""
    from leadline.api.estimate import estimate as verb

    if (explain is not None) + (coverage is not None) + differences > 1:
        raise ValueError("ask for one of --explain, --coverage and --differences")
    if coverage is not None and not 0 <= coverage < float("inf"):
        raise ValueError(f"--coverage wants a theta of 0 or more, not {coverage}")
    qrels, runs = split_input(inputs)
    with workforce(workers, scheduler) as force, progress("reading, then estimating") as advance:
        result = verb(
            qrels,
            runs,
            measure,
            estimator,
            per_topic=per_topic,
            pool_depth=pool_depth,
            pool=pool,
            cheap=cheap,
            docs=docs,
            statistics=statistics,
            missing_docs=missing_docs,
            scheduler=force,
            progress=advance,
            **how,
        )
    if explain is not None:
        emit(result.explain(explain), form, output)
    elif coverage is not None:
        emit(result.coverage(coverage), form, output)
    elif differences:
        emit(result.differences(), form, output)
    else:
        emit(result, form, output)
    draw(result, chart)
    say_notices(result)
