"""Documents that matter: what each adds to which run, added up to what the estimate adds."""

import polars as pl
import pytest

import leadline

QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "d": 1}}
RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"d": 3.0, "a": 2.0, "y": 1.0}},
    "two": {"1": {"c": 3.0, "x": 2.0, "a": 1.0}, "2": {"y": 3.0, "d": 2.0, "a": 1.0}},
}


def test_it_lists_what_moves_the_runs() -> None:
    found = leadline.estimate(QRELS, RUNS, "RBP(p=0.8)", "UpperBound", pool_depth=1)
    effects = found.explain("1")
    assert effects["doc"].to_list() == ["x", "b"]
    assert effects["runs"].to_list() == [2, 1]
    assert effects["effect"].to_list() == pytest.approx([0.2 * (0.8 + 0.64), 0.2 * 0.8])
    assert effects["moved"][0] == "two +0.16, one +0.128"
    scores = found.estimates[0].scores
    tail = 0.8**3
    gained = (scores.value - scores.lower)[:, 0].sum()
    assert effects["effect"].sum() == pytest.approx(gained - 2 * tail)


def test_every_measure_and_estimator_has_its_rows() -> None:
    effects = leadline.estimate(
        QRELS, RUNS, ["RBP(p=0.8)", "P@2"], ["UpperBound", "ListMean"]
    ).explain("2")
    keys = effects.select("measure", "estimator").unique()
    assert len(keys) == 4
    assert set(effects["topic"]) == {"2"}
    assert effects.filter(pl.col("doc") == "y").height == 4


def test_a_topic_that_is_not_there_is_refused_with_some_that_are() -> None:
    found = leadline.estimate(QRELS, RUNS, "RBP(p=0.8)", "UpperBound")
    with pytest.raises(ValueError, match="no topic 9 here; the first are 1, 2"):
        found.explain("9")
