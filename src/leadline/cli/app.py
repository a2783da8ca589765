"""The `leadline` program: its verbs, and what happens when something is wrong."""

import inspect
import io
import logging
import os
import signal
import sys
import traceback
from types import FrameType
from typing import NoReturn

from leadline import __version__
from leadline.cli.commands import VERBS, command_of
from leadline.cli.options import in_options
from leadline.cli.plain_call import plain_call

UNEXPECTED = 70
"""The exit code of what should not happen: EX_SOFTWARE of sysexits.h."""

LEAST_MEMORY = 1 << 30
"""Bytes of addresses (ulimit -v) below which polars and scipy may fail to load."""


def main() -> None:
    """Run the program: exit 0 done, 1 lint found errors or gate says worse, 2 input or usage wrong,
    3 gate is undecided, 70 our fault."""
    # Matrices here are small: threads of the linear algebra wait for each other more than they
    # work, most of all where several processes share the cores. Heeded because numpy loads later.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
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


def _end(message: str, code: int) -> NoReturn:
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
    _fill_streams()
    for stream in (sys.stdout, sys.stderr):
        # UTF-8 whatever LANG says; a name that is none must not stop a message.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    signal.signal(signal.SIGTERM, _terminated)
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
        code = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    os._exit(code if isinstance(code, int) else 0)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    # As an exception, so that a file half written is removed.
    sys.exit(128 + number)


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
