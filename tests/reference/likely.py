"""The posterior of all scores and the order Doubt, plainly: dense arrays and loops."""

from math import inf, log, pi, sqrt
from statistics import NormalDist

import numpy as np
from scipy.optimize import minimize

ABSENT = 2000


def features(rankings: dict[str, list[str]], doc: str) -> list[float]:
    """What the ranks of a document in the runs of its topic say."""
    ranks = [docs.index(doc) + 1 for docs in rankings.values() if doc in docs]
    n, gone = len(rankings), len(rankings) - len(ranks)
    return [
        log(sum(1 / (60 + rank) for rank in ranks) + gone / (60 + ABSENT)),
        log(0.01 + sum(0.95**rank for rank in ranks)),
        log(0.01 + sum(0.8**rank for rank in ranks)),
        log(min(ranks)),
        (sum(log(rank) for rank in ranks) + gone * log(ABSENT)) / n,
        len(ranks) / n,
        sum(rank <= 100 for rank in ranks) / n,
        log(1 + sum(rank <= 30 for rank in ranks)),
    ]


def posterior(
    runs: dict[str, dict[str, list[str]]],
    weight_of_rank: list[float],
    gains: dict[tuple[str, str], float],
) -> tuple[dict[str, float], dict[tuple[str, str], float], dict[tuple[str, str], float]]:
    """Mean score of each run, covariance of each two (three times the model's), expected gains.

    `weight_of_rank` ends where the measure no longer looks; `gains` are those of judged pairs.
    """
    names, topics = list(runs), list(dict.fromkeys(t for run in runs.values() for t in run))
    last = len(weight_of_rank)
    pairs = sorted({(t, d) for run in runs.values() for t in run for d in run[t][:last]})
    x = np.array([features({r: runs[r].get(t, []) for r in names}, d) for t, d in pairs])
    spread = x.std(axis=0)
    x = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    rows = []
    for (topic, doc), known in zip(pairs, x, strict=True):
        holders = [doc in runs[name].get(topic, [])[:last] for name in names]
        rows.append(
            [1.0, *known, *(1.0 * (topic == t) for t in topics)]
            + [1.5 * held / sum(holders) for held in holders]
        )
    z = np.array(rows)
    precision = np.ones(z.shape[1])
    precision[0] = 0.01
    judged = np.array([pair in gains for pair in pairs])
    y = np.array([gains.get(pair, 0.0) for pair in pairs])

    def loss(at: np.ndarray) -> float:
        logit = z[judged] @ at
        return float(np.logaddexp(0, logit).sum() - y[judged] @ logit + 0.5 * precision @ at**2)

    def slope(at: np.ndarray) -> np.ndarray:
        p = 1 / (1 + np.exp(-z[judged] @ at))
        return np.asarray(z[judged].T @ (p - y[judged]) + precision * at)

    start = np.zeros(z.shape[1])
    best = minimize(loss, start, jac=slope, method="L-BFGS-B", options={"gtol": 1e-10, "ftol": 0})
    at = best.x
    p = 1 / (1 + np.exp(-z[judged] @ at))
    hessian = np.diag(precision) + sum(
        q * (1 - q) * np.outer(row, row) for q, row in zip(p, z[judged], strict=True)
    )
    inverse = np.linalg.inv(hessian)
    expected = {}
    for number, pair in enumerate(pairs):
        variance = z[number] @ inverse @ z[number]
        guess = 1 / (1 + np.exp(-(z[number] @ at) / sqrt(1 + pi * variance / 8)))
        expected[pair] = gains.get(pair, float(guess))
    w = np.zeros((len(names), len(pairs)))
    for number, (topic, doc) in enumerate(pairs):
        for run, name in enumerate(names):
            docs = runs[name].get(topic, [])[:last]
            if doc in docs:
                w[run, number] = weight_of_rank[docs.index(doc)] / len(topics)
    f = np.array([expected[pair] for pair in pairs])
    chance = np.where(judged, 0.0, f * (1 - f))
    moved = (w * chance) @ z
    covariance = 3 * (moved @ inverse @ moved.T + (w * chance) @ w.T)
    mean = {name: float(w[run] @ f) for run, name in enumerate(names)}
    both = {
        (a, b): float(covariance[i, j]) for i, a in enumerate(names) for j, b in enumerate(names)
    }
    return mean, both, expected


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
