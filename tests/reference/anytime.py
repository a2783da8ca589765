"""The wealth process of docs/methods/anytime.md in plain loops, for one contrast and one side."""

import math

TIMES = [1.1 * 2**j for j in range(-2, 3)]
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


def best_missed(down: float, up: float, pi: float) -> float:
    """The factor of a pair that is not drawn with the largest expected log wealth.

    The stake times a gain is `up` above or `down` below its mean. For small pi a drawn pair has the
    factor g + up / pi or g - down / pi, and the other 1 + pi (1 - g); the derivative of the
    expected log is 0 where the mean of 1 / factor is 1.
    """
    if pi == 1 or up + down == 0:
        return 1.0
    chance = down / (up + down)

    def inverse(g: float) -> float:
        return chance / (g + up / pi) + (1 - chance) / (g - down / pi)

    low, high = down / pi, 2 + (up + down) / pi
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle == low or inverse(middle) > 1 else (low, middle)
    return 1 - min(0.9, pi * (low - 1))


class Wealth:
    """Log wealth and stake of every bet on side +1 or -1 of a contrast with these weights."""

    def __init__(self, amount: list[float], side: int, planned: float, alpha: float = 0.05):
        self.amount, self.side, self.planned, self.alpha = amount, side, planned, alpha
        self.log_wealth, self.stake = [0.0] * 5, [0.0] * 5
        self.known, self.precision, self.n_drawn = 0.0, 0.0, 0
        self.squared, self.implied = 2.0, 2.0
        self.judged: set[int] = set()

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
        target = math.sqrt(2 * math.log(2 / self.alpha) / (self.precision + 1 / rest))
        loss = {
            p: abs(self.amount[p]) * (f[p] if self.side * self.amount[p] > 0 else 1 - f[p])
            for p in open_
        }
        limited = [loss[p] for p in open_ if probability[p] < 1 and self.amount[p] != 0]
        largest = max([*limited, 0.0])
        cap = math.log(2) / largest if largest else 0.0
        modelled = self.known + sum(self.amount[p] * f[p] for p in open_)
        hedged = min(target * TIMES[HEDGED] / variance, cap)
        unit = hedged * math.sqrt(self.squared / self.implied)
        best = {
            p: best_missed(unit * loss[p], unit * (abs(self.amount[p]) - loss[p]), probability[p])
            for p in open_
        }
        for bet, times in enumerate(TIMES):
            stake = min(target * times / variance, cap)
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
        self.precision += 1 / variance
        self.n_drawn += len(drawn)

    def wealth(self, bet: int, theta: float) -> float:
        """The wealth of one bet against a value of the contrast."""
        return math.exp(self.log_wealth[bet] - self.stake[bet] * self.side * theta)

    def end(self) -> float:
        """The value at which the mixture's wealth is 2 / alpha, within the bounds."""
        open_ = [d for p, d in enumerate(self.amount) if p not in self.judged]
        low = self.known + sum(min(d, 0.0) for d in open_)
        high = self.known + sum(max(d, 0.0) for d in open_)
        wrong, right = (low, high) if self.side > 0 else (high, low)

        def refuted(theta: float) -> bool:
            total = sum(w * self.wealth(bet, theta) for bet, w in enumerate(WEIGHT))
            return total >= 2 / self.alpha

        if not refuted(wrong):
            return wrong
        for _ in range(60):
            middle = (wrong + right) / 2
            wrong, right = (middle, right) if refuted(middle) else (wrong, middle)
        return wrong
