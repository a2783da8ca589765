"""Plain twins of the audit: loops over documents, as the formulas stand."""

from collections.abc import Sequence


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
