"""Every verb has its command, loaded when it is called."""

import inspect

import pytest

from leadline.cli.app import OTHERS, TABLES, VERBS, command_of
from leadline.cli.typer_app import HELP_PAGES


def test_every_verb_has_a_help_page_and_is_named_once() -> None:
    assert sorted(VERBS) == sorted(HELP_PAGES)
    assert not set(TABLES) & set(OTHERS)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_has_its_command(verb: str) -> None:
    command = command_of(verb)
    assert command.__doc__
    assert {"quiet", "traceback"} <= set(inspect.signature(command).parameters)
    # A line break in what it is for would stand in the list of commands, wherever it falls.
    assert "\n" not in inspect.cleandoc(command.__doc__).partition("\n\n")[0]


def test_tables_have_a_format() -> None:
    for verb in TABLES:
        assert "output" in inspect.signature(command_of(verb)).parameters, verb
