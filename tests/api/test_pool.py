"""pool: its pairs, what is judged of them, what each run adds; batches follow from files alone."""

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.api.pool import Pooled, pool
from leadline.completions.pair_weights import PairWeights
from leadline.completions.sample import assisted, drawn_pairs
from leadline.io.datasets import COLLECTION
from leadline.registry import NamingError
from tests.views.terminal.printed import text_of

DESIGN = "WeightedSample(n=120, measure='RBP(p=0.8)', batches=3)"
RUNS = COLLECTION / "runs"


def judged(drawn: pl.DataFrame) -> pl.DataFrame:
    """The demo's answer for every pair of a pool; what it does not hold is not relevant."""
    collection = leadline.read(COLLECTION)
    at = collection.runs.pairs.find(drawn["topic"], drawn["doc"])
    return drawn.select("topic", "doc").with_columns(
        grade=pl.Series(collection.judgments.grade[at].astype("int64"))
    )


def test_files_of_what_was_drawn_are_all_that_the_next_batch_needs(tmp_path: Path) -> None:
    first = leadline.pool(None, RUNS, DESIGN)
    assert first.frame.columns[-2:] == ["batch", "expected"]
    assert set(first.frame["batch"]) == {1}
    path = tmp_path / "first.csv"
    first.write(path)
    answers = judged(first.frame)
    from_file = leadline.pool(answers, RUNS, DESIGN, previous=path)
    from_all = leadline.pool(
        answers, RUNS, DESIGN, previous=leadline.pool(None, RUNS, DESIGN, undrawn=True).frame
    )
    assert from_file.frame.equals(from_all.frame)
    assert set(from_file.frame["batch"]) == {1, 2}
    assert from_file.frame["judged"].to_list() == (from_file.frame["batch"] == 1).to_list()
    assert from_file.frame.filter(batch=1)["expected"].null_count() == len(first.frame)
    assert from_file.frame.filter(batch=2)["expected"].is_between(0, 1).all()


def test_topics_without_a_judgment_yet_count(tmp_path: Path) -> None:
    small = "WeightedSample(n=12, measure='P@5', batches=3)"
    first = leadline.pool(None, RUNS, small)
    assert first.frame["topic"].n_unique() < len(first.runs.pairs.topics)
    second = leadline.pool(judged(first.frame), RUNS, small, previous=first.frame)
    assert second.runs.pairs.topics == first.runs.pairs.topics
    estimated = leadline.estimate(
        judged(first.frame), RUNS, "P@5", "ModelAssisted", pool=first.frame, per_topic=True
    )
    assert estimated.frame["topic"].n_unique() == len(first.runs.pairs.topics) + 1


def test_the_error_to_expect_falls_with_the_budget_and_with_what_is_known() -> None:
    first = leadline.pool(None, RUNS, DESIGN)
    errors = first.expected_errors
    assert list(errors) == [60, 120, 240, 480]
    assert list(errors.values()) == sorted(errors.values(), reverse=True)
    assert leadline.pool(None, RUNS, "Depth(d=3)").expected_errors == {}


def test_the_error_to_expect_is_the_error_there_is() -> None:
    """Of differences among the best, mean over draws, by what the second batch has learnt."""
    drawn, previous = None, None
    for _ in range(3):
        qrels = None if drawn is None else judged(drawn.frame)
        drawn = leadline.pool(qrels, RUNS, DESIGN, previous=previous)
        previous = drawn.frame
    assert drawn is not None
    estimated = leadline.estimate(
        judged(drawn.frame), RUNS, "RBP(p=0.8)", "ModelAssisted", pool=drawn.frame
    )
    evidence = estimated.estimates[0].estimated.evidence
    weights = PairWeights.of(evidence.runs, evidence.weighted)
    of_mean = assisted(weights, drawn_pairs(evidence, weights, 0))
    best = of_mean.value.argsort()[-20:]
    error = of_mean.difference_error()[best][:, best]
    there = float((error**2).sum() / (20 * 19)) ** 0.5
    assert there == pytest.approx(drawn.expected_errors[120], rel=0.5)


def test_prediction_intervals_come_with_judgments_that_were_sampled() -> None:
    first = leadline.pool(None, RUNS, "WeightedSample(n=450, measure='RBP(p=0.8)', batches=1)")
    known = judged(first.frame)
    estimated = leadline.estimate(
        known, RUNS, "RBP(p=0.8)", ["LowerBound", "ModelAssisted"], pool=first.frame, per_topic=True
    )
    frame = estimated.frame.filter(pl.col("pred_lower").is_not_null())
    assert frame["topic"].unique().to_list() == ["all"]
    assert frame["estimator"].unique().to_list() == ["ModelAssisted"]
    assert (frame["pred_lower"] >= frame["lower"]).all()
    assert (frame["pred_upper"] <= frame["upper"]).all()
    assert ((frame["pred_upper"] - frame["value"]) > 0).all()
    (leader,) = (each for each in estimated.notices.problems if each.code == "leader")
    best = frame.sort("value")["run"][-1]
    assert leader.message.startswith(f"{best} is scored on the judgments that made it the leader")
    apart = estimated.differences().frame
    width = (apart["pred_upper"] - apart["pred_lower"]) / apart["standard_error"]
    assert (width.drop_nans() >= 2 * 1.95).all()
    ratio = leadline.estimate(known, RUNS, "nDCG@10", "ModelAssisted", pool=first.frame)
    codes = [each.code for each in ratio.notices.problems]
    assert codes.count("divided-by") == 1
    assert "divided-by" not in [each.code for each in estimated.notices.problems]
    bounds = leadline.estimate(known, RUNS, "RBP(p=0.8)", "LowerBound", pool=first.frame)
    assert bounds.frame["pred_lower"].null_count() == len(bounds.frame)


@pytest.mark.parametrize(
    ("design", "estimator", "reason"),
    [
        (
            "WeightedSample(n=120, measure='RBP(p=0.8)', batches=1)",
            "ModelAssisted",
            "below 350 sampled",
        ),
        (
            "WeightedSample(n=450, measure='RBP(p=0.8)', batches=1)",
            "ModelAssisted(shrink=true)",
            "its bias",
        ),
        ("TwoStrata(d=5, deep=30, rate=0.3)", "InfRBP", ""),
    ],
)
def test_where_an_interval_is_withheld_so_is_its_standard_error(
    design: str, estimator: str, reason: str
) -> None:
    drawn = leadline.pool(None, RUNS, design, undrawn=estimator == "InfRBP").frame
    members = drawn.filter("drawn") if "drawn" in drawn.columns else drawn
    made = leadline.estimate(
        judged(members), RUNS, "RBP(p=0.8)@30", estimator, pool=drawn, per_topic=True
    )
    for frame in (made.frame, made.differences().frame):
        for column in ("standard_error", "pred_lower", "pred_upper"):
            assert frame[column].is_null().all(), column
    shown = text_of(made.table()) + made._repr_html_()
    assert not any(word in shown for word in ("±", "95%", "standard", "pred_"))
    for each in made.estimates:
        assert np.isnan(each.scores.mean_error()).all()
    told = [each for each in made.notices.problems if each.code == "no-interval"]
    assert [reason in each.message for each in told] == [True] * bool(reason)


def test_a_comparison_of_few_sampled_judgments_has_no_standard_error_either() -> None:
    drawn = leadline.pool(None, RUNS, DESIGN).frame
    made = leadline.compare(judged(drawn), RUNS, "P@10", pool=drawn, unjudged_as="assisted")
    for pairs in made.pairs.values():
        assert np.isnan(pairs.scores.mean_error()).all()


def test_a_pool_that_was_not_drawn_in_batches_is_refused() -> None:
    depth = leadline.pool(None, RUNS, "Depth(d=1)").frame
    with pytest.raises(ValueError, match="no column batch"):
        leadline.pool(judged(depth), RUNS, DESIGN, previous=depth)
    with pytest.raises(ValueError, match="drawn at once"):
        leadline.pool(judged(depth), RUNS, "Depth(d=2)", previous=depth)


def test_what_is_missing_is_named() -> None:
    first = leadline.pool(None, RUNS, DESIGN)
    gone = first.frame.row(3, named=True)
    some = judged(first.frame).filter(
        ~((pl.col("topic") == gone["topic"]) & (pl.col("doc") == gone["doc"]))
    )
    with pytest.raises(ValueError, match=f"the first is {gone['doc']} of topic {gone['topic']}"):
        leadline.pool(some, RUNS, DESIGN, previous=first.frame)


QRELS = {"1": {"a": 1, "x": 0}, "2": {"a": 0}}
TWO_RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0}},
    "two": {"1": {"c": 3.0, "a": 2.0, "d": 1.0}, "2": {"b": 1.0}},
}


@pytest.fixture
def deep() -> Pooled:
    return pool(QRELS, TWO_RUNS, "Depth(d=2)")


def test_members_are_what_some_run_ranks_so_high(deep: Pooled) -> None:
    rows = deep.frame.select("topic", "doc", "judged").rows()
    expected = [("1", "a", True), ("1", "b", False), ("1", "c", False)]
    expected += [("2", "a", True), ("2", "b", False)]
    assert sorted(rows) == expected
    assert deep.frame["inclusion"].to_list() == [1.0] * 5
    assert deep.n_judged == 2


def test_topics_and_runs_are_counted(deep: Pooled) -> None:
    assert deep.per_topic().rows() == [("1", 3), ("2", 2)]
    # Every run is a group of its own. a of topic 1 is in both; c is too deep in one's list.
    assert deep.per_run().select("run", "pairs", "alone").rows() == [("one", 3, 2), ("two", 3, 2)]


def test_without_judgments_nothing_is_judged() -> None:
    made = pool(None, TWO_RUNS, "Depth(d=1)")
    assert made.n_judged == 0
    assert sorted(made.frame.select("topic", "doc").rows()) == [
        ("1", "a"),
        ("1", "c"),
        ("2", "a"),
        ("2", "b"),
    ]


def test_what_chance_left_out_is_told_apart() -> None:
    runs = {"r": {"1": {f"d{at}": -float(at) for at in range(40)}}}
    drawn = pool(None, runs, "UniformSample(d=40, rate=0.5)", seed=1)
    both = pool(None, runs, "UniformSample(d=40, rate=0.5)", seed=1, undrawn=True)
    assert "drawn" not in drawn.frame.columns
    assert len(both.frame) == 40
    kept = both.frame.filter("drawn").drop("drawn")
    assert kept.equals(drawn.frame)
    assert 0 < len(kept) < 40
    assert set(both.frame["inclusion"]) == {0.5}


def test_the_seed_decides_and_nothing_else() -> None:
    runs = {"r": {"1": {f"d{at}": -float(at) for at in range(40)}}}
    docs = [
        tuple(pool(None, runs, "UniformSample(d=40, rate=0.5)", seed=seed).frame["doc"])
        for seed in (1, 1, 2)
    ]
    assert [number for _, number in Counter(docs).most_common()] == [2, 1]


def test_a_strategy_that_is_none_is_refused() -> None:
    with pytest.raises(NamingError, match="no pool is named Deep"):
        leadline.pool(QRELS, TWO_RUNS, "Deep(d=3)")


def test_stratifications_have_the_sizes_that_they_expect() -> None:
    made = leadline.pool(COLLECTION, strategy="Depth(d=20)")
    frame = made.stratifications().frame
    assert len(frame) == 10
    assert frame["strategy"][0] == "Stratified(strata=[(20, 0.5)])"
    assert frame["strategy"][1] == "Stratified(strata=[(2, 1.0), (18, 0.4444)])"
    assert frame["pairs"][0] == pytest.approx(len(made.pool) / 2)
    drawn = [
        len(leadline.pool(COLLECTION, strategy=frame["strategy"][5], seed=n).pool) for n in (1, 2)
    ]
    assert drawn == pytest.approx([frame["pairs"][5]] * 2, rel=0.05)
    with pytest.raises(ValueError, match="no depth of 2 or more"):
        leadline.pool(COLLECTION, strategy="Depth(d=1)").stratifications()
