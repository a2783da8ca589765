"""Effect sizes, intervals over topics, and what it takes to be sure."""

import numpy as np
import pytest

from leadline.stats.power import details_of, judgments_needed
from tests.stats.compared import compared, small


def test_details_speak_of_the_first_minus_the_second() -> None:
    pairs = compared("P@10")
    frame = pairs.frame(details=True)
    assert (frame["effect"] * frame["difference"] >= 0).all()
    middle = (frame["ci_lower"] + frame["ci_upper"]) / 2
    assert np.allclose(middle, frame["difference"])
    certain = pairs.joint.certain[pairs.first, pairs.second]
    assert certain.any()
    assert ((frame["judgments_needed"] == 0).to_numpy() == certain).all()
    assert compared("AP").frame(details=True)["judgments_needed"].null_count() == len(frame)


def test_what_is_certain_needs_no_judgment_and_what_is_level_needs_all() -> None:
    runs = {"a": {"1": ["x", "u"]}, "b": {"1": ["y", "u"]}}
    # u is the same in both.
    certain = small(runs, {"1": {"x": 1, "y": 0}})
    assert judgments_needed(certain).tolist() == [0.0]
    said: list[tuple[int, int]] = []
    judgments_needed(certain, lambda *n: said.append(n))
    assert said == [(1, 1)]


@pytest.mark.parametrize("name", ["AP", "nDCG@2", "P(judged_only=true)@2"])
def test_where_no_judgment_closes_the_interval_none_is_counted(name: str) -> None:
    runs = {"a": {"1": ["x", "u"]}, "b": {"1": ["y", "u"]}}
    assert np.isnan(judgments_needed(small(runs, {"1": {"x": 1, "y": 0}}, name))).all()


def test_one_topic_has_no_effect_size() -> None:
    runs = {"a": {"1": ["x"]}, "b": {"1": ["y"]}}
    found = details_of(small(runs, {"1": {"x": 1, "y": 0}}, "P@1"))
    assert found["n_topics"].tolist() == [1]
    assert np.isnan(found["effect"]).all()
    assert found["topics_needed"].to_list() == [None]
