"""How far new runs lie from each other and from the pooled ones, with errors."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from leadline.tables.arrays import Floats, Int64s
from leadline.tables.mean_draws import MeanDraws


@dataclass(frozen=True, eq=False)
class RunDifferences:
    """Complete mean scores of runs as a model expects them, the first `n_new` of runs that are new.

    Told are the differences of every two runs of which one is new at least. `doubts` holds the
    reasons not to trust what is said of a new run.
    """

    runs: tuple[str, ...]
    n_new: int
    measure: str
    adjuster: str
    means: MeanDraws
    doubts: tuple[tuple[str, ...], ...]

    @cached_property
    def pairs(self) -> tuple[Int64s, Int64s]:
        """The two runs of every difference: new ones in the order given, then pooled ones."""
        first, second = np.triu_indices(len(self.runs), 1)
        some = first < self.n_new
        return first[some], second[some]

    @property
    def difference(self) -> Floats:
        """The first run's score minus the second's."""
        first, second = self.pairs
        gap: Floats = self.means.value[first] - self.means.value[second]
        return gap

    def frame(self) -> pl.DataFrame:
        """Return a row for each pair.

        Columns: run_a, run_b, measure, adjuster, difference, standard_error, pred_lower,
        pred_upper, caveats.
        What two runs share moves both, and counts for nothing. The prediction interval is one of
        95%. caveats are reasons not to rely on the row.
        """
        first, second = ([self.runs[run] for run in side] for side in self.pairs)
        gap = self.difference
        error, low, high = self.means.differences(*self.pairs)
        return pl.DataFrame(
            {
                "run_a": first,
                "run_b": second,
                "measure": [self.measure] * len(gap),
                "adjuster": [self.adjuster] * len(gap),
                "difference": gap,
                "standard_error": error,
                "pred_lower": low,
                "pred_upper": high,
                "caveats": self.caveats(),
            }
        )

    def caveats(self) -> list[str]:
        """Empty, or why not to rely on a difference."""
        own = [
            "; ".join(f"{run}: {reason}" for reason in reasons)
            for run, reasons in zip(self.runs, self.doubts, strict=False)
        ]
        own += [""] * (len(self.runs) - len(own))
        return ["; ".join(filter(None, (own[a], own[b]))) for a, b in zip(*self.pairs, strict=True)]
