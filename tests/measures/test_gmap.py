"""GMAP is AP on a topic and the geometric mean over topics."""

import math

import pytest

import leadline

QRELS = {"1": {"a": 1}, "2": {"b": 1, "c": 1}, "3": {"d": 1}}
RUN = {"1": {"a": 2.0}, "2": {"x": 3.0, "b": 2.0}, "3": {"y": 1.0}}


def test_a_topic_scores_its_ap() -> None:
    both = leadline.evaluate(QRELS, RUN, ["AP", "GMAP"], per_topic=True).scores
    assert both["GMAP"].value.tolist() == both["AP"].value.tolist() == [[1.0, 0.25, 0.0]]


def test_all_topics_score_the_geometric_mean_in_which_nothing_is_a_hundred_thousandth() -> None:
    scores = leadline.evaluate(QRELS, RUN, "GMAP").scores["GMAP"]
    assert scores.mean()[0] == pytest.approx((1 * 0.25 * 0.00001) ** (1 / 3))
    assert scores.mean_lower()[0] == pytest.approx(0.00001)
    # x and y may be relevant: (1 + 2/2) / 3 on the second topic, 1/2 on the third.
    most = math.exp((math.log(1) + math.log(2 / 3) + math.log(0.5)) / 3)
    assert scores.mean_upper()[0] == pytest.approx(most)


def test_a_topic_without_relevant_documents_is_left_out() -> None:
    scores = leadline.evaluate({**QRELS, "4": {"e": 0}}, RUN, "GMAP").scores["GMAP"]
    assert scores.mean()[0] == pytest.approx((1 * 0.25 * 0.00001) ** (1 / 3))
