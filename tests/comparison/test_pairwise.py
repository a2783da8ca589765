"""Pairs of runs: differences, verdicts, reasons for doubt, and the hard cases."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import leadline
from leadline.collection.collection import Collection
from leadline.comparison.bases import set_against
from leadline.comparison.hypothesis_test import tests
from leadline.comparison.pairwise import Pairwise, compare_pairs
from leadline.comparison.trust import FEW, FLIP, SHORT, THIRD, WIDE
from leadline.demo import COLLECTION
from leadline.measures.measure import parse_measure
from leadline.pools.depth import Depth
from leadline.tables.judgments import Judgments
from leadline.tables.scores import Scores
from tests.collections import Small

COLUMNS = "run_a,run_b,measure,test,basis,difference,lower,upper,p,p_corrected,verdict,trust"
DETAILS = "n_topics,effect,topic_lower,topic_upper,topics_needed,judgments_needed"


@pytest.fixture(scope="module")
def sea() -> Collection:
    """The demo collection, judged as deep as a pool of depth 5."""
    read = leadline.read(COLLECTION)
    inside = Depth(d=5).pool(read.runs).member & read.judgments.judged
    grade = np.where(inside, read.judgments.grade, 0)
    top = read.judgments.max_grade
    return replace(read, judgments=Judgments(read.runs.pairs, inside, grade, max_grade=top))


def compared(sea: Collection, name: str = "RBP(p=0.8)", **options: object) -> Pairwise:
    return compare_pairs(sea.runs, sea.judgments, parse_measure(name), **options)  # type: ignore[arg-type]


def small(
    runs: dict[str, dict[str, list[str]]],
    grades: dict[str, dict[str, int]],
    name: str = "P@2",
    **options: object,
) -> Pairwise:
    made = Small(runs, grades, 1).tables()
    return compare_pairs(*made, parse_measure(name), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("basis", ["base", "top", "projected", "both-projected"])
@pytest.mark.parametrize(("tails", "side"), [(1, "greater"), (2, "two-sided")])
def test_the_run_that_is_ahead_is_tested_against_what_the_other_is_given(
    sea: Collection, basis: str, tails: int, side: str
) -> None:
    pairs = compared(sea, basis=basis, tails=tails, correct="none")
    scores = pairs.scores
    with np.errstate(invalid="ignore"):
        # NaN on the topics for which a run returns nothing.
        projected = scores.lower + scores.residual * scores.lower / (1 - scores.residual)
    mine = projected if basis == "both-projected" else scores.value
    theirs = {"base": scores.value, "top": scores.upper}.get(basis, projected)
    ahead = np.nanmean(mine[pairs.first] - mine[pairs.second], axis=1)
    assert np.allclose(pairs.difference, ahead)
    for row in range(0, len(pairs.first), 23):
        a, b = pairs.first[row], pairs.second[row]
        if pairs.difference[row] < 0:
            a, b = b, a
        tested = mine[a] - theirs[b]
        peer = stats.ttest_1samp(tested[~np.isnan(tested)], 0.0, alternative=side)
        assert abs(pairs.p[row] - peer.pvalue) < 1e-12
        assert pairs.p_corrected[row] == pairs.p[row]


def test_the_more_the_other_is_given_the_fewer_are_significant(sea: Collection) -> None:
    shares = [
        compared(sea, basis=basis, tails=1, correct="none").discriminated
        for basis in ("base", "projected", "top")
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[2]


def test_a_top_far_above_is_no_win_of_the_run_behind(sea: Collection) -> None:
    pairs = compared(sea, "P@10", basis="top", tails=2, correct="none")
    against = np.nanmean(pairs.outcome.rows, axis=1) < 0
    assert (against & (pairs.p < 0.05)).any()
    assert not pairs.significant[against].any()


@pytest.mark.parametrize("name", ["wilcoxon", "sign", "t"])
def test_where_the_mean_and_the_ranks_disagree_nothing_is_shown(name: str) -> None:
    # The second is a little better on 37 topics, the first much better on 3.
    value = np.full((2, 40), 0.2)
    value[1] += np.linspace(0.001, 0.009, 40)
    value[0, :3] = 0.8
    topics = tuple(map(str, range(40)))
    scores = Scores(("a", "b"), topics, "X", value, value, value, np.ones((2, 40)))
    pair = np.array([0]), np.array([1])
    found = set_against(scores, *pair, tests.parse(name), "base", 2, np.random.default_rng(0))
    assert found.difference[0] > 0
    if name != "t":
        assert found.p[0] < 0.001
    assert found.supports[0] == (name == "t")


def test_the_frame_has_the_promised_columns(sea: Collection) -> None:
    pairs = compared(sea)
    frame = pairs.frame()
    assert ",".join(frame.columns) == COLUMNS
    assert len(frame) == 24 * 23 // 2
    assert ",".join(pairs.frame(details=True).columns) == f"{COLUMNS},{DETAILS}"
    assert (frame["lower"] <= frame["difference"] + 1e-12).all()
    assert (frame["difference"] <= frame["upper"] + 1e-12).all()
    words = set(frame["verdict"])
    assert words == {"better", "worse", "undecided"}
    for verdict, sign in (("better", 1), ("worse", -1)):
        rows = frame.filter(verdict=verdict)
        assert (rows["difference"] * sign > 0).all()
        assert (rows["p_corrected"] < 0.05).all()
    assert (frame.filter(verdict="undecided")["p_corrected"] >= 0.05).all()


def test_details_speak_of_the_first_minus_the_second(sea: Collection) -> None:
    pairs = compared(sea, "P@10")
    frame = pairs.frame(details=True)
    assert (frame["effect"] * frame["difference"] >= 0).all()
    middle = (frame["topic_lower"] + frame["topic_upper"]) / 2
    assert np.allclose(middle, frame["difference"])
    certain = pairs.joint.certain[pairs.first, pairs.second]
    assert certain.any()
    assert ((frame["judgments_needed"] == 0).to_numpy() == certain).all()
    assert compared(sea, "AP").frame(details=True)["judgments_needed"].null_count() == len(frame)


def test_a_baseline_is_the_second_of_every_pair(sea: Collection) -> None:
    pairs = compared(sea, baseline="anstey-bm25")
    frame = pairs.frame()
    assert set(frame["run_b"]) == {"anstey-bm25"}
    assert len(frame) == 23
    everything = compared(sea)
    ours = dict(frame.select("run_a", "p").iter_rows())
    for a, b, p in everything.frame().select("run_a", "run_b", "p").iter_rows():
        if "anstey-bm25" in (a, b):
            assert ours[a if b == "anstey-bm25" else b] == p


def test_a_matrix_can_be_read_from_both_sides(sea: Collection) -> None:
    pairs = compared(sea)
    difference, lower, upper = map(pairs.matrix, ("difference", "lower", "upper"))
    off = ~np.eye(24, dtype=bool)
    assert (difference[off] == -difference.T[off]).all()
    assert (lower[off] == -upper.T[off]).all()
    assert np.isnan(difference[~off]).all()
    p = pairs.matrix("p_corrected")
    assert (p[off] == p.T[off]).all()


def test_tiers_come_from_what_can_be_told_apart(sea: Collection) -> None:
    pairs = compared(sea)
    frame = pairs.tier_frame()
    assert frame["value"].is_sorted(descending=True)
    for by in ("certainty", "significance"):
        tier, apart = pairs.tiers(by), pairs.apart(by)  # type: ignore[arg-type]
        assert not (apart & (tier[:, None] == tier)).any()
        assert tier.max() > 1
    assert not pairs.apart("significance").all()


def test_a_familywise_test_is_not_corrected_again(sea: Collection) -> None:
    pairs = compared(sea, test="tukey(n=500)", correct="holm")
    assert (pairs.p == pairs.p_corrected).all()
    assert pairs.correct == "none"


def test_seeds_decide_and_nothing_else(sea: Collection) -> None:
    first, again, other = (
        compared(sea, test="randomisation(n=300)", seed=seed).p for seed in (3, 3, 4)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_runs_with_the_same_lists_are_equal() -> None:
    lists = {topic: ["x", "y"] for topic in "123"}
    for grades in ({}, {"x": 1}):
        for name in ("P@2", "RBP(p=0.5)", "nDCG@2", "AP"):
            pairs = small({"a": lists, "b": lists}, dict.fromkeys("123", grades), name)
            if name in ("P@2", "RBP(p=0.5)") or grades:
                assert pairs.verdict == ("equal",), (name, grades)
            assert FLIP not in pairs.trust[0]
            assert pairs.frame()["p"].to_list() == [None]


def test_the_same_score_that_can_still_differ_is_undecided() -> None:
    pairs = small({"a": {"1": ["x", "y"]}, "b": {"1": ["x", "z"]}}, {"1": {"x": 1}})
    assert pairs.difference[0] == 0
    assert (pairs.lower[0], pairs.upper[0]) == (-0.5, 0.5)
    assert pairs.verdict == ("undecided",)
    assert FLIP in pairs.trust[0]


def test_nothing_judged_says_nothing() -> None:
    pairs = small({"a": {"1": ["x", "y"]}, "b": {"1": ["z", "y"]}}, {"1": {}}, "RBP(p=0.5)")
    assert pairs.verdict == ("undecided",)
    assert pairs.trust == ("; ".join((FLIP, WIDE, SHORT, FEW, THIRD)),)
    frame = pairs.frame(details=True)
    assert frame["p"].to_list() == [None]
    assert frame["judgments_needed"].to_list() == [None]
    projected = small(
        {"a": {"1": ["x"]}, "b": {"1": ["z"]}}, {"1": {}}, "RBP(p=0.5)", basis="both-projected"
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


def test_each_reason_for_doubt_alone() -> None:
    topics = [str(number) for number in range(30)]

    def trust(a: str, b: str, judged: dict[str, int], name: str, n: int = 30) -> str:
        runs = {
            "a": dict.fromkeys(topics[:n], a.split()),
            "b": dict.fromkeys(topics[:n], b.split()),
        }
        return small(runs, dict.fromkeys(topics[:n], judged), name).trust[0]

    assert trust("x y", "z y", {"x": 1, "y": 0, "z": 0}, "P@2") == ""
    assert trust("x y", "z y", {"x": 1, "y": 0, "z": 0}, "P@2", n=24) == FEW
    # y is open in both at the same rank: it can change neither sign nor difference.
    assert trust("x y", "z y", {"x": 1, "z": 0}, "RBP(p=0.2)@2") == ""
    assert trust("x y", "z y", {"x": 1, "z": 0}, "P@2") == THIRD
    assert trust("x y", "z y", {"x": 1, "z": 0, "y": 0}, "RBP(p=0.9)") == SHORT
    assert trust("x y u", "y x u", {"x": 1, "y": 0}, "RBP(p=0.8)@3") == WIDE
    doubts = trust("x y v w", "x y w u", {"x": 1, "y": 1, "w": 1}, "P@4")
    assert doubts == f"{FLIP}; {WIDE}" or doubts == FLIP


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "wilcox"}, "no test is named wilcox, did you mean wilcoxon"),
        ({"basis": "middle"}, "`basis` must be one of base, top, projected"),
        ({"tails": 3}, "`tails` must be one of 1, 2, not 3"),
        ({"correct": "bonferroni"}, "`correct` must be one of holm, bh, none"),
        ({"level": 1.5}, "level must lie between 0 and 1"),
        ({"baseline": "nobody"}, "no run is named nobody"),
        ({"test": "tukey", "tails": 1}, "two tails, not 1"),
        ({"test": "tukey", "basis": "top"}, "one score for each run"),
    ],
)
def test_what_makes_no_sense_is_refused(
    sea: Collection, options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        compared(sea, **options)


def test_scores_that_a_measure_does_not_have_are_refused(sea: Collection) -> None:
    with pytest.raises(ValueError, match="bpref has no interval here"):
        compared(sea, "bpref", basis="top")
    for name in ("AP", "nDCG@10", "DCG@10"):
        with pytest.raises(ValueError, match="has no projected score"):
            compared(sea, name, basis="projected")


def test_one_run_is_refused() -> None:
    with pytest.raises(ValueError, match="takes two runs, found 1: a"):
        small({"a": {"1": ["x"]}}, {"1": {"x": 1}})
