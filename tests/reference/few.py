"""A designed sample and the estimate assisted by a model, as methods/few.md has them, plainly.

A pair is (topic, doc). `weights` is a dict run -> pair -> weight over the number of topics;
`gains`, `expected` and `chances` are dicts by pair; `drawn` is the set of pairs that were judged.
"""

import itertools
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
    """sum over drawn of W h + sum over others of W f + c + t2 / (t2 + V_r) (R_r - c)."""
    known = {pair: gains[pair] if pair in drawn else expected[pair] for pair in expected}
    model = {run: score(row, known, known, chances, set()) for run, row in weights.items()}
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


def batch_shares(chances: list[float]) -> list[float]:
    """How much each batch counts for a pair: of what is left, pi / (pi + T ((1 - next)^-m - 1))."""
    shares, left = [], 1.0
    for batch, chance in enumerate(chances):
        to_come = sum(1 for later in chances[batch + 1 :] if later > 0)
        own = 0.0
        if chance > 0:
            more = 1.5 if batch else 2.0
            after = chances[batch + 1] if batch + 1 < len(chances) else 0.0
            own = chance / (chance + more * ((1 - (after or chance)) ** -to_come - 1))
        shares.append(left * own)
        left -= shares[-1]
    return shares


def told_gain(chances: list[float], expected: list[float], gain: float, batch: int) -> float:
    """What is told of a pair that this batch (from 1; 0 none) drew: batch by batch, added up."""
    total = 0.0
    for number, share in enumerate(batch_shares(chances), start=1):
        if batch and number > batch:
            total += share * gain
        elif number == batch:
            f = expected[number - 1]
            total += share * (f + (gain - f) / chances[number - 1])
        else:
            total += share * expected[number - 1]
    return total


def first_discounts(n: int, k: int) -> float:
    """1 / log2(2) + 1 / log2(3) + ..., so many of them as n documents have, k at most."""
    return sum(1 / math.log2(rank + 1) for rank in range(1, min(n, k) + 1))


def expected_ideal(chances: list[float], k: int) -> tuple[float, float]:
    """What so many documents, each relevant with its chance, earn at best; what one more adds.

    By going through all 2^n ways in which they may turn out.
    """
    total, more = 0.0, 0.0
    for outcome in itertools.product((False, True), repeat=len(chances)):
        odds = math.prod(p if hit else 1 - p for p, hit in zip(chances, outcome, strict=True))
        total += odds * first_discounts(sum(outcome), k)
        more += odds * (first_discounts(sum(outcome) + 1, k) - first_discounts(sum(outcome), k))
    return total, more


def ideals(
    reached: dict[int, dict[Pair, float]],
    grades: dict[Pair, int],
    table: list[float],
    chances: dict[Pair, float],
    drawn: set[Pair],
    k: int,
) -> tuple[dict[str, float], dict[Pair, float]]:
    """The ideal of every topic, and what each drawn pair adds to it.

    reached[g] has the chance, by the model, of every pair to be of grade g or better.
    """
    topics = sorted({topic for topic, _ in chances})
    model = dict.fromkeys(topics, 0.0)
    moved, seen = dict.fromkeys(drawn, 0.0), dict.fromkeys(drawn, 0.0)
    for grade, by_model in reached.items():
        height = table[grade] - table[grade - 1]
        off = {pair: (grades[pair] >= grade) - by_model[pair] for pair in drawn}
        for topic in topics:
            pairs = [pair for pair in by_model if pair[0] == topic]
            known = [by_model[pair] + chances[pair] * off.get(pair, 0.0) for pair in pairs]
            sums, more = expected_ideal(known, k)
            model[topic] += height * sums
            for pair in drawn.intersection(pairs):
                pi = chances[pair]
                moved[pair] += height * more * off[pair] * (1 / pi - pi)
                seen[pair] += height * more * off[pair] * pi
    correction = {t: sum(moved[pair] for pair in drawn if pair[0] == t) for t in topics}
    own = {
        t: sum(moved[pair] ** 2 * (1 - chances[pair]) for pair in drawn if pair[0] == t)
        for t in topics
    }
    truth = max(0.0, sum(correction[t] ** 2 - own[t] for t in topics) / len(topics))
    share = {t: truth / (truth + own[t]) if truth + own[t] > 0 else 1.0 for t in topics}
    least = min((gain for gain in table if gain > 0), default=1.0)
    value = {t: max(model[t] + share[t] * correction[t], least) for t in topics}
    return value, {pair: share[pair[0]] * moved[pair] + seen[pair] for pair in drawn}


def ndcg(
    weights: Weights,
    gains: dict[Pair, float],
    expected: dict[Pair, float],
    chances: dict[Pair, float],
    drawn: set[Pair],
    ideal: dict[str, float],
    moved: dict[Pair, float],
) -> tuple[dict[str, float], dict[str, dict[Pair, float]]]:
    """Mean over topics of sum / ideal, and what each drawn pair adds to every run's."""
    n = len(ideal)
    mean, parts = {}, {}
    for run, row in weights.items():
        ratio = {}
        for topic, best in ideal.items():
            mine = {pair: n * weight for pair, weight in row.items() if pair[0] == topic}
            ratio[topic] = score(mine, gains, expected, chances, drawn) / best
        mean[run] = sum(ratio.values()) / n
        parts[run] = {
            pair: (
                row.get(pair, 0.0) * (gains[pair] - expected[pair]) / chances[pair]
                - ratio[pair[0]] / n * moved[pair]
            )
            / ideal[pair[0]]
            for pair in drawn
        }
    return mean, parts


def precision_sum(chances: list[float]) -> float:
    """What AP's sum is on average where documents are relevant with these chances.

    By going through all 2^n ways in which they may turn out.
    """
    total = 0.0
    for outcome in itertools.product((0, 1), repeat=len(chances)):
        odds = math.prod(p if hit else 1 - p for p, hit in zip(chances, outcome, strict=True))
        found = 0
        for rank, hit in enumerate(outcome, start=1):
            found += hit
            total += odds * hit * found / rank
    return total


def ap(
    lists: dict[str, list[Pair]],
    gains: dict[Pair, float],
    expected: dict[Pair, float],
    chances: dict[Pair, float],
    drawn: set[Pair],
) -> float:
    """Mean over topics of one run's AP@k: lists[topic] are its first k.

    Slopes are differences of the sum with a document relevant for certain and for certain not.
    """
    topics = sorted({topic for topic, _ in expected})
    known = {
        p: f + (chances[p] * (gains[p] - f) if p in drawn else 0.0) for p, f in expected.items()
    }
    lacking = {p: (gains[p] - expected[p]) * (1 / chances[p] - chances[p]) for p in drawn}
    correction = {t: sum(x for p, x in lacking.items() if p[0] == t) for t in topics}
    own = {t: sum(x**2 * (1 - chances[p]) for p, x in lacking.items() if p[0] == t) for t in topics}
    truth = max(0.0, sum(correction[t] ** 2 - own[t] for t in topics) / len(topics))
    total = 0.0
    for topic in topics:
        share = truth / (truth + own[topic]) if truth + own[topic] > 0 else 1.0
        relevant = sum(q for p, q in known.items() if p[0] == topic) + share * correction[topic]
        ranked = lists.get(topic, [])
        amount = precision_sum([known[p] for p in ranked])
        for pair in drawn.intersection(ranked):
            yes, no = (
                precision_sum([value if p == pair else known[p] for p in ranked])
                for value in (1.0, 0.0)
            )
            amount += (yes - no) * lacking[pair]
        total += amount / max(relevant, 1.0)
    return total / len(topics)
