"""The order LikelyWinner and its audit, plainly: loops over runs and documents."""

from math import inf, sqrt
from statistics import NormalDist


def order_weight(
    pair: tuple[str, str],
    runs: dict[str, dict[str, list[str]]],
    weight_of_rank: list[float],
    expected: dict[tuple[str, str], float],
    rivals: dict[tuple[str, str], float],
) -> float:
    """sum over rivals of P(second is better than first) |c_second - c_first| sqrt(f (1 - f))."""
    topic, doc = pair
    topics = {t for run in runs.values() for t in run}

    def share(name: str) -> float:
        docs = runs[name].get(topic, [])[: len(weight_of_rank)]
        return weight_of_rank[docs.index(doc)] / len(topics) if doc in docs else 0.0

    f = expected[pair]
    apart = sum(chance * abs(share(b) - share(a)) for (a, b), chance in rivals.items())
    return apart * sqrt(max(f * (1 - f), 0.0))


def rivals_of_the_best(
    mean: dict[str, float], both: dict[tuple[str, str], float], k: int
) -> dict[tuple[str, str], float]:
    """P(s is better than b) for the best k runs b and all others s, where that is over .001."""
    best = sorted(mean, key=lambda name: (-mean[name], name))[:k]
    found = {}
    for b in best:
        for s in set(mean) - set(best):
            variance = both[b, b] + both[s, s] - 2 * both[b, s]
            chance = NormalDist(0, max(sqrt(max(variance, 0.0)), 1e-12)).cdf(mean[s] - mean[b])
            if chance > 0.001:
                found[b, s] = chance
    return found


def audited(
    weight: list[dict[str, float]],
    batches: list[tuple[set[str], dict[str, float], dict[str, float], set[str]]],
    gain: dict[str, float],
) -> tuple[list[float], list[float], list[float]]:
    """Scores without bias, their variances and degrees of freedom, run by run, by formula.

    `weight` holds each run's weights by pair; a batch is what was left, the chance and the expected
    gain of each pair, and what was drawn.
    """
    scores, variances, degrees = [], [], []
    for of_run in weight:
        score = variance = fourth = count = 0.0
        for number, (left, chance, expected, drawn) in enumerate(batches, 1):
            theta = sum(w * (expected[p] if p in left else gain[p]) for p, w in of_run.items())
            for p in drawn & set(of_run):
                wrong = of_run[p] * (gain[p] - expected[p]) / chance[p]
                theta += wrong
                variance += number**2 * wrong**2 * (1 - chance[p])
                fourth += number**4 * wrong**4 * (1 - chance[p]) ** 3
            score += number * theta
            count += number
        scores.append(score / count)
        variances.append(variance / count**2)
        # Satterthwaite's, 2 V^2 / (variance of V); of a constant nothing is uncertain.
        degrees.append(2 * variance**2 / fourth if fourth else inf)
    return scores, variances, degrees
