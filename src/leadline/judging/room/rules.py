"""The rules of a room, known without its database."""

from dataclasses import dataclass

from leadline.judging.merge import Merging


@dataclass(frozen=True)
class Rules(Merging):
    """How work is given out and judgments are merged."""

    grades: tuple[int, ...] = (0, 1)
    lease: float = 1800.0
    batch: int = 1
    shuffle: bool = False
    topic_batch: int = 1
    take_topics: bool = False
    gold_every: int = 20
    gold_feedback: bool = True
