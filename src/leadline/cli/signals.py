"""Signals that stop the program: it then ends with their code, whatever was running."""

import os
import signal
import sys
from types import FrameType

PATIENCE = 5.0
"""Seconds after which a stop is repeated: code that runs in a callback may swallow an exception."""

SOON = 0.01
"""Seconds after which a stop is repeated that came while a module was imported."""

MOST_REPEATS = 3


class _Stop:
    """The exit code that a signal demands, None before any, and how often it was repeated."""

    code: int | None = None
    repeats = 0


def exit_code() -> int | None:
    """Return 130 after an interrupt, 143 after SIGTERM, None where nothing stopped the program."""
    return _Stop.code


def install() -> None:
    """Stop at SIGINT, unless it is ignored as in background jobs, and at SIGTERM."""
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    signal.signal(signal.SIGTERM, _stop)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _repeat)


def _stop(number: int, frame: FrameType | None) -> None:
    # As an exception, so that a file half written is removed.
    if _Stop.code is None:
        _Stop.code = 128 + number
        # A callback of Python's may lose the exception and report it. The stop is then repeated.
        sys.unraisablehook = lambda lost: None
        _watch(PATIENCE)
    if _importing(frame):
        _watch(SOON)
    elif number == signal.SIGINT:
        raise KeyboardInterrupt
    else:
        raise SystemExit(_Stop.code)


def _importing(frame: FrameType | None) -> bool:
    """Return whether Python's import machinery runs, whose callbacks lose exceptions."""
    inside = frame is not None and frame.f_code.co_filename.startswith("<frozen importlib")
    return inside and hasattr(signal, "setitimer")


def _watch(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _repeat(number: int, frame: FrameType | None) -> None:
    if _importing(frame):
        _watch(SOON)
        return
    _Stop.repeats += 1
    if _Stop.repeats > MOST_REPEATS:
        os._exit(_Stop.code or 1)
    _watch(PATIENCE)
    raise SystemExit(_Stop.code)


def clean_up() -> None:
    """End the workers of a stopped program, and let go of what they shared."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    workers = sys.modules.get("leadline.io.workers")
    if workers is None:
        return
    workers.end_workers()
    # What Python calls at a regular end: without it the resource tracker warns of semaphores.
    from multiprocessing import util

    util._exit_function()  # type: ignore[attr-defined]
