"""Cells: computed once, the same for any number of workers, kept, and never mixed up."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leadline.experiments.runner import Cell, run_cells, seed_of


def draw(scale: float, random: np.random.Generator) -> list[float]:
    return [scale * number for number in random.random(3).tolist()]


def fail(random: np.random.Generator) -> None:
    raise ValueError("this cell cannot be computed")


CELLS = [Cell(f"cell {number}", draw, (float(number),)) for number in range(1, 5)]


def test_workers_do_not_change_results() -> None:
    assert run_cells(CELLS, workers=2) == run_cells(CELLS)


def test_a_cell_has_random_numbers_of_its_own() -> None:
    alone = run_cells(CELLS[2:3])
    assert run_cells(CELLS)["cell 3"] == alone["cell 3"]
    assert run_cells(CELLS, seed=1) != run_cells(CELLS)
    assert len({seed_of(cell.name) for cell in CELLS}) == len(CELLS)


def test_what_is_known_is_not_computed_again() -> None:
    kept: dict[str, Any] = {}
    told: list[tuple[int, int]] = []
    results = run_cells(
        CELLS,
        known={"cell 1": "from before", "gone": "not asked for"},
        keep=kept.__setitem__,
        progress=lambda done, total: told.append((done, total)),
    )
    assert results["cell 1"] == "from before"
    assert "gone" not in results
    assert sorted(kept) == ["cell 2", "cell 3", "cell 4"]
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_says_what_it_is(workers: int) -> None:
    with pytest.raises(ValueError, match="this cell cannot be computed"):
        run_cells([*CELLS, Cell("broken", fail)], workers=workers)


def test_names_are_unique_and_workers_at_least_one() -> None:
    with pytest.raises(ValueError, match="same name"):
        run_cells([CELLS[0], CELLS[0]])
    with pytest.raises(ValueError, match="at least 1"):
        run_cells(CELLS, workers=0)


def test_an_undefined_number_is_told_with_the_cell_that_gave_it() -> None:
    with pytest.raises(ValueError, match="cell 1: a number is undefined"):
        Cell("cell 1", draw, (float("nan"),)).run(0)


def sleep(random: np.random.Generator) -> None:
    time.sleep(300)


SLEEPERS = """
import sys
sys.path[:0] = sys.argv[1:]
from leadline.experiments.runner import Cell, run_cells
from tests.experiments.test_runner import sleep
if __name__ == "__main__":
    run_cells([Cell(f"cell {at}", sleep) for at in range(4)], workers=2)
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
    root = Path(__file__).parents[2]
    parent = subprocess.Popen(
        [sys.executable, str(program), str(root), str(root / "src")],
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
    # They have begun when they sleep; one that is still being started must end too.
    time.sleep(1 if number == signal.SIGKILL else 6)
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
