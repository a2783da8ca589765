"""The `leadline` program: its verbs, calls that need no parser, what is said of errors.

Loading a parser of command lines takes as long as evaluating a small run. What is not plain, a
question for help or a mistake for instance, is left to it.
"""

import glob
import inspect
import io
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin

from leadline import __version__
from leadline.cli import signals
from leadline.cli.options import READING, Argument, Option, Parameter, how_to_read, in_options
from leadline.cli.output import OUTPUT_PANEL, STANDARD_OUTPUT, check_chart, set_quiet, written_as
from leadline.registry import LARGEST

OUTPUTS = ("output", "qrels_out", "chart", "page", "markdown", "junit", "to_judge")
TracebackOption = Annotated[
    bool,
    Option(
        "--traceback",
        help="Show where an unexpected error came from.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
QuietOption = Annotated[
    bool,
    Option(
        "--quiet",
        help="Say nothing on standard error but errors.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]


def as_command(verb: Callable[..., None], table: bool = True) -> Callable[..., None]:
    """The verb with checks before it; `table` if it writes one, so that -o goes by suffix.

    A parameter `how` stands for the options of all that read a collection.
    """

    @wraps(verb)
    def command(*, traceback: bool, quiet: bool, **given: Any) -> None:
        set_quiet(quiet)
        # `main` looks for --traceback itself: it must know even if this is never reached.
        outputs = {name: given[name] for name in OUTPUTS if given.get(name) is not None}
        for path in outputs.values():
            if str(path) not in STANDARD_OUTPUT:
                _refuse_inputs(path, {n: what for n, what in given.items() if n not in OUTPUTS})
        for name, value in given.items():
            if isinstance(value, int) and abs(value) > LARGEST:
                raise ValueError(f"`{name}`: {value} is too large a number")
        if "chart" in outputs:
            check_chart(outputs["chart"])
        if table:
            written_as(given.get("form"), given.get("output"))
        if reads:
            given["how"] = how_to_read(given)
        verb(**given)

    signature = inspect.signature(verb, eval_str=True)
    reads = "how" in signature.parameters
    more = inspect.Parameter(
        "traceback", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=TracebackOption
    )
    ours: list[inspect.Parameter] = []
    for each in signature.parameters.values():
        if each.name == "how":
            ours += [
                more.replace(name=name, default=default, annotation=option)
                for name, (option, default) in READING.items()
            ]
        else:
            ours.append(each.replace(kind=more.kind))
    silent = more.replace(name="quiet", annotation=QuietOption)
    command.__signature__ = signature.replace(parameters=[*ours, silent, more])  # type: ignore[attr-defined]
    return command


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


TABLES = (
    *("evaluate", "compare", "adjust", "plan", "order", "pool", "label", "correlate", "estimate"),
    *("lint", "list", "explain"),
)
"""Verbs that write a table, so that -o goes by suffix."""

OTHERS = ("report", "gate", "judge", "audit", "reproduce", "league", "demo")
VERBS = (*TABLES, *OTHERS)
_ELSEWHERE = {"list": ("listing", "list_registered")}
"""Verbs whose name is one of Python's, with file and function."""


def command_of(verb: str) -> Callable[..., None]:
    """The command of a verb."""
    module, function = _ELSEWHERE.get(verb, (verb, verb))
    return as_command(
        getattr(import_module(f"leadline.cli.{module}"), function), table=verb in TABLES
    )


NUMBERS: dict[type, re.Pattern[str]] = {
    int: re.compile("[0-9]{1,15}"),
    float: re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?"),
}
REQUIRED = (inspect.Parameter.empty, ...)
"""Defaults of what must be given; typer takes the second where Python wants one."""


class _NotPlain(Exception):
    """Something that a parser must look at."""


def plain_call(signature: inspect.Signature, words: list[str]) -> dict[str, Any] | None:
    """What a command is called with, by parameter; None if that takes a parser."""
    try:
        return _values(signature, words)
    except _NotPlain:
        return None


def _values(signature: inspect.Signature, words: list[str]) -> dict[str, Any]:
    parameters = {name: _described(each) for name, each in signature.parameters.items()}
    values = {name: each.default for name, each in signature.parameters.items()}
    options = dict(_options(parameters))
    given: dict[str, Any] = {}
    places: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            places.append(word)
            continue
        long, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
        name = options.get(long)
        if name is None:
            raise _NotPlain
        kind, about = parameters[name]
        if kind is bool:
            if equals or name in given:
                raise _NotPlain
            given[name] = True
            continue
        _add(given, name, kind, about, text if equals else next(rest, ""))
    for name, (kind, about) in parameters.items():
        if isinstance(about, Argument):
            many = get_origin(kind) is list
            for text in places if many else places[:1]:
                _add(given, name, kind, about, text)
            places = [] if many else places[1:]
    values |= given
    if places or any(value in REQUIRED for value in values.values()):
        raise _NotPlain
    return values


def _options(parameters: dict[str, tuple[Any, Parameter]]) -> Iterator[tuple[str, str]]:
    """Every option's name on the command line, with the parameter that it stands for."""
    for name, (_, about) in parameters.items():
        if isinstance(about, Option):
            for each in about.names or ("--" + name.replace("_", "-"),):
                yield each, name


def _described(parameter: inspect.Parameter) -> tuple[Any, Parameter]:
    """The type that values have, None left aside, and what is said about the parameter."""
    kind, about, *_ = get_args(parameter.annotation)
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not type(None))
    return kind, about


def _add(given: dict[str, Any], name: str, kind: Any, about: Parameter, text: str) -> None:
    """One more value, which is the only one unless the parameter takes several."""
    if not text or (text.startswith("-") and text != "-") or about.settings.get("callback"):
        raise _NotPlain
    if get_origin(kind) is list:
        given.setdefault(name, []).append(_value(get_args(kind)[0], about, text))
    elif name in given:
        raise _NotPlain
    else:
        given[name] = _value(kind, about, text)


def _value(kind: Any, about: Parameter, text: str) -> Any:
    if kind is str:
        return text
    if get_origin(kind) is Literal and text in get_args(kind):
        return text
    if kind is Path and text != "-":
        return _path(about, Path(text))
    if kind in NUMBERS and NUMBERS[kind].fullmatch(text):
        value = kind(text)
        low, high = about.settings.get("min"), about.settings.get("max")
        if (low is None or low <= value) and (high is None or value <= high):
            return value
    raise _NotPlain


def _path(about: Parameter, path: Path) -> Path:
    """The path, if it is not there or is what it must be."""
    if path.exists():
        wrong = "dir_okay" if path.is_dir() else "file_okay"
        if about.settings.get(wrong) is False or not os.access(path, os.R_OK):
            raise _NotPlain
    return path


UNEXPECTED = 70
"""The exit code of what should not happen: EX_SOFTWARE of sysexits.h."""

LEAST_MEMORY = 1 << 30
"""Bytes of addresses (ulimit -v) below which polars and scipy may fail to load."""


def main() -> None:
    """Run the program: exit 0 done, 1 lint found errors or gate says worse, 2 input or usage wrong,
    3 gate is undecided, 70 our fault."""
    # Notices are printed by the verbs, once and after the result.
    logging.getLogger("leadline").addHandler(logging.NullHandler())
    try:
        _check_memory()
        _call(sys.argv[1:])
    except (SystemExit, GeneratorExit):
        raise
    except BrokenPipeError:
        # The reader, `head` for instance, has seen enough.
        sys.exit(0)
    except KeyboardInterrupt:
        _end("stopped", 130)
    except MemoryError:
        least = LEAST_MEMORY >> 20
        _end(f"there is not enough memory; ulimit -v must allow {least:,} MB at least", 2)
    except OSError as error:
        known = error.filename is not None and error.strerror is not None
        _end(f"{error.filename}: {error.strerror}" if known else str(error), 2)
    except ValueError as error:
        _end(in_options(str(error)), 2)
    except BaseException as error:
        _end(_unexpected(error), UNEXPECTED)


def _call(words: list[str]) -> None:
    """What the words ask for, with the help of a parser only where that takes one."""
    _refuse_empty(words)
    verbs: tuple[str, ...] = VERBS
    # Completion asks by a variable; on Windows the parser spreads patterns out.
    if words and words[0] in VERBS and os.name != "nt" and "_LEADLINE_COMPLETE" not in os.environ:
        command = command_of(words[0])
        given = plain_call(inspect.signature(command), words[1:])
        if given is not None:
            command(**given)
            return
        verbs = (words[0],)
    from leadline.cli.typer_app import typer_app

    typer_app(verbs)()


def _refuse_empty(words: list[str]) -> None:
    """Raise a ValueError for an empty argument: as a path it would be the current folder."""
    for word, before in zip(words, ["leadline", *words], strict=False):
        option, equals, value = word.partition("=")
        if not word or (option.startswith("--") and equals and not value):
            where = f"after {before}" if not word else f"of {option}"
            raise ValueError(
                f"the argument {where} is empty. If it comes from a shell variable, set that "
                "variable"
            )


def _end(message: str, code: int) -> NoReturn:
    stopped = signals.exit_code()
    if stopped is not None:
        message, code = "stopped", stopped
    if "--traceback" in sys.argv and sys.exc_info()[0] is not None:
        traceback.print_exc()
    sys.stderr.write(f"leadline: {message}\n")
    sys.exit(code)


def _check_memory() -> None:
    """A MemoryError where libraries that get no memory would abort, or wait for ever."""
    try:
        import resource
    except ImportError:  # Windows has no such limits.
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST_MEMORY:
        raise MemoryError


def _unexpected(error: BaseException) -> str:
    """What to say where we are wrong, not the input."""
    first = (str(error).splitlines() or [""])[0]
    what = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return (
        f"an error of Leadline's own, not of your input: {what}\n"
        "Nothing was written. The same command with --traceback shows where it came from; please\n"
        f"report that, with the command and version {__version__}, to the project's issues."
    )


def program() -> None:
    """`main`, and then an end at once: handing back a gigabyte piece by piece takes time."""
    signals.install()
    _fill_streams()
    for stream in (sys.stdout, sys.stderr):
        # UTF-8 whatever LANG says; a name that is none must not stop a message.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        code = signals.exit_code()
    if signals.exit_code() is not None:
        # Whatever became of the exception on its way here: it may have been lost in an import.
        code = signals.exit_code()
        # Repeated signals must not change the exit code.
        with suppress(BaseException):
            signals.clean_up()
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
        code = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    os._exit(signals.exit_code() or (code if isinstance(code, int) else 0))


def _fill_streams() -> None:
    """Standard streams that the caller closed, so that no file that we open takes their place."""
    for handle, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            # Standard output is opened for reading: whoever writes results to it is told.
            flags = os.O_WRONLY if name == "stderr" else os.O_RDONLY
            null = os.open(os.devnull, flags)
            if null != handle:
                os.dup2(null, handle)
                os.close(null)
            setattr(sys, name, open(handle, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
