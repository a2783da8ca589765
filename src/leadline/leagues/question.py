"""What an entrant is asked, what it says, and what is true."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from leadline.estimators.evidence import Evidence
from leadline.estimators.pair_weights import PairWeights, last_rank
from leadline.measures.measure import Measure
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats, Int16s, Int64s, freeze
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.mean_estimate import MeanEstimate
from leadline.tables.runs import UNRANKED, Runs
from leadline.tables.scores import Scores

OVERDRAW = 4.0
"""A sample's size is left to chance: so many roots of the budget may be asked beyond it."""


class BudgetError(ValueError):
    """More judgments were asked for than the question allows."""


@dataclass(eq=False)
class Question:
    """What are the mean scores of these runs?

    Either `evidence` has the judgments to answer by, of which some runs may be `asked` about only,
    or pairs are judged on demand, `budget` of them: `judge` gives their grades and counts them.
    Labels of cheap judges lie in `runs.pairs`. What is drawn at random is drawn by `seed`.
    """

    measure: Measure
    runs: Runs
    hidden: Judgments = field(repr=False)
    budget: int
    seed: int
    evidence: Evidence | None = None
    asked: Bools | None = None

    def __post_init__(self) -> None:
        self._judged: Bools = np.zeros(len(self.runs.pairs), np.bool_)

    def judge(self, pairs: Int64s | Sequence[int]) -> Int16s:
        """The grades of pairs; each counts once against the budget."""
        if self.evidence is not None:
            raise BudgetError("the judgments of this question are given: look at its evidence")
        self._judged[pairs] = True
        if self.judgments > self.budget + OVERDRAW * self.budget**0.5:
            raise BudgetError(f"{self.judgments} judgments, but the budget is {self.budget}")
        return self.hidden.grade[pairs]

    @property
    def judgments(self) -> int:
        """How many pairs were judged."""
        known = self._judged if self.evidence is None else self.evidence.judgments.judged
        return int(np.count_nonzero(known))

    @property
    def known(self) -> Judgments:
        """The judgments so far."""
        return self.evidence.judgments if self.evidence else self.hidden.only(self._judged)

    @property
    def lists(self) -> Lists:
        """The runs' lists as those see them who have only the judgments so far."""
        return Lists.of(self.runs, self.known)

    @property
    def true_lists(self) -> Lists:
        """The same by all judgments."""
        return Lists.of(self.runs, self.hidden)

    @property
    def max_grade(self) -> int:
        """The top of the scale, which whoever judges knows."""
        return self.hidden.max_grade

    @property
    def given(self) -> Evidence:
        """The evidence of a question that has one."""
        assert self.evidence is not None
        return self.evidence

    @property
    def weighted(self) -> Weighted:
        """The measure; a ValueError if it is no sum of weights and gains."""
        if isinstance(self.measure, Weighted):
            return self.measure
        raise ValueError(f"{self.measure} is no sum of weights and gains")

    @property
    def ap_rel(self) -> int | None:
        """The least grade that counts, where AP of whole lists is asked for; None elsewhere."""
        measure: Any = self.measure
        return measure.rel if measure.registered_name() == "AP" and not measure.depth else None

    @property
    def weights(self) -> PairWeights:
        """What every pair weighs in every run's mean score."""
        return PairWeights.of(self.runs, self.weighted)

    @property
    def looked_at(self) -> Runs:
        """The runs as deep as the measure looks, but for ranks of no weight."""
        longest = int(self.runs.length.max(initial=1))
        if isinstance(self.measure, Weighted):
            return self.runs.cut(last_rank(self.measure, longest))
        return self.runs.cut(self.measure.depth)

    @cached_property
    def truth(self) -> "Truth":
        """What is true."""
        return Truth.of(self)

    def afresh(self) -> Self:
        """The same question for another entrant: nothing judged that was not given."""
        if self.evidence is not None:
            return self
        again = replace(self)
        again.__dict__["truth"] = self.truth
        return again

    def of_asked(self, by_run: Floats) -> Floats:
        """The rows of the runs that are asked about."""
        return by_run if self.asked is None else by_run[self.asked]


@dataclass(frozen=True, eq=False)
class Reply:
    """Mean scores of the runs asked about; what is None is not said.

    `lower` and `upper` are 95% intervals, `gap_margin` [runs, runs] tells how far off each
    difference of two means may be, `by_topic` [runs, topics] the scores of lists. With `own_scale`
    the scores only order the runs: how far off they are makes no sense.
    """

    value: Floats
    lower: Floats | None = None
    upper: Floats | None = None
    gap_margin: Floats | None = None
    by_topic: Floats | None = None
    own_scale: bool = False

    def __post_init__(self) -> None:
        n = len(self.value)
        freeze(self, np.float64, (n,), "value", "lower", "upper")
        freeze(self, np.float64, (n, n), "gap_margin")

    @classmethod
    def of_mean(cls, mean: MeanEstimate, by_topic: Floats | None = None) -> "Reply":
        """Means that were estimated as a whole; intervals only where they are offered."""
        margin = mean.margin()
        if np.isnan(margin).any():
            return cls(mean.value, by_topic=by_topic)
        low, high = mean.value - margin, mean.value + margin
        return cls(mean.value, low, high, mean.difference_margin(), by_topic)

    @classmethod
    def of_scores(cls, scores: Scores, question: Question) -> "Reply":
        """Scores of all runs as an estimator has them, those of the runs asked about."""
        if question.asked is not None:
            scores = scores.of_runs(np.flatnonzero(question.asked).tolist())
        if scores.of_mean is not None:
            return cls.of_mean(scores.of_mean, scores.value)
        error = scores.mean_error()
        if np.isnan(error).any():
            return cls(scores.mean(), by_topic=scores.value)
        # Lists as if they were independent: whoever knows better has `of_mean`.
        return cls.of_mean(MeanEstimate(scores.mean(), np.diag(error**2)), scores.value)


@dataclass(frozen=True, eq=False)
class Truth:
    """The mean scores of the runs asked about, and [runs, topics] those of their lists."""

    value: Floats
    by_topic: Floats

    @classmethod
    def of(cls, question: Question) -> "Truth":
        """By all judgments; a pair that nobody judged is not relevant."""
        scores = question.measure.score(question.true_lists)
        return cls(question.of_asked(scores.mean()), question.of_asked(scores.value))


def n_pairs(runs: Runs) -> int:
    """How many pairs some run returns."""
    return int((runs.best_rank < UNRANKED).sum())
