"""A measure equals a plain loop over documents, its interval brute force over completions."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from hypothesis import given

from leadline.measures.measure import measures
from tests.collections import Small, small_collections
from tests.reference import bounds as brute
from tests.reference import measures as plain
from tests.tries import tries

Twin = Callable[[list[str], dict[str, int]], float]
TwinFor = Callable[[int], Twin]
"""The twin for judgments whose scale ends at a grade."""

Bounds = Callable[[list[str], dict[str, int], int], tuple[float, float]]


def same(ours: float, theirs: float) -> bool:
    return (math.isnan(ours) and math.isnan(theirs)) or abs(ours - theirs) <= 1e-12


def cells(small: Small) -> list[tuple[int, int, list[str], dict[str, int]]]:
    return [
        (r, t, lists.get(topic, []), small.grades[topic])
        for r, lists in enumerate(small.runs.values())
        for t, topic in enumerate(small.grades)
    ]


def check_scores(name: str, twin_for: TwinFor, condensed: bool = False) -> None:
    """Every score equals the twin's, on condensed lists too where the measure has them."""
    measure = measures.parse(name)
    on_judged = None
    if condensed:
        on_judged = type(measure)(**{**vars(measure), "judged_only": True})

    @tries(20)
    @given(small_collections())
    def check(small: Small) -> None:
        twin, lists = twin_for(small.max_grade), small.lists()
        scores = measure.score(lists)
        for r, t, ranking, grades in cells(small):
            assert same(scores.value[r, t], twin(ranking, grades)), (ranking, grades)
        if on_judged is not None:
            scores = on_judged.score(lists)
            assert np.isnan(scores.lower).all()
            for r, t, ranking, grades in cells(small):
                known = plain.condensed(ranking, grades)
                assert same(scores.value[r, t], twin(known, grades)), (ranking, grades)

    check()


def check_interval(
    name: str,
    twin_for: TwinFor,
    *,
    unseen: bool = False,
    deeper: int = 0,
    bounds: Bounds | None = None,
) -> None:
    """Both ends are the least and the most over all completions of the list.

    Where `unseen` documents count, only the upper end is reached by what is listed, and the lower
    one holds whatever three of them are; `deeper` ones are needed to reach the upper end. `bounds`
    replaces the brute force where the list has a tail.
    """
    measure = measures.parse(name)

    @tries(20)
    @given(small_collections(n_docs=5, n_topics=1, n_runs=1, max_grade=2, judged=0.5))
    def check(small: Small) -> None:
        scores = measure.score(small.lists())
        ((_, _, ranking, grades),) = cells(small)
        value, lower, upper = (
            float(end[0, 0]) for end in (scores.value, scores.lower, scores.upper)
        )
        # The scale reaches rel: an unjudged document may be the first relevant one.
        top = max(small.max_grade, getattr(measure, "rel", 1))
        twin = twin_for(top)
        over = partial(brute.bounds, twin, ranking, grades, top)
        if math.isnan(value):
            # Undefined as long as nothing relevant is known: what it can be once something is.
            low, high = over(deeper or 3)
            if not math.isnan(high):
                assert abs(upper - high) <= 1e-12
                assert lower <= low + 1e-12
            return
        low, high = over(deeper) if bounds is None else bounds(ranking, grades, top)
        assert abs(upper - high) <= 1e-12, "the upper end is reached"
        if unseen:
            low, high = over(3)
            assert lower <= low + 1e-12
            assert high <= upper + 1e-12
        else:
            assert abs(lower - low) <= 1e-12, "the lower end is reached"

    check()
