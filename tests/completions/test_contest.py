"""Joint intervals kept judgment by judgment equal those of all pairs, made anew each time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.bounds import joint_intervals
from leadline.completions.contest import Contest, Rivals, RunScores, leader_of
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.measures.rbp import RBP
from tests.collections import Small, small_collections

MEASURE = RBP(p=0.7)


def all_uppers(runs: Runs, told: dict[int, int]) -> np.ndarray:
    judged, grade = np.zeros(len(runs.pairs), np.bool_), np.zeros(len(runs.pairs), np.int16)
    judged[list(told)], grade[list(told)] = True, list(told.values())
    judgments = Judgments(runs.pairs, judged, grade)
    scores = MEASURE.score(Lists.of(runs, judgments))
    return joint_intervals(runs, judgments, MEASURE, scores).upper


@given(small=small_collections(n_docs=5, n_runs=4), data=st.data())
def test_judging_and_taking_back_keeps_every_upper_end_current(
    small: Small, data: st.DataObject
) -> None:
    runs, _ = small.tables()
    if not len(runs.pairs):
        return
    scores = RunScores(runs, MEASURE)
    contest, rivals = Contest(scores), [Rivals(scores, run) for run in range(len(runs.names))]
    told: dict[int, int] = {}
    for _ in range(data.draw(st.integers(0, 12))):
        pair = data.draw(st.integers(0, len(runs.pairs) - 1))
        if pair in told:
            scores.reopen(pair)
            scores.add(pair, -float(told.pop(pair)))
            for each in (contest, *rivals):
                each.reopen(pair)
        else:
            told[pair] = data.draw(st.integers(0, 1))
            scores.close(pair)
            scores.add(pair, float(told[pair]))
            for each in (contest, *rivals):
                each.close(pair)
    truth = all_uppers(runs, told)
    for run, each in enumerate(rivals):
        np.testing.assert_allclose(each.upper, truth[:, run], atol=1e-11)
    np.testing.assert_allclose(contest.upper, truth[:, contest.reference], atol=1e-11)
    assert contest.reference == leader_of(scores)
    others = np.arange(len(runs.names)) != contest.reference
    may = (truth[:, contest.reference] > 1e-11) & others
    assert (contest.contenders >= may).all()


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_of_equals_the_first_by_name_leads(names: tuple[str, str]) -> None:
    runs, _ = Small({name: {"1": [f"d{name}"]} for name in names}, {"1": {}}, 1).tables()
    scores = RunScores(runs, MEASURE)
    contest = Contest(scores)
    assert runs.names[contest.reference] == "a"
    pair = runs.pairs.number("1", "db")
    scores.close(pair)
    scores.add(pair, 1.0)
    contest.close(pair)
    assert runs.names[contest.reference] == "b"
