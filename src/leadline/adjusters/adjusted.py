"""Scores of new runs put right: the correction, its error, and the reasons not to trust it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.adjusters.pool_bias import PoolBias
from leadline.tables.arrays import Floats
from leadline.tables.scores import Scores

if TYPE_CHECKING:
    from leadline.adjusters.level_spread import LevelSpread

MANY_UNJUDGED = 1 / 3


@dataclass(frozen=True, eq=False)
class Adjusted:
    """Mean scores of new runs as they are and put right, with an interval for each.

    `lower` and `upper` are the guaranteed bounds of the complete score, NaN for a measure that has
    none. `pred_lower` and `pred_upper` are the 95% prediction interval; it and `standard_error` are
    NaN together, where nothing could be learnt of the error.
    `unjudged` is the share of a run's ranks, as deep as the measure looks, that nobody judged.
    `doubts` holds the reasons not to trust a run's row, `assumed` what the adjuster takes for
    granted and what its corrections are made of. `levels` is what pooled runs showed of the levels
    of new ones, where a model has these.
    """

    runs: tuple[str, ...]
    measure: str
    adjuster: str
    unadjusted: Floats
    adjustment: Floats
    standard_error: Floats
    lower: Floats
    upper: Floats
    pred_lower: Floats
    pred_upper: Floats
    unjudged: Floats
    doubts: tuple[tuple[str, ...], ...]
    assumed: tuple[str, ...]
    levels: "LevelSpread | None" = None

    @property
    def adjusted(self) -> Floats:
        """The scores put right."""
        total: Floats = self.unadjusted + self.adjustment
        return total


def unjudged_share(evidence: PoolBias) -> Floats:
    """The share of each new run's listed documents, as deep as the measure looks, unjudged."""
    runs = evidence.new_runs(evidence.measure.depth)
    n = runs.length.sum(axis=1)
    open_ = ~evidence.judgments.judged[runs.pair]
    n_open = np.bincount(runs.entries.run[open_], minlength=len(n))
    share: Floats = np.divide(n_open, n, out=np.zeros(len(n)), where=n > 0)
    return share


def unjudged_doubts(share: float) -> list[str]:
    """A reason not to trust a run's row where that share of its ranks is too large."""
    return [f"{share:.0%} of its ranks are unjudged"] if share > MANY_UNJUDGED else []


def inside_certain(low: Floats, high: Floats, certain: Scores) -> tuple[Floats, Floats]:
    """Intervals of means cut to the bounds; as they are where there are none, NaN where NaN."""
    lower, upper = certain.mean_lower(), certain.mean_upper()
    # fmax and fmin pass over the NaN of a measure that has no bounds.
    inside = np.fmin(np.fmax(low, lower), upper), np.fmax(np.fmin(high, upper), lower)
    withheld = np.isnan(low) | np.isnan(high)
    return np.where(withheld, np.nan, inside[0]), np.where(withheld, np.nan, inside[1])
