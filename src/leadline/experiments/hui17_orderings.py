"""How alike two ways to score order the runs."""

import numpy as np

from leadline.tables.arrays import Floats


def signs(scores: Floats) -> Floats:
    """[..., pairs]: 1 where the first run of a pair scores more, -1 where it scores less."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    found: Floats = np.sign(scores[..., first] - scores[..., second])
    return found


def kendall(first: Floats, second: Floats) -> Floats:
    """Kendall's tau over the last axis: (concordant - discordant) / all pairs, as the paper has it.

    >>> float(kendall(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])).round(4))
    0.3333
    """
    tau: Floats = (signs(first) * signs(second)).mean(axis=-1)
    return tau


def places(scores: Floats) -> list[int]:
    """The place of each run, 1 for the best; equal scores in the order of the runs."""
    order = np.argsort(-scores, kind="stable")
    found = np.empty(len(order), np.int64)
    found[order] = np.arange(1, len(order) + 1)
    return [int(place) for place in found]
