"""Options are declared once, as parameters: their names, types, defaults and texts."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, Unpack

import pytest

import leadline
from leadline.cli.command import grade_map, split_input, usage
from leadline.options import Argument, Option, declared, described, description, in_options
from tests.cli.program import call


class Shared(TypedDict, total=False):
    """What several take.

    topics: only these. And no others.
    """

    topics: Annotated[str | Sequence[str] | None, Option(metavar="FILE")]


def function(
    qrels: Any,
    runs: Any = None,
    *,
    depth: Annotated[int, Option(least=1)] = 10,
    how: Literal["best", "worst"] = "best",
    tails: Literal[1, 2] = 2,
    names: Annotated[str | Iterable[str], Option("-n --name", many=True)] = ("a", "b"),
    numbers: Annotated[Iterable[int], Option(many=True)] = (),
    share: float | None = None,
    quick: bool = False,
    path: Path | None = None,
    grades: Mapping[int, int] | None = None,
    needed: str,
    secret: Annotated[str, Option(hidden=True)] = "",
    progress: Callable[[int], None] | None = None,
    **shared: Unpack[Shared],
) -> None:
    """Do it.

    More about it.

    depth: so deep. Not
        deeper.
    quick, share: as for `compare`.
    alpha: as for `compare`; or less.
    """


def test_types_and_defaults_come_from_the_signature() -> None:
    found = {each.name: (each.kind, each.default_text) for each in declared(function)}
    assert found == {
        "inputs": (str, ""),
        "depth": (int, "10"),
        "how": (("best", "worst"), "best"),
        "tails": (int, "2"),
        "names": (str, "a, b"),
        "numbers": (int, ""),
        "share": (float, ""),
        "quick": (bool, ""),
        "path": (Path, ""),
        "grades": (dict, ""),
        "needed": (str, ""),
        "topics": (str, ""),
    }
    assert [each.name for each in declared(function) if each.required] == ["inputs", "needed"]


def test_names_are_those_of_the_parameters_unless_others_are_given() -> None:
    found = {each.name: usage(each) for each in declared(function)}
    assert found["inputs"] == "INPUT"
    assert found["names"] == "-n, --name TEXT"
    assert found["how"] == "--how [best|worst]"
    assert found["quick"] == "--quick"
    assert found["topics"] == "--topics FILE"


def test_texts_come_from_the_docstring_and_from_other_verbs() -> None:
    texts = described(function)
    assert texts["depth"] == "So deep. Not deeper."
    assert texts["topics"] == "Only these. And no others."
    assert texts["alpha"] == f"{described(leadline.compare)['alpha']} Or less."
    assert description(function) == "Do it.\n\nMore about it."


def test_an_argument_may_have_any_name() -> None:
    def lint(files: Annotated[list[str], Argument(metavar="FILE", many=True)]) -> None: ...

    assert [usage(each) for each in declared(lint)] == ["FILE"]


@pytest.mark.parametrize("verb", ["evaluate", "compare", "report", "estimate", "adjust", "gate"])
def test_the_measures_taken_where_none_is_named_are_in_the_help(verb: str) -> None:
    import inspect

    default = inspect.signature(getattr(leadline, verb)).parameters["measures"].default
    assert ", ".join(default) in re.sub(r"\s+", " ", call(verb, "--help").out)


@pytest.mark.parametrize("verb", ["evaluate", "compare", "pool", "next", "gate", "explain"])
def test_a_parameter_that_there_is_not_is_refused_in_python(verb: str) -> None:
    needed = {"gate": {"baseline": "x", "new": "x"}, "explain": {"run": "x", "topic": "1"}}
    qrels, runs = {"1": {"a": 1}}, {"x": {"1": {"a": 2.0}}}
    with pytest.raises(TypeError, match="folder"):
        getattr(leadline, verb)(qrels, runs, folder=None, **needed.get(verb, {}))


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
    assert split_input(["none", "run"]) == (None, ["run"])
    assert split_input(["qrels", "a", "b"]) == ("qrels", ["a", "b"])
    with pytest.raises(ValueError, match="name the runs after it"):
        split_input(["none"])
