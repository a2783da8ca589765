"""Which topics a batch takes, so that assessors have whole topics before them."""

import numpy as np

from leadline.tables.arrays import Bools
from leadline.tables.draw import draw

FIRST_ROUND = -2
"""Rounds are drawn by numbers of their own, -2, -3, ...: no batch of pairs has a part in them."""


def n_turns(n_topics: int, at_once: int) -> int:
    """How many batches it takes until every topic had its turn.

    >>> n_turns(23, 5)
    5
    """
    return -(-n_topics // at_once)


def topics_of_batch(topics: tuple[str, ...], at_once: int, batch: int, seed: int) -> Bools:
    """Which topics have their turn in a batch (from 1).

    A round deals all topics to batches by chance, as evenly as can be; then comes another round. It
    is dealt before anything is judged and follows from seed and names alone: given the turns, pairs
    are drawn as ever, and a pair's chance is 0 in a batch in which its topic has no turn.

    >>> topics_of_batch(("1", "2", "3"), 2, 1, 0).tolist()
    [True, False, True]
    >>> topics_of_batch(("1", "2", "3"), 2, 2, 0).tolist()
    [False, True, False]
    """
    turns = n_turns(len(topics), at_once)
    round_, turn = divmod(batch - 1, turns)
    order = np.argsort(draw(seed, [(topic, "") for topic in topics], FIRST_ROUND - round_))
    chosen = np.zeros(len(topics), np.bool_)
    chosen[np.array_split(order, turns)[turn]] = True
    return chosen
