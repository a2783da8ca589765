"""The cells of hui17: all of them, and what they compare."""

import numpy as np
import pytest

from leadline.io.datasets import COLLECTION
from leadline.lab.papers.hui17_plan import (
    ESTABLISHED,
    PERCENTS,
    QUICK_SPLITS,
    READING,
    REPEATS,
    SPLITS,
    cells,
    hui17_setup,
    kendall,
    means,
    names,
    partly,
    split,
)
from leadline.lab.papers.runner import Setting

FOLDER = str(COLLECTION)


def test_with_all_judgments_raw_lists_order_the_runs_as_the_complete_measure() -> None:
    found = partly(FOLDER, 100, 1, np.random.default_rng(0))
    for established, taus in found.items():
        n_runs = len(hui17_setup(FOLDER).lists.runs)
        assert taus["raw"] > 1 - 4 / n_runs, established


def test_halves_are_apart_and_a_is_all() -> None:
    found = split(FOLDER, np.random.default_rng(0))
    assert len(found) == 9 * 3 * 4
    on = hui17_setup(FOLDER)
    complete = means(ESTABLISHED, on.lists)
    for each in READING:
        tau = kendall(each.score(on.lists).mean(), complete[0])
        assert found[f"A A alpha_nDCG@20 {each}"] == pytest.approx(float(tau))


@pytest.mark.parametrize(("quick", "n_splits"), [(True, QUICK_SPLITS), (False, SPLITS)])
def test_quick_cuts_repeats_and_no_percentage(quick: bool, n_splits: int) -> None:
    made = cells(Setting(FOLDER, quick))
    found = [cell.name for cell in made]
    assert [name for name in found if "judged" in name] == [
        f"judged {percent}%" for percent in reversed(PERCENTS)
    ]
    assert sum(name.startswith("split") for name in found) == n_splits
    assert found[-1] == "everything"
    assert (made[0].arguments[2] == REPEATS) != quick
    assert names() == [str(each) for each in ESTABLISHED]
