"""Labels by noisy judges, calibrated by people's judgments as LARA does it."""

from dataclasses import dataclass

import numpy as np

from leadline.completions.estimator import EstimatedGains, Estimator, TrainingData, estimators
from leadline.completions.logistic import newton, sigmoid
from leadline.data.arrays import Bools, Floats, Int16s, Int64s

RIDGE = 0.01
"""Keeps coefficients finite where all judged pairs agree."""

UNLABELLED = 0.5
"""What stands for the label of a pair that no judge labelled."""


@dataclass(frozen=True, eq=False)
class LabelCalibration:
    """p = (1 - w) pi + w sigma(b0 + b1 pi), for each grade g from 1 to `top`: P(grade >= g).

    pi is what the judges say: their labels as a share of the highest, on people's scale as far as
    grade g goes for the first term, min(1, max(0, top * share - g + 1)). w = min(1, rate * n) rises
    with the number n of judged pairs, from which b0 and b1 are learnt.
    """

    share: Floats
    top: int
    rate: float

    @classmethod
    def of(cls, share: Floats, top: int, rate: float) -> "LabelCalibration":
        """From shares, NaN where there is no label."""
        return cls(np.where(np.isnan(share), UNLABELLED, share), top, rate)

    def chances(self, judged: Bools, grade: Int16s) -> Floats:
        """[grades, pairs]: the probability of each grade or better, for g = 1 and on."""
        said, place = np.unique(self.share, return_inverse=True)
        seen = place[judged]
        n = np.bincount(seen, minlength=len(said)).astype(np.float64)
        rows = [
            self._row(said, n, np.bincount(seen[grade[judged] >= g], minlength=len(said)), g)
            for g in range(1, self.top + 1)
        ]
        chances: Floats = np.array(rows).reshape(self.top, len(said))[:, place]
        return chances

    def _row(self, said: Floats, n: Floats, reached: Int64s, g: int) -> Floats:
        w = min(1.0, self.rate * float(n.sum()))
        claimed = np.clip(self.top * said - g + 1, 0.0, 1.0)
        row: Floats = (1 - w) * claimed + w * sigmoid(_fitted(said, n, reached))
        return row

    def grades(self, judged: Bools, grade: Int16s) -> Int64s:
        """The grade of every pair: the last that is likelier than not, as are those below it."""
        likely = self.chances(judged, grade) >= 0.5
        grades: Int64s = np.cumprod(likely, axis=0).sum(axis=0)
        return grades


def _fitted(said: Floats, n: Floats, reached: Int64s) -> Floats:
    """b0 + b1 pi for each thing said, by n pairs that were judged and those that reach a grade."""
    x = np.column_stack([np.ones(len(said)), said])

    def loss(at: Floats) -> float:
        logit = x @ at
        wrong = n * np.logaddexp(0.0, logit) - reached * logit
        return float(wrong.sum()) + 0.5 * RIDGE * float(at @ at)

    def direction(at: Floats) -> tuple[Floats, float]:
        p = sigmoid(x @ at)
        slope = x.T @ (n * p - reached) + RIDGE * at
        curve = x.T @ ((n * p * (1 - p))[:, None] * x) + RIDGE * np.eye(2)
        step = np.asarray(np.linalg.solve(curve, slope), np.float64)
        return step, float(slope @ step)

    best = newton(np.zeros(2), loss, direction)
    return np.asarray(x @ best, np.float64)


@estimators.register
@dataclass(frozen=True)
class LARAEstimator(Estimator):
    """Unjudged documents have the grade that calibrated labels predict.

    Formula: grade >= g if (1 - w) pi + w sigma(b0 + b1 pi) >= 1/2, w = min(1, rate * judged)

    For judgments in the order LARA. Without error bars, and with the bias that comes from judging
    what is doubtful and cutting at one half: a rival to be beaten, see ModelAssisted. The tail
    beyond a list's end is worth nothing.

    Takehi, Voorhees, Sakai and Soboroff, LLM-assisted relevance assessments, SIGIR 2025.
    """

    needs_labels = True

    rate: float = 0.005

    @classmethod
    def registered_name(cls) -> str:
        return "LARA"

    def __post_init__(self) -> None:
        if not 0 <= self.rate < np.inf:
            raise ValueError(f"rate must be 0 or more, not {self.rate}")

    def gains(self, evidence: TrainingData) -> EstimatedGains:
        """The gains of these grades."""
        judgments = evidence.judgments
        share = evidence.runs.pairs.needed_labels.share
        model = LabelCalibration.of(share, judgments.max_grade, self.rate)
        grade = model.grades(judgments.judged, judgments.grade)
        return evidence.filled(evidence.gain_table[grade][evidence.runs.pair])
