"""What a sample of pooled runs does to the scores of new ones, for one sample after the other."""

from dataclasses import dataclass

import numpy as np

from leadline.adjusters.adjuster import Adjuster
from leadline.adjusters.from_systems import Systems
from leadline.adjusters.predicted import Predicted
from leadline.experiments.webber09_setup import Webber09Setup
from leadline.tables.arrays import Bools, Floats, Int64s

ADJUSTERS: dict[str, Adjuster] = {"systems": Systems(), "predicted": Predicted()}


@dataclass(frozen=True, eq=False)
class Draws:
    """What became of the new runs in each draw; NaN where the draw pools the run itself.

    `irrelevant` and `condensed` [new, topics, draws] are scores with what is not pooled worth
    nothing, or taken out; `open_weight` is what it weighs. `amount` [new, draws] is what each
    adjuster adds to mean scores.
    """

    irrelevant: Floats
    condensed: Floats
    open_weight: Floats
    amount: dict[str, Floats]

    @classmethod
    def of(cls, on: Webber09Setup, chosen: Bools, new: Int64s) -> "Draws":
        """`chosen[draw, run]` tells which runs each draw pools."""
        shape = (len(new), len(on.runs.pairs.topics), len(chosen))
        irrelevant, condensed, open_weight = (np.full(shape, np.nan) for _ in range(3))
        amount = {name: np.full((len(new), len(chosen)), np.nan) for name in ADJUSTERS}
        for draw, pooled in enumerate(chosen):
            valid = ~pooled[new]
            mask: Bools = np.zeros(len(pooled), np.bool_)
            mask[new[valid]] = True
            evidence = on.evidence(pooled, mask)
            scores = evidence.measure.score(evidence.new_lists())
            irrelevant[valid, :, draw] = scores.value
            open_weight[valid, :, draw] = scores.residual
            condensed[valid, :, draw] = on.condensed(evidence)
            for name, adjuster in ADJUSTERS.items():
                amount[name][valid, draw] = adjuster.amounts(evidence)
        return cls(irrelevant, condensed, open_weight, amount)
