"""Exact intervals of a measure under missing judgments, by trying every completion.

A completion gives each unjudged doc a grade in 0..max_grade. The cost is exponential in the
number of unjudged docs, so these are for lists of a few docs.
"""

import itertools
import math
from collections.abc import Callable, Iterator

from .measures import Gains, gain_table, insq, rbp, squares_after

Measure = Callable[[list[str], dict[str, int]], float]


def completions(
    docs: list[str], grades: dict[str, int], max_grade: int, n_unseen: int = 0
) -> Iterator[dict[str, int]]:
    """Every dict of grades that extends grades to all of docs and to 0..n_unseen unseen docs.

    The product of (each unjudged doc of docs) x {0..max_grade} with, for m = 0..n_unseen, the
    multisets of m grades: unseen docs are in no list, so which of them has which grade is
    all the same.
    """
    unjudged = [doc for doc in dict.fromkeys(docs) if doc not in grades]
    scale = range(max_grade + 1)
    for assigned in itertools.product(scale, repeat=len(unjudged)):
        for m in range(n_unseen + 1):
            for unseen in itertools.combinations_with_replacement(scale, m):
                completed = dict(grades)
                completed.update(zip(unjudged, assigned, strict=True))
                # Doc ids in TREC files hold no blanks, so these names are free.
                completed.update({f"unseen doc {i}": grade for i, grade in enumerate(unseen)})
                yield completed


def span(values: list[float]) -> tuple[float, float]:
    """(min, max) of the values that are not NaN; (NaN, NaN) if there are none."""
    defined = [value for value in values if not math.isnan(value)]
    if not defined:
        return math.nan, math.nan
    return min(defined), max(defined)


def bounds(
    measure: Measure, ranking: list[str], grades: dict[str, int], max_grade: int, n_unseen: int
) -> tuple[float, float]:
    """(min, max) over all completions c of measure(ranking, c), undefined values left out."""
    values = []
    for completed in completions(ranking, grades, max_grade, n_unseen):
        values.append(measure(ranking, completed))
    return span(values)


def rbp_bounds(
    ranking: list[str],
    grades: dict[str, int],
    max_grade: int,
    p: float,
    k: int | None = None,
    norm: bool = False,
    gains: Gains = "binary",
    rel: int = 1,
) -> tuple[float, float]:
    """bounds of RBP; without k, the upper one plus p^n * (highest gain) for a list of n docs.

    The ranks after n weigh (1 - p) * (p^n + p^(n+1) + ...) = p^n in all. With k there is no
    such tail: ranks up to k that the list does not fill hold nothing relevant.
    """

    def measure(docs: list[str], completed: dict[str, int]) -> float:
        return rbp(docs, completed, p, k, norm, gains, rel, max_grade)

    # RBP has no recall base, so unseen docs matter only in the tail.
    low, high = bounds(measure, ranking, grades, max_grade, n_unseen=0)
    if k is None:
        high += p ** len(ranking) * max(gain_table(gains, rel, max_grade))
    return low, high


def insq_bounds(
    ranking: list[str],
    grades: dict[str, int],
    max_grade: int,
    t: float,
    k: int | None = None,
    gains: Gains = "binary",
) -> tuple[float, float]:
    """bounds of INSQ; without k, the upper one plus what the ranks after the list weigh."""

    def measure(docs: list[str], completed: dict[str, int]) -> float:
        return insq(docs, completed, t, k, gains, 1, max_grade)

    low, high = bounds(measure, ranking, grades, max_grade, n_unseen=0)
    if k is None:
        tail = squares_after(2 * t - 1 + len(ranking)) / squares_after(2 * t - 1)
        high += tail * max(gain_table(gains, 1, max_grade))
    return low, high


def difference_bounds(
    measure: Measure,
    ranking_a: list[str],
    ranking_b: list[str],
    grades: dict[str, int],
    max_grade: int,
) -> tuple[float, float]:
    """(min, max) over joint completions c of measure(a, c) - measure(b, c).

    A doc in both lists has the same grade in both, so this is never wider than the difference
    of the two intervals. Unseen docs and tails are left out, as are completions for which
    either value is undefined.
    """
    values = []
    for completed in completions(ranking_a + ranking_b, grades, max_grade):
        values.append(measure(ranking_a, completed) - measure(ranking_b, completed))
    return span(values)
