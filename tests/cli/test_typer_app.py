"""The program with its parser: help, mistakes, the version."""

import typer

from leadline import __version__
from leadline.cli.app import VERBS
from leadline.cli.typer_app import place, typer_app
from tests.cli.program import call


def test_verbs_stand_in_the_order_of_their_questions() -> None:
    commands = typer.main.get_command(typer_app()).commands  # type: ignore[attr-defined]
    assert list(commands) == sorted(VERBS, key=place)


def test_a_mistake_names_what_was_meant() -> None:
    result = call("evaluat")
    assert result.code == 2
    assert "evaluate" in result.err
    wrong = call("evaluate", "qrels", "run", "--mesure", "AP")
    assert wrong.code == 2
    assert "--measure" in wrong.err


def test_the_version_is_told() -> None:
    assert call("--version").out == f"leadline {__version__}\n"
