"""However and whenever it is stopped: exit 130 or 143, no process left, nothing but one line."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.stop_trials import NO_STOP, commands, stopped, trials
from tests.cli.program import environment

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here")

SIGNALS = [signal.SIGINT, signal.SIGTERM]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("verb", ["evaluate", "gate", "benchmark"])
def test_a_stop_at_a_random_moment(verb: str, number: int, tmp_path: Path) -> None:
    seen = trials(commands(tmp_path)[verb], number, 3, seed=int(number))
    assert set(seen) <= {"right", *NO_STOP}


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("verb", ["evaluate", "gate", "benchmark"])
def test_a_hundred_stops_at_random_moments(verb: str, number: int, tmp_path: Path) -> None:
    seen = trials(commands(tmp_path)[verb], number, 100, seed=int(number))
    assert set(seen) <= {"right", *NO_STOP}


SWALLOWED = """
import os, signal, sys, time
from leadline.cli import app, signals
signals.PATIENCE = 0.2
class Swallows:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        time.sleep(0.1)
def main():
    Swallows()
    time.sleep(60)
app.main = main
app.program()
"""

TURNED = """
import os, signal, sys
from leadline.cli import app
def call(words):
    try:
        os.kill(os.getpid(), int(sys.argv[1]))
        for _ in range(1000): pass
    except BaseException:
        # As numpy does while it loads, or a parser of command lines.
        raise {error}
app._call = call
app.program()
"""


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    "program",
    [SWALLOWED]
    + [TURNED.format(error=error) for error in ("ImportError('numpy')", "SystemExit(1)")],
)
def test_a_stop_that_other_code_swallows_or_turns_keeps_its_code(program: str, number: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program, str(int(number))],
        capture_output=True,
        text=True,
        env=environment() | {"OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        timeout=60,
        check=False,
    )
    assert done.returncode == 128 + number, done.stderr
    assert "Leadline's own" not in done.stderr


def test_an_undisturbed_run_leaves_no_process(tmp_path: Path) -> None:
    ended = stopped(commands(tmp_path)["evaluate"], None, 0.0)
    assert (ended.code, ended.left) == (0, False)
    assert "resource_tracker" not in ended.err


LOST = """
import os, signal, time, weakref
from leadline.cli import signals
signals.PATIENCE = 0.1
signals.install()
class Thing: pass
thing = Thing()
watched = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGTERM))
del thing
time.sleep(20)
"""


def test_a_stop_that_a_callback_loses_is_repeated_and_not_reported() -> None:
    done = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, timeout=30)
    assert done.returncode == 143
    assert done.stderr == ""
