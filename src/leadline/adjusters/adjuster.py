"""What every adjuster is: a named thing that tells what to add to the scores of new runs."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from leadline.adjusters.adjusted import Adjusted, inside_certain, unjudged_doubts, unjudged_share
from leadline.adjusters.calibration import errors, half_width
from leadline.adjusters.pool_bias import PoolBias
from leadline.adjusters.run_differences import RunDifferences
from leadline.files.problems import Progress
from leadline.naming.registry import Named, Registry
from leadline.tables.arrays import Bools, Floats

FEW_RUNS = 19


class Adjuster(Named):
    """A frozen dataclass with fields as parameters; a subclass says what it adds to each run.

    `takes_trusted` tells of one that learns from trusted judgments on common topics.
    """

    takes_trusted: ClassVar[bool] = False

    def check(self, evidence: PoolBias) -> None:
        """A ValueError if it cannot put right this measure, or has nothing to learn from."""

    @abstractmethod
    def amounts(self, evidence: PoolBias) -> Floats:
        """What to add to the mean score of each new run."""

    @abstractmethod
    def explain(self, evidence: PoolBias) -> list[str]:
        """What is assumed, and what the correction is made of."""

    def adjust(
        self,
        evidence: PoolBias,
        *,
        random: np.random.Generator | None = None,
        progress: Progress | None = None,
    ) -> Adjusted:
        """The new runs' mean scores, corrected, each with an interval."""
        self.check(evidence)
        return self.corrected(evidence, random or np.random.default_rng(0), progress)

    def differences(
        self, evidence: PoolBias, adjusted: Adjusted, random: np.random.Generator
    ) -> RunDifferences:
        """How far the new runs lie from each other and from the pooled ones, with errors.

        `adjusted` is what `adjust` gave for this evidence. A ValueError from an adjuster that does
        not know how errors go together.
        """
        raise ValueError(f"{self} tells no error of differences: Predicted does")

    def corrected(
        self, evidence: PoolBias, random: np.random.Generator, progress: Progress | None
    ) -> Adjusted:
        """What `adjust` gives; an adjuster that knows its own error overrides this.

        A run whose documents are all judged needs no correction and gets none. Each pooled group is
        taken for new in turn, and the interval holds as many of the errors seen as it promises, but
        reaches never beyond the bounds.
        """
        if not len(evidence.contributors):
            raise ValueError("there is no pooled run to learn from")
        scores = evidence.measure.score(evidence.new_lists())
        share = unjudged_share(evidence)
        complete = share == 0
        unadjusted = scores.mean()
        amount = np.where(complete, 0.0, self.amounts(evidence))
        wrong = errors(self, evidence, progress)
        width = half_width(wrong)
        error = float(np.sqrt((wrong**2).mean())) if len(wrong) else float("nan")
        middle = unadjusted + amount
        lower, upper = scores.mean_lower(), scores.mean_upper()
        doubts: list[tuple[str, ...]] = []
        for run in range(len(scores.runs)):
            reasons = unjudged_doubts(share[run])
            if not complete[run] and len(wrong) < FEW_RUNS:
                reasons.append(f"only {len(wrong)} pooled runs to learn the interval from")
            if not complete[run] and beyond_pool(evidence):
                reasons.append(
                    f"its interval is of the score by a pool of depth {evidence.drawn.depth}, not "
                    "of the complete score: Predicted's is"
                )
            if not lower[run] - 1e-9 <= middle[run] <= upper[run] + 1e-9:
                reasons.append(
                    f"certainly wrong: the score must lie in [{lower[run]:.4f}, {upper[run]:.4f}]"
                )
            doubts.append(tuple(reasons))
        # Where there is no interval there is no error either.
        error = np.nan if np.isnan(width) else error
        low, high = inside_certain(middle - width, middle + width, scores)
        return Adjusted(
            scores.runs,
            str(evidence.measure),
            str(self),
            unadjusted,
            amount,
            np.where(complete, 0.0, error),
            lower,
            upper,
            np.where(complete, unadjusted, low),
            np.where(complete, unadjusted, high),
            share,
            tuple(doubts),
            (*self.explain(evidence), *_of_errors(wrong), *_of_complete(complete)),
        )


adjusters: Registry[Adjuster] = Registry("adjuster", "leadline.adjusters")


def beyond_pool(evidence: PoolBias) -> bool:
    """Whether the measure looks deeper than the pool reaches."""
    seen = evidence.evaluation_depth
    return seen is None or seen > evidence.drawn.depth


def _of_errors(wrong: Floats) -> list[str]:
    if not len(wrong):
        return ["all pooled runs are of one group, so nothing tells how far the correction is off"]
    return [
        f"taken for new, group by group, {len(wrong)} pooled runs come out "
        f"{np.abs(wrong).mean():.4f} off on average ({wrong.mean():+.4f} with the sign)"
    ]


def _of_complete(complete: Bools) -> list[str]:
    n = int(complete.sum())
    if not n:
        return []
    which = "all new runs have" if n == len(complete) else f"{n} of the new runs have"
    return [f"{which} no unjudged document as deep as the measure looks: their correction is 0"]
