"""Plain twins of the audit: loops over documents, as the formulas stand."""

import math
from collections.abc import Sequence

from scipy import optimize


def contrast(
    member: Sequence[bool],
    share: Sequence[float],
    total: float,
    other: Sequence[float],
    stratum: Sequence[int],
    label: Sequence[float],
) -> float:
    """total * weighted mean over members of (label - mean label of others of its stratum)."""
    above, below = 0.0, 0.0
    for p in range(len(label)):
        if not member[p]:
            continue
        outside = [q for q in range(len(label)) if not member[q] and stratum[q] == stratum[p]]
        weight = sum(other[q] for q in outside)
        if weight == 0:
            continue
        mean = sum(other[q] * label[q] for q in outside) / weight
        above += share[p] * (label[p] - mean)
        below += share[p]
    return total * above / below if below else 0.0


def bias(
    weights: Sequence[Sequence[float]],
    label: Sequence[int],
    gain: Sequence[float],
) -> list[float]:
    """B_r = sum_p W_rp (f_g - h), f_g the mean gain of pairs with label g, all judged."""
    mean = {}
    for g in set(label):
        gains = [gain[p] for p in range(len(label)) if label[p] == g]
        mean[g] = sum(gains) / len(gains)
    return [sum(row[p] * (mean[label[p]] - gain[p]) for p in range(len(label))) for row in weights]


def turned(people: Sequence[int], judge: Sequence[int]) -> dict[str, int]:
    """Verdicts 1, -1 or 0 of pairs of runs, counted by what the judge makes of them."""
    counts = {"both": 0, "opposite": 0, "false_alarms": 0, "missed": 0, "neither": 0}
    for a, b in zip(people, judge, strict=True):
        if a and b:
            counts["both" if a == b else "opposite"] += 1
        elif b:
            counts["false_alarms"] += 1
        else:
            counts["missed" if a else "neither"] += 1
    return counts


def raised_likelihood(
    labelled: Sequence[Sequence[float]], graded: Sequence[Sequence[Sequence[float]]], tilt: float
) -> float:
    """The best log likelihood of two sides' labels, those of the first tilted by this.

    By quasi-Newton steps over softmax parameters of P(y | h) and of the grades of each side.
    """
    n_grades, n_labels = len(graded[0]), len(labelled[0])

    def chances(free: Sequence[float]) -> list[float]:
        power = [math.exp(each) for each in (*free, 0.0)]
        return [each / sum(power) for each in power]

    def moved(row: list[float]) -> list[float]:
        power = [row[y] * math.exp(tilt * y / (n_labels - 1)) for y in range(n_labels)]
        return [each / sum(power) for each in power]

    def lost(free: Sequence[float]) -> float:
        k, at = n_labels - 1, n_grades * (n_labels - 1)
        table = [chances(free[h * k : (h + 1) * k]) for h in range(n_grades)]
        total = 0.0
        for side in (0, 1):
            begin = at + side * (n_grades - 1)
            earned = chances(free[begin : begin + n_grades - 1])
            rows = [moved(row) for row in table] if side == 0 else table
            for y in range(n_labels):
                joint = [earned[h] * rows[h][y] for h in range(n_grades)]
                seen = sum(graded[side][h][y] for h in range(n_grades))
                total += (labelled[side][y] - seen) * math.log(max(sum(joint), 1e-300))
                total += sum(
                    graded[side][h][y] * math.log(max(joint[h], 1e-300)) for h in range(n_grades)
                )
        return -total

    start = [0.0] * (n_grades * (n_labels - 1) + 2 * (n_grades - 1))
    return -float(optimize.minimize(lost, start, method="BFGS").fun)
