"""The program as a user meets it: arguments in; exit code, standard output and error out."""

import contextlib
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import click

from leadline.cli.app import main, verb_group
from leadline.cli.command import Command


@dataclass(frozen=True)
class Result:
    """What is left when the program has ended."""

    code: int
    out: str
    err: str

    def rows(self) -> list[dict[str, str]]:
        """Standard output read as csv."""
        return list(csv.DictReader(io.StringIO(self.out)))

    def json(self) -> Any:
        return json.loads(self.out)

    def table(self) -> dict[tuple[str, str, str], dict[str, str]]:
        """The rows of `evaluate` by run, topic and measure."""
        return {(row["run"], row["topic"], row["measure"]): row for row in self.rows()}


def call(*arguments: object, stdin: bytes = b"") -> Result:
    """The program in this process: no second to wait for each start, the same code otherwise.

    Warnings are errors under pytest, so here even a stray warning of numpy ends in a traceback.
    """
    out, err = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", newline="") for _ in range(2)
    )
    source = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    code: object = 0
    with (
        mock.patch.object(sys, "argv", ["leadline", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", source),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as done:
            code = done.code or 0
        except BaseException:
            # What Python itself does with an exception that nobody caught.
            traceback.print_exc(file=err)
            code = 1
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    assert isinstance(code, int)
    return Result(code, *texts)


def verb_commands() -> dict[str, Command]:
    """The commands by verb, each with its parameters."""
    commands = {}
    for verb, command in verb_group().commands.items():
        assert isinstance(command, Command)
        command.get_params(click.Context(command))
        commands[verb] = command
    return commands


def good(result: Result) -> Result:
    """The result of what must end well."""
    assert result.code == 0, result.err
    assert "Traceback" not in result.err
    return result


def command() -> list[str]:
    """The installed program beside this Python, or the package where it is not installed."""
    script = Path(sys.executable).with_name("leadline")
    return [str(script)] if script.exists() else [sys.executable, "-m", "leadline"]


def environment() -> dict[str, str]:
    """Nothing that asks for colour or for another width."""
    asking = ("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "COLUMNS", "PYTHONWARNINGS")
    return {key: value for key, value in os.environ.items() if key not in asking}


def start(*arguments: object, stdin: bytes = b"", cwd: Path | None = None) -> Result:
    """The real program in a process of its own."""
    done = subprocess.run(
        [*command(), *map(str, arguments)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=environment(),
        timeout=60,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def shell() -> str:
    """A shell, for what only a pipe shows."""
    return shutil.which("bash") or "/bin/sh"
