"""Weights of TwoStage(fit=scores) and TwoStage per topic, solved exactly, against SLSQP with
numerical gradients.

    python -m benchmarks.estimators COLLECTION [--depth 10] [--topics 5]

SLSQP from equal weights, its gradients by finite differences and its default tolerance, is what the
paper's software does; its objective adds up rank by rank in plain Python ("plain"). The same with
the objective as one product of matrices is "vectorised": what is left is the optimiser's own cost.
SLSQP stops where it likes, ours at the optimum: the lines tell how much higher SLSQP's value is in
the median, and the largest gap between ours and the least one that is proven.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

import leadline
from leadline.completions.estimator import TrainingData, estimators
from leadline.completions.simplex import Norms, least_deviations, least_norms, least_squares
from leadline.completions.two_stage import judged_of, rank_curves
from leadline.data.arrays import Floats, Int64s
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth

Objective = Callable[[Floats], float]


@dataclass
class Tally:
    """Seconds of all three, and how their values compare."""

    ours: float = 0.0
    plain: float = 0.0
    vectorised: float = 0.0
    excess: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Problem:
    """One objective written twice, and our solution with its proven gap."""

    plain: Objective
    vectorised: Objective
    solve: Callable[[], tuple[Floats, float]]


def by_slsqp(objective: Objective, n: int) -> Floats:
    """As the paper's software: from equal weights, no gradients given."""
    whole = {"type": "eq", "fun": lambda w: 1 - w.sum()}
    found = minimize(
        objective, np.full(n, 1 / n), method="SLSQP", bounds=[(0, 1)] * n, constraints=[whole]
    )
    w = np.clip(found.x, 0, None)
    made: Floats = w / w.sum()
    return made


def problems(guess: Floats, gain: Floats, weight: Floats) -> dict[str, Problem]:
    """The problem of every estimator."""
    a, b = weight.T @ guess, weight.T @ gain
    size = np.sqrt((weight * weight).sum(axis=1))
    c, d = guess * size[:, None], gain * size
    document, run = np.nonzero(weight)
    at = weight[document, run]
    e, f = guess[document] * at[:, None], gain[document] * at
    norms = Norms(e, f, run)
    ranked = [np.flatnonzero(run == each) for each in range(weight.shape[1])]
    holding = [np.flatnonzero(document == each) for each in range(len(gain))]

    def squares() -> tuple[Floats, float]:
        w = least_squares(a, b)
        slope = a.T @ (a @ w - b)
        length = max(float(np.linalg.norm(a @ w - b)), 1e-12)
        return w, float(slope @ w - slope.min()) / length

    def plain_scores(w: Floats) -> float:
        total = 0.0
        for entries in ranked:
            score = 0.0
            for entry in entries:
                score += at[entry] * (np.dot(w, guess[document[entry]]) - gain[document[entry]])
            total += score**2
        return float(np.sqrt(total))

    def plain_norms(groups: list[Int64s], w: Floats) -> float:
        total = 0.0
        for entries in groups:
            square = 0.0
            for entry in entries:
                square += (np.dot(w, e[entry]) - f[entry]) ** 2
            total += np.sqrt(square)
        return float(total)

    return {
        "TwoStage(fit=scores)": Problem(
            plain_scores, lambda w: float(np.linalg.norm(a @ w - b)), squares
        ),
        "TwoStage": Problem(
            partial(plain_norms, holding),
            lambda w: float(np.abs(c @ w - d).sum()),
            lambda: least_deviations(c, d),
        ),
        "TwoStage(group_by=runs)": Problem(
            partial(plain_norms, ranked), norms.value, lambda: least_norms(e, f, run)
        ),
    }


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work gives, and its processor time."""
    begin = time.process_time()
    found = work()
    return found, time.process_time() - begin


def main() -> None:
    """Print a line for each estimator."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--topics", type=int, default=5, help="as many of the collection's")
    asked = parser.parse_args()
    read = leadline.read(asked.collection)
    runs, measure = read.runs, RBP(p=0.95)
    pool = Depth(asked.depth).pool(runs)
    evidence = TrainingData(measure, runs, pool.restrict(read.judgments), pool)
    pooled, gain = evidence.pooled_runs, evidence.known_gain
    curves = rank_curves(evidence)
    by_rank = np.append(measure.weights(pooled.deepest), 0.0)
    tallies: dict[str, Tally] = {}
    n_topics = min(asked.topics, len(runs.pairs.topics))
    for topic in range(n_topics):
        pairs = judged_of(evidence, topic)
        if not gain[pairs].any():
            continue
        rank = pooled.ranks_of(pairs)
        weight = by_rank[rank - 1]
        combined = np.stack([curve[topic][rank - 1].mean(axis=1) for curve in curves], axis=1)
        for guess in (*(curve[topic][rank - 1] for curve in curves), combined):
            for name, problem in problems(guess, gain[pairs], weight).items():
                tally = tallies.setdefault(name, Tally())
                n = guess.shape[1]
                (w, gap), ours = timed(problem.solve)
                other, vectorised = timed(partial(by_slsqp, problem.vectorised, n))
                _, plain = timed(partial(by_slsqp, problem.plain, n))
                tally.ours += ours
                tally.vectorised += vectorised
                tally.plain += plain
                tally.gaps.append(gap)
                tally.excess.append(problem.vectorised(other) - problem.vectorised(w))
    print(
        f"{asked.collection.name}, depth {asked.depth}: processor time a topic, {n_topics} topics"
    )
    for name, tally in tallies.items():
        each, vectorised, plain = (
            1e3 * seconds / n_topics for seconds in (tally.ours, tally.vectorised, tally.plain)
        )
        print(
            f"{name:18} {each:7.1f} ms; SLSQP plain {plain:9.1f} ms, {plain / each:6.1f} times; "
            f"vectorised {vectorised:7.1f} ms, {vectorised / each:5.1f} times"
        )
        excess = np.array(tally.excess)
        print(
            f"{'':18} SLSQP lower by more than 1e-9 in {(excess < -1e-9).sum()} of {len(excess)}, "
            f"higher by {np.median(excess):.1e} in the median, {excess.max():.1e} at most; "
            f"our largest gap {max(tally.gaps):.1e}"
        )
    tracemalloc.start()
    for name in ("TwoStage(fit=scores)", "TwoStage", "TwoStage(group_by=runs)"):
        tracemalloc.reset_peak()
        estimators.parse(name).gains(evidence)
        print(f"{name}: {tracemalloc.get_traced_memory()[1] / 1e6:.0f} MB at its peak")


if __name__ == "__main__":
    main()
