"""The reference estimators on examples worked by hand, and their optima certified."""

import math
import random

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped, unused-ignore]

from . import estimators as e
from . import rank_models as rm
from . import two_stage as ts

HALF = e.rbp(0.5)
RANKING = ["a", "b", "c"]
JUDGED = {"a": 1.0, "c": 0.5}


def test_base_and_residual_by_hand() -> None:
    # Weights 1/2, 1/4, 1/8, and 1/8 after rank 3.
    assert e.base(RANKING, JUDGED, HALF, 100) == 1 / 2 + 1 / 16
    assert e.residual(RANKING, JUDGED, HALF, 100) == 1 / 4 + 1 / 8
    assert e.residual(RANKING, JUDGED, HALF, 2) == 1 / 4 + 1 / 4
    assert e.residual(RANKING, JUDGED, HALF, 2, r_max=3) == 3 / 2
    assert e.residual([], JUDGED, HALF, 2) == 1
    assert e.lb(RANKING, JUDGED, HALF, 2) == 1 / 2
    assert e.ub(RANKING, JUDGED, HALF, 2) == 3 / 4
    assert e.midpoint(RANKING, JUDGED, HALF, 2) == 5 / 8


def test_sdcg_weights_sum_to_1() -> None:
    measure = e.sdcg(3)
    assert sum(measure.weight(j) for j in range(1, 4)) == pytest.approx(1)
    assert measure.weight(3) == pytest.approx(measure.weight(1) / 2)
    assert measure.weight(4) == 0
    assert e.residual(["a"], {}, measure, 3) == pytest.approx(measure.weight(1))


def test_rm_by_hand() -> None:
    # The judged weight is 5/8, of which 9/16 was gained.
    assert e.rm(RANKING, JUDGED, HALF, 100, 0.2) == pytest.approx((9 / 16) / (5 / 8))
    assert e.rm(["x"], JUDGED, HALF, 100, 0.2) == 0.2
    assert e.rm(RANKING, JUDGED, HALF, 100, 0.2, r_max=2) == pytest.approx((9 / 16) / (5 / 8))
    assert e.background({"1": {"a": 1.0, "b": 0.0}, "2": {"c": 0.0, "d": 0.0}}) == 1 / 4


def test_gains_of_unjudged_docs_by_hand() -> None:
    assert e.by_rank_model(RANKING, JUDGED, HALF, 3, [0.9, 0.8, 0.7]) == 9 / 16 + 0.8 / 4
    gains = e.by_doc_gains(["x", "b"], {}, HALF, 3, {"b": 0.4}, 0.1)
    assert gains == pytest.approx(0.1 / 2 + 0.4 / 4)


def test_gamma_by_hand() -> None:
    # The example after Eq. 10: f_1 = 1, f_3 = 1, so R' = 2, C = 4 and the square is
    # 2 / (3/4) * 6 / 12 - 1 = 1/3. Three runs.
    rankings = [["d1", "d8"], ["d1", "x"], ["x", "d1"]]
    judged = {"d1": 1.0, "d8": 1.0, "x": 0.0}
    assert e.gamma(rankings, judged, 2) == pytest.approx(math.sqrt(1 / 3) / 3)
    # At depth 1 d1 occurs twice: 1 / 1 * 2 / 2 - 1 = 0.
    assert e.gamma(rankings, judged, 1) == 0
    assert e.gamma([["a"], ["b"]], {"a": 1.0, "b": 1.0}, 1) == 0
    assert e.gamma([["a"], ["b"]], {"a": 0.0}, 1) == 0


def test_theta() -> None:
    assert e.needs_estimates(0.0, 0.0)
    assert not e.needs_estimates(0.018, 0.018)
    assert e.needs_estimates(0.019, 0.018)


def test_inf_rbp_by_hand() -> None:
    # a pooled and relevant; b, c, d outside the pool, of which c is sampled.
    ranking = ["a", "b", "c", "d"]
    value = e.inf_rbp(ranking, {"a": 1.0}, {"c": 1.0}, HALF, 4)
    assert value == pytest.approx(1 / 2 + (1 / 4 + 1 / 8 + 1 / 16))
    assert e.inf_rbp(ranking, {"a": 1.0}, {"c": 0.0}, HALF, 4) == pytest.approx(1 / 2)
    assert e.inf_rbp(ranking, {"a": 1.0}, {}, HALF, 4) == pytest.approx(1 / 2 + 7 / 16 / 3)
    assert e.inf_rbp(ranking[:1], {"a": 1.0}, {}, HALF, 4) == 1 / 2
    smooth = e.inf_rbp(ranking, {}, {"c": 1.0}, HALF, 3, always_smooth=True)
    assert smooth == pytest.approx(7 / 8 * (1 / 8 + 1e-5) / (1 / 8 + 3e-5))


def test_errors_by_hand() -> None:
    assert e.error(0.1, 0.3, 0.2) == pytest.approx(0.2)
    assert e.error(0.4, 0.3, 0.2) == 0
    assert e.error(0.6, 0.3, 0.2) == pytest.approx(0.1)
    errors = {"1": [0.0, 0.0], "2": [3.0, 4.0]}
    assert e.rmse(errors) == pytest.approx(math.sqrt(12.5) / 2)
    assert e.accuracy(errors) == 50


def test_orderings_by_hand() -> None:
    assert e.kendall_distance([3, 2, 1], [1, 2, 3]) == 1
    assert e.kendall_distance([3, 2, 1], [3, 1, 2]) == pytest.approx(1 / 3)
    assert e.kendall_distance([3, 2, 1], [1, 1, 1]) == 0


def test_sigma_and_dist_by_hand() -> None:
    # Differences 1, 2, 3: t = 2 / (1 / sqrt(3)) with 2 degrees of freedom.
    x, y = [1.0, 2.0, 3.0], [0.0, 0.0, 0.0]
    p = float(stats.ttest_rel(x, y, alternative="greater").pvalue)
    assert e.paired_t(x, y) == pytest.approx(p)
    assert e.sigma(x, y) == pytest.approx(0.5 - p)
    assert e.sigma(y, x) == pytest.approx(p - 0.5)
    assert e.sigma(x, x) == 0
    assert e.sigma([1.0, 2.0], [0.5, 1.5]) == 0.5
    assert e.dist([x, y], [y, x]) == pytest.approx(2 * (0.5 - p))
    assert e.dist([x, y], [y, x], weighted=True) == pytest.approx(2 * (0.5 - p) ** 2)
    assert e.dist([x, y], [x, y]) == 0
    # p = 0.0371 one-tailed is not below 0.05 two-tailed.
    assert e.discrimination_ratio([x, y]) == 0
    assert e.discrimination_ratio([x, y], 0.08) == 1
    assert e.discrimination_ratio([x, x, [2.0, 3.0, 4.0]]) == pytest.approx(2 / 3)


def test_mean_gains_by_hand() -> None:
    rankings = [["a", "b", "c"], ["b"]]
    assert rm.mean_gains(rankings, {"a": 1.0, "b": 0.5}, 3) == [0.75, 0.25, 0]


def test_linear_by_hand() -> None:
    fit = rm.linear([0.9, 0.7, 0.5], 6)
    assert fit.gains == pytest.approx([0.9, 0.7, 0.5, 0.3, 0.1, 0])
    assert fit.squares == pytest.approx(0)
    # A rising line is held flat at the mean.
    assert rm.linear([0.1, 0.2, 0.6], 2).gains == pytest.approx([0.3, 0.3])
    assert rm.linear([0.4], 2).gains == pytest.approx([0.4, 0.4])


def test_zipf_finds_its_own_parameters() -> None:
    harmonic = sum(i**-1.3 for i in range(1, 1001))
    observed = [2.5 / (k**1.3 * harmonic) for k in range(1, 11)]
    fit = rm.zipf(observed, 100)
    assert fit.squares == pytest.approx(0, abs=1e-12)
    assert fit.gains[99] == pytest.approx(2.5 / (100**1.3 * harmonic), rel=1e-3)
    assert rm.zipf([0.3, 0.3, 0.3], 5).gains == pytest.approx([0.3] * 5, abs=1e-6)
    # A rising line is held flat, as c >= 0.
    assert rm.zipf([0.1, 0.2, 0.6], 2).gains == pytest.approx([0.3, 0.3])
    assert rm.zipf([0.4, 0, 0], 4).gains == pytest.approx([0.4, 0, 0, 0], abs=1e-9)
    assert rm.zipf([0.0, 0.0], 3).gains == [0, 0, 0]


def test_weibull_finds_its_own_parameters() -> None:
    a, b, c = 7.0, 0.8, 3.0
    truth = [c * (math.exp(-((k / a) ** b)) - math.exp(-(((k + 1) / a) ** b))) for k in range(100)]
    fit = rm.weibull(truth[:10], 100)
    assert fit.squares == pytest.approx(0, abs=1e-12)
    assert fit.gains == pytest.approx(truth, abs=1e-4)
    assert rm.weibull([0.3, 0.3, 0.3], 5).gains == pytest.approx([0.3] * 5, abs=1e-3)
    assert rm.weibull([0.4, 0, 0], 4).gains == pytest.approx([0.4, 0, 0, 0], abs=1e-6)
    assert rm.weibull([0.0, 0.0], 3).gains == [0, 0, 0]


def example(seed: int, n_runs: int = 4) -> tuple[list[list[str]], dict[str, float]]:
    """Runs of a few docs, judged to depth 3."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(9)]
    rankings = [rng.sample(docs, rng.randint(4, 7)) for _ in range(n_runs)]
    pool = sorted({doc for ranking in rankings for doc in ranking[:3]})
    return rankings, {doc: float(rng.random() < 0.5) for doc in pool}


def random_problem(seed: int, loss: ts.Loss, n_runs: int = 4) -> ts.Problem:
    rankings, judged = example(seed, n_runs)
    docs = sorted(judged)
    target = np.array([judged[doc] for doc in docs])
    columns = np.random.default_rng(seed).random((len(docs), n_runs))
    return ts.Problem(columns, target, ts.weight_matrix(docs, rankings, HALF), loss)


@pytest.mark.parametrize("loss", ["la", "lb documents", "lb runs"])
def test_losses_as_loops_and_as_vectors(loss: ts.Loss) -> None:
    rankings, judged = example(1)
    docs = sorted(judged)
    rng = np.random.default_rng(1)
    columns, w = rng.random((len(docs), 3)), rng.dirichlet(np.ones(3))
    target = np.array([judged[doc] for doc in docs])
    problem = ts.Problem(columns, target, ts.weight_matrix(docs, rankings, HALF), loss)
    errors = dict(zip(docs, (columns @ w - target).tolist(), strict=True))
    assert problem.value(w) == pytest.approx(ts.LOSSES[loss](errors, rankings, HALF))
    gradient = problem.gradient(w)
    for i in range(3):
        step = 1e-6 * np.eye(3)[i]
        slope = (problem.value(w + step) - problem.value(w - step)) / 2e-6
        assert gradient[i] == pytest.approx(slope, abs=1e-6)


def test_losses_by_hand() -> None:
    # a is off by 1 and at ranks 1 and 2, b is off by -1 and at rank 2 of the first run only.
    rankings, errors = [["a", "b"], ["x", "a"]], {"a": 1.0, "b": -1.0}
    assert ts.loss_la(errors, rankings, HALF) == pytest.approx(math.hypot(1 / 4, 1 / 4))
    documents = math.hypot(1 / 2, 1 / 4) + 1 / 4
    assert ts.loss_lb_documents(errors, rankings, HALF) == pytest.approx(documents)
    runs = math.hypot(1 / 2, 1 / 4) + 1 / 4
    assert ts.loss_lb_runs(errors, rankings, HALF) == pytest.approx(runs)
    # With b in both runs the two differ.
    rankings = [["a", "b"], ["b", "a"]]
    documents = 2 * math.hypot(1 / 2, 1 / 4)
    assert ts.loss_lb_documents(errors, rankings, HALF) == pytest.approx(documents)
    assert ts.loss_la(errors, rankings, HALF) == pytest.approx(math.hypot(1 / 4, 1 / 4))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loss", ["la", "lb documents", "lb runs"])
def test_nothing_on_the_simplex_is_better(seed: int, loss: ts.Loss) -> None:
    problem = random_problem(seed, loss)
    w = ts.least_loss(problem)
    assert w.min() >= 0
    assert w.sum() == pytest.approx(1)
    rng = np.random.default_rng(seed)
    others = [*np.eye(4), *rng.dirichlet(np.ones(4), 2000), *rng.dirichlet(np.ones(4) / 5, 2000)]
    assert problem.value(w) <= min(problem.value(other) for other in others) + 1e-9
    if loss != "lb documents":
        assert problem.gap(w) < 1e-4


@pytest.mark.parametrize("seed", range(6))
def test_smallest_norm_la_is_a_minimum_and_shares_out_between_twins(seed: int) -> None:
    problem = random_problem(seed, "la")
    w = ts.smallest_norm_la(problem)
    assert w.sum() == pytest.approx(1)
    assert problem.value(w) <= problem.value(ts.least_loss(problem)) + 1e-9
    # A second copy of every run halves its weight.
    twice = problem._replace(columns=np.hstack([problem.columns, problem.columns]))
    assert ts.smallest_norm_la(twice) == pytest.approx(np.concatenate([w, w]) / 2, abs=1e-6)


def test_smallest_norm_la_of_equal_columns_is_uniform() -> None:
    problem = random_problem(1, "la")
    flat = problem._replace(columns=np.zeros_like(problem.columns))
    assert ts.smallest_norm_la(flat) == pytest.approx([1 / 4] * 4)


def test_two_stage_uniform_by_hand() -> None:
    # x is at rank 2 of the first run and not in the second: (0.5 + 0.1) / 2 by the first model,
    # (0.25 + 0.05) / 2 by the second.
    rankings = [["a", "x"], ["a", "b", "c"]]
    models = [[0.9, 0.5, 0.1], [0.8, 0.25, 0.05]]
    result = ts.two_stage(rankings, {"a": 1.0}, models, HALF, 3, None)
    assert result.gains["x"] == pytest.approx((0.3 + 0.15) / 2)
    assert result.otherwise == pytest.approx((0.1 + 0.05) / 2)


def test_two_stage_trusts_the_run_that_was_right() -> None:
    # a and b are relevant; only the first run has both at the top, so all weight is its.
    rankings = [["a", "b", "x", "y"], ["x", "y", "a", "b"]]
    judged = {"a": 1.0, "b": 1.0, "x": 0.0, "y": 0.0}
    model = [1.0, 1.0, 0.0, 0.0]
    for loss in ts.LOSSES:
        result = ts.two_stage(rankings, judged, [model], HALF, 4, ts.least_loss, loss)
        assert result.w1[0] == pytest.approx([1, 0], abs=1e-5)
        assert result.w2 == pytest.approx([1])
        assert result.gains["a"] == pytest.approx(1, abs=1e-5)
