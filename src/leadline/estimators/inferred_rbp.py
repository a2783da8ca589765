"""Interpolation for sampled pools."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.estimators.estimator import (
    Estimated,
    Estimator,
    entry_weights,
    estimators,
    filled,
    known_gains,
    list_of,
    list_sums,
)
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats
from leadline.tables.documents import WordCounts
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs

BLIND = 1e-5 / 3e-5
"""The rate where nothing was sampled: what the small numbers give that the authors' software adds
to both sums so that their quotient is defined."""


def chance_pairs(judgments: Judgments, pool: Pool | None) -> Bools:
    """The pairs of which chance decided whether they were judged; a ValueError if there are none.

    Where no probabilities are known, all of a pool of which a part is unjudged.
    """
    inclusion = judgments.inclusion if pool is None else pool.inclusion
    if inclusion is not None:
        chance: Bools = (inclusion > 0) & (inclusion < 1)
    elif judgments.pooled is not None and (judgments.pooled & ~judgments.judged).any():
        chance = judgments.pooled
    else:
        chance = np.zeros(len(judgments.pairs), np.bool_)
    if not (chance & ~judgments.judged).any():
        raise ValueError(
            "InfRBP needs a pool of which a part was sampled, and the pairs that were not drawn: "
            "make it with leadline pool --strategy 'TwoStrata(d=10, deep=100, rate=0.1)' --undrawn"
        )
    return chance


@estimators.register
@dataclass(frozen=True)
class InfRBP(Estimator):
    """Unjudged documents gain as much, weight for weight, as the sampled ones of the same list.

    Formula: gain = sum W * r / sum W over the list's sampled documents

    For pools of which a part was judged with certainty and the rest by chance, for instance
    TwoStrata. Documents that could have been sampled take this gain, a third of the largest where a
    list holds no sampled document; documents that could not, and the tail, gain nothing. Its
    standard error is that of the ratio.

    Lu, Moffat and Culpepper, SIGIR 2017, Eq. 5.
    """

    def gains(
        self,
        measure: Weighted,
        runs: Runs,
        judgments: Judgments,
        pool: Pool | None = None,
        contributing: Bools | None = None,
        words: WordCounts | None = None,
    ) -> Estimated:
        """One rate a list, from what was sampled in it."""
        drawn = chance_pairs(judgments, pool)[runs.pair]
        known, most = known_gains(measure, judgments)
        weight = entry_weights(measure, runs)
        judged = judgments.judged[runs.pair]
        sampled = np.where(drawn & judged, weight, 0.0)
        left = np.where(drawn & ~judged, weight, 0.0)
        gain = known[runs.pair] / most
        n = list_sums(runs, sampled)
        found = list_sums(runs, sampled * gain)
        rate = np.divide(found, n, out=np.full(n.shape, BLIND), where=n > 0)
        of_entry = rate.ravel()[list_of(runs)]
        made = filled(
            measure, runs, judgments, np.where(drawn, most * of_entry, 0.0), np.zeros(n.shape)
        )
        squares = list_sums(runs, (sampled * (gain - of_entry)) ** 2)
        share = np.divide(list_sums(runs, left), n, out=np.full(n.shape, np.nan), where=n > 0)
        error: Floats = most * share * np.sqrt(squares * (1 + 1 / np.maximum(share, 1e-300)))
        error = np.where(list_sums(runs, left) == 0, 0.0, error)
        return replace(made, standard_error=error)
