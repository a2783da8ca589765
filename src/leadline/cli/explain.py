"""`leadline explain`."""

from typing import TYPE_CHECKING, Annotated

import typer

from leadline.cli.evaluate import (
    DocsOption,
    InputArgument,
    MissingDocs,
    MissingDocsOption,
    Ranks,
    RanksOption,
    StatisticsOption,
    SubtopicDocsOption,
    split_input,
)
from leadline.cli.output import FormatOption, OutputOption, emit, progress, say

if TYPE_CHECKING:
    from rich.console import RenderableType


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("explain")(explain)


def explain(
    inputs: InputArgument,
    run: Annotated[str, typer.Option(help="The run's name.", show_default=False)],
    topic: Annotated[str, typer.Option(help="The topic.", show_default=False)],
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="A measure that reads documents.")
    ] = "DELTArb@20",
    words: Annotated[int, typer.Option(min=1, help="Words to show for each rank.")] = 5,
    docs: DocsOption = None,
    subtopic_docs: SubtopicDocsOption = None,
    statistics: StatisticsOption = None,
    missing_docs: MissingDocsOption = MissingDocs.skip,
    ranks: RanksOption = Ranks.score,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Which words make the score of a run on a topic, for measures that read documents."""
    from leadline.verbs.explain import explain_run

    qrels, runs = split_input(inputs)
    with progress("reading documents") as advance:
        found, notices = explain_run(
            qrels,
            runs,
            run,
            topic,
            measure,
            progress=advance,
            docs=docs,
            subtopic_docs=subtopic_docs,
            statistics=statistics,
            missing_docs=missing_docs.value,
            ranks=ranks.value,
        )
    frame = found.frame.group_by("rank", maintain_order=True).head(words)

    def table() -> "RenderableType":
        from leadline.presentation.terminal.words_table import words_table

        return words_table(found.frame, words)

    emit(frame, table, form, output)
    say(notices.lines())
    say([f"{measure} of {run} on topic {topic}: {found.score:.4f}"])
