"""estimate: columns, pools, newcomers, warnings, and what is refused."""

import logging

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.api.estimate import COLUMNS, estimate
from leadline.io.datasets import COLLECTION

QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "d": 1}}
RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"d": 3.0, "a": 2.0, "y": 1.0}},
    "two": {"1": {"c": 3.0, "x": 2.0, "a": 1.0}, "2": {"y": 3.0, "d": 2.0, "a": 1.0}},
}


def test_columns_and_means() -> None:
    frame = leadline.estimate(
        QRELS, RUNS, ["RBP(p=0.8)", "P@2"], ["LowerBound", "ListMean"], per_topic=True
    )
    assert tuple(frame.columns) == COLUMNS
    assert len(frame) == 2 * 2 * 2 * (2 + 1)
    for (_, _, _), rows in frame.group_by("run", "measure", "estimator"):
        mean = rows.filter(pl.col("topic") == "all")["value"].item()
        assert mean == pytest.approx(rows.filter(pl.col("topic") != "all")["value"].mean())
    assert (frame["lower"] <= frame["value"] + 1e-12).all()
    assert (frame["value"] <= frame["upper"] + 1e-12).all()


def test_a_depth_withdraws_judgments() -> None:
    shallow = estimate(QRELS, RUNS, "RBP(p=0.8)", "LowerBound", pool_depth=1)
    names = {shallow.runs.pairs.name(at) for at in np.flatnonzero(shallow.judgments.judged)}
    assert names == {("1", "a"), ("1", "c"), ("2", "d")}


def test_a_pool_withdraws_judgments() -> None:
    pool = pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "d"]})
    found = estimate(QRELS, RUNS, "RBP(p=0.8)", "LowerBound", pool=pool)
    assert int(found.judgments.judged.sum()) == 2
    with pytest.raises(ValueError, match="not both"):
        estimate(QRELS, RUNS, pool=pool, pool_depth=1)


def test_evaluate_agrees_about_the_ends() -> None:
    mine = leadline.estimate(QRELS, RUNS, "RBP(p=0.8)", ["LowerBound", "UpperBound"]).sort("run")
    theirs = leadline.evaluate(QRELS, RUNS, "RBP(p=0.8)").sort("run")
    for name, end in (("LowerBound", "lower"), ("UpperBound", "upper")):
        rows = mine.filter(estimator=name)
        assert rows["value"].to_list() == pytest.approx(theirs[end].to_list())


def test_only_pooled_runs_teach() -> None:
    found = estimate(COLLECTION, None, "RBP(p=0.8)", "Uniform", pool_depth=5)
    assert 0 < found.pooled.sum() < len(found.pooled)
    assert any("not pooled" in line for line in found.notices.lines())


def test_estimators_that_disagree_on_the_leaders_are_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "leadline"):
        leadline.estimate(COLLECTION, None, "RBP(p=0.95)", ["LowerBound", "ListMean"], pool_depth=5)
    assert "order of the leaders" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING, "leadline"):
        leadline.estimate(COLLECTION, None, "RBP(p=0.95)", ["LowerBound"], pool_depth=5)
    assert "leaders" not in caplog.text


def test_theta_is_reported() -> None:
    found = estimate(COLLECTION, None, "RBP(p=0.8)", "Linear(theta=0.045)", pool_depth=5)
    line = next(line for line in found.notices.lines() if "topics as they are" in line)
    assert "Linear(theta=0.045)" in line


@pytest.mark.parametrize(
    ("measure", "estimator", "message"),
    [
        ("AP", "TwoStage", "LowerBound, Regression, ShareBootstrap estimate it"),
        ("bpref", "LowerBound", "no interval by judgments alone"),
        ("RBP(p=0.8, judged_only=true)", "LowerBound", "nothing to estimate"),
        ("RBP(p=0.8)", "TwoStag", "did you mean TwoStage"),
        ("RBP(p=0.8)", "TwoStage(fit=scores, theta=-1)", "theta must be 0 or more"),
        ("RBP(p=0.8)", "TwoStage(group_by=topics)", "group_by"),
        ("RBP(p=0.8)", "InfRBP", "sampled"),
    ],
)
def test_what_cannot_be_is_refused(measure: str, estimator: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        leadline.estimate(QRELS, RUNS, measure, estimator)


def test_nothing_judged_is_refused() -> None:
    pool = pl.DataFrame({"topic": ["1"], "doc": ["x"]})
    with pytest.raises(ValueError, match="no judgment inside the pool"):
        leadline.estimate(QRELS, RUNS, "RBP(p=0.8)", "LowerBound", pool=pool)
    pool = pl.DataFrame({"topic": ["1"], "doc": ["nobody"]})
    with pytest.raises(ValueError, match="no document of these runs"):
        leadline.estimate(QRELS, RUNS, "RBP(p=0.8)", "LowerBound", pool=pool)


def test_errors_of_differences_know_what_runs_share() -> None:
    found = estimate(COLLECTION, None, "RBP(p=0.8)", ["LowerBound", "Regression"], pool_depth=5)
    rows = found.differences().frame
    assert set(rows["estimator"]) == {"Regression"}
    of_run = found.frame.filter(estimator="Regression")
    value = dict(of_run.select("run", "value").iter_rows())
    error = dict(of_run.select("run", "standard_error").iter_rows())
    assert len(rows) == len(value) * (len(value) - 1) / 2
    narrower = 0
    for a, b, gap, e in rows.select("run_a", "run_b", "difference", "standard_error").iter_rows():
        assert gap == pytest.approx(value[a] - value[b])
        assert abs(error[a] - error[b]) - 1e-9 <= e <= error[a] + error[b] + 1e-9
        narrower += e < np.hypot(error[a], error[b])
    assert narrower > 0.9 * len(rows)


def test_judgments_that_an_order_picked_are_in_doubt_and_have_no_error() -> None:
    answers = leadline.next(
        COLLECTION, order="MoffatC(p=0.8)", budget=200, simulate=COLLECTION / "qrels.txt.gz"
    ).frame
    qrels: dict[str, dict[str, int]] = {}
    for topic, doc, grade in answers.select("topic", "doc", "grade").iter_rows():
        qrels.setdefault(topic, {})[doc] = grade
    found = estimate(qrels, COLLECTION / "runs", "RBP(p=0.8)", ["LowerBound", "Regression"])
    by = {name: rows for (name,), rows in found.frame.group_by("estimator")}
    assert by["LowerBound"]["caveats"].is_null().all()
    assert by["Regression"]["caveats"].str.contains("neither a pool nor a sample").all()
    assert by["Regression"]["standard_error"].is_null().all()
    assert any("do not rely on this" in line for line in found.notices.lines())
    differences = found.differences().frame
    assert differences.select(
        "standard_error", "pred_lower", "pred_upper"
    ).null_count().sum_horizontal()[0] == 3 * len(differences)


def test_any_measure_with_an_interval_is_estimated_by_draws() -> None:
    measures = ["nDCG@10", "AP", "Recall@20", "RR", "ERR@10"]
    found = estimate(
        COLLECTION, None, measures, ["LowerBound", "Regression", "ShareBootstrap"], pool_depth=3
    )
    means = found.frame
    assert means["measure"].unique(maintain_order=True).to_list() == measures
    assert ((means["value"] >= means["lower"]) & (means["value"] <= means["upper"])).all()
    # Errors are told only as far as they were shown to hold.
    told = means.filter(pl.col("standard_error").is_not_null())
    pairs = {(measure, "Regression") for measure in measures}
    assert set(told.select("measure", "estimator").iter_rows()) == pairs
    assert means["caveats"].is_null().all()


def test_draws_come_closer_to_the_truth_than_unjudged_as_nothing() -> None:
    whole = leadline.evaluate(COLLECTION, None, ["nDCG@10", "AP"]).frame
    found = estimate(
        COLLECTION, None, ["nDCG@10", "AP"], ["LowerBound", "Regression"], pool_depth=10
    )
    both = found.frame.join(whole.select("run", "measure", true="value"), on=["run", "measure"])
    off = both.group_by("measure", "estimator").agg(
        (pl.col("value") - pl.col("true")).pow(2).mean()
    )
    rmse = {(m, e): error**0.5 for m, e, error in off.iter_rows()}
    for measure in ("nDCG@10", "AP"):
        assert rmse[measure, "Regression"] < rmse[measure, "LowerBound"]


def test_single_documents_are_explained_of_sums_only() -> None:
    found = estimate(COLLECTION, None, "nDCG@10", "Regression", pool_depth=3)
    with pytest.raises(ValueError, match="no sum over documents"):
        found.explain("1")
