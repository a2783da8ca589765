"""What was drawn by chance while an order chose the rest: honest scores, and a check of a model."""

import math
from dataclasses import dataclass, field

import numpy as np

from leadline.estimators.pair_weights import PairWeights
from leadline.estimators.sampled_mean import mean_of_draws
from leadline.estimators.score_model import ScorePosterior
from leadline.tables.arrays import Bools, Floats
from leadline.tables.mean_estimate import MeanEstimate

RECENT = 40
"""The check looks at so many drawn pairs: what the model said wrongly at first is forgiven."""

MOST_DEVIATIONS = 3.0
NOTHING_OPEN = 1e-9
"""The least variance that is divided by."""

FEWEST_BATCHES = 5
"""Scores of fewer batches are not offered."""

FEWEST_DEGREES = 3.0
"""Median degrees of freedom over runs below which no interval is offered; by TREC-COVID."""

TOO_FEW = (
    f"no interval below {FEWEST_DEGREES:g} degrees of freedom, because coverage fell below 93% in "
    "simulation: judge on"
)


@dataclass
class AuditBatch:
    """A batch: `left` are the pairs from which some were drawn, each with its `chance`.

    What was `expected` of every pair, and what was `drawn`; `waiting` are those not yet judged.
    """

    left: Bools
    chance: Floats
    expected: Floats
    drawn: Bools
    waiting: set[int]


@dataclass
class Audit:
    """Batches of draws, told one by one; columns are those of `weights`.

    Given what was known before, theta_b = sum of W h over what was judged or chosen by then + sum
    of W f_b over the rest + sum over drawn of W (h - f_b) / pi_b has no bias. The scores are the
    mean of the theta_b, each counted b times, because later models are better. Their intervals
    have Student's quantile with the degrees of freedom of `mean_of_draws`.
    """

    weights: PairWeights
    batches: list[AuditBatch] = field(default_factory=list)
    n_drawn: int = 0
    n_batches: int = 0
    _count: float = 0.0
    _scores: list[Floats] = field(default_factory=list)
    _parts: list[Floats] = field(default_factory=list)
    _chances: list[Floats] = field(default_factory=list)
    _surprise: list[tuple[float, float]] = field(default_factory=list)

    def settle(self, gain: Floats) -> None:
        """Take up the batches that are judged to the end; `gain` is what is known of each pair."""
        while self.batches and not self.batches[0].waiting:
            batch = self.batches.pop(0)
            drawn = np.flatnonzero(batch.drawn)
            self.n_drawn += len(drawn)
            expected, chance = batch.expected[drawn], batch.chance[drawn]
            wrong = gain[drawn] - expected
            part = self.weights.matrix[:, drawn].toarray() * (wrong / chance)
            theta = self.weights.scores(np.where(batch.left, batch.expected, gain))
            self.n_batches += 1
            self._count += self.n_batches
            self._scores.append(self.n_batches * (theta + part.sum(axis=1)))
            self._parts.append(self.n_batches * part)
            self._chances.append(chance)
            pairs = zip(wrong.tolist(), (expected * (1 - expected)).tolist(), strict=True)
            self._surprise = [*self._surprise, *pairs][-RECENT:]

    @property
    def scores(self) -> MeanEstimate | None:
        """Mean scores without bias, whatever the model said; None before the fifth batch.

        Without errors while a few heavy draws decide most runs' variances.
        """
        if self.n_batches < FEWEST_BATCHES:
            return None
        part = np.concatenate(self._parts, axis=1) / self._count
        score: Floats = np.sum(self._scores, axis=0) / self._count
        mean = mean_of_draws(score, part, np.concatenate(self._chances))
        assert mean.degrees is not None
        few = float(np.median(np.diag(mean.degrees))) < FEWEST_DEGREES
        return mean.withhold(TOO_FEW) if few else mean

    @property
    def deviations(self) -> float:
        """How far the last drawn pairs together were from what was expected, in deviations."""
        total = sum(wrong for wrong, _ in self._surprise)
        spread = sum(chance for _, chance in self._surprise)
        return total / math.sqrt(max(spread, NOTHING_OPEN))

    @property
    def failed(self) -> str | None:
        """What speaks against the model, None if nothing does."""
        if abs(self.deviations) <= MOST_DEVIATIONS:
            return None
        more = "more" if self.deviations > 0 else "less"
        return (
            f"of the last {len(self._surprise)} documents drawn by chance {more} were relevant "
            f"than the model expected ({abs(self.deviations):.1f} standard deviations)"
        )


@dataclass
class LikelyState:
    """What an order knew at its last batch: the posterior of the scores, and its audit so far."""

    audit: Audit
    posterior: ScorePosterior | None = None
    n_judged: int = 0
