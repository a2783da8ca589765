"""The `leadline` program: its verbs, help, completion, and what is said of errors."""

import io
import logging
import os
import sys
import traceback
from contextlib import suppress
from typing import NoReturn

import click

from leadline import __version__
from leadline.cli import signals
from leadline.cli.command import Command, Context
from leadline.cli.verbs import VERBS
from leadline.options import in_options

HELP = "Evaluate search when most documents are unjudged."
HELP_NAMES = {"help_option_names": ["-h", "--help"]}
SHELLS = ("bash", "zsh", "fish")


class VerbGroup(click.Group):
    """The verbs, by the panels of --help."""

    context_class = Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs."""
        return list(VERBS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs with what they do, by panel."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for name, verb in VERBS.items():
            text = self.commands[name].get_short_help_str()
            rows.setdefault(verb.panel, []).append((name, text))
        for panel, verbs in rows.items():
            with formatter.section(panel):
                formatter.write_dl(verbs, col_max=20)


def verb_group() -> VerbGroup:
    """Return the parser of the whole command line."""
    commands: dict[str, click.Command] = {
        name: Command(name, context_settings=HELP_NAMES) for name in VERBS
    }
    options = [
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False,
            callback=_print_version, help="Print the version.",
        ),
        click.Option(
            ["--show-completion"], type=click.Choice(SHELLS), is_eager=True, expose_value=False,
            callback=_show_completion, help="Print a completion script for a shell.",
        ),
    ]  # fmt: skip
    return VerbGroup("leadline", commands, params=options, help=HELP, context_settings=HELP_NAMES)


def _print_version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"leadline {__version__}\n")
        ctx.exit()


def _show_completion(ctx: click.Context, option: click.Parameter, shell: str | None) -> None:
    if shell is not None:
        from click.shell_completion import get_completion_class

        kind = get_completion_class(shell)
        assert kind is not None
        completion = kind(ctx.command, {}, "leadline", "_LEADLINE_COMPLETE")
        sys.stdout.write(f"{completion.source()}\n")
        ctx.exit()


UNEXPECTED = 70
"""The exit code of what should not happen: EX_SOFTWARE of sysexits.h."""

LEAST_MEMORY = 1 << 30
"""Bytes of addresses (ulimit -v) below which polars and scipy may fail to load."""


def main() -> None:
    """Run the program.

    Exit codes: 0 done, 1 lint found errors or gate says worse, 2 invalid input or usage, 3 gate is
    undecided, 70 a defect of Leadline.
    """
    # The verbs print notices once, after the result.
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
        _end(f"not enough memory: ulimit -v must allow at least {least:,} MB", 2)
    except OSError as error:
        known = error.filename is not None and error.strerror is not None
        _end(f"{error.filename}: {error.strerror}" if known else str(error), 2)
    except ValueError as error:
        _end(in_options(str(error)), 2)
    except BaseException as error:
        _end(_unexpected(error), UNEXPECTED)


def _call(words: list[str]) -> None:
    """Parse the arguments, and run the verb outside of the parser, which has its own exit codes."""
    _refuse_empty(words)
    try:
        asked = verb_group().main(words, prog_name="leadline", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as asked_nothing:
        sys.stdout.write(f"{asked_nothing.format_message()}\n")
        sys.exit(asked_nothing.exit_code)
    except click.Abort:
        # Click's word for an interrupt while modules were loaded.
        raise KeyboardInterrupt from None
    except click.ClickException as mistake:
        mistake.show()
        sys.exit(mistake.exit_code)
    if callable(asked):
        asked()
    elif asked:
        sys.exit(asked)


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
    """Return the message for a defect of Leadline."""
    first = (str(error).splitlines() or [""])[0]
    what = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return (
        f"internal error: {what}\n"
        "This is a defect of Leadline, not of your input; nothing was written. Please report the\n"
        f"command, its output with --traceback, and the version, {__version__}."
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
        try:
            main()
        except SystemExit as end:
            code = end.code
        except KeyboardInterrupt:
            code = signals.exit_code()
    except (KeyboardInterrupt, SystemExit):
        # A second signal, or one that came between the lines above.
        code = signals.exit_code()
    while True:
        try:
            _finish(code)
        except (KeyboardInterrupt, SystemExit):
            continue


def _finish(code: object) -> NoReturn:
    """End the process with a code, or with that of a signal whose exception was lost."""
    if signals.exit_code() is not None:
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
