"""How many more judgments of people would halve the error."""

import numpy as np

from leadline.auditing.audited_pairs import AuditRow
from leadline.auditing.run_bias import AuditedScores
from leadline.tables.arrays import Floats

BISECTIONS = 60


def judgments_for(variance: Floats, inclusion: Floats, share: float) -> float:
    """How many pairs to draw, with chances raised alike, until the variance is a share of it.

    `variance` is what each drawn pair adds, e^2 (1 - pi) / pi^2; with chances min(1, c pi) all
    pairs would add the sum over drawn of e^2 (1 - pi') / (pi pi'), and the sum over drawn of
    pi' / pi would be drawn. Infinite where nothing adds anything.

    >>> judgments_for(np.full(10, 0.9), np.full(10, 0.1), 0.25)
    30.76923076923077
    """
    doubt = np.divide(
        variance * inclusion, 1 - inclusion, out=np.zeros(len(variance)), where=inclusion < 1
    )
    wanted = share * float(variance.sum())
    if wanted <= 0:
        return float("inf")

    def left(times: float) -> float:
        chance = np.minimum(1.0, times * inclusion)
        return float((doubt * (1 - chance) / chance).sum())

    low, high = 1.0, 1 / float(inclusion.min())
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if left(middle) > wanted else (low, middle)
    return float((np.minimum(1.0, high * inclusion) / inclusion).sum())


def more_rows(scores: AuditedScores) -> list[AuditRow]:
    """Section more: the error of differences among the best 20 now, and what would halve it."""
    audited, pair = scores.audited, scores.weights.pair
    if audited.choice == "complete":
        n = len(scores.runs.pairs.topics)
        return [AuditRow("more", "topics that would halve the error over topics", 3.0 * n, n=n)]
    if audited.choice == "chosen":
        return []
    drawn = np.flatnonzero(audited.human.judged[pair])
    variance = scores.difference_variance[drawn]
    needed = judgments_for(variance, audited.chance(pair[drawn]), 0.25)
    now = float(np.sqrt(variance.sum()))
    n = len(drawn)
    rows = [AuditRow("more", "standard error of a difference of the best 20", now, n=n)]
    if np.isfinite(needed):
        name = "more human judgments that would halve it"
        rows.append(AuditRow("more", name, float(np.ceil(needed - n)), n=n))
    return rows
