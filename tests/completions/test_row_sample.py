"""A sample of judged rows by outcome leaves the effects of the regression as they are."""

import numpy as np

from leadline.completions.hierarchical_logistic import EffectBlock, HierarchicalLogistic
from leadline.completions.model import RowSample


def _rows(seed: int, n: int = 20_000) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    best = np.sort(rng.integers(1, 101, n))
    x = np.column_stack([np.ones(n), np.log(best), rng.standard_normal(n)])
    p = 1 / (1 + np.exp(-(x @ [0.5, -1.2, 0.7])))
    return x, best, (rng.random(n) < p).astype(float), rng.integers(0, 2**64, n, np.uint64)


def _fit(x: np.ndarray, y: np.ndarray, offset: np.ndarray) -> np.ndarray:
    blocks = [EffectBlock("all", 0, x.shape[1], 100.0, float("inf"))]
    fit = HierarchicalLogistic(
        x, np.zeros((len(y), 0)), np.array([0, len(y)]), blocks, np.zeros(x.shape[1]), offset
    )
    fit.fit(y, 60, learn_scales=False)
    return fit.g


def test_effects_are_those_of_all_rows_and_the_intercept_too() -> None:
    moves = []
    for seed in range(12):
        x, best, y, key = _rows(seed)
        sample = RowSample.of(y, best, key, 3_000)
        assert sample.kept.sum() == 3_000
        whole = _fit(x, y, np.zeros(len(y)))
        part = _fit(x[sample.kept], y[sample.kept], sample.offset)
        moves.append(part - whole)
    mean = np.mean(moves, axis=0)
    error = np.std(moves, axis=0, ddof=1) / np.sqrt(len(moves))
    assert (np.abs(mean) < 4 * error).all(), (mean, error)
    # Without the offset the intercept would be far off.
    assert np.abs(np.mean(moves, axis=0)[0]) < 0.1


def test_without_the_offset_the_intercept_is_wrong() -> None:
    x, best, y, key = _rows(0)
    sample = RowSample.of(y, best, key, 3_000)
    whole = _fit(x, y, np.zeros(len(y)))
    part = _fit(x[sample.kept], y[sample.kept], np.zeros(3_000))
    assert np.abs(part - whole).max() > 0.5


def test_weighted_counts_are_those_of_all_rows() -> None:
    _, best, y, key = _rows(1)
    sample = RowSample.of(y, best, key, 3_000)
    kept, weight = sample.kept, sample.weight
    for low, high in ((0, 3), (3, 10), (10, 30), (30, 100)):
        rows = (best > low) & (best <= high)
        n, error = rows.sum(), np.sqrt((weight[rows[kept]] ** 2).sum())
        assert abs(weight[rows[kept]].sum() - n) < 4 * error


def test_all_rows_where_there_are_few_and_the_order_changes_nothing() -> None:
    _, best, y, key = _rows(2, 500)
    whole = RowSample.of(y, best, key, 500)
    assert whole.kept.all()
    assert not whole.offset.any()
    assert (whole.weight == 1).all()
    turned = np.random.default_rng(0).permutation(500)
    sample = RowSample.of(y, best, key, 100)
    other = RowSample.of(y[turned], best[turned], key[turned], 100)
    assert (sample.kept[turned] == other.kept).all()


def test_many_rows_that_reach_the_grade_are_sampled_too() -> None:
    n = 1_000
    y = np.r_[np.ones(900), np.zeros(100)]
    best = np.tile(np.arange(1, 11), n // 10)
    key = np.random.default_rng(0).integers(0, 2**64, n, np.uint64)
    sample = RowSample.of(y, best, key, 300)
    assert sample.kept.sum() == 300
    assert sample.kept[y == 0].all()
    assert np.allclose(sample.weight[:200], 1 / np.exp(sample.offset[:200]))
