"""The command that is loaded once ends, writes and is stopped as the program is."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline.io.datasets import COLLECTION
from tests.cli.program import environment, start
from tests.cli.served import Served


@pytest.fixture(scope="module")
def path() -> Iterator[str]:
    with Served() as served:
        yield served.path


def typed(words: list[str], path: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["leadline", *words],
        env=environment() | {"PATH": path},
        executable=str(Path(path.split(os.pathsep)[0]) / "leadline"),
        cwd=folder,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
    )


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", str(COLLECTION), "-m", "P@5"],
        ["evaluate", "here.txt"],
        ["lint", "bad.run"],
        ["nonsense"],
    ],
)
def test_it_says_and_ends_what_the_program_does(
    words: list[str], path: str, tmp_path: Path
) -> None:
    (tmp_path / "bad.run").write_text("1 Q0 d\n")
    real, done = start(*words, cwd=tmp_path), typed(words, path, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (real.code, real.out, real.err)


def test_a_signal_reaches_it(path: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.run"
    os.mkfifo(pipe)
    script = Path(path.split(os.pathsep)[0]) / "leadline"
    process = subprocess.Popen([script, "lint", pipe], stderr=subprocess.PIPE, env=environment())
    # Opened when the program reads it: then it waits there.
    with pipe.open("w"):
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
    process.communicate()
