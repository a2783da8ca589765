"""Active sampling beside its plain twin, and what it spends."""

import numpy as np
import pytest

from leadline.data.arrays import Floats
from leadline.data.runs import Runs
from leadline.lab.benchmark.entrants.samples import ActiveSample, _Drawn, rank_prior
from leadline.lab.benchmark.question import Truth
from tests.lab.asked import everything, part, question


def plain_chance(runs: Runs, weight: Floats, topic: int) -> dict[int, float]:
    """p(d) of a topic, run after run and rank after rank."""
    prior, chance = rank_prior(runs), dict[int, float]()
    for run in range(len(runs.names)):
        low, high = runs.start[run, topic], runs.stop[run, topic]
        for at in range(low, high):
            share = float(weight[run, topic] * prior[at] / prior[low:high].sum())
            pair = int(runs.pair[at])
            chance[pair] = chance.get(pair, 0.0) + share
    return chance


def test_chances_of_two_rounds_are_the_twins() -> None:
    asked = question("scores", 50, "AP")
    state = _Drawn(asked.looked_at, 50, 0)
    missed = np.ones(len(state.member))
    weight = state.weight
    for _ in range(2):
        before = state.member.copy()
        assert state.draw(asked)
        for topic, quota in enumerate(state.quota.tolist()):
            left = quota - before[state.runs.pairs.topic == topic].sum()
            n = min(left, max(1, quota // 10))
            for pair, chance in plain_chance(state.runs, weight, topic).items():
                missed[pair] *= (1 - chance) ** n
        ap = np.random.default_rng(1).random(state.weight.shape)
        state.weigh(ap)
        weight = ap / ap.sum(axis=0)
        assert state.weight == pytest.approx(weight)
    assert state.pool().inclusion == pytest.approx(1 - missed)


def test_the_budget_is_spent_and_no_more() -> None:
    for measure in ("AP", "RBP(p=0.8)", "P@10"):
        asked = question("best", 50, measure)
        ActiveSample().answer(asked)
        assert 45 <= asked.judgments <= 50


def test_at_first_and_where_nothing_is_relevant_all_runs_are_alike() -> None:
    state = _Drawn(part().runs, 50, 0)
    n_runs = len(part().runs.names)
    assert state.weight == pytest.approx(1 / n_runs)
    state.weigh(np.zeros(state.weight.shape))
    assert state.weight == pytest.approx(1 / n_runs)


def test_scores_are_near_where_nearly_all_is_judged() -> None:
    asked = everything("P@10")
    told = ActiveSample().answer(asked)
    assert np.abs(told.value - Truth.of(asked).value).max() < 0.1
    with pytest.raises(ValueError, match="no sum of weights"):
        ActiveSample().answer(question("scores", 40, "nDCG@10"))
