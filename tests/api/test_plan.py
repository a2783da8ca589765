"""plan: every way to spend a budget, tried where the truth is known, the best one first."""

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.api.plan import Planned
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError

RUNS = sorted((COLLECTION / "runs").iterdir())[::8]
COLUMNS = ["question", "pool", "order", "stop", "estimator"]
COLUMNS += ["expected_error", "probability_right", "judgments", "probability_error"]


@pytest.fixture(scope="module")
def best() -> Planned:
    return leadline.plan(None, RUNS, budget=100, measure="P@5")


def test_the_columns_are_those_promised_and_the_best_comes_first(best: Planned) -> None:
    assert best.frame.columns == COLUMNS
    right = best.frame["probability_right"].to_list()
    assert right == sorted(right, reverse=True)
    assert best.frame["question"].unique().to_list() == ["best"]
    # What is drawn varies by about the root of what is expected.
    assert best.frame["judgments"].max() <= 100 + 3 * 100**0.5  # type: ignore[operator]
    assert best.frame["expected_error"].is_between(0, 1).all()
    # Even of 12 in 12 draws the error is no 0, and no error of a share exceeds a half.
    assert best.frame["probability_error"].is_between(0.05, 0.5).all()


def test_the_first_plan_is_tried_at_half_and_twice_the_budget_and_drawn(best: Planned) -> None:
    title = best.tried.filter(budget=200)["plan"][0]
    curve = best.tried.filter(plan=title).sort("budget")
    assert curve["budget"].to_list() == [50, 100, 200]
    assert curve["judgments"].is_sorted()
    assert "judgments" in best.chart().to_json()


def test_the_same_seed_gives_the_same_plan(best: Planned) -> None:
    assert leadline.plan(None, RUNS, budget=100, measure="P@5").frame.equals(best.frame)


def test_scores_and_newcomer_are_ordered_by_their_error() -> None:
    for question, more in (
        ("scores", {}),
        ("newcomer", {"baseline": "anstey-bm25", "new": "brinemouth-ql"}),
    ):
        names = [leadline.read(None, RUNS).runs.names[at] for at in (0, 1)]
        if more:
            more = {"baseline": names[0], "new": names[1]}
        made = leadline.plan(None, RUNS, budget=60, measure="P@5", question=question, **more)  # type: ignore[arg-type]
        error = made.frame["expected_error"].to_list()
        assert error == sorted(error)
        curve = made.tried.filter(plan=made.tried.filter(budget=120)["plan"][0]).sort("budget")
        assert curve["expected_error"][-1] < curve["expected_error"][0]
        assert made.frame["pool"].drop_nulls().str.starts_with("WeightedSample").any()


def test_judgments_so_far_are_kept_in_every_completion() -> None:
    """With all that the measure looks at judged all completions are alike, without error."""
    made = leadline.plan(COLLECTION, budget=3000, measure="P@3", question="scores")
    depth = made.frame.filter(pl.col("pool").str.starts_with("Depth"))
    assert np.allclose(depth["expected_error"], 0, atol=1e-9)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"budget": 0}, "budget must be at least 1"),
        ({"budget": 10, "measure": "RR"}, "no sum of weights"),
        ({"budget": 10, "question": "newcomer"}, "needs the names of two runs"),
        ({"budget": 10, "question": "why"}, "question. must be one of"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        leadline.plan(None, RUNS, **wrong)  # type: ignore[arg-type]


def test_judgments_of_other_topics_are_refused() -> None:
    with pytest.raises(InputError, match="has no topic in common with"):
        leadline.plan({"001": {"sea-001": 1}}, RUNS, budget=10)
