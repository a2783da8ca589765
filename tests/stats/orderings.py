"""Pairs of orderings of the same runs, for Hypothesis, and every way to break their ties."""

import itertools

import numpy as np
from hypothesis import strategies as st

tied = st.integers(2, 5).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 3), min_size=n, max_size=n),) * 2)
)
strict = st.integers(2, 8).flatmap(
    lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n)))
)


def of(*values: float) -> np.ndarray:
    return np.array(values, np.float64)


def breakings(values: list[int]) -> list[np.ndarray]:
    """Every strict order that breaks the ties, as scores."""
    groups = [
        list(itertools.permutations([at for at, each in enumerate(values) if each == value]))
        for value in sorted(set(values), reverse=True)
    ]
    made = []
    for choice in itertools.product(*groups):
        order = [run for group in choice for run in group]
        scores = np.empty(len(values))
        scores[order] = np.arange(len(values), 0, -1)
        made.append(scores)
    return made
