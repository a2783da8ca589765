"""Cells: computed once, the same for any number of workers, kept, and never mixed up."""

from pathlib import Path

import numpy as np
import pytest

from leadline.simulate import Cell, KeptCells, run_cells, seed_of
from tests.io.test_workforce import Backwards


def draw(scale: float, random: np.random.Generator) -> list[float]:
    return [scale * number for number in random.random(3).tolist()]


def fail(random: np.random.Generator) -> None:
    raise ValueError("this cell cannot be computed")


CELLS = [Cell(f"cell {number}", draw, (float(number),)) for number in range(1, 5)]


def test_workers_do_not_change_results() -> None:
    assert run_cells(CELLS, workers=2) == run_cells(CELLS)


def test_results_come_in_the_order_of_the_cells_whoever_was_done_first() -> None:
    names = [cell.name for cell in CELLS]
    assert list(run_cells(CELLS, dask=Backwards())) == names


def test_a_cell_has_random_numbers_of_its_own() -> None:
    alone = run_cells(CELLS[2:3])
    assert run_cells(CELLS)["cell 3"] == alone["cell 3"]
    assert run_cells(CELLS, seed=1) != run_cells(CELLS)
    assert len({seed_of(cell.name) for cell in CELLS}) == len(CELLS)


def test_what_is_kept_is_not_computed_again(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with KeptCells(tmp_path) as kept:
        kept.keep("cell 3", "from before")
        kept.keep("gone", "not asked for")
        results = run_cells(
            CELLS, kept=kept, progress=lambda done, total: told.append((done, total))
        )
    assert list(results) == [cell.name for cell in CELLS]
    assert results["cell 3"] == "from before"
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with KeptCells(tmp_path) as again:
        assert again.cells == results | {"gone": "not asked for"}


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
