"""Arguments and options that several verbs share, and what they stand for in Python."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, Unpack


class Settings(TypedDict, total=False):
    """What is said about a parameter, in the words of typer."""

    help: str
    metavar: str
    show_default: bool | str
    rich_help_panel: str
    min: float
    max: float
    callback: Callable[[Any], Any]
    is_eager: bool
    dir_okay: bool
    file_okay: bool


class Parameter:
    """Names on the command line, if they are not those of Python, and settings."""

    def __init__(self, *names: str, **settings: Unpack[Settings]) -> None:
        self.names = names
        self.settings = settings


class Option(Parameter):
    """What may be given by name, anywhere."""


class Argument(Parameter):
    """What is given by its place."""


READING_PANEL = "How to read"
TEXTS_PANEL = "Measures that read documents"
Ranks = Literal["score", "score64", "listed"]
MissingDocs = Literal["skip", "stop"]

InputArgument = Annotated[
    list[str],
    Argument(
        metavar="INPUT",
        help="QRELS RUN..., none RUN... where nothing is judged yet, or one collection folder. "
        "A run may be a file, a glob, a folder or -.",
        show_default=False,
    ),
]
MeasureOption = Annotated[
    list[str] | None,
    Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        help="Repeat it for several: -m AP -m 'RBP(p=0.8)'.",
        show_default="RBP(p=0.8), nDCG@10, P@10",
    ),
]
WeightedMeasureOption = Annotated[
    list[str] | None,
    Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        help="RBP, P, DCG, SDCG by any method; nDCG, AP and others by some. Repeat it.",
        show_default="RBP(p=0.8), P@10",
    ),
]
RanksOption = Annotated[
    Ranks,
    Option(
        metavar="RULE",
        help="Order lists by score as a 32-bit float (score: trec_eval 9 and its kin), as a 64-bit "
        "float (score64: trec_eval 10), or as the file lists them (listed).",
        rich_help_panel=READING_PANEL,
    ),
]
LenientOption = Annotated[
    bool,
    Option(
        "--lenient",
        help="Skip faulty lines and count them, instead of stopping.",
        rich_help_panel=READING_PANEL,
    ),
]
MapGradeOption = Annotated[
    list[str] | None,
    Option(
        metavar="FROM=TO",
        help="Read a grade as another, for instance -1=0. Repeat it.",
        rich_help_panel=READING_PANEL,
    ),
]


def _more_than_nothing(seconds: float) -> float:
    if not 0 < seconds < float("inf"):
        raise ValueError(f"--seconds-per-judgment must be more than 0, not {seconds}")
    return seconds


SecondsOption = Annotated[
    float,
    Option(
        metavar="SECONDS",
        help="How long an assessor takes: the cost.",
        callback=_more_than_nothing,
    ),
]
TopicsOption = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="Only these topics: a file with one on each line.",
        rich_help_panel=READING_PANEL,
    ),
]
PoolOption = Annotated[
    Path | None, Option(help="Only judgments in this pool (a file of leadline pool).")
]
CheapOption = Annotated[
    list[str] | None,
    Option(
        metavar="FILE",
        help="Labels of a cheap judge, as evidence and never as judgments. Repeat it.",
    ),
]
ConfidenceOption = Annotated[
    float | None,
    Option(
        help="Confidence intervals of means over topics too, 0.95 for instance: by Student's t "
        "and by the bootstrap."
    ),
]
DocsOption = Annotated[
    Path | None,
    Option(
        metavar="PATH",
        rich_help_panel=TEXTS_PANEL,
        help="Texts of the documents: JSON lines, TREC text or a folder of files. Without it those "
        "of the collection folder.",
    ),
]
SubtopicDocsOption = Annotated[
    Path | None,
    Option(
        metavar="PATH",
        rich_help_panel=TEXTS_PANEL,
        help="Texts of the judged documents, if elsewhere; or another collection folder, whose "
        "judgments then count.",
    ),
]
StatisticsOption = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="Parquet file for the collection's word counts; made if it is not there.",
        rich_help_panel=TEXTS_PANEL,
    ),
]
MissingDocsOption = Annotated[
    MissingDocs,
    Option(
        metavar="RULE",
        help="Documents without text: count as empty (skip), or stop.",
        rich_help_panel=TEXTS_PANEL,
    ),
]

_WORDS = {
    "measures": "-m",
    "estimators": "-e",
    "map_grades": "--map-grade",
    "budgets": "--budget",
    "qrels": "QRELS",
    "runs": "RUN",
}
"""Parameters whose options have other names."""


def in_options(text: str) -> str:
    """A message with Python's parameters, which stand in backquotes, as options.

    >>> in_options("give `pool_depth`, or other `runs`")
    'give --pool-depth, or other RUN'
    """

    def option(match: re.Match[str]) -> str:
        name = match[1]
        return _WORDS.get(name, "--" + name.replace("_", "-"))

    return re.sub(r"`([a-z]+(?:_[a-z]+)*)`", option, text)


class HowToRead(TypedDict):
    """How to read a collection, as verbs take it: a command with such a `how` has its options."""

    topics: Path | None
    ranks: Ranks
    lenient: bool
    map_grades: dict[int, int] | None


READING: dict[str, tuple[Any, Any]] = {
    "topics": (TopicsOption, None),
    "ranks": (RanksOption, "score"),
    "lenient": (LenientOption, False),
    "map_grade": (MapGradeOption, None),
}
"""The options that stand for a `how`, with their defaults."""


def how_to_read(given: dict[str, Any]) -> HowToRead:
    """What these options say, which are taken out of those given."""
    topics, ranks, lenient, grades = (given.pop(name) for name in READING)
    return HowToRead(topics=topics, ranks=ranks, lenient=lenient, map_grades=grade_map(grades))


def split_input(inputs: list[str]) -> tuple[str | None, list[str] | None]:
    """Qrels and runs, where the word none stands for no qrels; or a folder and None."""
    first, runs = inputs[0], inputs[1:] or None
    if runs is None and Path(first).exists() and not (Path(first) / "runs").is_dir():
        raise ValueError(
            f"{first}: is no collection folder, it holds no folder runs. "
            f"Give QRELS and RUNS, or where nothing is judged yet: none {first}"
        )
    if first != "none":
        return first, runs
    if runs is None:
        raise ValueError("none stands for missing qrels: name the runs after it")
    return None, runs


def grade_map(texts: list[str] | None) -> dict[int, int] | None:
    """The map that FROM=TO options make."""
    grades: dict[int, int] = {}
    for text in texts or []:
        match = re.fullmatch(r"([+-]?[0-9]{1,9})=([+-]?[0-9]{1,9})", text)
        if match is None:
            raise ValueError(f"--map-grade wants FROM=TO, for instance -1=0, not {text!r}")
        grades[int(match[1])] = int(match[2])
    return grades or None
