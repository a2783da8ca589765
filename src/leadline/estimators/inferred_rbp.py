"""Interpolation for sampled pools."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator, estimators
from leadline.estimators.evidence import Evidence
from leadline.tables.arrays import Bools

BLIND = 1e-5 / 3e-5
"""The rate where nothing was sampled: what the small numbers give that the authors' software adds
to both sums so that their quotient is defined."""


def chance_pairs(evidence: Evidence) -> Bools:
    """The pairs of which chance decided whether they were judged; a ValueError if there are none.

    Where no probabilities are known, all of a pool of which a part is unjudged.
    """
    judgments = evidence.judgments
    inclusion = judgments.inclusion if evidence.pool is None else evidence.pool.inclusion
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
    list holds no sampled document; documents that could not, and the tail, gain nothing. It has
    no standard error.

    Lu, Moffat and Culpepper, SIGIR 2017, Eq. 5.
    """

    def gains(self, evidence: Evidence) -> EstimatedGains:
        """One rate a list, from what was sampled in it."""
        runs, most = evidence.runs, evidence.max_gain
        drawn = chance_pairs(evidence)[runs.pair]
        sampled = np.where(drawn & evidence.judged, evidence.weight, 0.0)
        gain = evidence.known_gain[runs.pair] / most
        n = evidence.list_sums(sampled)
        total = evidence.list_sums(sampled * gain)
        rate = np.divide(total, n, out=np.full(n.shape, BLIND), where=n > 0)
        of_entry = rate.ravel()[runs.entries.list]
        return evidence.filled(np.where(drawn, most * of_entry, 0.0))
