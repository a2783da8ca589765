"""Novelty- and rank-biased precision."""

import math
from dataclasses import dataclass

import numpy as np

from leadline.diversity.blocks import SubtopicBlock
from leadline.diversity.cascade import cascade, check_cascade
from leadline.diversity.ideal import Normalised
from leadline.diversity.intent_aware import Ends, IntentAware
from leadline.measures.measure import measures
from leadline.tables.arrays import Floats

LEAST_WEIGHT = 1e-20
"""Ranks that weigh less cannot change a number between 0 and 1."""


@measures.register
@dataclass(frozen=True)
class NRBP(IntentAware):
    """Rank-biased precision in which each repeat of a subtopic is worth 1 - alpha of the last.

    Formula: NRBP = (1 - (1-alpha) beta) / m * sum_r beta^(r-1) sum_i J_i(r) (1-alpha)^C_i(r-1)

    J_i(r): the document at rank r is relevant to subtopic i; C_i(r-1): how many before rank r were
    (ndeval's reading, where the paper prints a count up to r); m: subtopics with a relevant
    document. Never falls when a document becomes relevant, so the interval is exact. The reader may
    go on past the list's end, so that what could stand there is open, as for RBP. Undefined on a
    topic without relevant documents.

    >>> NRBP().sketch("a b ?")
    '0.5625 [0.5625, 0.6875]'

    Clarke, Kolla and Vechtomova, An effectiveness measure for ambiguous and underspecified queries,
    ICTIR 2009.
    """

    at = None
    alpha: float = 0.5
    beta: float = 0.5
    rel: int = 1
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cascade(self.alpha, self.beta)

    @property
    def last_rank(self) -> int:
        """The last rank that weighs something."""
        return 1 if self.beta == 0 else 1 + math.ceil(math.log(LEAST_WEIGHT) / math.log(self.beta))

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """The cascade with unjudged documents worthless, and with all of them relevant."""
        discount: Floats = np.power(self.beta, np.arange(block.grade.shape[1]))
        known = block.grade >= self.rel
        factor = 1 - (1 - self.alpha) * self.beta
        value = factor * cascade(known, discount, self.alpha)
        if not upper:
            return value, value
        may_be = known | block.unjudged
        most = factor * cascade(may_be, discount, self.alpha)
        # Past the end, relevant documents for ever: a geometric series of which this is the sum.
        tail = self.beta ** block.length[block.owner] * (1 - self.alpha) ** may_be.sum(axis=1)
        return value, most + tail


@measures.register
@dataclass(frozen=True)
class nNRBP(Normalised):
    """NRBP as a share of the best that the judged documents allow.

    Formula: nNRBP = NRBP / NRBP of the ideal list

    The ideal list is that of alpha_nDCG, as in ndeval. There is no exact interval and none is
    given. Undefined on a topic without relevant documents.

    >>> nNRBP().sketch("a a", elsewhere="b")
    '0.7692'
    """

    at = None
    alpha: float = 0.5
    beta: float = 0.5
    rel: int = 1
    judged_only: bool = False

    def plain(self) -> IntentAware:
        """NRBP."""
        return NRBP(self.alpha, self.beta, self.rel, self.judged_only)
