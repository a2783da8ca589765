"""Pairs of runs: differences, verdicts, reasons for doubt, and the hard cases."""

from typing import Any

import numpy as np
import pytest

import leadline
from leadline.io.datasets import COLLECTION
from leadline.stats.pairwise import FEW, FLIP, SHORT, THIRD
from leadline.views.critical_difference import diagram_data
from leadline.views.pair_tables import latex, markdown
from tests.stats.compared import compared, small

COLUMNS = "run_a,run_b,measure,test,unjudged_as,difference,lower,upper,p,p_corrected,verdict"
SETTLED = "on_these_topics,certainty,caveats"
DETAILS = (
    "n_topics,effect,ci_lower,ci_upper,topics_needed,judgments_needed,"
    "expected,pred_lower,pred_upper,combined_lower,combined_upper"
)


def test_the_frame_has_the_promised_columns() -> None:
    pairs = compared()
    frame = pairs.frame()
    assert ",".join(frame.columns) == f"{COLUMNS},{SETTLED}"
    assert len(frame) == 24 * 23 // 2
    assert ",".join(pairs.frame(details=True).columns) == f"{COLUMNS},{SETTLED},{DETAILS}"
    assert (frame["lower"] <= frame["difference"] + 1e-12).all()
    assert (frame["difference"] <= frame["upper"] + 1e-12).all()
    words = set(frame["verdict"])
    assert words == {"better", "worse", "undecided"}
    assert set(frame["certainty"]) == {"certain", "likely", "open"}
    flips = frame["caveats"].str.contains(FLIP)
    assert ((frame["certainty"] == "certain") == ~flips).all()
    assert ((frame["certainty"] == "open") == (frame["on_these_topics"] == "undecided")).all()
    for verdict, sign in (("better", 1), ("worse", -1)):
        rows = frame.filter(verdict=verdict)
        assert (rows["difference"] * sign > 0).all()
        assert (rows["p_corrected"] < 0.05).all()
    assert (frame.filter(verdict="undecided")["p_corrected"] >= 0.05).all()


def test_a_baseline_is_the_second_of_every_pair() -> None:
    pairs = compared(baseline="anstey-bm25")
    frame = pairs.frame()
    assert set(frame["run_b"]) == {"anstey-bm25"}
    assert len(frame) == 23
    everything = compared()
    ours = dict(frame.select("run_a", "p").iter_rows())
    for a, b, p in everything.frame().select("run_a", "run_b", "p").iter_rows():
        if "anstey-bm25" in (a, b):
            assert ours[a if b == "anstey-bm25" else b] == p


def test_tiers_come_only_from_tested_pairs() -> None:
    """With a baseline, pairs without it are not tested: nothing may join or part them."""
    everything, one = compared(), compared(baseline="anstey-bm25")
    assert everything.all_tested
    assert not one.all_tested
    assert one.tiers("significance") is None
    assert one.tier_frame()["tier_significance"].null_count() == 24
    assert (one.tiers("certainty") == everything.tiers("certainty")).all()
    # Two runs that the whole comparison tells apart stood in one tier.
    apart = everything.apart("significance")
    apart[everything.scores.runs.index("anstey-bm25")] = False
    assert apart.any()
    runs, bars = diagram_data(one)
    assert len(bars) == 0
    assert runs["tier"].null_count() == 24
    verdicts = dict(one.frame().select("run_a", "verdict").iter_rows())
    assert dict(runs.select("run", "verdict").iter_rows()) == {
        **verdicts,
        "anstey-bm25": "baseline",
    }
    for text in (latex([one]), markdown([one])):
        assert "anstey-bm25 were tested: no tiers by significance" in text
        assert " / " not in text.replace("the judgments / by the test", "")
    assert "tested: no tiers" not in latex([everything])


def test_bounds_with_estimates_start_from_what_is_judged() -> None:
    """A sampled pool: bounds of differences do not move with the estimate of their centre."""
    sea = leadline.read(COLLECTION)
    pool = leadline.pool(sea, strategy="UniformSample(d=10, rate=0.5)", all_runs=True, seed=3).frame
    measured: dict[str, Any] = {"measures": "P@10", "pool": pool}
    base = leadline.compare(COLLECTION, **measured).frame
    estimated = leadline.compare(COLLECTION, **measured, unjudged_as="assisted").frame
    assert (base["lower"] == estimated["lower"]).all()
    assert (base["upper"] == estimated["upper"]).all()
    assert (base["difference"] != estimated["difference"]).any()


def test_a_matrix_can_be_read_from_both_sides() -> None:
    pairs = compared()
    difference, lower, upper = map(pairs.matrix, ("difference", "lower", "upper"))
    off = ~np.eye(24, dtype=bool)
    assert (difference[off] == -difference.T[off]).all()
    assert (lower[off] == -upper.T[off]).all()
    assert np.isnan(difference[~off]).all()
    p = pairs.matrix("p_corrected")
    assert (p[off] == p.T[off]).all()


def test_tiers_come_from_what_can_be_told_apart() -> None:
    pairs = compared()
    frame = pairs.tier_frame()
    assert frame["value"].is_sorted(descending=True)
    for by in ("certainty", "significance"):
        tier, apart = pairs.tiers(by), pairs.apart(by)  # type: ignore[arg-type]
        assert not (apart & (tier[:, None] == tier)).any()
        assert tier.max() > 1
    assert not pairs.apart("significance").all()


def test_a_familywise_test_is_not_corrected_again() -> None:
    pairs = compared(test="tukey(n=500)", correction="holm")
    assert (pairs.p == pairs.p_corrected).all()
    assert pairs.correction == "none"


def test_seeds_decide_and_nothing_else() -> None:
    first, again, other = (compared(test="randomisation(n=300)", seed=seed).p for seed in (3, 3, 4))
    assert (first == again).all()
    assert (first != other).any()


def test_runs_with_the_same_lists_are_equal() -> None:
    lists = {topic: ["x", "y"] for topic in "123"}
    for grades in ({}, {"x": 1}):
        for name in ("P@2", "RBP(p=0.5)", "nDCG@2", "AP"):
            pairs = small({"a": lists, "b": lists}, dict.fromkeys("123", grades), name)
            if name in ("P@2", "RBP(p=0.5)") or grades:
                assert pairs.verdict == ("equal",), (name, grades)
            assert FLIP not in pairs.caveats[0]
            assert pairs.frame()["p"].to_list() == [None]


def test_the_same_score_that_can_still_differ_is_undecided() -> None:
    pairs = small({"a": {"1": ["x", "y"]}, "b": {"1": ["x", "z"]}}, {"1": {"x": 1}})
    assert pairs.difference[0] == 0
    assert (pairs.lower[0], pairs.upper[0]) == (-0.5, 0.5)
    assert pairs.verdict == ("undecided",)
    assert FLIP in pairs.caveats[0]


def test_nothing_judged_says_nothing() -> None:
    pairs = small({"a": {"1": ["x", "y"]}, "b": {"1": ["z", "y"]}}, {"1": {}}, "RBP(p=0.5)")
    assert pairs.verdict == ("undecided",)
    assert pairs.caveats == ("; ".join((FLIP, SHORT, FEW, THIRD)),)
    frame = pairs.frame(details=True)
    assert frame["p"].to_list() == [None]
    assert frame["judgments_needed"].to_list() == [None]
    projected = small(
        {"a": {"1": ["x"]}, "b": {"1": ["z"]}},
        {"1": {}},
        "RBP(p=0.5)",
        unjudged_as="both-projected",
    )
    assert projected.n_topics.tolist() in ([0], [1])
    assert projected.verdict == ("undecided",)


def test_topics_without_a_score_do_not_count() -> None:
    grades = {"1": {"x": 1}, "2": {"x": 0}, "3": {"x": 1, "y": 1}}
    runs = {
        "a": {topic: ["x", "y"] for topic in "123"},
        "b": {topic: ["y", "x"] for topic in "123"},
    }
    pairs = small(runs, grades, "AP")
    assert pairs.n_topics.tolist() == [2]
    assert pairs.difference[0] == pytest.approx(0.25)
    none = small(runs, {topic: {"x": 0} for topic in "123"}, "AP")
    assert none.n_topics.tolist() == [0]
    assert none.frame()["difference"].to_list() == [None]
    assert none.verdict == ("undecided",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "wilcox"}, "no test is named wilcox, did you mean wilcoxon"),
        ({"unjudged_as": "middle"}, "`unjudged_as` must be one of lower, upper, projected"),
        ({"tails": 3}, "`tails` must be one of 1, 2, not 3"),
        ({"correction": "tukey"}, "`correction` must be one of holm, bonferroni, bh, none"),
        ({"alpha": 1.5}, "alpha must lie between 0 and 1"),
        ({"baseline": "nobody"}, "no run is named nobody"),
        ({"test": "tukey", "tails": 1}, "two tails, not 1"),
        ({"test": "tukey", "unjudged_as": "upper"}, "one score for each run"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compared(**options)


def test_one_run_is_refused() -> None:
    with pytest.raises(ValueError, match="takes two runs, found 1: a"):
        small({"a": {"1": ["x"]}}, {"1": {"x": 1}})
