"""The order of LARA: the pair of which a calibrated label tells least."""

from dataclasses import dataclass

import numpy as np

from leadline.completions.lara import LabelCalibration
from leadline.data.draw import draw_pairs
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.judging.order import Choice, Order, Stepper, orders


@orders.register
@dataclass(frozen=True)
class LARA(Order):
    """Pairs whose calibrated label is most uncertain.

    Formula: least |p_g - 1/2| over grades g, p_g = (1 - w) pi + w sigma(b0 + b1 pi)

    pi is the label as a share of the judge's highest, the mean over judges; w = min(1, rate *
    judged). Labels have few values, so many pairs are as doubtful as others: chance by `seed`
    decides. `top` is the highest grade of those who judge; one that is found to be higher counts.
    What is not judged gets its grade from LARA. A rival to be beaten, see ModelAssisted: what is
    judged so is not like the rest.

    Takehi, Voorhees, Sakai and Soboroff, LLM-assisted relevance assessments, SIGIR 2025.
    """

    uses_labels = True
    needs_labels = True

    top: int = 1
    rate: float = 0.005
    seed: int = 0

    def __post_init__(self) -> None:
        if self.top < 1:
            raise ValueError(f"top must be at least 1, not {self.top}")
        if not 0 <= self.rate < np.inf:
            raise ValueError(f"rate must be 0 or more, not {self.rate}")

    @property
    def learns_from_asking(self) -> bool:
        return False

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        return self.resume(_MostDoubtful(self, runs), judgments)


class _MostDoubtful(Stepper):
    def __init__(self, order: LARA, runs: Runs) -> None:
        self.order, self.share = order, runs.pairs.needed_labels.share
        n = len(runs.pairs)
        self.open = np.zeros(n, np.bool_)
        self.open[runs.pair] = True
        self.judged, self.grade = np.zeros(n, np.bool_), np.zeros(n, np.int16)
        self.luck = np.zeros(n)
        returned = np.flatnonzero(self.open)
        self.luck[returned] = draw_pairs(order.seed, runs.pairs, returned)

    def next(self, k: int = 1) -> list[Choice]:
        left = np.flatnonzero(self.open)
        if not k or not len(left):
            return []
        top = max(self.order.top, int(self.grade.max()))
        model = LabelCalibration.of(self.share, top, self.order.rate)
        doubt = np.abs(model.chances(self.judged, self.grade) - 0.5).min(axis=0)
        # Fits differ in their last digits: equals stay equals.
        doubt = np.round(doubt, 9)
        chosen = left[np.lexsort((self.luck[left], doubt[left]))[:k]]
        self.open[chosen] = False
        return [Choice(int(pair), float(0.5 - doubt[pair])) for pair in chosen]

    def tell(self, pair: int, grade: int) -> None:
        self.open[pair] = False
        self.judged[pair], self.grade[pair] = True, max(grade, 0)

    def spend(self, pair: int) -> None:
        self.open[pair] = False

    def release(self, pair: int) -> None:
        self.open[pair] = not self.judged[pair]

    def retract(self, pair: int, grade: int | None) -> bool:
        self.judged[pair], self.grade[pair] = False, 0
        return True
