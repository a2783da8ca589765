"""Intervals of means over topics, by t and by the bootstrap, kept apart from what is certain."""

import numpy as np
import pytest
from scipy import stats

from leadline.data.scores import Scores, scores_frame
from leadline.stats.power import COLUMNS, TopicConfidence, with_confidence


def scores(value: list[list[float]], over: str = "mean") -> Scores:
    table = np.array(value)
    runs = tuple(f"run{at}" for at in range(len(table)))
    topics = tuple(str(at) for at in range(table.shape[1]))
    ends = np.nan_to_num(table, nan=0.5)
    how = {"over_topics": over}
    return Scores(runs, topics, "P@5", table, ends, ends, np.ones(table.shape), **how)  # type: ignore[arg-type]


def test_t_is_scipys_and_undefined_topics_do_not_count() -> None:
    known = [0.1, 0.5, 0.3, 0.8]
    found = TopicConfidence.of(scores([[*known, np.nan]]), 0.9)
    plain = stats.ttest_1samp(known, 0.0).confidence_interval(0.9)
    assert (found.ci_lower[0], found.ci_upper[0]) == pytest.approx((plain.low, plain.high))


def test_the_bootstrap_is_near_the_normal_interval_of_many_topics() -> None:
    value = np.random.default_rng(3).random(200)
    found = TopicConfidence.of(scores([value.tolist()]), 0.95)
    half = 1.96 * value.std() / np.sqrt(200)
    assert found.ci_bootstrap_lower[0] == pytest.approx(value.mean() - half, abs=0.1 * half)
    assert found.ci_bootstrap_upper[0] == pytest.approx(value.mean() + half, abs=0.1 * half)


def test_two_topics_have_the_bootstrap_of_three_means() -> None:
    # Means 0, .5 and 1 with chances 1/4, 1/2, 1/4.
    found = TopicConfidence.of(scores([[0.0, 1.0]]), 0.4)
    assert (found.ci_bootstrap_lower[0], found.ci_bootstrap_upper[0]) == (0.5, 0.5)
    wide = TopicConfidence.of(scores([[0.0, 1.0]]), 0.6)
    assert (wide.ci_bootstrap_lower[0], wide.ci_bootstrap_upper[0]) == (0.0, 1.0)


def test_company_changes_nothing() -> None:
    rows = [[0.1, 0.4, 0.2], [0.9, 0.3, np.nan], [0.5, 0.5, 0.6]]
    together = TopicConfidence.of(scores(rows), 0.95)
    for at, row in enumerate(rows):
        alone = TopicConfidence.of(scores([row]), 0.95)
        for name in COLUMNS:
            assert getattr(alone, name)[0] == getattr(together, name)[at]


def test_nothing_is_said_of_single_topics_and_of_sums() -> None:
    one = TopicConfidence.of(scores([[0.4, np.nan]]), 0.95)
    total = TopicConfidence.of(scores([[3.0, 4.0]], "sum"), 0.95)
    for found in (one, total):
        assert all(np.isnan(getattr(found, name)).all() for name in COLUMNS)


def test_the_columns_come_last_and_only_means_have_them() -> None:
    made = scores([[0.1, 0.4, 0.2]])
    frame = with_confidence(scores_frame([made], per_topic=True), [made], 0.95)
    assert frame.columns[-4:] == list(COLUMNS)
    assert frame["ci_lower"].is_null().to_list() == [True, True, True, False]
    assert frame.drop(COLUMNS).equals(scores_frame([made], per_topic=True))
