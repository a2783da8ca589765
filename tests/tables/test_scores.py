"""Scores lie in their intervals, and means leave out what is undefined."""

import numpy as np
import pytest

from leadline.tables.scores import Scores


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
