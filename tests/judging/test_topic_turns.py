"""Topics take turns: all in every round, evenly, by seed and name alone."""

import numpy as np
import pytest

from leadline.judging.weighted_sample import n_turns, topics_of_batch

TOPICS = tuple(str(number) for number in range(401, 424))


@pytest.mark.parametrize("at_once", [1, 5, 8, 23, 40])
def test_in_every_round_every_topic_has_one_turn(at_once: int) -> None:
    turns = n_turns(len(TOPICS), at_once)
    for round_ in range(3):
        batches = range(round_ * turns + 1, (round_ + 1) * turns + 1)
        chosen = np.array([topics_of_batch(TOPICS, at_once, batch, 7) for batch in batches])
        assert (chosen.sum(axis=0) == 1).all()
        sizes = chosen.sum(axis=1)
        assert sizes.max() <= at_once
        assert np.ptp(sizes) <= 1


def test_rounds_and_seeds_differ() -> None:
    turns = n_turns(len(TOPICS), 5)
    first, again = topics_of_batch(TOPICS, 5, 1, 0), topics_of_batch(TOPICS, 5, 1 + turns, 0)
    assert (first != again).any()
    assert (first != topics_of_batch(TOPICS, 5, 1, 1)).any()


def test_every_topic_comes_first_as_often_as_another() -> None:
    first = np.mean([topics_of_batch(TOPICS[:6], 2, 1, seed) for seed in range(600)], axis=0)
    # A third of the time each; four standard errors of 600 draws.
    assert np.abs(first - 1 / 3).max() < 4 * np.sqrt(2 / 9 / 600)
