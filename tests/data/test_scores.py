"""Scores lie in their intervals, and means leave out what is undefined."""

from dataclasses import replace

import numpy as np
import pytest

from leadline.data.mean_estimate import MeanEstimate
from leadline.data.scores import Scores


def scores_of(**changes: object) -> Scores:
    values: dict[str, object] = {
        "value": [[0.2, np.nan]],
        "lower": [[0.1, np.nan]],
        "upper": [[0.6, np.nan]],
        "judged": [[0.5, 1.0]],
    }
    return Scores(("x",), ("1", "2"), "M", **{**values, **changes})  # type: ignore[arg-type]


def test_undefined_topics_are_left_out_of_means() -> None:
    scores = scores_of()
    assert scores.mean().tolist() == [0.2]
    assert scores.mean_upper().tolist() == [0.6]
    frame = scores.frame(per_topic=True)
    assert frame["topic"].to_list() == ["1", "2", "all"]
    assert frame["value"].to_list() == [0.2, None, 0.2]
    assert frame["judged"].to_list() == [0.5, 1.0, 0.75]


def test_the_interval_of_a_mean_allows_for_topics_that_come_to_count() -> None:
    """Undefined now, worth 0.9 or nothing once a relevant document is found."""
    scores = scores_of(lower=[[0.1, 0.0]], upper=[[0.6, 0.9]])
    assert scores.mean().tolist() == [0.2]
    assert scores.mean_upper().tolist() == [0.75]
    assert scores.mean_lower().tolist() == [0.05]


def test_a_score_outside_its_interval_is_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        scores_of(upper=[[0.15, np.nan]])


def test_midpoint_and_projection() -> None:
    scores = scores_of(value=[[0.2, 0.0]], lower=[[0.2, 0.0]], upper=[[0.6, 1.0]])
    assert scores.midpoint().tolist() == [[0.4, 0.5]]
    assert abs(scores.projected()[0, 0] - (0.2 + 0.4 * 0.2 / 0.6)) < 1e-12
    assert np.isnan(scores.projected()[0, 1]), "nothing judged, nothing to project from"


def test_counts_are_summed_and_geometric_means_multiplied() -> None:
    count = scores_of(over_topics="sum", value=[[0.2, 0.5]], lower=[[0.1, 0.5]], upper=[[3.0, 1.0]])
    assert count.mean().tolist() == [0.7]
    assert (count.mean_lower().tolist(), count.mean_upper().tolist()) == ([0.6], [4.0])
    assert count.averaged().mean().tolist() == [0.35]
    product = scores_of(over_topics="geometric mean", value=[[0.2, 0.5]], upper=[[0.8, 0.8]])
    assert product.mean()[0] == pytest.approx(0.1**0.5)
    assert product.mean_upper()[0] == pytest.approx(0.8)
    with pytest.raises(ValueError, match="a difference of two such is no mean of differences"):
        product.averaged()


def test_some_runs_are_chosen_in_their_order() -> None:
    two = Scores.stack([scores_of(), replace(scores_of(value=[[0.3, 0.1]]), runs=("y",))])
    assert two.of_runs([1]).runs == ("y",)
    assert two.of_runs([1, 0]).value[:, 0].tolist() == [0.3, 0.2]
    covariance = np.array([[1.0, 0.5], [0.5, 4.0]])
    known = replace(two, of_mean=MeanEstimate(np.array([0.4, 0.5]), covariance))
    chosen = known.of_runs([1, 0]).of_mean
    assert chosen is not None
    assert chosen.covariance.tolist() == [[4.0, 0.5], [0.5, 1.0]]
