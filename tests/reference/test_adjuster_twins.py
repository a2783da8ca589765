"""The reference adjusters and their experiments on examples worked by hand."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from . import adjuster_experiments as x
from . import adjusters as a
from . import pools
from . import regression as r
from .measures import precision, rbp


def p_at_2(ranking: list[str], judged: dict[str, int]) -> float:
    return precision(ranking, judged, 2)


# Pooled to depth 2: x only by A, z only by B, y by both.
POOLED: dict[str, a.Run] = {"A": {"1": ["x", "y", "z"]}, "B": {"1": ["y", "z"]}}
NEW: a.Run = {"1": ["w", "z", "x"]}
QRELS: a.Qrels = {"1": {"x": 1, "y": 0, "z": 1}}


def random_runs(rng: random.Random, n_runs: int, n_topics: int = 3) -> dict[str, a.Run]:
    docs = [f"d{i}" for i in range(12)]
    runs = {}
    for i in range(n_runs):
        runs[f"r{i}"] = {str(t): rng.sample(docs, rng.randint(3, 10)) for t in range(n_topics)}
    return runs


def random_truth(rng: random.Random, n_topics: int = 3) -> a.Qrels:
    return {str(t): {f"d{i}": rng.randint(0, 1) for i in range(10)} for t in range(n_topics)}


def test_only_what_nobody_else_pools_is_withdrawn() -> None:
    left = a.without_unique(QRELS, POOLED["A"], [POOLED["B"]], 2)
    assert left == {"1": {"y": 0, "z": 1}}
    # Beyond the depth, z of A does not keep z of B in the pool.
    left = a.without_unique(QRELS, POOLED["B"], [POOLED["A"]], 2)
    assert left == {"1": {"x": 1, "y": 0}}
    assert a.without_unique(QRELS, POOLED["B"], [POOLED["A"]], 3) == QRELS


def test_systems_by_hand() -> None:
    # A loses x: 1/2 - 0. B keeps z, which the newcomer has within depth 2: 1/2 - 1/2.
    result = a.systems(POOLED, NEW, QRELS, 2, ["1"], p_at_2)
    assert result == pytest.approx((1 / 2, 1 / 4, 3 / 4))
    # Condensed, A moves z up to rank 2 when x goes: 1/2 - 1/2. The newcomer becomes z, x.
    result = a.systems(POOLED, NEW, QRELS, 2, ["1"], p_at_2, condensed=True)
    assert result == pytest.approx((1, 0, 1))


def test_webber_runs_by_hand() -> None:
    # Nobody keeps z in the pool: B loses 1/2 as well.
    result = a.webber_runs(POOLED, NEW, QRELS, 2, ["1"], p_at_2)
    assert result == pytest.approx((1 / 2, 1 / 2, 1))


def test_topics_by_hand() -> None:
    result = a.from_topics({"1": 0.2, "2": 0.4, "3": 0.6, "4": 0.8}, {"1": 0.5, "2": 0.5})
    assert result.beta == pytest.approx({"1": 0.3, "2": 0.1})
    assert result.unadjusted == pytest.approx(0.5)
    assert result.adjustment == pytest.approx(0.2)
    assert result.adjusted == pytest.approx(0.7)
    assert result.mixed == pytest.approx(0.6)
    # The two residuals are 0.1 and -0.1.
    assert result.variance == pytest.approx(0.02)
    assert result.standard_error == pytest.approx(math.sqrt(2 / 4 * 0.02 / 2))
    assert result.sample_mean == pytest.approx(0.5)
    assert result.sample_standard_error == pytest.approx(0, abs=1e-12)
    assert result.beats_unadjusted
    assert not result.beats_sample_mean


def test_topics_with_one_or_all_common() -> None:
    one = a.from_topics({"1": 0.2, "2": 0.4}, {"1": 0.5})
    assert one.adjusted == pytest.approx(0.6)
    assert math.isnan(one.standard_error)
    assert not one.beats_unadjusted
    every = a.from_topics({"1": 0.2, "2": 0.4}, {"1": 0.5, "2": 0.9})
    assert every.adjusted == pytest.approx(0.7)
    assert every.mixed == pytest.approx(0.7)
    assert every.standard_error == 0.0


def test_topics_withdraw_the_new_run_everywhere() -> None:
    # w was pooled by the newcomer alone, on both topics; z is also B's.
    new = {"1": ["w", "z"], "2": ["w", "z"]}
    pooled: dict[str, a.Run] = {"B": {"1": ["z"], "2": ["z"]}}
    qrels = {"1": {"w": 1, "z": 1}, "2": {"w": 1, "z": 0}}
    result = a.topics(pooled, new, qrels, 2, ["1", "2"], ["1"], p_at_2)
    assert result.beta == {"1": 1 / 2}
    assert result.unadjusted == pytest.approx(1 / 4)
    assert result.adjusted == pytest.approx(3 / 4)
    # Nothing changes if topic 2's w was never judged.
    del qrels["2"]["w"]
    again = a.topics(pooled, new, qrels, 2, ["1", "2"], ["1"], p_at_2)
    assert again.adjusted == result.adjusted


def test_two_qrels_by_hand() -> None:
    labels = {"1": {"w": 1, "z": 1}, "2": {"w": 0, "z": 1}}
    trusted = {"1": {"w": 0, "z": 1}}
    new = {"1": ["w", "z"], "2": ["w", "z"]}
    result = a.two_qrels(new, labels, trusted, ["1", "2"], ["1"], p_at_2)
    assert result.adjustment == pytest.approx(-1 / 2)
    assert result.adjusted == pytest.approx(1 / 4)


def test_bootstrap_adjustments_are_all_resamples() -> None:
    assert a.bootstrap_adjustments([0.0, 1.0]) == [0.0, 0.5, 0.5, 1.0]
    assert len(a.bootstrap_adjustments([0.1, 0.2, 0.4])) == 27


def test_lipani_merges_by_hand() -> None:
    # c: (3 + 1) / 2 = 2 ties with b, which was first. Replaced, c ties with a at rank 1.
    assert a.lipani_merged(["a", "b", "c"], ["c", "d"], "average") == ["a", "b", "c"]
    assert a.lipani_merged(["a", "b", "c"], ["c", "d"], "replace") == ["a", "c", "b"]
    assert a.lipani_merged(["a", "b", "c"], ["c", "a"], "replace") == ["c", "a", "b"]
    assert a.lipani_merged(["a", "b", "c", "d"], ["d"], "average") == ["a", "b", "d", "c"]


def test_lipani_by_hand() -> None:
    pooled: dict[str, a.Run] = {"A": {"1": ["a", "b", "c"]}}
    qrels = {"1": {"a": 1, "b": 0}}
    new = {"1": ["c", "a"]}
    half, nothing = Fraction(1, 2), Fraction(0)
    assert a.ratios(new, ["1"], qrels, 2) == a.Ratios(half, nothing, half)
    # A becomes c, a, b: dP = 0, dA = -1/2, dK = 1/2; 1/2 (0 * 0 + 1/2 * 1/2) > 0.
    result = a.lipani(pooled, new, qrels, 2, ["1"], "replace")
    assert result == (1 / 2, 1 / 4, 3 / 4)
    # On average a has rank 3/2 and b and c rank 2: nothing changes.
    assert a.lipani(pooled, new, qrels, 2, ["1"], "average") == (1 / 2, 0, 1 / 2)
    # With no judged doc in the new run's first ranks the trigger is 0, however large K is.
    assert a.lipani(pooled, {"1": ["c", "d"]}, qrels, 2, ["1"], "replace").adjustment == 0


def test_short_lists_have_no_ratio_past_their_end() -> None:
    nothing = Fraction(0)
    found = a.ratios({"1": ["a"]}, ["1", "2"], {"1": {"a": 0}}, 2)
    assert found == a.Ratios(nothing, Fraction(1, 4), nothing)


@pytest.mark.parametrize("seed", range(5))
def test_withdrawing_equals_rebuilding(seed: int) -> None:
    rng = random.Random(seed)
    runs, truth = random_runs(rng, 5), random_truth(rng)
    new = runs.pop("r0")
    topics = sorted(truth)

    def pooler(some: list[a.Run]) -> set[pools.Pair]:
        return set(pools.depth(some, 3))

    qrels = x.judge(pooler(list(runs.values())), truth)
    rebuilt = x.webber_by_rebuilding(runs, new, truth, pooler, topics, p_at_2)
    assert a.webber_runs(runs, new, qrels, 3, topics, p_at_2).adjusted == pytest.approx(rebuilt)


def test_best_runs_keep_three_quarters() -> None:
    runs: dict[str, a.Run] = {"a": {"1": ["n"]}, "b": {"1": ["y"]}, "c": {"1": ["n"]}, "d": {}}
    assert x.best_runs(runs, {"1": {"y": 1, "n": 0}}, ["1"], p_at_2) == ["b", "a", "c"]


def test_leave_one_organisation_out_by_hand() -> None:
    # Without G, x is unjudged and A falls from 1/2 to 0; without H, z: B falls from 1/2 to 0,
    # and C, which has nothing of its own, from 1/2 to 0 too.
    runs: dict[str, a.Run] = {**POOLED, "C": {"1": ["z", "y"]}}
    groups = {"A": "G", "B": "H", "C": "H"}

    def pooler(some: list[a.Run]) -> set[pools.Pair]:
        return x.depth_pool(some, 2)

    def no_corrector(pooled: dict[str, a.Run], run: a.Run, qrels: a.Qrels) -> float:
        return a.mean_score(run, ["1"], qrels, p_at_2)

    def half(pooled: dict[str, a.Run], run: a.Run, qrels: a.Qrels) -> float:
        return no_corrector(pooled, run, qrels) + 1 / 4

    arguments = (runs, groups, QRELS, pooler, pooler, ["1"], p_at_2)
    assert x.leave_one_organisation_out(*arguments, no_corrector) == pytest.approx(1 / 2)
    assert x.leave_one_organisation_out(*arguments, half) == pytest.approx(1 / 4)


def test_systems_errors_by_hand() -> None:
    # Truth for NEW at depth 2 is w (never judged: 0) and z: 1/2. B alone in the pool judges z.
    runs: dict[str, a.Run] = {**POOLED, "NEW": NEW}
    draws = [x.Draw(["B"], "NEW"), x.Draw(["A"], "NEW")]
    # First: raw 0; B keeps z and loses only y, worth nothing: 0.
    # Second: raw 1/2, and A without x loses 1/2, so adjusting is exact.
    errors = x.systems_errors(runs, QRELS, 2, draws, ["1"], p_at_2)
    assert errors == pytest.approx((1 / 4, 0))
    assert x.biases(runs, QRELS, 2, draws, ["1"], p_at_2) == [0, -1 / 2]


def test_mixed_error_over_all_samples_is_the_uncommon_share() -> None:
    rng = random.Random(3)
    runs, truth = random_runs(rng, 4, 5), random_truth(rng, 5)
    draw = x.Draw(["r1", "r2"], "r0")
    topics = sorted(truth)
    samples = [list(sample) for sample in itertools.combinations(topics, 2)]

    def score(ranking: list[str], judged: dict[str, int]) -> float:
        return rbp(ranking, judged, 0.8, 3, norm=True)

    unadjusted, mixed, adjusted = x.topics_errors(runs, truth, 3, [draw], [samples], topics, score)
    assert unadjusted > 0
    assert mixed == pytest.approx(unadjusted * 3 / 5)
    assert adjusted >= 0
    whole = x.topics_errors(runs, truth, 3, [draw], [[topics]], topics, score)
    assert whole == pytest.approx((unadjusted, 0, 0))


def test_adjusting_beats_sampling_when_the_bias_is_steady() -> None:
    true = {"1": 0.1, "2": 0.5, "3": 0.9}
    assert x.adjusting_beats_sampling({"1": 0.0, "2": 0.4, "3": 0.8}, true)
    assert not x.adjusting_beats_sampling({"1": 0.9, "2": 0.5, "3": 0.1}, true)


def test_regression_features_by_hand() -> None:
    found = r.features([1, None])
    assert found == pytest.approx(
        [
            math.log(1 / 61 + 1 / 2060),
            math.log(0.01 + 0.95 + 0.95**2000),
            math.log(0.01 + 0.8 + 0.8**2000),
            0,
            math.log(2000) / 2,
            1 / 2,
            1 / 2,
            math.log(2),
        ]
    )
    # Rank 101 is returned, but not in the first 100.
    assert r.features([101, 31])[5:] == pytest.approx([1, 1 / 2, 0])
    assert r.features([None])[2:4] == pytest.approx([math.log(0.01), math.log(2000)])


def test_regression_without_evidence_gives_the_rate() -> None:
    # All features are zero, so that only the free intercept speaks: logit(1/4).
    parameters = r.minimise(np.zeros((4, 2)), np.array([1.0, 0.0, 0.0, 0.0]))
    assert parameters == pytest.approx([math.log(1 / 3), 0, 0])
    with pytest.raises(ValueError, match="alike"):
        r.minimise(np.zeros((2, 1)), np.zeros(2))


def test_regression_of_two_docs_by_hand() -> None:
    # Targets 1 at x = 1 and 0 at x = -1: b = 0 by symmetry, and w solves
    # w = 2 C (1 - s(w)) = 0.6 / (1 + e^w).
    rows, targets = np.array([[1.0], [-1.0]]), np.array([1.0, 0.0])
    intercept, weight = r.minimise(rows, targets)
    assert intercept == pytest.approx(0, abs=1e-12)
    assert weight == pytest.approx(0.6 / (1 + math.exp(weight)))
    loss, gradient = r.objective(np.array([intercept, weight]), rows, targets)
    assert gradient == pytest.approx([0, 0], abs=1e-12)
    assert loss == pytest.approx(0.3 * 2 * math.log(1 + math.exp(-weight)) + weight**2 / 2)
