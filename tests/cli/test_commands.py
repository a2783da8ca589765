"""Every verb has its command, loaded when it is called; its options are those of its functions."""

import inspect
import re
import subprocess
import sys

import click
import pytest

from leadline import __version__
from leadline.cli.verbs import VERBS
from leadline.options import Argument
from tests.cli.program import call, verb_commands

COMMANDS = verb_commands()


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_says_what_it_does_in_one_line(verb: str) -> None:
    function = COMMANDS[verb].function
    # A line break in what it is for would stand in the list of commands, wherever it falls.
    assert "\n" not in (inspect.getdoc(function) or "\n").partition("\n\n")[0]


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_has_a_text(verb: str) -> None:
    texts = COMMANDS[verb].texts()
    for each in COMMANDS[verb].declared:
        assert texts[each.name].strip(), f"{verb} {each.name}: describe it in the docstring"
        assert len(texts[each.name]) > 5


@pytest.mark.parametrize("verb", VERBS)
def test_texts_name_options_that_the_verb_has(verb: str) -> None:
    command = COMMANDS[verb]
    known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    for parameter, text in command.texts().items():
        if parameter in {each.name for each in command.declared}:
            named = set(re.findall(r"(?<![\w-])--[a-z-]+", text))
            assert named <= known, (verb, parameter, named - known)


@pytest.mark.parametrize("verb", VERBS)
def test_a_name_stands_for_one_option(verb: str) -> None:
    names = [name for each in COMMANDS[verb].declared for name in each.names]
    assert len(names) == len(set(names))
    arguments = [isinstance(each.option, Argument) for each in COMMANDS[verb].declared]
    assert arguments == sorted(arguments, reverse=True), "arguments come first"


def test_an_option_that_is_not_given_is_left_to_the_default_of_the_function() -> None:
    parse = COMMANDS["compare"].main
    asked = parse(["q", "r"], standalone_mode=False)
    assert asked.args == ({"inputs": ["q", "r"]},)
    words = [
        "q",
        "r",
        "-m",
        "AP",
        "--measure=P@5",
        "--tails",
        "1",
        "--details",
        "--skip-bad-lines",
        "s",
    ]
    assert parse(words, standalone_mode=False).args[0] == {
        "inputs": ["q", "r", "s"],
        "measures": ["AP", "P@5"],
        "tails": 1,
        "details": True,
        "skip_bad_lines": True,
    }
    verb = COMMANDS["next"].main
    assert (
        verb(["q", "--no-use-judgments"], standalone_mode=False).args[0]["use_judgments"] is False
    )


@pytest.mark.parametrize(
    "words", [["--hepl"], ["--tails"], ["--skip-bad-lines=1"], ["--tails", "x"], []]
)
def test_a_mistake_is_no_call(words: list[str]) -> None:
    with pytest.raises(click.ClickException):
        COMMANDS["compare"].main([*words], standalone_mode=False)


def test_the_list_of_verbs_loads_nothing_heavy() -> None:
    code = (
        "import sys; from leadline.cli.app import verb_group as p\n"
        "[c.get_short_help_str() for c in p().commands.values()]\n"
        "print({'rich', 'polars', 'numpy'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"


def test_a_mistake_names_what_was_meant() -> None:
    result = call("evaluat")
    assert result.code == 2
    assert "evaluate" in result.err
    wrong = call("evaluate", "qrels", "run", "--mesure", "AP")
    assert wrong.code == 2
    assert "--measure" in wrong.err


def test_the_version_is_told() -> None:
    assert call("--version").out == f"leadline {__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_needs_to_complete_words_is_shown(shell: str) -> None:
    shown = call("--show-completion", shell)
    assert shown.code == 0
    assert "_LEADLINE_COMPLETE" in shown.out
