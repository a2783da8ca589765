"""The outlook: as the plain twin forecasts, and honest about where things stand."""

import numpy as np
import pytest
from hypothesis import given

from leadline.completions.winner import WinnerModel
from leadline.measures.precision import P
from leadline.stats.board import outlook, outlook_of
from tests.collections import Small, small_collections
from tests.judging.test_weighted_sample import collection
from tests.reference import outlook as plain
from tests.tries import tries

MEASURE = P(3)


@given(small=small_collections(n_docs=6, n_runs=4))
@tries(10)
def test_the_forecast_is_the_plain_twins(small: Small) -> None:
    runs, judgments = small.tables()
    model = WinnerModel(runs, MEASURE)
    judged = judgments.judged[model.weights.pair]
    gain = (judgments.grade[model.weights.pair] >= 1) * judged * 1.0
    if judged.all() or len(runs.names) < 2:
        return
    posterior = model.posterior(judgments)
    found = outlook(posterior, model.weights, judged, gain, certain=False)
    assert found.leader == int(np.argmax(posterior.best()))
    matrix = model.weights.matrix.toarray()[:, ~judged].tolist()
    expected = posterior.expected[~judged].tolist()
    for n, chance in zip(found.looks.tolist(), found.chance.tolist(), strict=True):
        twin = plain.chance_after(
            n,
            found.leader,
            posterior.mean.tolist(),
            posterior.covariance.tolist(),
            matrix,
            expected,
            0.01,
        )
        # Never less than what joint draws say of now.
        assert chance == pytest.approx(max(twin, found.probability), abs=1e-6)


def test_words_follow_what_is_known() -> None:
    runs, judgments = collection()
    model = WinnerModel(runs, MEASURE)
    half = np.arange(len(model.weights.pair)) % 2 == 0
    gain = (judgments.grade[model.weights.pair] >= 1) * half * 1.0
    known = np.zeros(len(runs.pairs), np.bool_)
    known[model.weights.pair[half]] = True
    posterior = model.posterior(judgments.only(known))
    sure = posterior.confidence(posterior.best(), 0.01)
    words = {
        level: outlook(posterior, model.weights, half, gain, certain=False, confidence=level)
        for level in (sure - 0.01, min(0.9999, sure + 0.01))
    }
    assert [each.certainty for each in words.values()] == ["likely", "open"]
    assert [each.to_likely == 0 for each in words.values()] == [True, False]
    assert all(each.to_certain >= each.to_likely for each in words.values())
    last = list(words.values())[-1]
    assert last.after(0) == pytest.approx(last.chance[0])
    assert last.after(10**9) == last.chance[-1] >= last.after(0)


def test_what_is_certain_has_nothing_to_go() -> None:
    runs, judgments = collection()
    everything = judgments.only(np.ones(len(runs.pairs), np.bool_))
    posterior = WinnerModel(runs, MEASURE).posterior(everything)
    found = outlook_of(posterior, everything, MEASURE, certain=True)
    assert (found.certainty, found.to_likely, found.to_certain) == ("certain", 0, 0)
