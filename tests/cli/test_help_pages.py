"""The pages of --help: a question for every command, examples that would run, 80 columns."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import typer

from leadline.cli.typer_app import HELP_PAGES, epilog, typer_app
from scripts.man_page import PAGE, man_page
from tests.cli.program import call, command

COMMANDS = typer.main.get_command(typer_app()).commands  # type: ignore[attr-defined]


def test_every_command_answers_a_question() -> None:
    missing = set(COMMANDS) - set(HELP_PAGES)
    assert not missing, f"give {missing} a question and two examples in cli/help_pages.py"
    for shown in (call(), call("--help")):
        text = shown.out + shown.err
        for verb in COMMANDS:
            assert HELP_PAGES[verb].question in text
            assert f" {verb} " in text


@pytest.mark.parametrize("verb", sorted(COMMANDS))
def test_examples_name_options_that_there_are_and_fit_a_terminal(verb: str) -> None:
    options = {name for param in COMMANDS[verb].params for name in param.opts}
    for example in HELP_PAGES[verb].examples:
        assert len(f"   leadline {example}") <= 80
        first, *words = shlex.split(example)
        assert first == verb
        assert {word for word in words if word.startswith("-")} <= options, example
    assert f"docs/how-to/{verb}.md" in epilog(verb)


@pytest.mark.parametrize("verb", sorted(COMMANDS))
def test_help_breaks_no_name_at_80_columns(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    text = call(verb, "--help").out
    assert max(map(len, text.splitlines())) <= 80
    for param in COMMANDS[verb].params:
        for name in param.opts:
            assert name in text or not name.startswith("-")
    assert not re.search(r"<[\w|-]+ (?!range>)", text), "a choice goes on in the next line"
    for example in HELP_PAGES[verb].examples:
        assert f"leadline {example}" in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_the_names_of_commands(shell: str) -> None:
    words = {
        "bash": {"COMP_WORDS": "leadline eva", "COMP_CWORD": "1"},
        "zsh": {"_TYPER_COMPLETE_ARGS": "leadline eva"},
        "fish": {"_TYPER_COMPLETE_ARGS": "leadline eva", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }
    asked = {**os.environ, **words[shell], "_LEADLINE_COMPLETE": f"complete_{shell}"}
    done = subprocess.run(command(), env=asked, capture_output=True, text=True)
    assert "evaluate" in done.stdout
    assert "compare" not in done.stdout


def test_the_man_page_has_every_command_and_its_examples(tmp_path: Path) -> None:
    text = man_page()
    for verb in COMMANDS:
        assert f"\\fBleadline {verb}\\fR" in text
    assert "Who is best?" in PAGE.read_text(encoding="utf-8"), "run python scripts/man_page.py"
    if shutil.which("man"):
        (tmp_path / "leadline.1").write_text(text, encoding="utf-8")
        words = ["man", "--warnings", "-l", str(tmp_path / "leadline.1")]
        shown = subprocess.run(words, capture_output=True, text=True, check=True)
        assert "warning" not in shown.stderr
