"""The command of a verb: its options from the declarations, and the checks before it runs."""

import glob
import inspect
import os
import re
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from leadline.cli.output import (
    STANDARD_OUTPUT,
    TABLE_OUTPUT,
    check_chart,
    progress,
    say,
    set_messages,
    written_as,
)
from leadline.cli.verbs import VERBS
from leadline.options import (
    ADVANCED_PANELS,
    OPTIONS_PANEL,
    OUTPUT_PANEL,
    Argument,
    Option,
    Parameter,
    declared,
    described,
    description,
    first_sentence,
    in_options,
)
from leadline.registry import LARGEST

QUIET = Option(panel=OUTPUT_PANEL, text="Print only errors on standard error.")
TRACEBACK = Option(
    panel=OUTPUT_PANEL, text="Print the traceback of an unexpected error.", advanced=True
)
VERBOSE = Option(panel=OUTPUT_PANEL, text="Print notices on details too.", advanced=True)
COMMON = [
    Parameter("quiet", bool, QUIET, False),
    Parameter("verbose", bool, VERBOSE, False),
    Parameter("traceback", bool, TRACEBACK, False),
]
"""Options of every verb."""

LONGEST_CHOICES = 20
"""Choices with more letters stand in the text of an option only."""

REPEATED = "Repeatable."
HELP_ALL = "--help-all"

Returned = TypeVar("Returned")


class Call(Generic[Returned]):
    """The function of a verb in Python, with the arguments that the command line gives it."""

    def __init__(self, function: Callable[..., Returned], given: dict[str, Any]) -> None:
        self.function = function
        self.given = given

    def __call__(self, doing: str = "", **more: Any) -> Returned:
        """Call the function while a progress bar says `doing`; `more` overrides what was given."""
        given = self.arguments() | more
        if "progress" not in inspect.signature(self.function).parameters:
            return self.function(**given)
        with progress(doing) as advance:
            if "dask" not in given:
                return self.function(**given, progress=advance)
            from leadline.io.parallel import hired

            with hired(given.pop("workers", 1), given.pop("dask")) as cluster:
                say(cluster.describe())
                return self.function(**given, dask=cluster, progress=advance)

    def value(self, name: str) -> Any:
        """Return the value of a parameter: what was given, or its default."""
        return self.given.get(name, inspect.signature(self.function).parameters[name].default)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments by the names of the function's parameters."""
        given = dict(self.given)
        if "inputs" in given:
            given["qrels"], given["runs"] = split_input(given.pop("inputs"))
        if "map_grades" in given:
            given["map_grades"] = grade_map(given["map_grades"])
        return given


def split_input(inputs: list[str]) -> tuple[str | None, list[str] | None]:
    """Qrels and runs, where the word none stands for no qrels; or a folder and None."""
    first, runs = inputs[0], inputs[1:] or None
    if runs is None and Path(first).exists() and not (Path(first) / "runs").is_dir():
        raise ValueError(
            f"{first}: is no collection folder, it holds no folder runs. "
            f"Give QRELS and RUNS, or where nothing is judged yet: none {first}"
        )
    if first != "none":
        return first, runs
    if runs is None:
        raise ValueError("none means that there are no qrels: name the runs after it")
    return None, runs


def grade_map(texts: list[str]) -> dict[int, int]:
    """The map that FROM=TO options make."""
    grades: dict[int, int] = {}
    for text in texts:
        match = re.fullmatch(r"([+-]?[0-9]{1,9})=([+-]?[0-9]{1,9})", text)
        if match is None:
            raise ValueError(f"--map-grade wants FROM=TO, for instance -1=0, not {text!r}")
        grades[int(match[1])] = int(match[2])
    return grades


class HelpFormatter(click.HelpFormatter):
    """Write headings without a colon."""

    def write_heading(self, heading: str) -> None:
        """Write a heading."""
        self.write(f"{heading}\n")


class Context(click.Context):
    """The context whose help this formatter writes."""

    formatter_class = HelpFormatter


class Command(click.Command):
    """A verb. Its modules are loaded when it is called or asked for help."""

    context_class = Context

    @cached_property
    def function(self) -> Callable[..., None]:
        """The function in `leadline.cli` that shows the result."""
        function: Callable[..., None] = self._of("leadline.cli")
        return function

    @cached_property
    def verb(self) -> Callable[..., Any] | None:
        """The function of the verb in Python, if the command calls one."""
        package = VERBS[self.name or ""].package
        return None if package is None else self._of(package)

    def _of(self, package: str) -> Callable[..., Any]:
        name = VERBS[self.name or ""].module or self.name
        function: Callable[..., Any] = getattr(import_module(f"{package}.{name}"), name or "")
        return function

    @cached_property
    def declared(self) -> list[Parameter]:
        """Arguments and options: those of the verb, of the command alone, and of all verbs."""
        verb = [] if self.verb is None else declared(self.verb)
        return [*verb, *self.own_options, *COMMON]

    @cached_property
    def own_options(self) -> list[Parameter]:
        """Options of the command alone, such as those about output."""
        return [parameter for parameter in declared(self.function) if parameter.name != "call"]

    def texts(self) -> dict[str, str]:
        """Return the text of parameter parameter, with the names of options."""
        verb = {} if self.verb is None else described(self.verb)
        texts = {parameter.name: parameter.option.text for parameter in self.declared}
        texts |= verb | described(self.function)
        return {name: in_options(text) for name, text in texts.items()}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters for the parser."""
        if not self.params:
            everything = click.Option(
                [HELP_ALL], is_flag=True, is_eager=True, expose_value=False, callback=_print_all
            )
            self.params = [*map(_for_click, self.declared), everything]
        return super().get_params(ctx)

    def summary(self) -> str:
        """What the verb does, in one line."""
        return description(self.function).partition("\n")[0]

    def get_short_help_str(self, limit: int = 45) -> str:
        """The line in the list of all verbs."""
        return self.summary()

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the verb does."""
        formatter.write_paragraph()
        formatter.write_text(description(self.function))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments, then options by panel: common ones, or with --help-all every one."""
        texts, everything = self.texts(), ctx.meta.get(HELP_ALL, False)
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], OPTIONS_PANEL: []}
        for parameter in self.declared:
            option, default = parameter.option, parameter.default_text
            if not everything and (option.advanced or option.panel in ADVANCED_PANELS):
                continue
            argument = isinstance(option, Argument)
            text = texts[parameter.name]
            notes = [text if argument else first_sentence(text)]
            notes += [REPEATED] if option.many and not argument else []
            notes += [f"[default: {default}]"] if default else []
            notes += ["[required]"] if parameter.required else []
            panel = "Arguments" if argument else option.panel
            panels.setdefault(panel, []).append((usage(parameter), " ".join(notes)))
        panels[OPTIONS_PANEL].append(("-h, --help", "Show the common options and exit."))
        panels[OPTIONS_PANEL].append((HELP_ALL, "Show all options and exit."))
        # Output comes last.
        panels[OUTPUT_PANEL] = panels.pop(OUTPUT_PANEL)
        for panel, rows in panels.items():
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write examples, and where the page of the verb is."""
        with formatter.section("Examples"):
            for example in VERBS[self.name or ""].examples:
                formatter.write(f"  leadline {example}\n")
        formatter.write(f"\nDocumentation: docs/how-to/{self.name}.md\n")

    def invoke(self, ctx: click.Context) -> Callable[[], None]:
        """Return what to do after parsing: click must not handle its errors."""
        given = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in ctx.params.items()
            if value not in (None, ())
        }
        return partial(self.run, given)

    def run(self, given: dict[str, Any]) -> None:
        """Check outputs and numbers, and call the function."""
        set_messages(given.pop("quiet", False), given.pop("verbose", False))
        # `main` looks for --traceback itself: it must know even if this is never reached.
        given.pop("traceback", None)
        options = {parameter.name: parameter.option for parameter in self.declared}
        outputs = {name: Path(given[name]) for name in given if options[name].output}
        for path in outputs.values():
            if str(path) not in STANDARD_OUTPUT:
                _refuse_inputs(path, {n: what for n, what in given.items() if n not in outputs})
        for name, value in given.items():
            if isinstance(value, int) and abs(value) > LARGEST:
                raise ValueError(f"`{name}`: {value} is too large a number")
        if "chart" in outputs:
            check_chart(outputs["chart"])
        if options.get("output") is TABLE_OUTPUT:
            written_as(given.get("form"), given.get("output"))
        names = {parameter.name for parameter in self.own_options}
        shown = {name: value for name, value in given.items() if name in names}
        if self.verb is None:
            self.function(**shown)
        else:
            passed = {name: value for name, value in given.items() if name not in names}
            self.function(Call(self.verb, passed), **shown)


def _print_all(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


def _for_click(parameter: Parameter) -> click.Parameter:
    option = parameter.option
    kind: Any = parameter.kind
    if isinstance(kind, tuple):
        kind = click.Choice(kind)
    elif option.least is not None:
        kind = (click.IntRange if kind is int else click.FloatRange)(min=option.least)
    elif kind is Path or option.path:
        kind = click.Path(
            file_okay=option.path != "folder",
            dir_okay=option.path != "file",
            path_type=Path if kind is Path else str,
        )
    elif kind is dict:
        kind = str
    if isinstance(option, Argument):
        metavar = f"{parameter.names[0]}..." if option.many else parameter.names[0]
        return click.Argument(
            [parameter.name],
            type=kind,
            nargs=-1 if option.many else 1,
            required=parameter.required,
            metavar=metavar if parameter.required else f"[{metavar}]",
        )
    # None for an option that is not given: the default is that of the function.
    default: dict[str, Any] = {} if parameter.required else {"default": None}
    return click.Option(
        [parameter.name, *parameter.names],
        type=None if parameter.kind is bool else kind,
        is_flag=parameter.kind is bool,
        multiple=option.many,
        required=parameter.required,
        metavar=option.metavar,
        **default,
    )


def usage(parameter: Parameter) -> str:
    """Return the names of a parameter and the placeholder for its value.

    >>> usage(Parameter("pool_depth", int))
    '--pool-depth INTEGER'
    """
    names = ", ".join(parameter.names)
    if isinstance(parameter.option, Argument) or parameter.kind is bool:
        return names
    if parameter.option.metavar is not None:
        return f"{names} {parameter.option.metavar}"
    if isinstance(parameter.kind, tuple):
        choices = "|".join(parameter.kind)
        return f"{names} [{choices}]" if len(choices) <= LONGEST_CHOICES else f"{names} CHOICE"
    return f"{names} {VALUES.get(parameter.kind, 'TEXT')}"


VALUES = {int: "INTEGER", float: "NUMBER", Path: "FILE"}
"""What stands for a value of that type."""

READ_BY_NAME = (
    *("runs/*", "qrels*", "qrels/*", "groups.tsv*", "topics*", "queries*"),
    *("docs*", "corpus*", "documents*", "judge.toml", "label-prompt.txt"),
)
"""What verbs read of a collection folder; results may lie beside it."""


def _refuse_inputs(output: Path, given: dict[str, Any]) -> None:
    """A ValueError if the file to write is one of those to read."""
    if not output.is_file():
        return
    # What is called so is a collection folder, also where it has no runs.
    files = [_read_by_name(Path(given.pop("collection")))] if "collection" in given else []
    for path in chain(_files(list(given.values())), *files):
        if path.is_file() and path.samefile(output):
            raise ValueError(f"{output}: is an input, and would be overwritten: name another file")


def _files(given: Any) -> Iterator[Path]:
    """The files that arguments may stand for: paths, patterns, folders, collection folders."""
    if isinstance(given, list | tuple):
        for each in given:
            yield from _files(each)
    elif isinstance(given, str | os.PathLike) and given:
        path = Path(given)
        if path.is_dir():
            yield from _read_by_name(path) if (path / "runs").is_dir() else path.iterdir()
        elif not path.exists() and glob.has_magic(os.fspath(given)):
            yield from map(Path, glob.iglob(os.fspath(given), recursive=True))  # noqa: PTH207
        else:
            yield path


def _read_by_name(folder: Path) -> Iterator[Path]:
    for name in READ_BY_NAME:
        yield from folder.glob(name)
