"""What every adjuster gives: a correction with an interval, doubts and reasons."""

import numpy as np
import pytest
from hypothesis import given

from leadline.completions import adjuster
from leadline.completions.adjuster import adjusters, half_width
from tests.collections import Small, small_collections
from tests.completions.last_is_new import pool_bias
from tests.tries import tries

NAMES = ("WebberSystems", "WebberLeaveOneOut", "Regression", "Lipani(merge=replace)")


def test_every_adjuster_has_a_name() -> None:
    assert list(adjusters.classes()) == [
        "InclusionWeighted",
        "Lipani",
        "Regression",
        "ShrunkTopics",
        "WebberLeaveOneOut",
        "WebberSystems",
        "WebberTopics",
    ]
    assert str(adjusters.parse("Lipani(merge=average)")) == "Lipani(merge=average)"


@pytest.mark.parametrize("name", NAMES)
@given(small=small_collections(n_docs=8, n_runs=4, judged=0.8))
@tries(8)
def test_intervals_reach_no_further_than_what_is_certain(name: str, small: Small) -> None:
    evidence = pool_bias(small, "P@3", 2)
    if len(small.runs) < 2 or not evidence.judgments.judged.any():
        return
    adjusted = adjusters.parse(name).adjust(evidence)
    certain = evidence.measure.score(evidence.new_lists())
    assert adjusted.runs == (list(small.runs)[-1],)
    assert adjusted.adjusted == pytest.approx(adjusted.unadjusted + adjusted.adjustment)
    for end in (adjusted.pred_lower, adjusted.pred_upper):
        known = end[~np.isnan(end)]
        assert (known >= certain.mean_lower() - 1e-12).all()
        assert (known <= certain.mean_upper() + 1e-12).all()
    np.testing.assert_allclose(adjusted.lower, certain.mean_lower())
    np.testing.assert_allclose(adjusted.upper, certain.mean_upper())
    withheld = np.isnan(adjusted.pred_lower)
    assert np.isnan(adjusted.pred_upper[withheld]).all()
    assert np.isnan(adjusted.standard_error[withheld]).all()
    assert adjusted.assumed


def test_one_error_gives_neither_an_interval_nor_a_standard_error() -> None:
    """Two pooled groups of which one has no score when the other is left out."""
    assert np.isnan(half_width(np.array([0.1])))
    small = Small(
        {"a": {"1": ["x", "y"]}, "b": {"1": ["y", "z"]}, "new": {"1": ["v", "w"]}},
        {"1": {"x": 1, "y": 0, "z": 1}},
        1,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adjuster, "errors", lambda *_: np.array([0.1]))
        made = adjusters.parse("WebberSystems").adjust(pool_bias(small, "P@2", 2))
    for figures in (made.pred_lower, made.pred_upper, made.standard_error):
        assert np.isnan(figures).all()


def test_a_run_that_is_judged_in_full_is_left_as_it_is() -> None:
    lists = {"a": {"1": ["x", "y"]}, "b": {"1": ["y", "z"]}, "c": {"1": ["x", "z"]}}
    small = Small(lists, {"1": {"x": 1, "y": 0, "z": 1}}, 1)
    adjusted = adjusters.parse("WebberLeaveOneOut").adjust(pool_bias(small, "P@2", 1))
    for ends in ("unadjusted", "lower", "upper", "pred_lower", "pred_upper"):
        assert getattr(adjusted, ends).tolist() == [1]
    assert adjusted.adjustment.tolist() == adjusted.standard_error.tolist() == [0.0]
    assert adjusted.unjudged.tolist() == [0.0]


def test_only_topics_take_trusted_judgments() -> None:
    made = {name: adjusters.parse(name) for name in (*NAMES, "WebberTopics")}
    assert [name for name, each in made.items() if each.takes_reference] == ["WebberTopics"]


def test_without_a_pooled_run_there_is_nothing_to_learn_from() -> None:
    evidence = pool_bias(Small({"a": {"1": ["x"]}}, {"1": {"x": 1}}, 1), "P@1", 1)
    with pytest.raises(ValueError, match="no pooled run"):
        adjusters.parse("WebberSystems").adjust(evidence)
