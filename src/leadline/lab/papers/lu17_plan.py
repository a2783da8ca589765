"""The cells of lu17: one estimator, one group or one draw at a time, from a deep pool."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from leadline.completions.coverage import gamma
from leadline.completions.estimator import EstimatedGains, Estimator, TrainingData, estimators
from leadline.completions.two_stage import WeightedModels, rank_curves
from leadline.data.arrays import Bools, Floats
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.data.scores import Scores
from leadline.io.read import read
from leadline.lab.papers.runner import Setting
from leadline.measures.ap import AP
from leadline.measures.dcg import SDCG
from leadline.measures.inferred import infAP
from leadline.measures.measure import Weighted
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth, TwoStrata
from leadline.simulate import Cell
from leadline.stats.correlation import discrimination, distance, kendall_distance, new_topics

P = 0.95
DEPTHS = (10, 20, 30)
ZERO = 1e-9
"""Errors this small are rounding."""


@dataclass(frozen=True, eq=False)
class Lu17Setup:
    """Runs, also cut to the reference depth, with the judgments of the pool of that depth.

    `everything` are all judgments that the collection has.
    """

    runs: Runs
    cut: Runs
    judgments: Judgments
    everything: Judgments
    depth: int
    notices: tuple[str, ...]

    @property
    def depths(self) -> tuple[int, ...]:
        """Of the shallow pools: 10, 20 and 30, or so many hundredths of the reference depth."""
        usual = tuple(d for d in DEPTHS if d < self.depth)
        return usual or tuple(sorted({max(1, self.depth * d // 100) for d in DEPTHS}))

    @property
    def all_depths(self) -> tuple[int, ...]:
        """From shallow to nearly as deep as the reference, for the figures."""
        step = max(1, self.depth // 10)
        return tuple(sorted({*self.depths, *range(step, self.depth, step)}))

    @property
    def measure(self) -> Weighted:
        """RBP(p=0.95), whose lists end at the reference depth and leave a tail."""
        return RBP(p=P)

    def truth(self, measure: Weighted | None = None) -> Scores:
        """Scores and intervals with the reference judgments."""
        return (measure or self.measure).score(Lists.of(self.cut, self.judgments))

    def shallow(self, depth: int, contributing: Bools | None = None) -> tuple[Pool, Judgments]:
        """The pool of the contributing runs to a depth, and its judgments."""
        runs = self.runs if contributing is None else self.runs.only(contributing)
        pool = Depth(depth).pool(runs)
        return pool, pool.restrict(self.judgments)

    def evidence(
        self,
        pool: Pool,
        judgments: Judgments,
        contributing: Bools | None = None,
    ) -> TrainingData:
        """What estimators learn from: whole lists, and the judgments of a pool."""
        return TrainingData(self.measure, self.runs, judgments, pool, contributing)

    def scores(self, estimator: Estimator, evidence: TrainingData) -> tuple[Scores, EstimatedGains]:
        """Estimates to the reference depth, and the gains behind them.

        Gains are learnt from whole lists and evaluated to the reference depth. The bounds and
        ListMean speak of a residual, which includes the tail beyond it, as the paper's do.
        """
        if estimator.by_residual:
            gains = estimator.gains(evidence.but(runs=self.cut))
            return gains.scores(str(estimator)), gains
        gains = estimator.gains(evidence)
        return gains.scores(str(estimator), RBP(p=P, k=self.depth)), gains

    def scaled_dcg(self, estimator: Estimator, gains: EstimatedGains) -> Scores:
        """SDCG to the reference depth from gains estimated with RBP."""
        return gains.scores(str(estimator), SDCG(k=self.depth))


def errors(estimates: Floats, truth: Scores) -> Floats:
    """Eq. 3: 0 inside the interval of the truth, else the distance to it."""
    below, above = truth.lower - estimates, estimates - truth.upper
    found: Floats = np.maximum(np.maximum(below, above), 0.0)
    found[found < ZERO] = 0.0
    return found


@lru_cache(maxsize=1)
def setup(folder: str, reference_depth: int, groups: str | None) -> Lu17Setup:
    """The collection, read once in each process."""
    collection = read(Path(folder))
    # Another table may tell the groups, but which runs were pooled is the collection's to say.
    pooled = collection.pooled
    if groups is not None:
        collection = collection.with_groups(Path(groups))
    runs = collection.runs
    notices = collection.notices.lines()
    if not pooled.all():
        runs = runs.only(pooled)
        notices.append(f"{len(runs.names)} of {len(pooled)} runs are marked pooled and used")
    judgments = Depth(reference_depth).pool(runs).restrict(collection.judgments)
    return Lu17Setup(
        runs,
        runs.cut(reference_depth),
        judgments,
        collection.judgments,
        reference_depth,
        tuple(notices),
    )


THETA = 0.018
REFERENCE = 100
REPEATS, QUICK = 10, 3
RATE = 0.1
THRESHOLDS = tuple(round(0.002 * step, 3) for step in range(26))
PAPERS = (
    "LowerBound",
    "UpperBound",
    "ListMean",
    "Linear",
    "Zipf",
    "Weibull",
    "TwoStage(fit=scores)",
    "TwoStage",
    "TwoStage(group_by=runs)",
)
"""The paper's own; it fits Zipf and Weibull for the two stages and prints no row of theirs."""
OTHERS = ("Midpoint", "Uniform", "Regression")
ESTIMATORS = (*PAPERS, *OTHERS)
SAMPLED = (
    "LowerBound",
    "TwoStage(fit=scores)",
    "TwoStage",
    "TwoStage(group_by=runs)",
    "Uniform",
    "Regression",
    "InfRBP",
    "InfAP",
)
BINS = 10


def cells(setting: Setting) -> list[Cell]:
    """All the work."""
    on = _setup(setting)
    where = (setting.folder, on.depth, setting.groups)
    repeats = QUICK if setting.quick else REPEATS
    groups = dict.fromkeys(on.runs.group)
    deep = [
        Cell(f"pool {depth} {name}", shallow, (*where, depth, name))
        for depth in reversed(on.all_depths)
        for name in ESTIMATORS
    ]
    # What takes longest comes first, so that no worker is left alone with it at the end.
    deep.sort(key=lambda cell: "runs" not in cell.name)
    return [
        *deep,
        *(Cell(f"without {group}", without, (*where, group)) for group in groups),
        *(Cell(f"draw {number}", draw, (*where, number)) for number in range(repeats)),
        Cell("everything", everything, (*where, setting.reference_depth is None)),
    ]


def _setup(setting: Setting) -> Lu17Setup:
    depth = REFERENCE if setting.reference_depth is None else setting.reference_depth
    if depth < 2:
        raise ValueError(f"`reference_depth` must be at least 2, not {depth}")
    on = setup(setting.folder, depth, setting.groups)
    if not on.judgments.judged.any():
        raise ValueError(f"{setting.folder}: no document within depth {depth} is judged")
    return on


def forget() -> None:
    """Let go of what was read."""
    setup.cache_clear()
    _truths.cache_clear()


@lru_cache(maxsize=1)
def _truths(on: Lu17Setup) -> tuple[Scores, Scores]:
    return on.truth(), on.truth(SDCG(k=on.depth))


def per_topic(estimates: Floats, truth: Scores) -> dict[str, list[float]]:
    """Root mean square error over the runs, and the share of zeros, of every topic."""
    found = errors(estimates, truth)
    return {
        "rms": np.sqrt((found**2).mean(axis=0)).tolist(),
        "zeros": (found == 0).mean(axis=0).tolist(),
    }


def against(scores: Floats, truth: Floats) -> dict[str, float]:
    """How far apart scores order the runs from the truth."""
    return {
        "tau_distance": kendall_distance(scores.mean(axis=1), truth.mean(axis=1)),
        "dist": distance(truth, scores),
        "dist_sigma": distance(truth, scores, "sigma"),
        "discrimination": discrimination(scores),
    }


def shallow(
    folder: str, reference: int, groups: str | None, depth: int, name: str, _: Any
) -> dict[str, Any]:
    """One estimator from the pool of one depth: Table 2, Figures 3 to 5, and more."""
    on = setup(folder, reference, groups)
    truth, truth_dcg = _truths(on)
    estimator = estimators.parse(name)
    scores, gains = on.scores(estimator, on.evidence(*on.shallow(depth)))
    result: dict[str, Any] = {**per_topic(scores.value, truth)}
    result |= against(scores.value, truth.lower)
    result["mean"] = scores.value.mean(axis=1).tolist()
    result["adjustable"] = estimator.theta is not None
    if depth in on.depths:
        result["sdcg"] = per_topic(on.scaled_dcg(estimator, gains).value, truth_dcg)
        if isinstance(estimator, WeightedModels):
            evidence = gains.evidence
            result["model_weights"] = estimator.weights(evidence, rank_curves(evidence))[1].tolist()
        if len(gains.gain) == len(on.runs.pair):
            result["reliability"] = reliability(on, gains)
    return result


def reliability(on: Lu17Setup, gains: EstimatedGains) -> list[list[float]]:
    """Estimated and true mean gain of documents judged only in the reference, by tenths."""
    gain = np.full(len(on.runs.pairs), np.nan)
    gain[on.runs.pair] = gains.gain
    asked = on.judgments.judged & ~gains.evidence.judgments.judged & ~np.isnan(gain)
    known = (on.judgments.grade[asked] >= 1).astype(np.float64)
    place = np.minimum((gain[asked] * BINS).astype(np.int64), BINS - 1)
    n = np.bincount(place, minlength=BINS)
    guess, truth = (np.bincount(place, each, BINS) for each in (gain[asked], known))
    return [
        [float(guess[at] / n[at]), float(truth[at] / n[at]), int(n[at])] for at in np.flatnonzero(n)
    ]


def without(folder: str, reference: int, groups: str | None, group: str, _: Any) -> dict[str, Any]:
    """Table 3: errors of a group's runs where only the other groups' runs were pooled."""
    on = setup(folder, reference, groups)
    truth = _truths(on)[0]
    left = np.array([each == group for each in on.runs.group])
    if left.all():
        return {}
    evidence = on.evidence(*on.shallow(on.depths[0], ~left), ~left)
    uneven = gamma(evidence) > THETA
    lowest = on.scores(estimators.parse("LowerBound"), evidence)[0].value
    result: dict[str, Any] = {}
    for name in ESTIMATORS:
        estimator = estimators.parse(name)
        scores = on.scores(estimator, evidence)[0].value
        result[name] = {"0": errors(scores, truth)[left].tolist()}
        if estimator.theta is not None:
            some = np.where(uneven, scores, lowest)
            result[name][str(THETA)] = errors(some, truth)[left].tolist()
    return result


def draw(folder: str, reference: int, groups: str | None, number: int, random: Any) -> Any:
    """Figure 6: a two-strata pool sampled at random."""
    on = setup(folder, reference, groups)
    truth = _truths(on)[0]
    strategy = TwoStrata(d=on.depths[0], deep=on.depth, rate=RATE)
    pool = strategy.pool(on.runs, seed=int(random.integers(2**31)))
    judgments = pool.restrict(on.judgments)
    undrawn = (pool.inclusion > 0) & (pool.inclusion < 1) & ~judgments.judged
    if not undrawn.any():
        message = f"too few documents lie below depth {on.depths[0]} to draw a sample of them"
        raise ValueError(f"{folder}: {message}: lu17 needs longer lists, or more of them")
    result: dict[str, Any] = {"counts": counts(on, judgments)}
    for name in SAMPLED:
        if name == "InfAP":
            result[name] = against(*_average_precision(on, judgments))
        else:
            evidence = on.evidence(pool, judgments)
            if name == "InfRBP":
                # Eq. 5 sums over the ranks that are evaluated, and no deeper.
                evidence = evidence.but(measure=RBP(p=P, k=on.depth))
            scores = on.scores(estimators.parse(name), evidence)[0]
            result[name] = against(scores.value, truth.lower)
    return result


def _average_precision(on: Lu17Setup, judgments: Judgments) -> tuple[Floats, Floats]:
    """infAP of the draw, and AP to the reference depth as Sakai has it: over min(R, depth)."""
    inferred = np.nan_to_num(infAP().score(Lists.of(on.runs, judgments)).value)
    exact = np.nan_to_num(AP(k=on.depth).score(Lists.of(on.runs, on.judgments)).value)
    relevant = np.bincount(on.runs.pairs.topic, on.judgments.grade >= 1, len(on.runs.pairs.topics))
    return inferred, exact * relevant / np.maximum(np.minimum(relevant, on.depth), 1)


def counts(on: Lu17Setup, judgments: Judgments) -> list[float]:
    """Documents judged a topic, and the mean over topics of the percentage relevant."""
    topic, n = on.runs.pairs.topic, len(on.runs.pairs.topics)
    judged = np.bincount(topic, judgments.judged, n)
    relevant = np.bincount(topic, judgments.judged & (judgments.grade >= 1), n)
    some: Bools = judged > 0
    return [float(judged.mean()), float(100 * (relevant[some] / judged[some]).mean())]


def everything(
    folder: str, reference: int, groups: str | None, whole: bool, _: Any
) -> dict[str, Any]:
    """Table 1, gamma, and what the collection is.

    `whole`: the reference is the collection's own, so that all its judgments are counted for it.
    """
    on = setup(folder, reference, groups)
    truth = _truths(on)[0]
    table1, uneven = {}, {}
    for depth in (*on.all_depths, on.depth):
        evidence = on.evidence(*on.shallow(depth))
        told = on.everything if whole and depth == on.depth else evidence.judgments
        table1[str(depth)] = counts(on, told)
        uneven[str(depth)] = gamma(evidence).tolist()
    return {
        "runs": list(on.runs.names),
        "n_groups": len(set(on.runs.group)),
        "topics": list(on.runs.pairs.topics),
        "n_judged": int(on.everything.judged.sum()),
        "depth": on.depth,
        "depths": list(on.depths),
        "all_depths": list(on.all_depths),
        "table1": table1,
        "gamma": uneven,
        "discrimination": discrimination(truth.lower),
        "new_topics": list(new_topics(truth.lower)),
        "mean": truth.lower.mean(axis=1).tolist(),
        "notices": list(on.notices),
    }
