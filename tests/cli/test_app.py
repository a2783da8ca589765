"""Whatever happens, the program ends with a promised code and a message of a few lines."""

import os
import signal
import subprocess
import sys
import time
from functools import wraps
from pathlib import Path

import pytest

from leadline.api import evaluate
from leadline.cli import app
from leadline.io.datasets import COLLECTION
from tests.cli.program import call, command, environment, shell


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "x.run"
    qrels.write_text("1 0 a 1\n")
    run.write_text("1 Q0 a 1 5 x\n")
    return qrels, run


class Panic(BaseException):
    """As polars raises them."""


@pytest.mark.parametrize("error", [KeyError("39"), RuntimeError("two\nlines"), Panic("boom")])
def test_what_should_not_happen_is_told_shortly_with_a_way_to_report_it(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    @wraps(evaluate.evaluate)
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(evaluate, "evaluate", fail)
    result = call("evaluate", *files)
    assert (result.code, result.out) == (app.UNEXPECTED, "")
    assert type(error).__name__ in result.err
    assert "report" in result.err
    assert "Traceback" not in result.err
    assert len(result.err.splitlines()) <= 4
    told = call("evaluate", *files, "--traceback")
    assert told.code == app.UNEXPECTED
    assert "Traceback" in told.err
    assert "test_app.py" in told.err


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (MemoryError(), 2, "not enough memory"),
        (ValueError("give `pool_depth`"), 2, "give --pool-depth"),
        (OSError(28, "No space left on device", "out.csv"), 2, "out.csv: No space left on device"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_what_may_happen_has_its_own_code(
    files: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    message: str,
) -> None:
    @wraps(evaluate.evaluate)
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(evaluate, "evaluate", fail)
    result = call("evaluate", *files)
    assert result.code == code
    assert message in result.err
    assert "Traceback" not in result.err


def test_an_interrupt_while_modules_are_loaded_is_an_interrupt(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app.Command, "get_params", interrupt)
    result = call("evaluate", *files)
    assert (result.code, result.out) == (130, "")
    assert "Traceback" not in result.err


def test_closed_standard_streams_are_no_accident(files: tuple[Path, Path]) -> None:
    program = " ".join(command())

    def run(redirect: str) -> tuple[int, str, str]:
        line = f'{program} evaluate "$1" "$2" -m P@1 -o "$3" {redirect}'
        out = files[0].with_name("out.csv")
        out.unlink(missing_ok=True)
        done = subprocess.run(
            [shell(), "-c", line, "sh", *map(str, files), str(out)],
            capture_output=True,
            text=True,
            env=environment(),
            timeout=60,
            check=False,
        )
        return done.returncode, out.read_text() if out.exists() else "", done.stderr

    whole = run("")[1]
    assert whole.startswith("run,topic")
    for redirect in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        code, written, err = run(redirect)
        assert (code, written) == (0, whole), redirect
        assert "Traceback" not in err
    line = f'{program} evaluate "$1" "$2" -m P@1 >&-'
    done = subprocess.run(
        [shell(), "-c", line, "sh", *map(str, files)],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_with_the_usual_code_and_no_half_file(
    files: tuple[Path, Path], number: int, code: int
) -> None:
    out = files[0].with_name("out.csv")
    out.write_text("old\n")
    pipe = files[0].with_name("slow.run")
    os.mkfifo(pipe)
    # It waits for a run that never comes.
    process = subprocess.Popen(
        [*command(), "evaluate", str(files[0]), str(pipe), "-o", str(out)],
        stderr=subprocess.PIPE,
        env=environment(),
        # A shell's background jobs ignore interrupts, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(2)
    process.send_signal(number)
    writer = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    _, err = process.communicate(timeout=30)
    os.close(writer)
    assert process.returncode == code
    assert b"Traceback" not in err
    assert out.read_text() == "old\n"
    assert sorted(path.name for path in out.parent.iterdir()) == [
        "out.csv",
        "qrels.txt",
        "slow.run",
        "x.run",
    ]


def test_a_full_disk_behind_standard_output_is_told_by_name(files: tuple[Path, ...]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [*command(), "evaluate", *map(str, files)],
            stdout=full, stderr=subprocess.PIPE, env=environment(), check=False,
        )  # fmt: skip
    assert result.returncode == 2
    assert result.stderr == b"leadline: standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (("evaluate", COLLECTION / "qrels.txt.gz", ""), "after"),
        (("adjust", COLLECTION, "--new", "", "-m", "P@10"), "after --new"),
        (("gate", COLLECTION, "--baseline=", "--new", "x"), "of --baseline"),
        (("evaluate", COLLECTION, "--docs", ""), "after --docs"),
    ],
)
def test_an_empty_argument_is_refused(words: tuple[object, ...], where: str) -> None:
    result = call(*words)
    assert (result.code, result.out) == (2, "")
    assert f"the argument {where}" in result.err
    assert "is empty. If it comes from a shell variable, set that variable" in result.err


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "-m", "P@10"),
        ("pool", "-s", "UniformSample(d=20, rate=0.3)"),
        ("plan", "--budget", "20"),
        ("report", "-o", "x.html"),
    ],
)
def test_a_negative_seed_is_refused_by_name(words: tuple[str, ...]) -> None:
    result = call(words[0], COLLECTION, *words[1:], "--seed", "-1")
    assert (result.code, result.out) == (2, "")
    assert "--seed" in result.err


def test_a_message_names_the_option_as_it_is_typed() -> None:
    result = call("benchmark", COLLECTION, "--budget", "0")
    assert result.code == 2
    assert "--budget must be at least 1, not 0" in result.err


def test_python_and_the_program_have_the_same_threads_of_linear_algebra() -> None:
    script = "import leadline, os; print(os.environ['OPENBLAS_NUM_THREADS'])"
    clean = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=clean, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"
