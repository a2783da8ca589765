"""Weights, errors and quantiles by how people's pairs were chosen."""

import numpy as np
import pytest

from leadline.labels.audited_pairs import known
from tests.labels.small_world import audited, drawn_evenly, noisy, small_runs


def test_a_drawn_pair_stands_for_one_over_its_chance() -> None:
    _, judgments = small_runs()
    sample = drawn_evenly(judgments, noisy(judgments), 0.25, 3)
    assert set(sample.weight(sample.both)) == {4.0}
    assert len(sample.judged) == sample.human.judged.sum()


def test_the_error_of_a_total_is_that_of_many_draws() -> None:
    _, judgments = small_runs()
    label = noisy(judgments)
    totals, told = [], []
    for seed in range(300):
        sample = drawn_evenly(judgments, label, 0.3, seed)
        y = sample.human.grade[sample.both] / 3
        totals.append((y * sample.weight(sample.both)).sum())
        told.append(float(sample.error(sample.both, y)))
    assert abs(np.mean(totals) - judgments.grade.sum() / 3) < 3 * np.std(totals) / 300**0.5
    # A standard deviation of 300 draws is known to a twenty-fourth.
    np.testing.assert_allclose(np.sqrt(np.mean(np.square(told))), np.std(totals), rtol=0.15)


def test_over_topics_the_error_is_that_of_their_sums() -> None:
    _, judgments = small_runs()
    whole = audited(judgments, noisy(judgments))
    influence = np.random.default_rng(0).normal(size=len(whole.both))
    topic = judgments.pairs.topic[whole.both]
    sums = np.array([influence[topic == at].sum() for at in range(5)])
    expected = (5 / 4 * (sums**2).sum()) ** 0.5
    np.testing.assert_allclose(whole.error(whole.both, influence), expected)
    # Student's t with four degrees of freedom, from its table.
    assert whole.quantile == pytest.approx(2.776, abs=1e-3)


def test_without_chances_there_is_no_interval() -> None:
    _, judgments = small_runs()
    kept = np.arange(len(judgments.grade)) % 3 == 0
    some = audited(judgments, noisy(judgments), "chosen", kept)
    assert np.isnan(some.error(some.both, np.ones(len(some.both))))
    row = some.row("x", "y", 0.5, np.nan, 7)
    assert row == ("x", "y", 0.5, None, None, 7)


def test_ends_stay_inside_what_is_possible_and_nothing_is_none() -> None:
    _, judgments = small_runs()
    sample = drawn_evenly(judgments, noisy(judgments), 0.25, 3)
    assert sample.row("x", "y", 0.9, 0.2, 1, 0.0, 1.0).ci_upper == 1.0
    assert known(float("nan")) is None
    assert known(1.5) == 1.5


def test_few_amounts_that_are_all_alike_do_not_close_the_interval() -> None:
    _, judgments = small_runs()
    sample = drawn_evenly(judgments, noisy(judgments), 0.25, 3)
    row = sample.share_row("x", "y", 1.0, 0.0, np.full(4, 2.5))
    # Student's t with three degrees of freedom times a half over five.
    assert row.ci_lower == pytest.approx(1 - 3.182 * 0.1, abs=1e-3)
    assert row.ci_upper == 1.0
    assert sample.share_row("x", "y", 1.0, 0.0, np.ones(1)).ci_lower is None
