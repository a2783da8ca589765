"""Options are Python's parameters by another name, and their choices are the same."""

import inspect
import re
from typing import get_args

import pytest
import typer

import leadline
from leadline.api.order import MissingAnswers
from leadline.cli import compare, evaluate, options, order, report
from leadline.cli.options import grade_map, in_options, split_input
from leadline.cli.typer_app import typer_app
from leadline.io.formats import MissingDocs
from leadline.io.rows import Ranks
from leadline.io.topics_seen import MissingTopics, UnjudgedTopics
from leadline.measures.measure import DEFAULT_MEASURES, WEIGHTED_MEASURES
from leadline.stats.pairwise import Basis
from leadline.stats.significance import Correct
from tests.cli.program import call


@pytest.mark.parametrize(
    ("ours", "python"),
    [
        (options.Ranks, Ranks),
        (options.MissingDocs, MissingDocs),
        (evaluate.Missing, MissingTopics),
        (evaluate.Unjudged, UnjudgedTopics),
        (compare.Basis, Basis),
        (compare.Correct, Correct),
        (report.Correct, Correct),
        (order.Missing, MissingAnswers),
    ],
)
def test_choices_are_those_of_python(ours: object, python: object) -> None:
    assert get_args(ours) == get_args(python)


@pytest.mark.parametrize(
    ("verb", "default"),
    [
        ("evaluate", DEFAULT_MEASURES),
        ("compare", DEFAULT_MEASURES),
        ("report", DEFAULT_MEASURES),
        ("estimate", WEIGHTED_MEASURES),
        ("adjust", WEIGHTED_MEASURES),
    ],
)
def test_the_measures_taken_where_none_is_named_are_in_the_help(
    verb: str, default: tuple[str, ...]
) -> None:
    words = re.sub(r"[\s│]+", " ", call(verb, "--help").out)
    assert ", ".join(default) in words
    assert inspect.signature(getattr(leadline, verb)).parameters["measures"].default == default


# Options that only print, and parameters that only Python has use for.
ONLY_HERE = {"help", "traceback", "format", "output", "inputs", "form", "interactive", "qrels_out"}
ONLY_HERE |= {"standing", "tiers", "chart", "seconds_per_judgment", "files", "copy", "quiet"}
ONLY_HERE |= {"top", "wide"}
RENAMED = {"measure": "measures", "estimator": "estimators", "map_grade": "map_grades"}


@pytest.mark.parametrize(
    "verb", ["evaluate", "explain", "pool", "order", "estimate", "adjust", "compare", "report"]
)
def test_python_and_the_command_line_take_the_same(verb: str) -> None:
    command = typer.main.get_command(typer_app()).commands[verb]  # type: ignore[attr-defined]
    ours = {option.name for option in command.params} - ONLY_HERE
    python = set(inspect.signature(getattr(leadline, verb)).parameters)
    if verb in ("estimate", "adjust"):
        # In Python these are methods of what comes back.
        ours -= {"explain", "coverage", "differences"}
    if verb == "explain":
        python |= {"measures"}
    assert {RENAMED.get(name, name) for name in ours} <= python


def test_messages_speak_options() -> None:
    assert in_options("give `pool_depth`, `measures` or `map_grades`") == (
        "give --pool-depth, -m or --map-grade"
    )
    assert in_options("a `Strange` name, `x y`") == "a `Strange` name, `x y`"


@pytest.mark.parametrize("text", ["1", "1=", "=1", "1=a", "1 = 2", "9" * 12 + "=1"])
def test_a_map_of_grades_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="FROM=TO"):
        grade_map([text])


def test_input_is_split() -> None:
    assert grade_map(["-1=0", "2=1"]) == {-1: 0, 2: 1}
    assert grade_map(None) is None
    assert split_input(["none", "run"]) == (None, ["run"])
    assert split_input(["qrels", "a", "b"]) == ("qrels", ["a", "b"])
    with pytest.raises(ValueError, match="name the runs after it"):
        split_input(["none"])
