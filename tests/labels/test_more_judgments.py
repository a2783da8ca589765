"""How many more judgments halve the error: solved by hand, and checked by drawing them."""

import numpy as np
import pytest

from leadline.labels.audit import judgments_for, more_rows
from tests.labels.small_world import (
    audited,
    drawn_evenly,
    noisy,
    scores_of,
    small_runs,
    with_labels,
)


def test_alike_chances_solved_by_hand() -> None:
    # Variance goes with (1 - pi) / pi: 9 at .1, 9 / 4 at pi = 4 / 13; of 100 pairs so many.
    needed = judgments_for(np.full(10, 0.9), np.full(10, 0.1), 0.25)
    assert needed == pytest.approx(100 * 4 / 13)


def test_what_is_certain_already_needs_nothing() -> None:
    assert judgments_for(np.zeros(3), np.ones(3), 0.25) == float("inf")


def test_a_sample_says_how_many_more_and_a_whole_says_how_many_topics() -> None:
    runs, judgments = small_runs()
    label = noisy(judgments)
    rows = more_rows(scores_of(runs, drawn_evenly(judgments, label, 0.3, 1)))
    error, more = rows
    assert error.value is not None
    assert error.value > 0
    assert more.value is not None
    assert more.n is not None
    looked = scores_of(runs, audited(judgments, label)).weights.pair
    assert 0 < more.value + more.n < 1.2 * len(looked)
    (topics,) = more_rows(scores_of(runs, audited(judgments, label)))
    assert (topics.value, topics.n) == (15.0, 5)
    kept = np.arange(len(label)) % 3 == 0
    assert more_rows(scores_of(runs, audited(judgments, label, "chosen", kept))) == []


def test_so_many_more_do_halve_it() -> None:
    runs, judgments = small_runs(n_groups=8, n_topics=10)
    label = noisy(judgments)
    runs = with_labels(runs, label)

    def errors(chance: float) -> tuple[float, float]:
        told = [
            more_rows(scores_of(runs, drawn_evenly(_over(runs, judgments), label, chance, seed)))
            for seed in range(8)
        ]
        mean = np.mean(
            [[rows[0].value, (rows[1].value or 0) + (rows[1].n or 0)] for rows in told], 0
        )
        return float(mean[0]), float(mean[1])

    n_pairs = len(scores_of(runs, audited(_over(runs, judgments), label)).weights.pair)
    before, needed = errors(0.15)
    after, _ = errors(needed / n_pairs)
    # The model gains from the judgments too, so a little more than half of it may go.
    assert 0.3 < after / before < 0.62


def _over(runs, judgments):  # type: ignore[no-untyped-def]
    return type(judgments)(runs.pairs, judgments.judged, judgments.grade, max_grade=3)
