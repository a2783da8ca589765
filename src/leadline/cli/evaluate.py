"""`leadline evaluate`."""

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leadline.cli.output import FormatOption, OutputOption, emit, progress, say


class Ranks(StrEnum):
    """What orders a list."""

    score = "score"
    score64 = "score64"
    listed = "listed"


class Missing(StrEnum):
    """What a judged topic counts that a run does not return."""

    lowest = "lowest"
    skip = "skip"


class Unjudged(StrEnum):
    """What happens to a run's topics without judgments."""

    ignore = "ignore"
    include = "include"


class MissingDocs(StrEnum):
    """What happens to a document without text."""

    skip = "skip"
    stop = "stop"


InputArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="QRELS RUN..., or one collection folder. A run may be a file, a glob, a folder or -.",
    ),
]
RanksOption = Annotated[
    Ranks,
    typer.Option(
        help="Order lists by score as a 32-bit float (trec_eval 9 and its kin), as a 64-bit float "
        "(trec_eval 10), or as the file lists them."
    ),
]
LenientOption = Annotated[
    bool, typer.Option("--lenient", help="Skip faulty lines and count them, instead of stopping.")
]
MapGradeOption = Annotated[
    list[str] | None,
    typer.Option(metavar="FROM=TO", help="Read a grade as another, for instance -1=0. Repeat it."),
]
TopicsOption = Annotated[
    Path | None, typer.Option(help="Only these topics: a file with one on each line.")
]

DocsOption = Annotated[
    Path | None,
    typer.Option(
        help="Texts of the documents: JSON lines, TREC text or a folder of files. Without it those "
        "of the collection folder."
    ),
]
SubtopicDocsOption = Annotated[
    Path | None,
    typer.Option(
        help="Texts of the judged documents, if elsewhere; or another collection folder, whose "
        "judgments then count."
    ),
]
StatisticsOption = Annotated[
    Path | None,
    typer.Option(help="Parquet file for the collection's word counts; made if it is not there."),
]
MissingDocsOption = Annotated[
    MissingDocs, typer.Option(help="Documents without text: count as empty, or stop.")
]

if TYPE_CHECKING:
    from rich.console import RenderableType


def add_to(app: typer.Typer) -> None:
    """Make the verb known."""
    app.command("evaluate")(evaluate)


def evaluate(
    inputs: InputArgument,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="Repeat it for several: -m AP -m 'RBP(p=0.8)'."),
    ] = None,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="A row per topic too.")] = False,
    pool: Annotated[
        Path | None, typer.Option(help="Only judgments in this pool (csv of leadline pool).")
    ] = None,
    topics: TopicsOption = None,
    ranks: RanksOption = Ranks.score,
    lenient: LenientOption = False,
    map_grade: MapGradeOption = None,
    missing_topics: Annotated[
        Missing, typer.Option(help="Judged topics that a run does not return.")
    ] = Missing.lowest,
    unjudged_topics: Annotated[
        Unjudged, typer.Option(help="Topics of a run that have no judgments.")
    ] = Unjudged.ignore,
    intents: Annotated[
        Path | None, typer.Option(help="Lines of topic, subtopic and probability.")
    ] = None,
    docs: DocsOption = None,
    subtopic_docs: SubtopicDocsOption = None,
    statistics: StatisticsOption = None,
    missing_docs: MissingDocsOption = MissingDocs.skip,
    output: OutputOption = None,
    form: FormatOption = None,
) -> None:
    """Scores of runs, each with the interval that is certain to hold it and the share judged."""
    from leadline.verbs.evaluate import DEFAULT, evaluate_runs

    qrels, runs = split_input(inputs)
    with progress("reading and scoring runs") as advance:
        result = evaluate_runs(
            qrels,
            runs,
            measure or DEFAULT,
            ranks=ranks.value,
            lenient=lenient,
            map_grades=grade_map(map_grade),
            topics=topics,
            pool=pool,
            missing_topics=missing_topics.value,
            unjudged_topics=unjudged_topics.value,
            intents=intents,
            docs=docs,
            subtopic_docs=subtopic_docs,
            statistics=statistics,
            missing_docs=missing_docs.value,
            progress=advance,
        )
    frame = result.frame(per_topic)

    def table() -> "RenderableType":
        from leadline.presentation.terminal.tables import scores_table

        return scores_table(frame)

    emit(frame, table, form, output)
    say(result.notices.lines())


def split_input(inputs: list[str]) -> tuple[str, list[str] | None]:
    """Qrels and runs, or a folder and None."""
    return inputs[0], inputs[1:] or None


def grade_map(texts: list[str] | None) -> dict[int, int] | None:
    """The map that FROM=TO options make."""
    found: dict[int, int] = {}
    for text in texts or []:
        match = re.fullmatch(r"([+-]?[0-9]{1,9})=([+-]?[0-9]{1,9})", text)
        if match is None:
            raise ValueError(f"--map-grade wants FROM=TO, for instance -1=0, not {text!r}")
        found[int(match[1])] = int(match[2])
    return found or None
