"""The cells of hui17: all of them, and what they compare."""

import numpy as np
import pytest

from leadline.io.datasets import COLLECTION
from leadline.lab.papers.hui17_plan import (
    DEPTH,
    ESTABLISHED,
    PERCENTS,
    QUICK_SPLITS,
    READING,
    REPEATS,
    SPLITS,
    Hui17Parameters,
    cells,
    hui17_setup,
    kendall,
    means,
    names,
    partly,
    percents_of,
    split,
    spread,
)
from leadline.lab.papers.runner import Setting

FOLDER = str(COLLECTION)
PAPER = (DEPTH, 0.8, 2500.0)


def test_with_all_judgments_raw_lists_order_the_runs_as_the_complete_measure() -> None:
    found = partly(FOLDER, 100, 1, *PAPER, np.random.default_rng(0))
    for established, taus in found.items():
        n_runs = len(hui17_setup(FOLDER).lists.runs)
        assert taus["raw"][0] > 1 - 4 / n_runs, established


def test_halves_are_apart_and_a_is_all() -> None:
    found = split(FOLDER, *PAPER, np.random.default_rng(0))
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


def test_parameters_of_the_measures_are_chosen() -> None:
    choice = Hui17Parameters.of(Setting(FOLDER, k=5, theta=0.9, mu=100.0, p="10,5"))
    assert choice.percents == (5, 10)
    assert str(choice.reading[3]) == "DELTArb(theta=0.9, mu=100.0)@5"
    assert str(choice.established[0]) == "alpha_nDCG@5"
    assert Hui17Parameters.of(Setting(FOLDER)) == Hui17Parameters()
    made = cells(Setting(FOLDER, k=5, p="10,5"))
    assert [cell.name for cell in made][:2] == ["judged 10%", "judged 5%"]
    with pytest.raises(ValueError, match="percentages from 1 to 100, for instance 1,5,10, not 0"):
        percents_of("0")
    with pytest.raises(ValueError, match="mu must be above 0"):
        cells(Setting(FOLDER, mu=0.0))
    assert spread(np.array([1.0])) == 0.0


def test_zeros_are_counted_where_gains_are_cut_off() -> None:
    found = partly(FOLDER, 5, 2, *PAPER, np.random.default_rng(0))
    share = found["ERR_IA@20"]["ABSnb@20"][2]
    assert 0.5 < share <= 1
    assert found["ERR_IA@20"]["raw"][2] is None
    tied = partly(FOLDER, 5, 2, DEPTH, 0.8, 100.0, np.random.default_rng(0))
    assert tied["ERR_IA@20"]["ABSnb(mu=100.0)@20"][2] < share
