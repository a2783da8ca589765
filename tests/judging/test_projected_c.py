"""ProjectedC by hand: weights, the floor for contenders, and what it gains over MoffatC."""

import numpy as np
import pytest

import leadline
from leadline.io.datasets import COLLECTION
from leadline.judging.by_weight import CONTENDER, PRIOR, MoffatC, ProjectedC
from leadline.lab.papers.moffat07_plan import handled, pass_setup


def test_a_run_counts_by_its_projected_score() -> None:
    """Of the first run half is judged and good, of the second all but a tenth, and it is bad."""
    base, residual = np.array([0.4, 0.05]), np.array([0.5, 0.1])
    share = (base + PRIOR / 2) / (1 - residual + PRIOR)
    score = base + residual * share
    # The second run ends at .15, below .4: it can no longer be best.
    expected = residual * score**6
    assert ProjectedC(p=0.8).factor(base, residual) == pytest.approx(expected)


def test_a_contender_counts_as_a_share_of_the_leader_at_least() -> None:
    base, residual = np.array([0.6, 0.01]), np.array([0.2, 0.9])
    factor = ProjectedC(p=0.8, power=2).factor(base, residual)
    assert factor[1] == pytest.approx(0.9 * (CONTENDER * 0.6) ** 2)
    # A little less is open, and it is none.
    behind = ProjectedC(p=0.8, power=2).factor(base, np.array([0.2, 0.58]))
    assert behind[1] < 0.58 * 0.1**2


def test_before_anything_is_judged_all_runs_count_alike() -> None:
    factor = ProjectedC(p=0.8).factor(np.zeros(3), np.ones(3))
    assert factor == pytest.approx(0.5**6)


def test_it_finds_more_relevant_documents_than_method_c_on_the_demo() -> None:
    on = pass_setup(str(COLLECTION), "float32")
    found = [
        int((on.judgments.grade[handled(order, on, 400, "nonrelevant")] >= 1).sum())
        for order in (MoffatC(p=0.8), ProjectedC(p=0.8))
    ]
    assert found[1] > found[0]


def test_a_power_below_0_is_refused() -> None:
    with pytest.raises(ValueError, match="power must not be negative, not -1"):
        ProjectedC(p=0.8, power=-1.0)
    steps = leadline.next(None, COLLECTION / "runs", "ProjectedC(p=0.8, batch=5)", budget=7)
    assert len(steps) == 7
