"""What measures, tests, estimators and adjusters promise."""

from dataclasses import replace
from itertools import islice, product

import numpy as np

from leadline.completions.adjuster import Adjuster, UnpooledRuns, adjusters
from leadline.completions.estimator import EstimatedGains, Estimator, TrainingData, estimators
from leadline.contracts.collections import (
    POOL,
    SAMPLED_POOL,
    SmallCollection,
    bias_of,
    completed,
    evidence_of,
    lists_for,
    small_collections,
)
from leadline.contracts.names import Violation, check_name, demand, no_errors
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.lists import Lists
from leadline.data.scores import Scores
from leadline.measures.measure import Measure, Weighted, measures
from leadline.measures.precision import P
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import PoolStrategy
from leadline.stats.significance import Tails, Test, tests

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


CHANCE = 0.1
"""How far p may be off by chance: tests that draw differ from call to call."""

LEVEL = 0.05


def check_test(test: Test | str, n: int = 300, seed: int = 0) -> None:
    """A Violation if the test breaks a promise on n rows of random differences.

    p lies between 0 and 1, NaN where nothing differs; rows and topics are exchangeable, a topic
    that is NaN does not count; where nothing differs but by chance p is not small too often, and
    where all topics agree it is small. A test may refuse one tail with a ValueError.
    """
    test = check_name(tests, test)
    random = np.random.default_rng(seed)
    rows = random.normal(0, 1, (n, 20))
    p = _p(test, rows, 2)
    _check_range(test, rows, p)
    _check_level(test, p, 2)
    _check_exchange(test, rows[:10], p[:10], random)
    for row, name in ((np.zeros(8), "all are 0"), (np.full(8, np.nan), "no topic counts")):
        found = _p(test, row[None, :], 2)[0]
        demand(np.isnan(found), f"{test} must be NaN where {name}, not {found}")
    clear = _p(test, 1 + random.uniform(-0.1, 0.1, (1, 30)), 2)[0]
    demand(clear < LEVEL, f"{test} gives p = {clear} where 30 topics differ by about 1")
    if _has_one_tail(test):
        _check_one_tail(test, rows)


def _p(test: Test, rows: Floats, tails: Tails) -> Floats:
    with no_errors(
        test, f"{len(rows)} rows of differences, the first {rows[:1].round(3).tolist()}"
    ):
        p = test.p(rows.copy(), tails, np.random.default_rng(0))
    demand(p.shape == (len(rows),), f"{test} must give one p a row, not {p.shape} for {len(rows)}")
    return p


def _has_one_tail(test: Test) -> bool:
    try:
        test.p(np.ones((1, 3)), 1, np.random.default_rng(0))
    except ValueError:
        return False
    return True


def _check_range(test: Test, rows: Floats, p: Floats) -> None:
    wrong = ~((p >= 0) & (p <= 1))
    at = int(np.argmax(wrong))
    what = f"p of {test} must lie between 0 and 1, not {p[at]}"
    demand(not wrong.any(), f"{what}, given the differences {rows[at].round(3).tolist()}")


def _check_level(test: Test, p: Floats, tails: Tails) -> None:
    share = float((p <= LEVEL).mean())
    most = LEVEL + 5 * np.sqrt(LEVEL * (1 - LEVEL) / len(p))
    what = f"{test} finds {share:.0%} of {len(p)} rows without a true difference significant"
    demand(share <= most, f"{what} at {LEVEL}, with {tails} tails")


def _check_exchange(test: Test, rows: Floats, p: Floats, random: np.random.Generator) -> None:
    shuffled = random.permutation(rows.shape[1])
    missing = np.column_stack([rows, np.full(len(rows), np.nan)])
    for changed, when in (
        (rows[:, shuffled], "topics come in another order"),
        (-rows, "all signs are turned"),
        (missing, "there is one more topic that does not count"),
        (rows * 3, "all differences are three times as large"),
    ):
        _demand_close(test, rows, p, _p(test, changed, 2), when)
    alone = np.concatenate([_p(test, row[None, :], 2) for row in rows])
    _demand_close(test, rows, p, alone, "rows are tested one by one")


def _check_one_tail(test: Test, rows: Floats) -> None:
    p = _p(test, rows, 1)
    _check_range(test, rows, p)
    _check_level(test, p, 1)
    some = slice(10)
    both = p[some] + _p(test, -rows[some], 1)
    low = int(np.argmin(both))
    what = f"one-tailed p of {test} and that of the other tail must add up to 1 or more"
    demand(both[low] >= 1 - CHANCE, f"{what}, not to {both[low]}: {rows[low].round(3).tolist()}")
    further = _p(test, rows[some] + 0.5, 1)
    worst = int(np.argmax(further - p[some]))
    what = f"one-tailed p of {test} must not grow from {p[worst]} to {further[worst]}"
    rises = further[worst] > p[worst] + CHANCE
    demand(not rises, f"{what} when every difference grows by 0.5: {rows[worst].round(3).tolist()}")


def _demand_close(test: Test, rows: Floats, p: Floats, other: Floats, when: str) -> None:
    off = np.abs(p - other)
    at = int(np.argmax(off))
    what = f"{test} gives {other[at]} instead of {p[at]} when {when}"
    demand(off[at] <= CHANCE, f"{what}, given the differences {rows[at].round(3).tolist()}")


CLOSE = 1e-6
"""Fits that are found step by step differ by less when rows come in another order."""

MEASURE = RBP(p=0.8)


def check_estimator(estimator: Estimator | str, n: int = 20, seed: int = 0) -> None:
    """A Violation if the estimator breaks a promise on one of n small collections.

    Every entry has a gain between 0 and the largest; what is judged keeps its own; scores lie in
    the interval that is certain; neither the order of the runs nor a run that does not contribute
    changes anything; the latter does for a `joint` estimator. Half of the pools are to a depth,
    half are sampled below it. It may refuse evidence with a ValueError, but not that of three
    quarters of the collections.
    """
    estimator = check_name(estimators, estimator)
    refused = 0
    for at, small in enumerate(small_collections(n, seed, n_docs=12, n_runs=5)):
        strategy = POOL if at % 2 else SAMPLED_POOL
        small = replace(small, labelled=estimator.needs_labels)
        evidence = evidence_of(MEASURE, small, strategy)
        estimated = _gains(estimator, evidence, small)
        if estimated is None:
            refused += 1
            continue
        _check_gains(estimator, evidence, estimated, small)
        _check_run_order(estimator, estimated, small, strategy)
        if not estimator.joint:
            _check_bystander(estimator, small, strategy)
    demand(refused <= 3 * n / 4, f"{estimator} refuses {refused} of {n} small collections")


def _gains(
    estimator: Estimator, evidence: TrainingData, small: SmallCollection
) -> EstimatedGains | None:
    """The gains; None if the evidence is refused."""
    try:
        with no_errors(estimator, small):
            return estimator.gains(evidence)
    except Violation as violation:
        if isinstance(violation.__cause__, ValueError):
            return None
        raise


def _check_gains(
    estimator: Estimator, evidence: TrainingData, estimated: EstimatedGains, small: SmallCollection
) -> None:
    most = evidence.max_gain
    for name, array in (("gains", estimated.gain), ("gains beyond a list's end", estimated.tail)):
        inside = (array >= 0) & (array <= most)
        demand(inside.all(), f"{name} of {estimator} must lie in [0, {most:g}], given {small}")
    own = evidence.known_gain[evidence.runs.pair][evidence.judged]
    kept = estimated.gain[evidence.judged] == own
    demand(kept.all(), f"{estimator} changes the gain of a judged document, given {small}")
    error = estimated.standard_error
    with np.errstate(invalid="ignore"):
        negative = error is not None and bool((error < 0).any())
    demand(not negative, f"{estimator} gives a negative standard error, given {small}")
    certain = MEASURE.score(Lists.of(evidence.runs, evidence.judgments))
    scores = estimated.scores(str(estimator))
    demand(scores.obtained == str(estimator), f"{estimator} must be named by its scores")
    outside = (scores.value < certain.lower - CLOSE) | (scores.value > certain.upper + CLOSE)
    demand(not outside.any(), f"{estimator} leaves the interval that is certain, given {small}")


def _check_run_order(
    estimator: Estimator, estimated: EstimatedGains, small: SmallCollection, strategy: PoolStrategy
) -> None:
    backwards = small.with_runs(list(small.runs)[::-1])
    other = _gains(estimator, evidence_of(MEASURE, backwards, strategy), backwards)
    what = f"{estimator} estimates otherwise when the runs are given backwards"
    demand(other is not None and _same(estimated, other), f"{what}, given {small}")


def _check_bystander(estimator: Estimator, small: SmallCollection, strategy: PoolStrategy) -> None:
    """A run that does not contribute teaches nothing about the others."""
    if len(small.runs) < 2:
        return
    *pooled, _ = small.runs
    mask = np.arange(len(small.runs)) < len(pooled)
    whole = evidence_of(MEASURE, small, strategy, mask)
    alone = whole.but(runs=whole.runs.only(mask), contributing=None)
    first, second = (_gains(estimator, evidence, small) for evidence in (whole, alone))
    if first is None or second is None:
        return
    n = len(alone.runs.pair)
    same = np.allclose(first.gain[:n], second.gain, rtol=0, atol=CLOSE)
    what = f"{estimator} learns from a run that does not contribute"
    demand(same, f"{what}, the last of {small}")


def _same(first: EstimatedGains, second: EstimatedGains) -> bool:
    one, other = (each.scores("") for each in (first, second))
    order = [other.runs.index(run) for run in one.runs]
    return np.allclose(one.value, other.value[order], rtol=0, atol=CLOSE, equal_nan=True)


N_NEW = 2
ADJUSTED = P(k=4)


def check_adjuster(
    adjuster: Adjuster | str,
    measure: Measure = ADJUSTED,
    n: int = 20,
    seed: int = 0,
) -> None:
    """A Violation if the adjuster breaks a promise on one of n small collections.

    Every new run gets a finite amount, none if all its documents are judged; neither the order of
    the runs nor the other new runs change it; the latter do for a `joint` adjuster. The adjuster
    says what it assumes. It may refuse a measure or thin evidence with a ValueError, but not on
    more than half of the collections.
    """
    adjuster = check_name(adjusters, adjuster)
    refused = 0
    for small in small_collections(n, seed, n_docs=12, n_topics=4, n_runs=8):
        if len(small.runs) <= N_NEW + 1:
            refused += 1
            continue
        new = list(small.runs)[-N_NEW:]
        evidence = bias_of(measure, small, new)
        amounts = _amounts(adjuster, evidence, small)
        if amounts is None:
            refused += 1
            continue
        _check_adjusted(adjuster, evidence, amounts, small)
        backwards = small.with_runs(list(small.runs)[::-1])
        other = _amounts(adjuster, bias_of(measure, backwards, new), backwards)
        _demand_equal(amounts, None if other is None else other[::-1], adjuster, small, "backwards")
        if adjuster.joint:
            continue
        alone = small.with_runs([run for run in small.runs if run != new[1]])
        fewer = _amounts(adjuster, bias_of(measure, alone, new[:1]), alone)
        _demand_equal(amounts[:1], fewer, adjuster, small, f"without {new[1]}")
    demand(refused <= n / 2, f"{adjuster} refuses {refused} of {n} small collections")


def _amounts(adjuster: Adjuster, evidence: UnpooledRuns, small: SmallCollection) -> Floats | None:
    """What is added to each new run; None if the evidence is refused."""
    try:
        with no_errors(adjuster, small):
            adjuster.check(evidence)
            amounts = adjuster.amounts(evidence)
    except Violation as violation:
        if isinstance(violation.__cause__, ValueError):
            return None
        raise
    demand(
        amounts.shape == (len(evidence.new_names),) and np.isfinite(amounts).all(),
        f"{adjuster} must give each of {evidence.new_names} a number, not {amounts}, given {small}",
    )
    return amounts


def _check_adjusted(
    adjuster: Adjuster, evidence: UnpooledRuns, amounts: Floats, small: SmallCollection
) -> None:
    explained = adjuster.explain(evidence)
    demand(explained and all(explained), f"{adjuster} must say what it assumes, given {small}")
    with no_errors(adjuster, small):
        adjusted = adjuster.adjust(evidence, random=np.random.default_rng(0))
    demand(adjusted.adjuster == str(adjuster), f"{adjuster} must be named by what it adjusts")
    with np.errstate(invalid="ignore"):
        upside_down = adjusted.pred_lower > adjusted.pred_upper + CLOSE
    demand(
        not upside_down.any(), f"{adjuster} gives an interval that ends below its start: {small}"
    )
    withheld = np.isnan(adjusted.pred_lower) | np.isnan(adjusted.pred_upper)
    demand(
        np.isnan(adjusted.standard_error[withheld]).all(),
        f"{adjuster} gives a standard error where it withholds the interval: {small}",
    )
    complete = (adjusted.unjudged == 0) & (
        evidence.reference is None or not adjuster.takes_reference
    )
    what = f"{adjuster} changes a run of which all is judged"
    demand(not adjusted.adjustment[complete].any(), f"{what}, given {small}")


def _demand_equal(
    amounts: Floats, other: Floats | None, adjuster: Adjuster, small: SmallCollection, how: str
) -> None:
    same = other is not None and np.allclose(amounts, other, rtol=0, atol=CLOSE)
    what = f"{adjuster} adds {other} instead of {amounts} to the new runs when runs are given {how}"
    demand(same, f"{what}, given {small}")
