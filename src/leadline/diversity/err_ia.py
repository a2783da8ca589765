"""Expected reciprocal rank, intent-aware."""

from dataclasses import dataclass

import numpy as np

from leadline.diversity.blocks import SubtopicBlock
from leadline.diversity.cascade import cascade, check_cascade, ideal
from leadline.diversity.ideal import Normalised
from leadline.diversity.intent_aware import Ends, IntentAware
from leadline.measures.gains import Gains, gain_table, scale
from leadline.measures.measure import measures
from leadline.tables.arrays import Floats


@measures.register
@dataclass(frozen=True)
class ERR_IA(IntentAware):
    """Mean over subtopics of the expected reciprocal rank, as a share of the largest there is.

    Formula: ERR_IA@k = sum_i p_i sum_{r<=k} (1/r) R_i(r) prod_{j<r} (1 - R_i(j)) / ideal(k)

    R_i(r) = alpha if the document at rank r is relevant to subtopic i, else 0; ideal(k): the same
    sum if all documents are relevant; p_i: the same for all subtopics with a relevant document.
    This is ndeval's. As printed by Chapelle et al.: `ERR_IA(gains=exp2_scaled, norm=false)@k`, with
    R = (2^g - 1) / 2^max and no ideal. Never falls when a gain rises, so the interval is exact.
    Ranks beyond the list's end are closed. Undefined on a topic without relevant documents.

    >>> ERR_IA(k=2).sketch("a ? b")
    '0.4000 [0.4000, 0.7000]'
    >>> ERR_IA(k=2, norm=False).sketch("a ? b")
    '0.2500 [0.2500, 0.4375]'

    Chapelle et al., Intent-based diversification of web search results, Information Retrieval 2011.
    """

    k: int
    alpha: float = 0.5
    rel: int = 1
    gains: Gains = "binary"
    max_grade: int | None = None
    norm: bool = True
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cascade(self.alpha)

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """The cascade with unjudged documents worthless, and with all of the best grade."""
        if self.gains == "binary":
            return self._binary(block, upper)
        gain = gain_table(self.gains, self.rel, scale(self.max_grade, max_grade, self.rel))
        best = float(gain.max())
        if best > 1:
            raise ValueError(f"ERR_IA's gains are probabilities, but {self.gains} reaches {best}")
        known = gain[block.grade]
        discount = 1 / np.arange(1, self.k + 1)
        over = best * ideal(discount, best) if self.norm and best > 0 else 1.0
        value = _readers(known) @ discount[: known.shape[1]] / over
        if not upper:
            return value, value
        most = _readers(np.where(block.unjudged, best, known)) @ discount[: known.shape[1]]
        return value, most / over

    def _binary(self, block: SubtopicBlock, upper: bool) -> Ends:
        discount = 1 / np.arange(1, self.k + 1)
        known = block.grade >= self.rel
        # With a share of the ideal the factor alpha cancels, so that alpha may be 0 as in ndeval.
        factor = 1 / ideal(discount, self.alpha) if self.norm else self.alpha
        value = cascade(known, discount, self.alpha) * factor
        most = cascade(known | block.unjudged, discount, self.alpha) * factor if upper else value
        return value, most


def _readers(gain: Floats) -> Floats:
    """The share of readers whom each document satisfies."""
    reached = np.ones_like(gain)
    reached[:, 1:] = np.cumprod(1 - gain[:, :-1], axis=1)
    return gain * reached


@measures.register
@dataclass(frozen=True)
class nERR_IA(Normalised):
    """ERR_IA as a share of the best that the judged documents allow.

    Formula: nERR_IA@k = ERR_IA@k / ERR_IA@k of the ideal list

    The ideal list is that of alpha_nDCG, as in ndeval. There is no exact interval and none is
    given. Undefined on a topic without relevant documents.

    >>> nERR_IA(k=2).sketch("a a", elsewhere="b")
    '0.8333'
    """

    k: int
    alpha: float = 0.5
    rel: int = 1
    judged_only: bool = False

    def plain(self) -> IntentAware:
        """ERR_IA."""
        return ERR_IA(self.k, self.alpha, self.rel, judged_only=self.judged_only)
