"""What is called without a parser is called as the parser would, or left to it."""

import contextlib
import inspect
import random
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
import typer

from leadline.cli import typer_app as full
from leadline.cli.app import REQUIRED, VERBS, command_of, plain_call
from leadline.cli.options import Option

VALUES = (
    *("a", "AP", "1", "3", "0", "0.95", "-1", "1e3", "", "-", "--", "nowhere/x.csv", "é", " 5"),
    *("csv", "table", "json", "score64", "listed", "skip", "stop", "lowest", "1=2", "=", "1_0"),
    *("-1=0", "qrels", "folder", "folder/", "bh", "holm", "tcp://h:1", "0007", "99999999999999999"),
)

N_CALLS = 60


def parsed(verb: str, words: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any] | None:
    """What typer calls a command with; None if it refuses, or shows help."""
    found: list[dict[str, Any]] = []
    real = command_of(verb)

    def seen(**given: Any) -> None:
        found.append(given)

    seen.__signature__ = inspect.signature(real)  # type: ignore[attr-defined]
    monkeypatch.setattr(full, "command_of", lambda _: seen)
    # Whatever it refuses is not found.
    with contextlib.suppress(Exception):
        full.typer_app([verb])([verb, *words], standalone_mode=False)
    return found[0] if found else None


def names(verb: str) -> list[str]:
    """All options of a verb, as typer knows them."""
    command = typer.main.get_command(full.typer_app([verb])).commands[verb]  # type: ignore[attr-defined]
    return [name for each in command.params for name in each.opts if name.startswith("-")]


def needed(signature: inspect.Signature) -> list[str]:
    """Options that must be given, with values that will do."""
    words = []
    for name, each in signature.parameters.items():
        kind, about = get_args(each.annotation)
        if isinstance(about, Option) and each.default in REQUIRED:
            value = get_args(kind)[0] if get_origin(kind) is Literal else "1"
            words += [(about.names or (f"--{name.replace('_', '-')}",))[0], value]
    return words


@pytest.mark.parametrize("verb", VERBS)
def test_a_plain_call_is_what_the_parser_makes_of_it(
    verb: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").touch()
    Path("folder").mkdir()
    signature = inspect.signature(command_of(verb))
    options = [name for name in names(verb) if name not in ("-h", "--help")]
    draw = random.Random(verb)
    plain = 0
    for _ in range(N_CALLS):
        words = draw.choices(VALUES[:2] + VALUES[23:25], k=draw.randrange(4))
        words += needed(signature)
        for _ in range(draw.randrange(3)):
            option = draw.choice(options)
            value = draw.choice(VALUES)
            words += draw.choice(
                ([option], [option, value], [option, value], [f"{option}={value}"])
            )
        if draw.random() < 0.2:
            draw.shuffle(words)
        ours = plain_call(signature, words)
        if ours is not None:
            plain += 1
            theirs = parsed(verb, words, monkeypatch)
            assert theirs == ours, words
            assert {name: type(value) for name, value in ours.items()} == {
                name: type(value) for name, value in (theirs or {}).items()
            }
    assert plain >= 2


def test_the_usual_call_is_plain_and_a_question_or_mistake_is_not() -> None:
    signature = inspect.signature(command_of("evaluate"))
    words = ["qrels", "a.run", "-m", "AP", "--measure=P@5", "b.run", "--top", "3", "--lenient"]
    found = plain_call(signature, words)
    assert found is not None
    assert found["inputs"] == ["qrels", "a.run", "b.run"]
    assert found["measure"] == ["AP", "P@5"]
    assert (found["top"], found["lenient"], found["output"]) == (3, True, None)
    for more in (["-h"], ["--hepl"], ["--top", "0"], ["--top"], ["--lenient", "--lenient"], ["-x"]):
        assert plain_call(signature, [*words[:2], *more]) is None
    assert plain_call(signature, []) is None
