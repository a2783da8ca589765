"""adjust: new runs put right, cheap judgments calibrated, bad input refused with a reason."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.api.adjust import adjust
from leadline.completions import regression
from leadline.completions.pooling_bias import both_scores
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError

QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "d": 1}}
POOLED = {
    "x": {"1": {"a": 3.0, "b": 2.0}, "2": {"a": 3.0, "d": 2.0}},
    "y": {"1": {"c": 3.0, "b": 2.0}, "2": {"d": 3.0, "a": 2.0}},
}
NEW = {"new": {"1": {"e": 3.0, "a": 2.0}, "2": {"f": 3.0, "d": 2.0}}}
BY = [
    "WebberSystems",
    "WebberLeaveOneOut",
    "Lipani(merge=average)",
    "Lipani(merge=replace)",
    "Regression",
]


@pytest.mark.parametrize("by", BY)
def test_every_adjuster_works_on_the_demo(by: str) -> None:
    made = adjust(COLLECTION, None, "farlight-hand", "P@10", by, pool_depth=5)
    row = made.frame.row(0, named=True)
    assert row["adjusted"] == pytest.approx(row["unadjusted"] + row["adjustment"])
    assert row["lower"] <= row["pred_lower"] <= row["adjusted"]
    assert row["adjusted"] <= row["pred_upper"] <= row["upper"]
    assert 0 < row["judged"] < 1
    assert made.adjusted[0].assumed[0].startswith(by)
    how = "hold 95% of 200 completions" if by == "Regression" else "taken for new, group by group"
    assert any(how in line for line in made.adjusted[0].assumed)
    inside = "its interval is of the score by a pool of depth 5, not of the complete score"
    assert (inside in row["caveats"]) == (by != "Regression")


def test_adjusting_brings_an_odd_run_nearer_to_its_true_score() -> None:
    truth = leadline.evaluate(COLLECTION, measures="P@10").filter(pl.col("run") == "farlight-hand")
    for by in ("WebberSystems", "Regression"):
        row = leadline.adjust(
            COLLECTION, new="farlight-hand", measures="P@10", method=by, pool_depth=5
        ).row(0, named=True)
        true = truth["value"][0]
        # Its documents are of a kind that no other run finds, so no interval can promise it.
        assert abs(row["adjusted"] - true) < abs(row["unadjusted"] - true)


def test_a_run_that_is_judged_in_full_gets_no_correction_and_that_is_said() -> None:
    made = adjust(
        QRELS, POOLED, {"new": {"1": {"a": 1.0}, "2": {"d": 1.0}}}, "P@1", "WebberSystems"
    )
    row = made.frame.row(0, named=True)
    assert (row["adjustment"], row["pred_lower"], row["pred_upper"]) == (0.0, 1.0, 1.0)
    assert "their correction is 0" in made.adjusted[0].assumed[-1]


def test_trusted_judgments_that_agree_change_nothing() -> None:
    made = adjust(QRELS, POOLED, None, "P@2", "WebberTopics", reference=QRELS)
    frame = made.frame
    assert frame["run"].to_list() == ["x", "y"]
    assert frame["adjustment"].to_list() == [0.0, 0.0]
    assert made.agreement is not None
    assert (made.agreement.n, made.agreement.kappa()) == (5, 1.0)
    assert made.more_topics == 0


def test_trusted_judgments_that_disagree_move_the_scores() -> None:
    reference = {"1": {"a": 0, "b": 1, "c": 0}}
    made = adjust(QRELS, POOLED, None, "P@1", "WebberTopics", reference=reference, common=["1"])
    # Cheaply both runs have 1 of 1 on topic 1; the reference judgments say 0.
    assert made.frame["adjustment"].to_list() == [-1.0, -1.0]
    assert made.agreement is not None
    assert made.agreement.observed() == 0.0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"new": None}, "name the runs that were not pooled"),
        ({"new": {"new": {"9": {"a": 1.0}}}}, "no topic in common with qrels"),
        ({"method": "WebberTopics"}, "`common`"),
        (
            {"method": "WebberTopics", "common": ["7"]},
            "none of the common topics has judgments here: 7",
        ),
        ({"method": "Lipani(merge=replace)", "measures": "AP"}, "puts right P@n only"),
        ({"method": "Regression", "measures": "bpref"}, "needs a measure that judgments bound"),
        ({"pool_depth": 0}, "at least 1, not 0"),
        ({"method": "WeberSystems"}, "did you mean WebberSystems"),
        ({"method": "WebberSystems", "reference": QRELS}, "only WebberTopics makes sense"),
        ({"new": ["nowhere.run"]}, "nowhere.run"),
        ({"new": {"x": {"1": {"a": 1.0}}}}, "among the pooled ones too"),
    ],
)
def test_bad_input_is_refused_with_a_reason(options: dict[str, object], text: str) -> None:
    given: dict[str, object] = {"new": NEW, "measures": "P@1", "method": "WebberSystems", **options}
    with pytest.raises((ValueError, OSError), match=text):
        adjust(QRELS, POOLED, **given)


def test_nothing_judged_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no relevant document|nothing is judged"):
        adjust({"1": {"zzz": 0}}, POOLED, NEW, "P@1", "Regression", pool_depth=1)


def test_a_depth_that_cannot_be_told_is_asked_for() -> None:
    with pytest.raises(ValueError, match="give `pool_depth`"):
        adjust({"1": {"e": 1}, "2": {"f": 1}}, POOLED, NEW, "P@1", "WebberSystems")


def test_intervals_hold_for_most_of_the_demo_runs() -> None:
    """Each group's runs as newcomers in turn: seven in ten intervals and more hold the truth."""
    frame = leadline.evaluate(COLLECTION, measures="P@10")
    held = []
    for run in ("anstey-bm25", "brinemouth-ql", "corran-cosine", "dunholm-untidy", "eastwick-mmr"):
        row = leadline.adjust(
            COLLECTION, new=run, measures="P@10", method="WebberSystems", pool_depth=5
        )
        true = frame.filter(pl.col("run") == run)["value"][0]
        held.append(row["pred_lower"][0] <= true <= row["pred_upper"][0])
    assert np.mean(held) >= 0.7


def test_differences_are_told_among_new_runs_and_from_pooled_ones() -> None:
    new = ["farlight-hand", "anstey-bm25"]
    made = adjust(COLLECTION, None, new, ["P@10", "RBP(p=0.8)"], pool_depth=5)
    frame = made.differences().frame
    first = frame.row(0, named=True)
    assert frame["measure"].unique(maintain_order=True).to_list() == ["P@10", "RBP(p=0.8)"]
    assert {first["run_a"], first["run_b"]} == set(new)
    of_first = made.frame.filter(pl.col("measure") == "P@10")
    score = dict(zip(of_first["run"], of_first["adjusted"], strict=True))
    gap = score[first["run_a"]] - score[first["run_b"]]
    assert first["difference"] == pytest.approx(gap)
    assert (frame["pred_lower"] < frame["difference"]).all()
    others = frame.filter(~pl.col("run_b").is_in(new))
    assert set(others["run_a"]) == set(new)
    assert len(others) == len(frame) - 2
    assert frame.equals(made.differences().frame)


def test_one_new_run_alone_is_set_against_the_pooled_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regression, "FEWEST_JUDGED", 1)
    made = adjust(QRELS, POOLED, NEW, "P@1", "Regression", pool_depth=2)
    assert made.differences()["run_b"].to_list() == ["x", "y"]
    # What is judged in full has no error of its own: left is that of the new run.
    error = made["standard_error"][0]
    assert made.differences()["standard_error"].to_list() == pytest.approx([error, error])


def test_where_no_error_of_differences_is_known_it_is_said() -> None:
    made = adjust(COLLECTION, None, "farlight-hand", "P@10", "WebberSystems", pool_depth=5)
    with pytest.raises(
        ValueError, match="WebberSystems gives no error of differences: use Regression"
    ):
        made.differences()


@pytest.mark.parametrize("grade", [0, 1])
def test_where_all_judged_documents_are_alike_there_are_only_bounds(grade: int) -> None:
    qrels = {topic: dict.fromkeys(judged, grade) for topic, judged in QRELS.items()}
    made = adjust(qrels, POOLED, NEW, "P@2", "Regression", pool_depth=2)
    certain = leadline.evaluate(qrels, NEW, "P@2").frame.filter(pl.col("topic") == "all")
    for figure in ("standard_error", "pred_lower", "pred_upper"):
        assert made[figure].to_list() == [None]
    for end in ("lower", "upper"):
        assert made[end].to_list() == pytest.approx(certain[end].to_list())
    assert "all judged documents have the same grade" in made["caveats"][0]
    with pytest.raises(ValueError, match="all judged documents have the same grade"):
        made.differences()


def test_a_new_run_that_is_not_there_is_told_with_the_runs_that_are() -> None:
    with pytest.raises(InputError, match=r"is no file, and no run is named so; there are anstey"):
        leadline.adjust(COLLECTION, new="anstey", measures="P@10")


def test_judgments_outside_the_pool_that_count_nowhere_are_told() -> None:
    """Of the other topics; on the common ones they tell what the pool misses."""
    read = leadline.read(COLLECTION)
    pooled = read.runs.only(read.pooled & (np.array(read.runs.names) != "farlight-hand"))
    common = read.runs.pairs.topics[:6]
    made = adjust(COLLECTION, None, "farlight-hand", "P@10", "WebberTopics", common=common)
    (told,) = (each.message for each in made.notices.problems if each.code == "pool-depth")
    depth = int(told.split("to rank ")[1].split(",")[0])
    outside = read.judgments.judged & (pooled.best_rank > depth)
    n = int((outside & (read.runs.pairs.topic >= 6)).sum())
    assert n > 0
    line = f"{n:,} judgments outside the pool are ignored, except on common topics"
    assert line in made.adjusted[0].assumed


@pytest.mark.parametrize("by", ["WebberSystems", "WebberLeaveOneOut", "Lipani(merge=replace)"])
def test_a_depth_pool_from_a_file_is_the_pool_of_that_depth(by: str, tmp_path: Path) -> None:
    pool = leadline.pool(COLLECTION, strategy="Depth(d=5)").frame
    named = adjust(COLLECTION, None, "farlight-hand", "P@10", by, pool=pool).frame
    assert named.equals(adjust(COLLECTION, None, "farlight-hand", "P@10", by, pool_depth=5).frame)


def test_a_sampled_pool_is_told_in_the_caveats() -> None:
    pool = leadline.pool(COLLECTION, strategy="TwoStrata(d=5, deep=20, rate=0.3)", seed=1).frame
    by = "WebberLeaveOneOut"
    made = adjust(COLLECTION, None, "farlight-hand", "P@10", by, pool=pool).frame
    assert made["adjustment"].item() > 0
    assert "the score by a pool sampled at a rate of 0.3, not of the complete" in made["caveats"][0]
    shallow = adjust(COLLECTION, None, "farlight-hand", "P@5", by, pool=pool).frame
    assert "sampled" not in shallow["caveats"][0]
    with pytest.raises(ValueError, match="give `pool` or `pool_depth`, not both"):
        adjust(COLLECTION, None, "farlight-hand", "P@10", by, pool=pool, pool_depth=5)


def test_inclusion_weights_by_hand() -> None:
    """Two pooled runs, one topic, P@2; rank 1 judged, rank 2 sampled at a half.

    The new run returns x, sampled and relevant at a's rank 2, and nothing else judged: x weighs
    1 / .5 = 2, so 1/2 becomes 2/2. Withdrawn, run a loses its p (weight 1) and x (weight 2): 3/2,
    and b its q (not relevant): 0. The mean loss is .75.
    """
    qrels = {"1": {"p": 1, "x": 1, "q": 0}}
    pooled = {"a": {"1": {"p": 2.0, "x": 1.0}}, "b": {"1": {"q": 2.0, "y": 1.0}}}
    new = {"n": {"1": {"x": 2.0, "z": 1.0}}}
    pool = pl.DataFrame(
        {
            "topic": ["1"] * 4,
            "doc": ["p", "q", "x", "y"],
            "stratum": [0, 0, 1, 1],
            "inclusion": [1.0, 1.0, 0.5, 0.5],
            "drawn": [True, True, True, False],
        }
    )
    made = adjust(qrels, pooled, new, "P@2", "InclusionWeighted", pool=pool).frame
    assert made["unadjusted"].item() == pytest.approx(0.5)
    assert made["adjustment"].item() == pytest.approx(0.5 + 0.75)
    assert made["pred_lower"].item() is None


def test_inclusion_weights_of_a_depth_pool_change_nothing() -> None:
    of = (COLLECTION, None, "farlight-hand", ["P@10", "RBP(p=0.8)"])
    weighted = adjust(*of, "InclusionWeighted", pool_depth=5).frame["adjustment"]
    plain = adjust(*of, "WebberLeaveOneOut", pool_depth=5).frame["adjustment"]
    assert weighted.to_list() == pytest.approx(plain.to_list())
    with pytest.raises(ValueError, match="no sum of weights and gains"):
        adjust(COLLECTION, None, "farlight-hand", "AP", "InclusionWeighted", pool_depth=5)


def test_inclusion_weights_are_near_the_score_by_the_whole_pool() -> None:
    whole = adjust(COLLECTION, None, "farlight-hand", "P@10", "WebberLeaveOneOut", pool_depth=20)
    target = whole.frame["adjusted"].item()
    found = []
    for seed in range(4):
        pool = leadline.pool(COLLECTION, strategy="UniformSample(d=20, rate=0.4)", seed=seed).frame
        made = adjust(COLLECTION, None, "farlight-hand", "P@10", "InclusionWeighted", pool=pool)
        found.append(made.frame["adjusted"].item())
    assert sum(found) / 4 == pytest.approx(target, abs=0.04)


def test_shrunk_topics_take_the_cheap_score_that_varies_less() -> None:
    """On the demo; the amounts are those of the formula, worked from both cheap scores."""
    common = ["1", "2", "3", "4", "5", "6"]
    of = (COLLECTION, None, ["farlight-hand", "farlight-novice"], "RBP(p=0.8)@10")
    made = adjust(*of, "ShrunkTopics", common=common)
    evidence = made.evidence[0]
    raw, true, n_all = both_scores(evidence)
    measure = replace(evidence.weighted, judged_only=True)
    condensed, _, _ = both_scores(evidence.but(measure=measure))
    errors = [
        ((true - each[:, :6]).var(axis=1, ddof=1) * (n_all - 6) / n_all / 6)
        for each in (raw, condensed)
    ]
    found = made.frame["adjusted"].to_numpy()
    if errors[1].mean() < errors[0].mean():
        a = (true - condensed[:, :6]).mean(axis=1)
        expected = condensed.mean(axis=1) + a * np.maximum(0, 1 - errors[1] / a**2)
    else:
        expected = raw.mean(axis=1) + (true - raw[:, :6]).mean(axis=1)
    assert made.adjusted[0].adjuster == "ShrunkTopics"
    assert found == pytest.approx(expected)
    assert made.frame["unadjusted"].to_numpy() == pytest.approx(raw.mean(axis=1))
    assert made.frame["pred_lower"].null_count() == 2
    with pytest.raises(ValueError, match="judged in full"):
        adjust(*of, "ShrunkTopics")
