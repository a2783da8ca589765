"""Forecasts of judgments to go, plainly: loops over runs and documents."""

from math import sqrt
from statistics import NormalDist


def until_certain(base: list[float], weight: list[list[float]], gain: list[float]) -> int:
    """Judge one document at a time, by what it weighs, until nobody can pass the best run."""
    runs, docs = range(len(base)), range(len(gain))
    final = [base[r] + sum(weight[r][d] * gain[d] for d in docs) for r in runs]
    leader = final.index(max(final))
    now, unjudged, n = list(base), set(docs), 0
    while True:
        top = {
            s: now[s]
            - now[leader]
            + sum(max(0.0, weight[s][d] - weight[leader][d]) for d in unjudged)
            for s in runs
            if s != leader
        }
        open_runs = [s for s, upper in top.items() if upper > 1e-12]
        if not open_runs:
            return n
        heaviest = max(
            unjudged, key=lambda d: sum(abs(weight[s][d] - weight[leader][d]) for s in open_runs)
        )
        unjudged.discard(heaviest)
        for r in runs:
            now[r] += weight[r][heaviest] * gain[heaviest]
        n += 1


def chance_after(
    n: int,
    leader: int,
    mean: list[float],
    covariance: list[list[float]],
    weight: list[list[float]],
    expected: list[float],
    within: float,
) -> float:
    """1 - sum over s of P(score_s - score_leader > within) once the n heaviest are judged.

    `weight` and `expected` are those of the unjudged documents.
    """
    runs, docs = [r for r in range(len(mean)) if r != leader], range(len(expected))

    def variance(s: int) -> float:
        return covariance[s][s] + covariance[leader][leader] - 2 * covariance[s][leader]

    def apart(s: int, d: int) -> float:
        return abs(weight[s][d] - weight[leader][d])

    ahead = {
        s: NormalDist(0, max(sqrt(variance(s)), 1e-12)).cdf(mean[s] - mean[leader]) for s in runs
    }
    total = {d: round(sum(ahead[s] * apart(s, d) for s in runs), 12) for d in docs}
    rest = sorted((d for d in docs if total[d] > 0), key=lambda d: (-total[d], d))[n:]
    every = [d for d in docs if total[d] > 0]
    failing = 0.0
    for s in runs:
        spread = {d: expected[d] * (1 - expected[d]) for d in docs}
        pairs = sum(apart(s, d) ** 2 * spread[d] for d in rest)
        all_pairs = sum(apart(s, d) ** 2 * spread[d] for d in every)
        share = sum(apart(s, d) * spread[d] for d in rest)
        whole = sum(apart(s, d) * spread[d] for d in every)
        model = max(0.0, variance(s) - all_pairs) * (share / max(whole, 1e-12)) ** 2
        lead = mean[leader] - mean[s] + within
        failing += NormalDist(0, max(sqrt(pairs + model), 1e-12)).cdf(-lead)
    return min(1.0, max(0.0, 1 - failing))
