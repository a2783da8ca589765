"""Plans: what each judges and says, in completions whose scores are known."""

from dataclasses import replace

import numpy as np
import pytest

from leadline.api.plan import DepthPlan, depth_within, plans_for, simulated_truths
from leadline.data.judgments import Judgments
from leadline.measures.measure import Weighted, parse_measure
from tests.judging.test_weighted_sample import collection


def measure() -> Weighted:
    found = parse_measure("P@5")
    assert isinstance(found, Weighted)
    return found


def nothing() -> Judgments:
    runs, _ = collection()
    none = np.zeros(len(runs.pairs), np.bool_)
    return Judgments(runs.pairs, none, none.astype(np.int16))


@pytest.mark.parametrize("question", ["best", "scores", "newcomer"])
def test_with_a_budget_for_everything_every_plan_finds_the_truth(question: str) -> None:
    runs, _ = collection()
    truth = next(simulated_truths(runs, measure(), nothing(), 1, 0))
    plans = plans_for(question, runs, measure(), 10**4, "run1,run7")
    assert len(plans) >= 2
    for plan in plans:
        assert set(plan.names) == {"pool", "order", "stop", "estimator"}
        outcome = plan.outcome(truth, 0)
        if question == "best":
            named = int(np.argmax(outcome.scores))
            assert truth.scores[named] >= truth.scores.max() - 0.011
        elif plan.title != "likely winner":
            assert outcome.scores == pytest.approx(truth.scores, abs=1e-9)
        else:
            told = outcome.scores[7] - outcome.scores[1]
            assert told == pytest.approx(truth.scores[7] - truth.scores[1], abs=0.1)


def test_a_budget_is_kept() -> None:
    runs, _ = collection()
    truth = next(simulated_truths(runs, measure(), nothing(), 1, 0))
    for plan in plans_for("best", runs, measure(), 60, ""):
        # A designed pool draws as many as are expected, give or take the root.
        assert plan.outcome(truth, 0).judgments <= 60 + 3 * 60**0.5, plan


def test_completions_differ_and_keep_what_is_judged() -> None:
    runs, judgments = collection()
    known = judgments.judged & (np.arange(len(runs.pairs)) % 3 == 0)
    some = Judgments(runs.pairs, known, np.where(known, judgments.grade, 0))
    first, second = simulated_truths(runs, measure(), some, 2, 0)
    looked_at = np.isin(np.arange(len(runs.pairs)), first.weights.pair)
    for truth in (first, second):
        kept = known & looked_at
        assert (truth.judgments.grade[kept] == judgments.grade[kept]).all()
    assert (first.judgments.grade != second.judgments.grade).any()
    again = next(simulated_truths(runs, measure(), some, 2, 0))
    assert (again.judgments.grade == first.judgments.grade).all()


def test_what_was_judged_before_costs_nothing() -> None:
    runs, judgments = collection()
    known = judgments.judged & (runs.best_rank <= 2)
    pilot = Judgments(runs.pairs, known, np.where(known, judgments.grade, 0))
    truth = next(simulated_truths(runs, measure(), pilot, 1, 0))
    plans = {each.title: each for each in plans_for("best", runs, measure(), 60, "", known)}
    third = int((runs.best_rank <= 3).sum() - known.sum())
    assert depth_within(runs, third, known) == 3
    assert depth_within(runs, third - 1, known) == 2
    for title, plan in plans.items():
        outcome = plan.outcome(truth, 0)
        alone = plan.outcome(replace(truth, given=None), 0)
        assert outcome.judgments <= alone.judgments <= 60 + 3 * 60**0.5 + known.sum(), title
    likely = plans["likely winner"]
    # It goes on from the pilot: with all judged, it has nothing to ask.
    assert likely.outcome(replace(truth, given=truth.judgments), 0).judgments == 0


def test_the_deepest_pool_within_a_budget() -> None:
    runs, _ = collection()
    sizes = [int((runs.best_rank <= depth).sum()) for depth in (1, 2, 3)]
    assert depth_within(runs, sizes[1]) == 2
    assert depth_within(runs, sizes[1] - 1) == 1
    assert depth_within(runs, sizes[0] - 1) == 0
    assert depth_within(runs, 10**6) == 10


def test_a_plan_names_estimators_as_one_would_ask_for_them() -> None:
    plan = DepthPlan(3)
    assert plan.names["estimator"] == "Regression"
