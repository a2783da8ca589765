"""A verb as a command: outputs are looked at before anything slow is done."""

import glob
import inspect
import os
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from leadline.cli.options import READING, how_to_read
from leadline.cli.output import OUTPUT_PANEL, STANDARD_OUTPUT, check_chart, set_quiet, written_as
from leadline.cli.parameters import Option
from leadline.naming.spec import LARGEST

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
