"""Large and strange inputs end in bounded time and memory, with a result or a clear refusal."""

import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.cli.outputs import collection
from tests.cli.program import environment
from tests.cli.strange import CASES, SMALL, WHOLE, Strange, measured

BASELINE = 250
"""Megabytes that the program itself may take, polars and scipy loaded."""


def check(case: Strange, folder: Path, part: int) -> None:
    arguments = case.make(folder, part)
    ended = measured(arguments, folder, case.seconds, case.open_files)
    assert ended.code == case.code, (ended.text[-500:], ended.seconds)
    assert case.says in ended.text
    assert "Traceback" not in ended.text
    assert ended.seconds < case.seconds
    assert ended.megabytes < (case.megabytes if part == WHOLE else min(case.megabytes, BASELINE))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_small_one_ends_as_it_should(case: Strange, tmp_path: Path) -> None:
    check(case, tmp_path, SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_whole_one_is_bounded(case: Strange, tmp_path: Path) -> None:
    check(case, tmp_path, WHOLE)


def fed(pipe: Path, content: bytes) -> None:
    """Write to a pipe as soon as somebody reads from it."""
    os.mkfifo(pipe)
    threading.Thread(target=lambda: pipe.write_bytes(content), daemon=True).start()


def test_pipes_are_read_as_files_are_also_for_documents(tmp_path: Path) -> None:
    given = collection(tmp_path / "in")
    texts = "".join(f'{{"doc": "d{at}", "text": "fog tide w{at % 3}"}}\n' for at in range(12))
    lines = [f"{topic} {at % 2 + 1} d{at} 1\n" for topic in range(1, 6) for at in range(6)]
    (tmp_path / "docs.jsonl").write_text(texts)
    (tmp_path / "q").write_text("".join(lines))
    words = ["evaluate", "q", "in/runs/a", "-m", "DELTAnb@5", "--docs"]
    plain = measured([*words, "docs.jsonl"], tmp_path, 60)
    assert plain.code == 0, plain.text
    fed(tmp_path / "docs", texts.encode())
    fed(tmp_path / "a", (given / "runs" / "a").read_bytes())
    piped = measured([*words[:2], "a", *words[3:], "docs"], tmp_path, 60)
    assert (piped.code, piped.text) == (0, plain.text)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 d1 1\n")
    run = tmp_path / "r"
    run.write_text("".join(f"1 Q0 d{at} 1 {-at} r\n" for at in range(400_000)))
    stop = threading.Event()

    def grow() -> None:
        with run.open("a") as file:
            for at in range(400_000, 10**9):
                file.write(f"1 Q0 d{at} 1 {-at} r\n")
                file.flush()
                if stop.wait(0.002):
                    return

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        ended = measured(["evaluate", "q", "r", "-m", "P@5"], tmp_path, 60)
    finally:
        stop.set()
        thread.join()
    assert ended.code == 2
    assert "changed while it was read" in ended.text


@pytest.mark.parametrize("verb", ["evaluate", "compare", "pool"])
def test_too_little_memory_is_refused_and_more_is_enough(verb: str, tmp_path: Path) -> None:
    given = collection(tmp_path / "in")
    for megabytes, code in ((250, 2), (1000, 2), (6000, 0)):
        size = megabytes << 20
        done = subprocess.run(
            [sys.executable, "-m", "leadline", verb, str(given)],
            capture_output=True,
            text=True,
            env=environment() | {"OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=lambda size=size: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
            timeout=120,
            check=False,
        )
        assert done.returncode == code, (megabytes, done.stderr)
        assert "Traceback" not in done.stderr
        assert code == 0 or "not enough memory: ulimit -v" in done.stderr
