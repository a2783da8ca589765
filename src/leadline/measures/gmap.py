"""Geometric mean average precision."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.measures.ap import AP
from leadline.measures.measure import measures
from leadline.tables.scores import OverTopics


@measures.register
@dataclass(frozen=True)
class GMAP(AP):
    """AP whose row `all` is the geometric mean over topics: hard topics weigh as much as easy ones.

    Formula: GMAP = exp(mean over topics of ln max(AP, 0.00001))

    On a single topic it is AP, with AP's interval. Undefined on a topic without relevant documents,
    which is left out of the mean.

    >>> GMAP().sketch("1 ? 1", elsewhere="1")
    '0.5556 [0.0000, 0.7500]'
    """

    over_topics: ClassVar[OverTopics] = "geometric mean"
