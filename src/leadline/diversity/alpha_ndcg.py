"""Discounted cumulative gain in which a subtopic is worth less each time it comes."""

from dataclasses import dataclass

import numpy as np

from leadline.diversity.blocks import SubtopicBlock
from leadline.diversity.cascade import cascade, check_cascade, ideal
from leadline.diversity.ideal import Normalised
from leadline.diversity.intent_aware import Ends, IntentAware
from leadline.measures.dcg import discounts
from leadline.measures.measure import measures
from leadline.tables.arrays import Floats


@measures.register
@dataclass(frozen=True)
class alpha_DCG(IntentAware):
    """Discounted cumulative gain in which each repeat of a subtopic is worth 1 - alpha of the last.

    Formula: alpha_DCG@k = (1/m) sum_i sum_{r<=k} J_i(r) (1-alpha)^C_i(r-1) / log2(r+1) / ideal(k)

    J_i(r): the document at rank r is relevant to subtopic i; C_i(r-1): how many before it were; m:
    subtopics with a relevant document; ideal(k): what one subtopic earns if every document is
    relevant to it. `norm=false` leaves out 1/m and ideal(k). Never falls when a document becomes
    relevant, so the interval is exact. Ranks beyond the list's end are closed. Undefined on a topic
    without relevant documents.

    >>> alpha_DCG(k=2).sketch("a,b ? a")
    '0.7602 [0.7602, 1.0000]'

    Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.
    """

    k: int
    alpha: float = 0.5
    rel: int = 1
    norm: bool = True
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cascade(self.alpha)

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """The cascade with unjudged documents worthless, and with all of them relevant."""
        discount = discounts(block.grade.shape[1])
        known = block.grade >= self.rel
        scale = ideal(discounts(self.k), self.alpha) if self.norm else 1.0
        value = cascade(known, discount, self.alpha) / scale
        most = cascade(known | block.unjudged, discount, self.alpha) / scale if upper else value
        return value, most

    def combine(self, block: SubtopicBlock, value: Floats, upper: Floats) -> tuple[Floats, ...]:
        """The mean over subtopics, or their sum."""
        if self.norm:
            return super().combine(block, value, upper)
        some = block.by_list(block.counted.astype(np.float64)) > 0
        score = block.by_list(block.weight * value)
        return np.where(some, score, np.nan), score, block.by_list(block.weight * upper)


@measures.register
@dataclass(frozen=True)
class alpha_nDCG(Normalised):
    """alpha_DCG as a share of the best that the judged documents allow.

    Formula: alpha_nDCG@k = alpha_DCG@k / alpha_DCG@k of the ideal list

    The ideal list is made greedily: at each rank the document that adds most, of equals the one
    whose docno is last, as ndeval does. A new relevant document can raise the ideal more than the
    list, so there is no exact interval and none is given. Undefined on a topic without relevant
    documents.

    >>> alpha_nDCG(k=2).sketch("a a", elsewhere="b")
    '0.8066'

    Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.
    """

    k: int
    alpha: float = 0.5
    rel: int = 1
    judged_only: bool = False

    def plain(self) -> IntentAware:
        """alpha_DCG."""
        return alpha_DCG(self.k, self.alpha, self.rel, judged_only=self.judged_only)
