"""Agreement with people: figures by hand, and intervals that hold what all pairs would show."""

import numpy as np
import pytest

from leadline.data.judgments import Judgments
from leadline.data.pairs import Pairs
from leadline.labels.audit import agreement_rows, gradient
from leadline.labels.audited_pairs import AuditedPairs
from leadline.stats.agreement import Agreement
from tests.labels.small_world import audited, drawn_evenly, noisy, small_runs


def judged(human: list[int], label: list[int], top: int) -> AuditedPairs:
    pairs = Pairs.of(["1"] * len(human), [f"d{at:03}" for at in range(len(human))])
    judgments = Judgments(pairs, np.ones(len(human), bool), np.array(human, np.int16))
    return AuditedPairs(judgments, np.array(label, np.int16), top, "chosen")


def test_a_table_counted_by_hand() -> None:
    # 20 and 15 agree of 50; by chance half of all would: kappa (.7 - .5) / .5.
    human = [0] * 25 + [1] * 25
    label = [0] * 20 + [1] * 5 + [0] * 10 + [1] * 15
    rows = {row.item: row for row in agreement_rows(judged(human, label, 1), 1)}
    assert rows["same grade"].value == pytest.approx(0.7)
    assert rows["kappa"].value == pytest.approx(0.4)
    assert rows["people 1, judge 0"].value == pytest.approx(0.2)
    assert rows["people 1, judge 0"].n == 10
    assert rows["kappa"].ci_lower is None


def test_scales_that_differ_are_compared_by_relevance_only() -> None:
    rows = {row.item: row for row in agreement_rows(judged([0, 1, 2, 3], [0, 0, 1, 1], 1), 2)}
    assert "kappa" not in rows
    assert rows["relevant or not"].value == 1.0
    assert rows["people 3, judge 1"].value == 0.25


def test_the_gradient_is_what_a_pair_more_changes() -> None:
    count = np.array([20.0, 5.0, 10.0, 15.0])
    made = gradient(Agreement.kappa, count, 2)
    for cell in range(4):
        more = count.copy()
        more[cell] += 0.01
        change = Agreement(more.reshape(2, 2)).kappa() - 0.4
        assert made[cell] == pytest.approx(change / 0.01, rel=1e-2)


def test_intervals_of_a_sample_hold_the_agreement_of_all_pairs() -> None:
    _, judgments = small_runs(n_docs=100)
    label = noisy(judgments)
    truth = {row.item: row.value for row in agreement_rows(audited(judgments, label), 1)}
    names = ["same grade", "kappa", "weighted kappa", "alpha", "relevant or not"]
    held = dict.fromkeys(names, 0)
    for seed in range(100):
        sample = drawn_evenly(judgments, label, 0.4, seed)
        for row in agreement_rows(sample, 1):
            if row.item in held:
                assert row.ci_lower is not None
                assert row.ci_upper is not None
                held[row.item] += row.ci_lower <= (truth[row.item] or 0) <= row.ci_upper
    # 95 of 100 are expected, with a standard deviation of 2.2.
    assert all(88 <= n <= 100 for n in held.values()), held


def test_an_empty_cell_of_the_table_has_the_exact_upper_end() -> None:
    _, judgments = small_runs(n_docs=100)
    sample = drawn_evenly(judgments, np.minimum(noisy(judgments), 2).astype(np.int16), 0.4, 0)
    rows = [row for row in agreement_rows(sample, 1) if row.item.startswith("people")]
    empty = [row for row in rows if row.n == 0]
    n = sum(row.n or 0 for row in rows)
    assert empty
    for row in empty:
        assert (row.value, row.ci_lower) == (0.0, 0.0)
        assert row.ci_upper == pytest.approx(1 - 0.05 ** (1 / n))
        assert row.ci_upper == pytest.approx(3 / n, rel=0.02)
