"""statAP's sample: chances by rank, estimates by what these chances are."""

import numpy as np
import pytest

from leadline.lab.benchmark.entrants.samples import PriorSample, by_prior, rank_prior
from leadline.lab.benchmark.question import Question, Truth
from tests.lab.asked import everything, part, question


def test_the_prior_by_hand() -> None:
    """Ranks 1 to N: 1 + 1/r + ... + 1/N; the last rank has 1 + 1/N."""
    runs = part().runs
    prior, rank = rank_prior(runs), runs.entries.rank
    deepest = int(rank.max())
    for r in (1, 2, deepest):
        expected = 1 + sum(1 / each for each in range(r, deepest + 1))
        assert prior[rank == r] == pytest.approx(expected)


def test_chances_rise_with_the_ranks_and_add_up_to_the_budget() -> None:
    runs = part().runs
    pool = by_prior(runs, 60, 0)
    assert pool.inclusion.sum() == pytest.approx(60)
    worth = np.bincount(runs.pair, rank_prior(runs), len(runs.pairs))
    assert worth[pool.inclusion.argmax()] == worth.max()


@pytest.mark.parametrize("measure", ["P@10", "RBP(p=0.8)"])
def test_a_sample_of_all_is_the_truth(measure: str) -> None:
    asked = everything(measure)
    assert np.allclose(PriorSample().answer(asked).value, Truth.of(asked).value)


def test_over_many_draws_there_is_no_bias() -> None:
    on = question("scores", 60)
    told = []
    for seed in range(200):
        asked = Question(on.measure, part().runs, part().answers, 60, seed)
        told.append(PriorSample().answer(asked).value)
    off = np.array(told) - Truth.of(on).value
    assert (np.abs(off.mean(axis=0)) < 4 * off.std(axis=0) / 200**0.5 + 0.002).all()


def test_what_is_no_sum_is_refused_but_ap() -> None:
    with pytest.raises(ValueError, match="no sum of weights"):
        PriorSample().answer(question("scores", 40, "nDCG@10"))
    asked = question("scores", 40, "AP")
    answer = PriorSample().answer(asked)
    assert abs(asked.judgments - 40) < 4 * 40**0.5
    assert answer.lower is not None
