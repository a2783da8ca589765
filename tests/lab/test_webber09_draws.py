"""What a sample of pooled runs does to new ones equals a pool that is built anew."""

import numpy as np
import pytest

from leadline.io.datasets import COLLECTION
from leadline.lab.papers.runner import Setting
from leadline.lab.papers.webber09_plan import Draws, newcomers, sample, setup
from tests.lab.plain_demo import dicts
from tests.reference import adjuster_experiments as plain
from tests.reference import measures as plain_measures


def rbp(ranking: list[str], judged: dict[str, int]) -> float:
    return plain_measures.rbp(ranking, judged, 0.8, 10) / (1 - 0.8**10)


def test_draws_of_webber09_equal_rebuilt_pools() -> None:
    setting = Setting(str(COLLECTION))
    on = setup(setting.folder, None)
    names = on.runs.names
    runs, truth, _ = dicts()
    topics = list(on.runs.pairs.topics)
    group = next(each for each in newcomers(setting) if each.kind == "automatic")
    chosen = sample(group.pooled, 4, 3, len(names), np.random.default_rng(1))
    draws = Draws.of(on, chosen, group.new)
    scores = {False: draws.irrelevant, True: draws.condensed}
    assert (np.isnan(draws.irrelevant[:, 0, :]) == chosen[:, group.new].T).all()
    for draw in range(3):
        pooled = [names[run] for run in np.flatnonzero(chosen[draw])]
        for at in [at for at, run in enumerate(group.new) if not chosen[draw, run]][:4]:
            one = plain.Draw(pooled, names[group.new[at]])
            true = on.true[group.new[at]].mean()
            for condensed, found in scores.items():
                bias = plain.biases(runs, truth, 10, [one], topics, rbp, condensed)[0]
                assert found[at, :, draw].mean() - true == pytest.approx(bias, abs=1e-12)
            error = plain.systems_errors(runs, truth, 10, [one], topics, rbp)[1]
            mine = scores[False][at, :, draw].mean() + draws.amount[at, draw] - true
            assert abs(mine) == pytest.approx(abs(error), abs=1e-12)
