"""Worker processes: one that is lost costs its piece, none is left, errors keep their words."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leadline.io.problems import InputError
from leadline.io.workers import Processes


def times(shared: int, piece: int) -> int:
    return shared * piece


def refuse(shared: int, piece: int) -> int:
    raise InputError.of("runs/a", "fields", f"piece {piece}", 7)


def die_once(mark: str, piece: int) -> int:
    """The first process that takes this piece is killed, as by a machine without memory."""
    if piece == 1 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return piece


def die(shared: None, piece: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return piece


def test_results_are_those_of_one_process() -> None:
    assert list(Processes(2).in_order(times, 3, [1, 2, 5])) == [3, 6, 15]


def test_an_error_keeps_its_problems_on_the_way() -> None:
    with pytest.raises(InputError, match="runs/a:7: piece 0") as caught:
        list(Processes(2).in_order(refuse, 0, [0, 1]))
    assert caught.value.problems[0].code == "fields"


def test_a_worker_that_is_killed_costs_its_piece_once(tmp_path: Path) -> None:
    assert list(Processes(2).in_order(die_once, str(tmp_path / "died"), [0, 1, 2])) == [0, 1, 2]


def test_workers_that_always_die_end_the_work() -> None:
    with pytest.raises(ValueError, match="too little memory for 2 of them"):
        list(Processes(2).in_order(die, None, [0, 1]))


def sleep(folder: str, piece: int) -> None:
    (Path(folder) / str(piece)).touch()
    time.sleep(300)


SLEEPERS = """
import signal, sys
# A shell that starts the tests in the background has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
folder, *sys.path[:0] = sys.argv[1:]
from leadline.io.workers import Processes
from tests.io.test_processes import sleep
if __name__ == "__main__":
    list(Processes(2).results(sleep, folder, range(4)))
"""


def children(parent: int) -> list[int]:
    """The processes that this one started, without those that only wait to be forgotten."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_their_parent(number: int, tmp_path: Path) -> None:
    program = tmp_path / "sleepers.py"
    program.write_text(SLEEPERS)
    begun = tmp_path / "begun"
    begun.mkdir()
    root = Path(__file__).parents[2]
    parent = subprocess.Popen(
        [sys.executable, str(program), str(begun), str(root), str(root / "src")],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    workers: list[int] = []
    until = time.monotonic() + 60
    while len(workers) < 3 and time.monotonic() < until:
        # Two workers, and the tracker of resources that Python starts with them.
        workers = children(parent.pid)
        time.sleep(0.1)
    assert len(workers) >= 2
    # One that is still being started must end too.
    while number != signal.SIGKILL and len(list(begun.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.1)
    parent.send_signal(number)
    until = time.monotonic() + 20
    while any(map(lives, workers)) and time.monotonic() < until:
        time.sleep(0.1)
    left = [worker for worker in workers if lives(worker)]
    for worker in left:
        os.kill(worker, signal.SIGKILL)
    parent.kill()
    parent.wait()
    assert not left
