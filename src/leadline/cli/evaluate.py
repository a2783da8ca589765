"""`leadline evaluate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from leadline.cli.options import (
    ConfidenceOption,
    DocsOption,
    HowToRead,
    InputArgument,
    MeasureOption,
    MissingDocsOption,
    Option,
    PoolOption,
    StatisticsOption,
    SubtopicDocsOption,
    split_input,
)
from leadline.cli.output import (
    ChartOption,
    OutputOption,
    ScoresFormatOption,
    draw,
    emit,
    progress,
    say,
    say_notices,
    written_as,
)
from leadline.cli.workers import SchedulerOption, WorkersOption, workforce

if TYPE_CHECKING:
    import polars as pl


Missing = Literal["lowest", "skip"]
Unjudged = Literal["ignore", "include"]
Undefined = Literal["skip", "zero"]


def evaluate(
    inputs: InputArgument,
    measure: MeasureOption = None,
    per_topic: Annotated[bool, Option("--per-topic", help="A row per topic too.")] = False,
    pool: PoolOption = None,
    confidence: ConfidenceOption = None,
    *,
    how: HowToRead,
    missing_topics: Annotated[
        Missing, Option(help="Judged topics that a run does not return.")
    ] = "lowest",
    unjudged_topics: Annotated[
        Unjudged, Option(help="Topics of a run that have no judgments.")
    ] = "ignore",
    undefined: Annotated[
        Undefined,
        Option(help="Topics on which a measure is undefined: left out, or 0 as in trec_eval."),
    ] = "skip",
    depth: Annotated[
        int | None, Option(min=1, help="Only the first documents of each list: trec_eval's -M.")
    ] = None,
    intents: Annotated[
        Path | None, Option(help="Lines of topic, subtopic and probability.")
    ] = None,
    docs: DocsOption = None,
    subtopic_docs: SubtopicDocsOption = None,
    statistics: StatisticsOption = None,
    missing_docs: MissingDocsOption = "skip",
    top: Annotated[
        int | None, Option(min=1, help="Only the best runs by the first measure.")
    ] = None,
    wide: Annotated[
        bool, Option("--wide", help="A row for each run, a column for each measure.")
    ] = False,
    chart: ChartOption = None,
    memory: Annotated[
        str | None,
        Option(
            metavar="SIZE", help="What this process may take while it reads Parquet files: 1GB."
        ),
    ] = None,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    output: OutputOption = None,
    form: ScoresFormatOption = None,
) -> None:
    """Scores of runs, each with the interval that is certain to hold it and the share judged."""
    from leadline.api.evaluate import WideScores
    from leadline.api.evaluate import evaluate as verb

    if wide and form == "trec_eval":
        raise ValueError("--wide is a table: trec_eval prints a line for each score")

    if wide and confidence is not None:
        raise ValueError("--wide has scores only, no intervals: leave out it or --confidence")

    qrels, runs = split_input(inputs)
    with workforce(workers, scheduler) as force, progress("reading and scoring runs") as advance:
        result = verb(
            qrels,
            runs,
            measure,
            per_topic=per_topic,
            pool=pool,
            confidence=confidence,
            missing_topics=missing_topics,
            unjudged_topics=unjudged_topics,
            undefined=undefined,
            depth=depth,
            intents=intents,
            docs=docs,
            subtopic_docs=subtopic_docs,
            statistics=statistics,
            missing_docs=missing_docs,
            scheduler=force,
            memory=memory,
            progress=advance,
            **how,
        )
    if top is not None:
        result = result.top(top)
    emit(WideScores(result.wide()) if wide else result, form, output)
    draw(result, chart)
    say_notices(result)
    if written_as(form, output) == "table" and not wide:
        say(_unseen(result.frame))


def _unseen(scores: "pl.DataFrame") -> list[str]:
    """Name a measure with a lower bound above 0, where unseen documents could make others 0.

    Not `estimate`: of such measures it knows no error, and says not to rely on what it gives.
    """
    found, bounded = [], []
    for (name,), of in scores.group_by("measure", maintain_order=True):
        means = of.filter(of["topic"] == "all")
        above = (means["lower"].fill_nan(None) > 0).any()
        if means["lower"].max() == 0 and (means["value"] > 0).any() and _has_bounds(str(name)):
            found.append(str(name))
        elif above:
            bounded.append(str(name))
    if not found:
        return []
    # Whatever has a relevant document in its lists has a lower bound above 0 by RBP.
    other = f"{bounded[0]} has one above 0" if bounded else "for one above 0 add -m 'RBP(p=0.8)'"
    return [
        f"{', '.join(found)}: 0 is the only guaranteed lower bound, since relevant documents may "
        f"be unseen; {other}"
    ]


def _has_bounds(name: str) -> bool:
    from leadline.completions.drawn_scores import drawable
    from leadline.measures.measure import parse_measure

    return drawable(parse_measure(name))
