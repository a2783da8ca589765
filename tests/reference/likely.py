"""The posterior of all scores and the order Likely, plainly: dense arrays and loops."""

from math import log, pi, sqrt

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
