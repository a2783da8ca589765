"""Parameters are described in the words of typer, without it."""

import inspect
import subprocess
import sys

import typer

from leadline.cli.options import Argument, Option, Settings


def test_what_is_said_of_a_parameter_is_kept_as_it_was_given() -> None:
    option = Option("-m", "--measure", help="Which.", min=1)
    assert (option.names, option.settings) == (("-m", "--measure"), {"help": "Which.", "min": 1})
    assert Argument(metavar="FILE").settings == {"metavar": "FILE"}


def test_every_setting_is_one_of_typer() -> None:
    known = inspect.signature(typer.Option).parameters
    assert set(Settings.__annotations__) <= set(known)


def test_describing_loads_no_parser() -> None:
    code = (
        "import sys; import leadline.cli.app as c; [c.command_of(v) for v in c.VERBS]; "
        "print({'typer', 'click', 'rich', 'polars', 'numpy'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
