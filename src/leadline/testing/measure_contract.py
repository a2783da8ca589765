"""What a measure promises: scores that depend on the list alone, inside intervals that hold."""

from dataclasses import replace
from itertools import islice, product

import numpy as np

from leadline.measures.measure import Measure, measures
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Int64s
from leadline.tables.lists import Lists
from leadline.tables.scores import Scores
from leadline.testing.naming_contract import check_name
from leadline.testing.small_collection import SmallCollection, completed, small_collections
from leadline.testing.small_lists import lists_for
from leadline.testing.violation import Violation, demand, no_errors

SLACK = 1e-9
"""Sums of the same numbers in another order may differ by that much."""

MOST_COMPLETIONS = 300


def check_measure(measure: Measure | str, n: int = 20, seed: int = 0) -> None:
    """A Violation if the measure breaks a promise on one of n small collections.

    Its name comes back from its text; every run has a score on every topic, or NaN, whatever the
    other runs and topics are; the interval holds the score, and whatever it becomes when the
    unjudged documents are judged; judging one more document never widens it.
    """
    measure = check_name(measures, measure)
    if isinstance(measure, Weighted):
        _check_weights(measure)
    random = np.random.default_rng(seed)
    top = getattr(measure, "max_grade", None) or 3
    for small in small_collections(n, seed, max_grade=top):
        scores = _scored(measure, small)
        _check_scores(measure, small, scores)
        _check_company(measure, small, scores)
        if measure.bounded and not measure.judged_only:
            _check_completion(measure, small, scores, completed(small, random))
            _check_one_more(measure, small, scores, random)
    if measure.bounded and not measure.judged_only:
        for short in small_collections(n, seed + 1, 4, 1, 1, max_grade=min(2, top)):
            _check_every_completion(measure, short)


def _scored(measure: Measure, small: SmallCollection, lists: Lists | None = None) -> Scores:
    with no_errors(measure, small):
        return measure.score(lists_for(measure, small) if lists is None else lists)


def _check_weights(measure: Weighted) -> None:
    length = np.arange(10)
    with no_errors(measure, "lists of 0 to 9 documents"):
        weights, shorter = measure.weights(9), measure.weights(5)
        tail = measure.tail(length)
    demand(
        weights.shape == (9,) and np.isfinite(weights).all() and weights.min() >= 0,
        f"the weights of {measure} must be 9 numbers of 0 or more for 9 ranks, not {weights}",
    )
    demand(
        np.array_equal(weights[:5], shorter),
        f"{measure} must weigh ranks 1 to 5 alike in short and long lists: {shorter}, {weights}",
    )
    demand(
        tail.shape == (10,) and tail.min() >= 0 and (np.diff(tail) <= SLACK).all(),
        f"the tail of {measure} must be 0 or more and must not grow with the list: {tail}",
    )


def _check_scores(measure: Measure, small: SmallCollection, scores: Scores) -> None:
    demand(
        scores.measure == str(measure) and scores.runs == tuple(small.runs),
        f"{measure} must score under its own name and those of the runs: {scores.measure}",
    )
    demand(not np.isinf(scores.value).any(), f"{measure} is infinite, given {small}")
    with np.errstate(invalid="ignore"):
        off = (scores.judged < 0) | (scores.judged > 1)
    demand(not off.any(), f"{measure} says that {scores.judged} of the ranks are judged: {small}")
    for end in (scores.lower, scores.upper):
        if measure.bounded and not measure.judged_only:
            open_ended = np.isnan(end) & ~np.isnan(scores.value)
            _demand_cells(~open_ended, measure, small, "has no interval")
        else:
            demand(np.isnan(end).all(), f"{measure} is not bounded and must have no interval")
    if measure.needs == "sampling":
        error = scores.standard_error
        if error is None:
            raise Violation(f"{measure} is estimated from a sample and needs a standard error")
        with np.errstate(invalid="ignore"):
            _demand_cells(~(error < 0), measure, small, "has a negative standard error")


def _check_company(measure: Measure, small: SmallCollection, scores: Scores) -> None:
    """Each run alone, all in another order, and each topic alone score the same."""
    lists = lists_for(measure, small)
    everybody = np.arange(len(lists.runs))
    for chosen in [everybody[::-1], *(everybody[[run]] for run in everybody)]:
        some = replace(
            lists,
            runs=tuple(lists.runs[run] for run in chosen),
            start=lists.start[chosen],
            stop=lists.stop[chosen],
        )
        what = f"scores otherwise when the runs are {', '.join(some.runs)}"
        _demand_same(measure, small, scores, _scored(measure, small, some), chosen, what)
    for topic in small.grades:
        alone = _scored(measure, small.with_topics([topic]))
        together = scores.value[:, [scores.topics.index(topic)]]
        same = np.isclose(together, alone.value, rtol=0, atol=SLACK, equal_nan=True)
        what = "scores otherwise when there are other topics"
        _demand_cells(same, measure, small.with_topics([topic]), what)


def _demand_same(
    measure: Measure,
    small: SmallCollection,
    scores: Scores,
    others: Scores,
    chosen: Int64s,
    what: str,
) -> None:
    for name in ("value", "lower", "upper"):
        before, after = getattr(scores, name)[chosen], getattr(others, name)
        same = np.isclose(before, after, rtol=0, atol=SLACK, equal_nan=True)
        _demand_cells(same, measure, small.with_runs(list(others.runs)), what)


def _check_completion(
    measure: Measure, small: SmallCollection, scores: Scores, complete: SmallCollection
) -> None:
    truth = _scored(measure, complete).value
    with np.errstate(invalid="ignore"):
        outside = (truth < scores.lower - SLACK) | (truth > scores.upper + SLACK)
    what = f"leaves its interval when all is judged, as in {complete}"
    _demand_cells(~outside, measure, small, what)


def _check_one_more(
    measure: Measure, small: SmallCollection, scores: Scores, random: np.random.Generator
) -> None:
    for topic, known in small.grades.items():
        docs = [doc for doc in [*small.returned(topic), "unseen"] if doc not in known]
        doc, grade = str(random.choice(docs)), int(random.integers(0, small.max_grade + 1))
        more = _scored(measure, small.with_grades({topic: {doc: grade}}))
        with np.errstate(invalid="ignore"):
            wider = (more.lower < scores.lower - SLACK) | (more.upper > scores.upper + SLACK)
        what = f"has a wider interval once {doc} of topic {topic} is judged {grade}"
        _demand_cells(~wider, measure, small, what)


def _check_every_completion(measure: Measure, short: SmallCollection) -> None:
    """All ways to judge the documents of a short list, each as a topic of its own."""
    ((run, lists),) = short.runs.items()
    ((topic, known),) = short.grades.items()
    ranking = lists.get(topic, [])
    unjudged = [doc for doc in ranking if doc not in known]
    ways = product(range(short.max_grade + 1), repeat=len(unjudged))
    grades = {"0": known}
    for at, way in enumerate(islice(ways, MOST_COMPLETIONS), 1):
        grades[str(at)] = known | dict(zip(unjudged, way, strict=True))
    every = SmallCollection({run: dict.fromkeys(grades, ranking)}, grades, short.max_grade)
    scores = _scored(measure, every)
    value, lower, upper = (each[0] for each in (scores.value, scores.lower, scores.upper))
    with np.errstate(invalid="ignore"):
        outside = (value < lower[0] - SLACK) | (value > upper[0] + SLACK)
    if outside.any():
        listed, _ = every.sketch(run, scores.topics[int(np.argmax(outside))])
        what = f"leaves its interval when the list turns out to be {listed!r}"
        _demand_cells(np.array([[False]]), measure, short, what)


def _demand_cells(
    holds: Bools,
    measure: Measure,
    small: SmallCollection,
    what: str,
) -> None:
    """A Violation that shows the first list of which something does not hold."""
    if holds.all():
        return
    run, topic = np.argwhere(~holds)[0]
    runs, pairs = list(small.runs), small.pairs()
    listed, elsewhere = small.sketch(runs[run], pairs.topics[topic])
    more = f", elsewhere={elsewhere!r}" if elsewhere else ""
    raise Violation(
        f"{measure} {what}: sketch({listed!r}{more}, max_grade={small.max_grade}), "
        f"which is {runs[run]} on topic {pairs.topics[topic]} of {small}"
    )
