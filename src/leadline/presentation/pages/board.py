"""Everything that a page tells about one measure."""

from dataclasses import dataclass

import numpy as np

from leadline.comparison.pairwise import Pairwise
from leadline.measures.measure import Measure
from leadline.presentation.pages.contributions import LeftOut
from leadline.presentation.pages.open_weight import OpenWeight
from leadline.presentation.pages.read_estimates import Estimate
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.scores import Scores


@dataclass(frozen=True, eq=False)
class Board:
    """A measure's scores, all pairs of runs compared, and the scores with a group left out.

    `pairwise` is None where there is one run only, `open` where the measure has no weights of
    ranks, `left_out` where the judgments are no pool of the runs. `alike` is the same number for
    runs with the same lists.
    """

    measure: Measure
    scores: Scores
    pairwise: Pairwise | None
    open: OpenWeight | None
    alike: Int64s
    left_out: LeftOut | None
    estimates: tuple[Estimate, ...] = ()

    @property
    def mean(self) -> Floats:
        """Mean score of each run."""
        return self.scores.mean()

    @property
    def order(self) -> Int64s:
        """Runs, best score first; those without a score last, equals as they were given."""
        return np.argsort(-np.nan_to_num(self.mean, nan=-np.inf), kind="stable")

    @property
    def has_interval(self) -> bool:
        """Whether the measure tells how far its scores could still go."""
        return not bool(np.isnan(self.scores.mean_upper()).all())


def places(value: Floats) -> list[int | None]:
    """Place of each run, 1 the best; equals share the better place; None where there is no value.

    >>> places(np.array([0.2, 0.5, 0.2, np.nan]))
    [2, 1, 2, None]
    """
    known = value[~np.isnan(value)]
    return [None if np.isnan(each) else int((known > each + 1e-12).sum()) + 1 for each in value]
