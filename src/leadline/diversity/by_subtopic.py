"""Classic measures taken for each subtopic: recall of subtopics, precision, average precision."""

from dataclasses import dataclass

import numpy as np

from leadline.diversity.blocks import SubtopicBlock
from leadline.diversity.intent_aware import Ends, IntentAware
from leadline.measures.ap import AP
from leadline.measures.measure import measures
from leadline.tables.arrays import Floats
from leadline.tables.lists import Block


@measures.register
@dataclass(frozen=True)
class StRec(IntentAware):
    """Subtopic recall: the share of the topic's subtopics that the first k ranks cover.

    Formula: StRec@k = subtopics with a relevant document in the first k ranks / m

    m: subtopics with a relevant document. Never falls when a document becomes relevant, so the
    interval is exact. Undefined on a topic without relevant documents.

    >>> StRec(k=2).sketch("a ? b")
    '0.5000 [0.5000, 1.0000]'

    Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003.
    """

    k: int
    rel: int = 1
    judged_only: bool = False

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """Whether a document covers the subtopic, and whether one may."""
        known = block.grade >= self.rel
        value: Floats = np.asarray(known.any(axis=1), np.float64)
        if not upper:
            return value, value
        return value, np.asarray((known | block.unjudged).any(axis=1), np.float64)


@measures.register
@dataclass(frozen=True)
class P_IA(IntentAware):
    """Mean over subtopics of the precision in the first k ranks.

    Formula: P_IA@k = (1/m) sum_i (documents relevant to subtopic i among the first k) / k

    m: subtopics with a relevant document. Never falls when a document becomes relevant, so the
    interval is exact. Ranks beyond the list's end are closed and count. Undefined on a topic
    without relevant documents.

    >>> P_IA(k=2).sketch("a,b ? b")
    '0.5000 [0.5000, 1.0000]'

    Agrawal et al., Diversifying search results, WSDM 2009.
    """

    k: int
    rel: int = 1
    judged_only: bool = False

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """Counts over k."""
        known = block.grade >= self.rel
        value = known.sum(axis=1) / self.k
        return value, (known | block.unjudged).sum(axis=1) / self.k if upper else value


@measures.register
@dataclass(frozen=True)
class AP_IA(IntentAware):
    """Mean over subtopics of the average precision.

    Formula: AP_IA = (1/m) sum_i AP of the list for subtopic i

    m: subtopics with a relevant document. Relevant documents that nobody has seen may be many, so
    the lower end is 0; the upper end is exact, because AP's is and each subtopic has its own.
    Undefined on a topic without relevant documents. ndeval calls it MAP-IA.

    >>> AP_IA().sketch("a b", elsewhere="a")
    '0.5000 [0.0000, 0.5000]'

    Agrawal et al., Diversifying search results, WSDM 2009.
    """

    at = None
    rel: int = 1
    judged_only: bool = False

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """AP's own value and upper end."""
        known = (block.grade >= self.rel).astype(np.int16)
        counts = np.stack([np.zeros_like(block.n_relevant), block.n_relevant], axis=1)
        judged = block.judged[block.owner]
        length = block.length[block.owner]
        as_lists = Block(block.owner, block.owner, length, judged, known, judged, counts)
        value, _, most = AP().interval(as_lists, 1)
        return np.nan_to_num(value), most

    def combine(self, block: SubtopicBlock, value: Floats, upper: Floats) -> tuple[Floats, ...]:
        """The mean over subtopics; the lower end is 0."""
        score, _, most = super().combine(block, value, upper)
        return score, np.zeros(len(score)), most
