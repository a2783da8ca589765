"""The passes of moffat07: what each judges, and what it tells for which table and figure.

The rules are those of the stops WinnerCertain and TopKCertain. A rule that holds goes on holding,
because judging never widens an interval, so the first judgment after which it holds is found by
bisection; only what is looked at is computed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from leadline.completions.bounds import EntryWeights, best_runs, gap_below, out_of_reach
from leadline.completions.contest import RunScores
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import UNRANKED, Runs
from leadline.data.scores import SCORE_NOISE, Scores
from leadline.io.read import read
from leadline.judging.bandits import MaxMean, MoveToFront
from leadline.judging.by_weight import Heaviest, MoffatA, MoffatB, MoffatC
from leadline.judging.certain_winner import CertainWinner
from leadline.judging.order import DepthFirst, Order, Random, Stepper, by_best_rank
from leadline.lab.papers.runner import Setting, official_map
from leadline.measures.ap import AP
from leadline.measures.measure import Weighted
from leadline.measures.rbp import RBP
from leadline.simulate import Cell
from leadline.stats.pairwise import UnjudgedAs, set_against
from leadline.stats.significance import Wilcoxon

Unanswered = Literal["nonrelevant", "bypass"]
Ties = Literal["float32", "file-order"]


@dataclass(frozen=True, eq=False)
class PassSetup:
    """A collection read one way, and its runs by MAP, which is the official one where known."""

    runs: Runs
    judgments: Judgments
    official: bool
    by_map: Int64s
    notices: tuple[str, ...]

    @property
    def n_best(self) -> int:
        """A third of the runs, as the paper takes, but at least five."""
        return min(len(self.runs.names), max(5, len(self.runs.names) // 3))

    @property
    def n_pairs(self) -> int:
        """Pairs that some run returns."""
        return int((self.runs.best_rank < UNRANKED).sum())

    def lists(self, pairs: Int64s | None = None) -> Lists:
        """The lists as if only these pairs were judged, what the qrels lack being non-relevant."""
        if pairs is None:
            return Lists.of(self.runs, self.judgments)
        judged: Bools = np.zeros(len(self.runs.pairs), np.bool_)
        judged[pairs] = True
        grade = np.where(judged, self.judgments.grade, np.int16(0))
        known = Judgments(self.runs.pairs, judged, grade, max_grade=self.judgments.max_grade)
        return Lists.of(self.runs, known)


@lru_cache(maxsize=2)
def pass_setup(folder: str, ties: Ties) -> PassSetup:
    """The collection, read once in each process."""
    collection = read(Path(folder), ties=ties)
    means, official = official_map(collection)
    by_map = np.argsort(-means, kind="stable")
    notices = tuple(collection.notices.lines())
    return PassSetup(collection.runs, collection.judgments, official, by_map, notices)


def handled(
    order: Order, on: PassSetup, limit: int, missing: Unanswered, then: Order | None = None
) -> Int64s:
    """The pairs that an order asks for, until so many are judged or there are no more.

    What the qrels do not hold is non-relevant and counts, or is bypassed and does not. An order
    that has nothing more to ask is followed by `then`, which knows all that was judged so far.
    """
    pairs: list[int] = []
    _ask(order.start(on.runs), on, limit, missing, pairs)
    if then is not None and len(pairs) < limit:
        stepper = then.start(on.runs)
        for pair in pairs:
            stepper.tell(pair, int(on.judgments.grade[pair]))
        _ask(stepper, on, limit - len(pairs), missing, pairs)
    return np.array(pairs, np.int64)


def _ask(
    stepper: Stepper, on: PassSetup, limit: int, missing: Unanswered, pairs: list[int]
) -> None:
    known, grade = on.judgments.judged, on.judgments.grade
    counted = 0
    while counted < limit:
        chosen = stepper.next(1)
        if not chosen:
            return
        pair = chosen[0].pair
        pairs.append(pair)
        if missing == "nonrelevant" or known[pair]:
            stepper.tell(pair, int(grade[pair]))
            counted += 1
        else:
            stepper.spend(pair)


@dataclass(frozen=True)
class DepthFirstByRun(DepthFirst):
    """DepthFirst as the paper may have done it: run after run, by place or else as they come."""

    place: tuple[int, ...] = ()

    def turns(self, runs: Runs) -> Floats:
        """At each rank all topics of one run, then all of the next."""
        place = np.array(self.place or range(len(runs.names)), np.float64)
        return np.broadcast_to(place[:, None], runs.length.shape)


def topic_by_topic(on: PassSetup, order: MoffatC, limit: int, missing: Unanswered) -> Int64s:
    """The pairs that Method C handles if topics are judged one by one, each without feedback.

    Every topic gets an equal share of the judgments. Within a topic the bases stay as the topics
    before left them, and residuals fall as pairs are chosen.
    """
    scores = RunScores(on.runs, order.weighted)
    heaviest = Heaviest(scores.start, scores.run, scores.c, scores.open)
    starts, known = on.runs.pairs.topic_start, on.judgments.judged
    n_topics = len(on.runs.pairs.topics)
    shares = np.diff(np.linspace(0, limit, n_topics + 1).round().astype(np.int64))
    pairs: list[int] = []
    for topic, share in enumerate(shares.tolist()):
        first, last = int(starts[topic]), int(starts[topic + 1])
        chosen, counted = [], 0
        while counted < share:
            factor = order.factor(scores.mean_base, scores.mean_residual)
            weights = heaviest.weights(factor, first, last)
            at = int(np.argmax(weights)) if len(weights) else 0
            if not len(weights) or weights[at] <= 0:
                break
            scores.close(first + at)
            chosen.append(first + at)
            counted += int(missing == "nonrelevant" or known[first + at])
        for pair in chosen:
            scores.add(pair, float(on.judgments.grade[pair] >= 1))
        pairs += chosen
    return np.array(pairs, np.int64)


def pool_of_shuffled_runs(on: PassSetup, random: np.random.Generator) -> Int64s:
    """All pairs in the order of DepthFirstByRun, the runs in an order drawn at random.

    The paper does not say which of equal ranks comes first, so this shows what is chance.
    """
    order = DepthFirstByRun(p=0.5, place=tuple(random.permutation(len(on.runs.names)).tolist()))
    return by_best_rank(on.runs, order.turns(on.runs))


P = 0.8
METHODS = ("DepthFirst", "MoffatA", "MoffatB", "MoffatC")
OTHERS = ("CertainWinner", "MoveToFront", "MaxMean(rate=0)", "MaxMean(rate=1)", "Random")


@dataclass(frozen=True)
class ListReading:
    """What the paper leaves open: what orders a list, when weights are refreshed, what pools ties.

    `by_run` pools equal ranks run after run, as the runs come, instead of at random.
    """

    name: str
    ties: Ties
    batch: int
    by_run: bool


PAPER = ListReading("paper", "file-order", 250, by_run=True)
OURS = ListReading("ours", "float32", 1, by_run=False)


def order_of(name: str, reading: ListReading, p: float, random: np.random.Generator) -> Order:
    """The order that a name in the tables stands for."""
    made: dict[str, Order] = {
        "DepthFirst": DepthFirstByRun(p=p) if reading.by_run else DepthFirst(p=p),
        "MoffatA": MoffatA(p=p),
        "MoffatB": MoffatB(p=p, batch=reading.batch),
        "MoffatC": MoffatC(p=p, batch=reading.batch),
        "CertainWinner": CertainWinner(p=p),
        "MoveToFront": MoveToFront(),
        "MaxMean(rate=0)": MaxMean(rate=0.0),
        "MaxMean(rate=1)": MaxMean(rate=1.0),
        "Random": Random(seed=int(random.integers(2**31))),
    }
    return made[name]


class BeforeJudging(EntryWeights):
    """Runs of which nothing is judged: tails, and how far every run can rise above another."""

    def __init__(self, runs: Runs, measure: Weighted) -> None:
        super().__init__(runs, measure)
        shape = runs.length.shape
        self.tail: Floats = measure.tail(runs.length.ravel()).reshape(shape).mean(axis=1)
        self.above: Callable[[int], Floats] = cache(lambda run: self.surplus(self.of_run(run)))


class Trail:
    """Where all runs stand after each of these judgments.

    `weight[i, s]` is what judgment i weighs in run s; `base[n]` and `residual[n]` are the runs'
    means after n judgments, the residual with its tail.
    """

    def __init__(self, start: BeforeJudging, pairs: Int64s, gain: Floats) -> None:
        self.start = start
        self.weight: Floats = np.zeros((len(pairs), start.n_runs))
        for step, pair in enumerate(pairs.tolist()):
            run, c = start.of(pair)
            self.weight[step, run] = c
        self.weight /= start.n_topics
        nothing = np.zeros((1, start.n_runs))
        self.base: Floats = np.concatenate([nothing, np.cumsum(self.weight * gain[:, None], 0)])
        self.residual: Floats = 1 - np.concatenate([nothing, np.cumsum(self.weight, 0)])

    def __len__(self) -> int:
        return len(self.weight)

    def upper(self, n: int, reference: int) -> Floats:
        """The most that each run's difference to the reference can become, after n judgments."""
        closed = np.maximum(self.weight[:n] - self.weight[:n, [reference]], 0.0).sum(axis=0)
        above = self.start.above(reference) - closed
        ends: Floats = self.base[n] - self.base[n, reference] + above
        return ends

    def contenders(self, n: int) -> Bools:
        """Runs that may still turn out better than the leader, by joint intervals."""
        base = self.base[n]
        leader = self.start.runs.first_by_name(base >= base.max() - SCORE_NOISE)
        may: Bools = self.upper(n, leader) > SCORE_NOISE
        may[leader] = False
        return may

    def certain(self, n: int, k: int, joint: bool) -> bool:
        """Whether the best k are certain as a set after n judgments."""
        base = self.base[n]
        if joint and k == 1 and not self.contenders(n).any():
            return True
        ceiling = base + self.residual[n] - (self.start.tail if joint else 0.0)
        best = best_runs(self.start.runs, base, ceiling, k)
        if not joint:
            return gap_below(base, ceiling, best) <= SCORE_NOISE
        return out_of_reach(base, ceiling, best, lambda run: self.upper(n, run))

    def judgments_until(self, k: int, joint: bool) -> int | None:
        """The number of judgments after which the best k are first certain; None if never."""
        return first(lambda n: self.certain(n, k, joint), len(self))


def first(holds: Callable[[int], bool], last: int) -> int | None:
    """The least n from 0 to last at which something holds that never ceases to hold.

    >>> first(lambda n: n * n >= 50, 100), first(lambda n: False, 100)
    (8, None)
    """
    if not holds(last):
        return None
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


PS = (0.5, 0.8, 0.95)
CUTS = (1000, 2000, 5000, 10000, 20000)
TESTED = (5000, 10000, 20000)
POWERS = (0.0, 1.0, 2.0, 3.0)
BY_TOPIC = "MoffatC, topic by topic"
VARIANTS = (*(f"MoffatC(power={power:g})" for power in POWERS), BY_TOPIC)
"""How the paper came to the cube: power 0 is Method B, 1 the midpoint, 2 its square."""
SET = 10000
"""Tables 3 and 4 compare sets of this many judgments."""

LEVEL = 0.05
BASES: tuple[UnjudgedAs, ...] = ("lower", "upper", "projected")
EVERY = 100
QUICK = 5000
STOPS = {
    "WinnerCertain(joint=true)": (1, True),
    "WinnerCertain(joint=false)": (1, False),
    "TopKCertain(k=5, joint=true)": (5, True),
    "TopKCertain(k=5, joint=false)": (5, False),
}


def cells(setting: Setting) -> list[Cell]:
    """All passes, those that take longest first within a reading."""
    folder, quick = setting.folder, setting.quick
    limit = QUICK if quick else max(CUTS)
    made: list[Cell] = []
    for reading in (PAPER, OURS):
        certain = limit if reading is OURS else None
        mine: tuple[str, ListReading] = (folder, reading)
        for name in reversed(METHODS):
            made.append(Cell(f"{reading.name} judged {name}", judged, (*mine, name, P, certain)))
            made.append(Cell(f"{reading.name} found {name}", found, (*mine, name)))
        for p in PS:
            if p != P:
                made.append(
                    Cell(f"{reading.name} judged {p} MoffatC", judged, (*mine, "MoffatC", p, None))
                )
        made.append(Cell(f"{reading.name} everything", everything, mine))
        made += [Cell(f"{reading.name} {name}", variant, (*mine, name)) for name in VARIANTS]
        if reading is OURS:
            made += [Cell(f"ours certain {name}", reached, (*mine, name, limit)) for name in OTHERS]
        else:
            repeats = 5 if quick else 20
            made += [Cell(f"paper ties {number}", ties, mine) for number in range(repeats)]
    return made


def within(wanted: tuple[int, ...], n: int) -> list[int]:
    """The cut-offs that a collection reaches; one that it does reach if that is none of them.

    >>> within((5000, 10000), 7000), within((5000, 10000), 4200), within((5000,), 300)
    ([5000], [2000], [150])
    """
    kept = [cut for cut in wanted if cut <= n]
    smaller = [cut for cut in CUTS if cut <= n] or [max(1, n // 2)]
    return kept or smaller[-1:]


def found(folder: str, reading: ListReading, name: str, random: np.random.Generator) -> Any:
    """Table 2: judgments, relevant among them, pairs handled; what the qrels lack is bypassed."""
    on = pass_setup(folder, reading.ties)
    order = order_of(name, reading, P, random)
    return _found(on, handled(order, on, max(CUTS), "bypass"))


def _found(on: PassSetup, pairs: Int64s) -> list[list[int]]:
    known = np.flatnonzero(on.judgments.judged[pairs])
    relevant = np.cumsum(on.judgments.grade[pairs[known]] >= 1)
    cuts = within(CUTS, len(known)) if len(known) else []
    return [[cut, int(relevant[cut - 1]), int(known[cut - 1]) + 1] for cut in cuts]


def variant(folder: str, reading: ListReading, name: str, random: np.random.Generator) -> Any:
    """Relevant documents found, and mean residual of the best runs, by a variant of Method C."""
    on = pass_setup(folder, reading.ties)
    if name == BY_TOPIC:
        order = MoffatC(p=P)
        rows: list[list[int]] = []
        for cut in within(CUTS, int(on.judgments.judged.sum())):
            pairs = topic_by_topic(on, order, cut, "bypass")
            known = on.judgments.judged[pairs]
            n_found = int((on.judgments.grade[pairs[known]] >= 1).sum())
            rows.append([cut, n_found, len(pairs)])
        size = within((SET,), on.n_pairs)[0]
        pairs = topic_by_topic(on, order, size, "nonrelevant")
        return {"found": rows, "size": size, "residual": residuals(on, pairs)}
    power = POWERS[VARIANTS.index(name)]
    order = MoffatC(p=P, batch=reading.batch, power=power)
    rows = _found(on, handled(order, on, max(CUTS), "bypass"))
    pairs = handled(order, on, SET, "nonrelevant")
    size = within((SET,), len(pairs))[0]
    return {"found": rows, "size": size, "residual": residuals(on, pairs[:size])}


def judged(
    folder: str,
    reading: ListReading,
    name: str,
    p: float,
    certain: int | None,
    random: np.random.Generator,
) -> Any:
    """Tables 3-5 and Figures 1-3 after judging; what the qrels lack is non-relevant."""
    on = pass_setup(folder, reading.ties)
    limit = max(CUTS) if p == P else SET
    pairs = handled(order_of(name, reading, p, random), on, limit, "nonrelevant")
    n = len(pairs)
    size = within((SET,), n)[0]
    result: dict[str, Any] = {"size": size, "residual": residuals(on, pairs[:size])}
    result |= {"ranges": {}, "tested": []}
    if name == "MoffatC":
        result["chosen"] = sorted(pairs[:size].tolist())
    for cut in sorted({*within(CUTS, n), size}):
        scores = RBP(p=p).score(on.lists(pairs[:cut]))
        result["ranges"][str(cut)] = _ranges(on, scores)
        if p == P and cut in within(TESTED, n):
            result["tested"].append([cut, *significant(scores, on.n_best)])
    if certain is not None:
        result["certain"] = _certain(folder, reading, on, pairs[:certain])
    return result


def residuals(on: PassSetup, pairs: Int64s) -> list[list[float]]:
    """Table 4: for each p of the evaluation, mean residual of the best runs and of all."""
    lists = on.lists(pairs)
    mean = [RBP(p=p).score(lists).residual.mean(axis=1) for p in PS]
    best = on.by_map[: on.n_best]
    return [[float(each[best].mean()), float(each.mean())] for each in mean]


def significant(
    scores: Scores, n_best: int, best: Int64s | None = None, bases: tuple[UnjudgedAs, ...] = BASES
) -> list[float | None]:
    """Table 5: share of the pairs among the best runs that a one-tailed Wilcoxon test separates.

    base of the better run against base, top and projected score of the other. The best are those
    with the highest base by default. None where there is only one run.
    """
    mean = np.nan_to_num(scores.mean())
    chosen = np.argsort(-mean, kind="stable")[:n_best] if best is None else best
    chosen = chosen[np.argsort(-mean[chosen], kind="stable")]
    first, second = np.triu_indices(len(chosen), 1)
    if not len(first):
        return [None for _ in bases]
    random = np.random.default_rng(0)  # Wilcoxon's test draws nothing.
    pairs = chosen[first], chosen[second]
    # As R and scipy take differences, with which the paper's numbers come out.
    test = Wilcoxon(decimals=None)
    found = [set_against(scores, *pairs, test, unjudged_as, 1, random) for unjudged_as in bases]
    return [float((each.p < LEVEL).mean()) for each in found]


def _ranges(on: PassSetup, scores: Scores) -> dict[str, list[float]]:
    """Base and residual of the runs in order of official MAP."""
    base, residual = scores.value.mean(axis=1), scores.residual.mean(axis=1)
    # NaN on topics of which nothing was judged: of the others only.
    projected = scores.projected()
    some = ~np.isnan(projected)
    n = np.maximum(1, some.sum(axis=1))
    mean_projected = np.where(some, projected, 0.0).sum(axis=1) / n
    return {
        "base": base[on.by_map].tolist(),
        "residual": residual[on.by_map].tolist(),
        "mean_projected": mean_projected[on.by_map].tolist(),
    }


def everything(folder: str, reading: ListReading, random: np.random.Generator) -> Any:
    """What all judgments say, and what the collection is."""
    on = pass_setup(folder, reading.ties)
    lists = on.lists()
    scores = {p: RBP(p=p).score(lists) for p in PS}
    # MAP is trec_eval's, which orders by score whatever a file lists.
    by_score = pass_setup(folder, "float32")
    average = AP().score(by_score.lists())
    best = by_score.by_map[: on.n_best]
    return {
        "runs": [on.runs.names[run] for run in on.by_map],
        "n_topics": len(on.runs.pairs.topics),
        "n_pairs": on.n_pairs,
        "n_best": on.n_best,
        "judged": int(on.judgments.judged.sum()),
        "official": on.official,
        "tested": significant(scores[P], on.n_best),
        "tested_map": significant(average, on.n_best, best, ("lower",))[0],
        "ranges": {str(p): _ranges(on, scores[p]) for p in PS},
        "notices": list(on.notices),
    }


def ties(folder: str, reading: ListReading, random: np.random.Generator) -> Any:
    """DepthFirst's rows when the runs, and so its ties, come in an order drawn at random."""
    on = pass_setup(folder, reading.ties)
    pairs = pool_of_shuffled_runs(on, random)
    rows = _found(on, pairs)
    size = within((SET,), len(pairs))[0]
    tested = [
        [cut, *significant(RBP(p=P).score(on.lists(pairs[:cut])), on.n_best)]
        for cut in within(TESTED, len(pairs))
    ]
    mean = residuals(on, pairs[:size])
    return {"found": rows, "size": size, "residual": mean, "tested": tested}


def reached(
    folder: str, reading: ListReading, name: str, limit: int, random: np.random.Generator
) -> Any:
    """How soon an order makes the best runs certain.

    CertainWinner ends when the best run is certain, and Method C goes on from there.
    """
    on = pass_setup(folder, reading.ties)
    then = MoffatC(p=P) if name == "CertainWinner" else None
    pairs = handled(order_of(name, reading, P, random), on, limit, "nonrelevant", then)
    return _certain(folder, reading, on, pairs)


@lru_cache(maxsize=1)
def _before_judging(folder: str, ties: Ties) -> BeforeJudging:
    return BeforeJudging(pass_setup(folder, ties).runs, RBP(p=P))


def forget() -> None:
    """Let go of what was read, which fills memory and may change before the next call."""
    pass_setup.cache_clear()
    _before_judging.cache_clear()


def _certain(folder: str, reading: ListReading, on: PassSetup, pairs: Int64s) -> Any:
    gain: Floats = (on.judgments.grade[pairs] >= 1).astype(np.float64)
    trail = Trail(_before_judging(folder, reading.ties), pairs, gain)
    steps = range(0, len(trail) + 1, EVERY)
    return {
        "until": {stop: trail.judgments_until(*rule) for stop, rule in STOPS.items()},
        "contenders": [[n, int(trail.contenders(n).sum())] for n in steps],
    }
