"""A designed sample and the estimate assisted by a model, as methods/few.md has them, plainly.

A pair is (topic, doc). `weights` is a dict run -> pair -> weight over the number of topics;
`gains`, `expected` and `chances` are dicts by pair; `drawn` is the set of pairs that were judged.
"""

import math

Pair = tuple[str, str]
Weights = dict[str, dict[Pair, float]]


def score(
    run: dict[Pair, float],
    gains: dict[Pair, float],
    expected: dict[Pair, float],
    chances: dict[Pair, float],
    drawn: set[Pair],
) -> float:
    """sum W f + sum over drawn of W (h - f) / pi."""
    total = 0.0
    for pair, weight in run.items():
        total += weight * expected[pair]
        if pair in drawn:
            total += weight * (gains[pair] - expected[pair]) / chances[pair]
    return total


def variance(
    contrast: dict[Pair, float],
    gains: dict[Pair, float],
    expected: dict[Pair, float],
    chances: dict[Pair, float],
    drawn: set[Pair],
) -> float:
    """sum over drawn of W^2 (h - f)^2 (1 - pi) / pi^2."""
    total = 0.0
    for pair in drawn:
        error = gains[pair] - expected[pair]
        chance = chances[pair]
        total += (contrast.get(pair, 0.0) * error / chance) ** 2 * (1 - chance)
    return total


def degrees(
    contrast: dict[Pair, float],
    gains: dict[Pair, float],
    expected: dict[Pair, float],
    chances: dict[Pair, float],
    drawn: set[Pair],
) -> float:
    """2 V^2 / U, U the sum over drawn of (what each adds to V)^2 (1 - pi)."""
    known = 0.0
    for pair in drawn:
        alone = variance(contrast, gains, expected, chances, {pair})
        known += alone**2 * (1 - chances[pair])
    if known == 0.0:
        return math.inf
    return 2 * variance(contrast, gains, expected, chances, drawn) ** 2 / known


def known_error(
    contrast: dict[Pair, float],
    gains: dict[Pair, float],
    expected: dict[Pair, float],
    typical: dict[Pair, float],
    chances: dict[Pair, float],
    drawn: set[Pair],
) -> tuple[float, float]:
    """The variance, with that by typical errors counted as ten degrees, and its degrees."""
    own = variance(contrast, gains, expected, chances, drawn)
    known = degrees(contrast, gains, expected, chances, drawn)
    if math.isinf(known):
        return own, known
    nothing = dict.fromkeys(expected, 0.0)
    modelled = variance(contrast, typical, nothing, chances, drawn)
    return (known * own + 10 * modelled) / (known + 10), known + 10


def difference(a: dict[Pair, float], b: dict[Pair, float]) -> dict[Pair, float]:
    """W_a - W_b."""
    return {pair: a.get(pair, 0.0) - b.get(pair, 0.0) for pair in {*a, *b}}


def shrunk(
    weights: Weights,
    gains: dict[Pair, float],
    expected: dict[Pair, float],
    chances: dict[Pair, float],
    drawn: set[Pair],
) -> dict[str, float]:
    """sum W f + c + t2 / (t2 + V_r) (C_r - c)."""
    nothing = dict.fromkeys(expected, 0.0)
    model = {run: score(row, nothing, expected, chances, set()) for run, row in weights.items()}
    correction = {
        run: score(row, gains, expected, chances, drawn) - model[run]
        for run, row in weights.items()
    }
    n = len(weights)
    centre = math.fsum(correction.values()) / n
    mean_row = {
        pair: math.fsum(row.get(pair, 0.0) for row in weights.values()) / n for pair in expected
    }
    own = {
        run: variance(difference(row, mean_row), gains, expected, chances, drawn)
        for run, row in weights.items()
    }
    truth = max(0.0, math.fsum((correction[r] - centre) ** 2 - own[r] for r in weights) / n)
    made = {}
    for run in weights:
        share = truth / (truth + own[run]) if truth + own[run] > 0 else 1.0
        made[run] = model[run] + centre + share * (correction[run] - centre)
    return made


def union(chances: list[float]) -> float:
    """The chance to have been drawn in one of the batches."""
    missed = 1.0
    for chance in chances:
        missed *= 1 - chance
    return 1 - missed
