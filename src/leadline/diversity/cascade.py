"""Cascades: of the relevant documents of a subtopic each is worth less than the one before."""

import numpy as np

from leadline.tables.arrays import Bools, Floats


def cascade(relevant: Bools, discount: Floats, alpha: float) -> Floats:
    """Sum over ranks r of J(r) (1 - alpha)^C(r-1) discount(r), for each row.

    C(r-1) is the number of relevant documents before rank r. It never falls when a document becomes
    relevant: what the later ones lose is at most the next discount.
    """
    row, column = np.nonzero(relevant)
    n = relevant.sum(axis=1)
    before = np.arange(len(row)) - np.repeat(np.cumsum(n) - n, n)
    worth = (1 - alpha) ** before * discount[column]
    total = np.bincount(row, weights=worth, minlength=len(relevant))
    return total.astype(np.float64, copy=False)


def ideal(discount: Floats, alpha: float) -> float:
    """What a list earns whose every document is relevant."""
    return float(np.cumsum((1 - alpha) ** np.arange(len(discount)) * discount)[-1])


def check_cascade(alpha: float, beta: float = 0.5) -> None:
    """A ValueError if a probability is none."""
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha must be between 0 and 1, not {alpha}")
    if not 0 <= beta < 1:
        raise ValueError(f"beta must be at least 0 and below 1, not {beta}")
