"""`leadline explain`."""

from typing import Annotated

from leadline.cli.options import (
    DocsOption,
    InputArgument,
    MissingDocsOption,
    Option,
    RanksOption,
    StatisticsOption,
    SubtopicDocsOption,
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


def explain(
    inputs: InputArgument,
    run: Annotated[str, Option(help="The run's name.", show_default=False)],
    topic: Annotated[str, Option(help="The topic.", show_default=False)],
    measure: Annotated[
        str, Option("-m", "--measure", help="A measure that reads documents.")
    ] = "DELTArb@20",
    words: Annotated[int, Option(min=1, help="Words to show for each rank.")] = 5,
    docs: DocsOption = None,
    subtopic_docs: SubtopicDocsOption = None,
    statistics: StatisticsOption = None,
    missing_docs: MissingDocsOption = "skip",
    ranks: RanksOption = "score",
    chart: ChartOption = None,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Which words make the score of a run on a topic, for measures that read documents."""
    from leadline.api.explain import explain as verb

    qrels, runs = split_input(inputs)
    with progress("reading documents") as advance:
        result = verb(
            qrels,
            runs,
            run=run,
            topic=topic,
            measure=measure,
            words=words,
            progress=advance,
            docs=docs,
            subtopic_docs=subtopic_docs,
            statistics=statistics,
            missing_docs=missing_docs,
            ranks=ranks,
        )
    emit(result, form, output)
    draw(result, chart)
    say_notices(result)
    say([f"{measure} of {run} on topic {topic}: {result.score:.4f}"])
