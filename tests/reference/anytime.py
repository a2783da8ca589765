"""The wealth process of docs/methods/anytime.md in plain loops, for one contrast and one side."""

import math

TIMES = [2.0**j for j in range(-2, 3)]
WEIGHT = [0.025] * 2 + [0.9] + [0.025] * 2
HEDGED = 2


def factor(gained: float, worst: float, pi: float, best: float) -> tuple[float, float]:
    """What an open pair multiplies the wealth by if it is drawn, and if it is not: `best`, or less.

    `worst` is exp(gained) of the worst gain: with it a drawn pair still has the factor 0.2.
    """
    if pi == 1:
        return math.exp(gained), 1.0
    missed = min(best, (worst - 0.2 * pi) / (1 - pi))
    return (math.exp(gained) - (1 - pi) * missed) / pi, missed


def best_step(down: float, up: float, pi: float) -> float:
    """What a pair that is not drawn gives up, per probability, for the largest expected log wealth.

    The stake times a gain is `up` above or `down` below its mean. For small pi a drawn pair has the
    factor 1 + t + up / pi or 1 + t - down / pi, and the other 1 - pi t; the derivative of the
    expected log is 0 where the mean of 1 / factor is 1.
    """
    if pi == 1 or up + down == 0:
        return 0.0
    a, b, chance = up / pi, down / pi, down / (up + down)
    low, high = 0.0, 1 + a + b
    for _ in range(300):
        t = (low + high) / 2
        # The mean of 1 / factor is below 1, multiplied by both factors.
        low, high = (low, t) if t * (1 + t + a - b) > a * b else (t, high)
    assert abs(chance / (1 + low + a) + (1 - chance) / (1 + low - b) - 1) < 1e-6
    return low


class Wealth:
    """Log wealth and stake of every bet on side +1 or -1 of a contrast with these weights."""

    def __init__(self, amount: list[float], side: int, planned: float, alpha: float = 0.05):
        self.amount, self.side, self.planned, self.alpha = amount, side, planned, alpha
        self.log_wealth, self.stake = [0.0] * 5, [0.0] * 5
        self.known, self.n_drawn = 0.0, 0
        self.squared, self.implied = 2.0, 2.0
        self.effective, self.correction = 0.0, 1.0
        self.judged: set[int] = set()
        self.end = self.bounds()[0]

    def add(
        self, prediction: list[float], probability: list[float], drawn: list[int], gain: list[float]
    ) -> None:
        """One batch: `drawn` are the numbers of its pairs."""
        open_ = [p for p in range(len(self.amount)) if p not in self.judged]
        f = [min(max(each, 0.01), 0.99) for each in prediction]
        more = (self.planned - self.n_drawn) / max(sum(probability[p] for p in open_), 1e-9)
        variance, rest = 1e-12, 1e-12
        for p in open_:
            d, pi, cut = self.amount[p], probability[p], min(max(f[p], 0.03), 0.97)
            square = d**2 * self.squared / self.implied * cut * (1 - cut)
            variance += square * (1 - pi) / pi
            all_at_once = min(1.0, max(1.0, more) * pi)
            rest += square * (1 - all_at_once) / all_at_once
        loss = {
            p: abs(self.amount[p]) * (f[p] if self.side * self.amount[p] > 0 else 1 - f[p])
            for p in open_
        }
        limited = [loss[p] for p in open_ if probability[p] < 1 and self.amount[p] != 0]
        largest = max([*limited, 0.0])
        cap = math.log(2) / largest if largest else 0.0
        modelled = self.known + sum(self.amount[p] * f[p] for p in open_)
        scale = math.sqrt(self.squared / self.implied)

        def steps(hedged: float) -> dict[int, float]:
            unit = hedged * scale
            up = {p: unit * (abs(self.amount[p]) - loss[p]) for p in open_}
            return {p: best_step(unit * loss[p], up[p], probability[p]) for p in open_}

        def distance() -> float:
            planned = self.effective + self.correction / rest
            return math.sqrt(2 * math.log(2 / self.alpha) / planned)

        for _ in range(2 if cap else 0):
            hedged = min(distance() * self.correction / variance, cap)
            paid = sum((1 - probability[p]) * probability[p] * t for p, t in steps(hedged).items())
            by = min(max(hedged * distance() / paid, 0.25), 4.0) if paid else 1.0
            self.correction = min(self.correction * by, cap * variance / distance())
        target = distance()
        hedged = min(target * self.correction / variance, cap)
        self.effective += hedged / target
        best = {p: 1 - min(0.9, probability[p] * t) for p, t in steps(hedged).items()}
        for bet, times in enumerate(TIMES):
            stake = min(target * times * self.correction / variance, cap)
            square = (stake / hedged) ** 2 if hedged else 1.0
            moved = stake * self.side * modelled
            for p in open_:
                gained = stake * self.side * self.amount[p] * (gain[p] - f[p])
                worst, missed = math.exp(-stake * loss[p]), best[p] ** square
                hit, miss = factor(gained, worst, probability[p], missed)
                moved += math.log(hit if p in drawn else miss)
            self.log_wealth[bet] += moved
            self.stake[bet] += stake
        for p in drawn:
            self.known += self.amount[p] * gain[p]
            self.squared += (gain[p] - f[p]) ** 2
            self.implied += f[p] * (1 - f[p])
        self.judged |= set(drawn)
        self.n_drawn += len(drawn)
        self.end = self.moved_end()

    def wealth(self, bet: int, theta: float) -> float:
        """The wealth of one bet against a value of the contrast."""
        return math.exp(self.log_wealth[bet] - self.stake[bet] * self.side * theta)

    def bounds(self) -> tuple[float, float]:
        """The bounds of the contrast: the side's own first."""
        open_ = [d for p, d in enumerate(self.amount) if p not in self.judged]
        low = self.known + sum(min(d, 0.0) for d in open_)
        high = self.known + sum(max(d, 0.0) for d in open_)
        return (low, high) if self.side > 0 else (high, low)

    def moved_end(self) -> float:
        """The last value at which the mixture's wealth is 2 / alpha, or the end before."""
        own, other = self.bounds()
        wrong, right = min(max(self.end, min(own, other)), max(own, other)), other

        def refuted(theta: float) -> bool:
            total = sum(w * self.wealth(bet, theta) for bet, w in enumerate(WEIGHT))
            return total >= 2 / self.alpha

        if not refuted(wrong):
            return wrong
        for _ in range(60):
            middle = (wrong + right) / 2
            wrong, right = (middle, right) if refuted(middle) else (wrong, middle)
        return wrong
