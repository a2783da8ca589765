"""--help and --help-all: panels, examples that would run, 80 columns, one screen."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from leadline.cli.command import HELP_ALL
from leadline.cli.verbs import VERBS
from leadline.options import ADVANCED_PANELS
from scripts.reference import for_troff, generated, man_page, option_schema, option_table
from tests.cli.program import call, command, verb_commands

COMMANDS = verb_commands()


def test_every_command_is_in_a_panel() -> None:
    for shown, code in ((call(), 2), (call("--help"), 0)):
        text = shown.out
        assert shown.code == code
        for verb in COMMANDS:
            assert VERBS[verb].panel in text
            assert f" {verb} " in text


@pytest.mark.parametrize("verb", sorted(COMMANDS))
def test_examples_name_options_that_there_are_and_fit_a_terminal(verb: str) -> None:
    options = {name for param in COMMANDS[verb].params for name in param.opts}
    for example in VERBS[verb].examples:
        assert len(f"   leadline {example}") <= 80
        first, *words = shlex.split(example)
        assert first == verb
        assert {word for word in words if word.startswith("-")} <= options, example


@pytest.mark.parametrize("verb", sorted(COMMANDS))
def test_help_breaks_no_name_at_80_columns(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    text = call(verb, "--help-all").out
    assert max(map(len, text.splitlines())) <= 80
    for param in COMMANDS[verb].params:
        for name in param.opts:
            assert name in text or not name.startswith("-")
    assert not re.search(r"<[\w|-]+ (?!range>)", text), "a choice goes on in the next line"
    for example in VERBS[verb].examples:
        assert f"leadline {example}" in text
    assert f"docs/how-to/{verb}.md" in text


@pytest.mark.parametrize("verb", sorted(COMMANDS))
def test_help_shows_the_common_options_on_one_screen(verb: str) -> None:
    text, everything = (call(verb, option).out for option in ("--help", "--help-all"))
    assert len(text.splitlines()) <= 54
    for parameter in COMMANDS[verb].declared:
        hidden = parameter.option.advanced or parameter.option.panel in ADVANCED_PANELS
        for name in parameter.names:
            assert (
                re.search(rf"^  (-., )?{re.escape(name)}\b", text, re.MULTILINE) is None
            ) == hidden
            assert name in everything


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_the_names_of_commands(shell: str) -> None:
    words = {
        "bash": {"COMP_WORDS": "leadline eva", "COMP_CWORD": "1"},
        "zsh": {"COMP_WORDS": "leadline eva", "COMP_CWORD": "1"},
        "fish": {"COMP_WORDS": "leadline eva", "COMP_CWORD": "eva"},
    }
    asked = {**os.environ, **words[shell], "_LEADLINE_COMPLETE": f"{shell}_complete"}
    done = subprocess.run(command(), env=asked, capture_output=True, text=True)
    assert "evaluate" in done.stdout
    assert "compare" not in done.stdout


def test_the_man_page_has_every_command_and_its_examples(tmp_path: Path) -> None:
    text = man_page()
    for verb in COMMANDS:
        assert f"\\fBleadline {for_troff(verb)}\\fR" in text
    if shutil.which("man"):
        (tmp_path / "leadline.1").write_text(text, encoding="utf-8")
        words = ["man", "--warnings", "-l", str(tmp_path / "leadline.1")]
        shown = subprocess.run(words, capture_output=True, text=True, check=True)
        assert "warning" not in shown.stderr


def test_what_is_generated_from_the_options_is_as_they_are() -> None:
    for path, text in generated().items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run python -m scripts.reference"


@pytest.mark.parametrize("verb", sorted(COMMANDS))
def test_the_page_of_a_verb_has_all_its_options(verb: str) -> None:
    page = next(text for path, text in generated().items() if path.name == f"{verb}.md")
    assert option_table(verb) in page
    for param in COMMANDS[verb].params:
        if param.param_type_name == "option" and param.opts != [HELP_ALL]:
            assert all(f"{name}" in page for name in param.opts), param.opts


def test_the_schema_has_types_choices_defaults_and_what_is_required() -> None:
    verbs = option_schema()["$defs"]
    assert set(verbs) == set(COMMANDS)
    gate = verbs["gate"]
    assert gate["required"] == ["inputs", "baseline", "new"]
    assert gate["properties"]["correction"]["enum"] == ["holm", "bonferroni", "bh", "none"]
    assert gate["properties"]["margin"]["default"] == 0.01
    assert gate["properties"]["labels"]["type"] == "array"
    assert verbs["evaluate"]["properties"]["top"]["minimum"] == 1
