"""One topic at a time: which topic an assessor begins with, and how long the assessor stays."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile

import numpy as np

from leadline.judging.ledger import Entry
from leadline.judging.room.topic_holders import TopicHolders
from leadline.judging.session import Session
from leadline.tables.arrays import Floats


@dataclass
class TopicChoice:
    """The topic with the heaviest documents is begun; an assessor stays with it for a batch.

    A batch is so many documents; with 0 the assessor stays until the topic has nothing more, with
    1 the order alone decides. So it does if it learns from what it was asked, or weighs nothing.
    """

    session: Session
    batch: int
    holders: TopicHolders

    @property
    def by_topic(self) -> bool:
        """Whether documents come topic by topic."""
        session = self.session
        if self.batch == 1 or session.order.learns_from_asking:
            return False
        return session.stepper.weights(0, 0) is not None

    def now(self, acts: list[Entry]) -> str | None:
        """The topic that somebody is at, who has done this; None if another is to be chosen."""
        if not self.by_topic or not acts:
            return None
        judged = (act.topic for act in reversed(acts) if act.act != "adjudicate")
        last = next(judged, None)
        n = 1 + sum(1 for _ in takewhile(lambda topic: topic == last, judged))
        return None if self.batch and n % self.batch == 0 else last

    def ask(self, who: str, n: int, now: str | None, busy: set[int]) -> list[int]:
        """n new pairs: of the topic that this person is at, or of the best one for this person.

        `busy` are the topics that others are at; they come last.
        """
        if self.by_topic:
            for topic in self._topics(who, now, busy):
                chosen = self.session.ask_of_topic(topic, n, who)
                if chosen:
                    return [choice.pair for choice in chosen]
            return []
        return self._as_ordered(who, n)

    def _topics(self, who: str, now: str | None, busy: set[int]) -> Iterator[int]:
        names = self.session.runs.pairs.topics
        may = [at for at, name in enumerate(names) if self.holders.may_have(name, who)]
        here = [at for at in may if names[at] == now]
        yield from here
        worth = self.worth()
        rest = [at for at in may if worth[at] > 0 and at not in here]
        mine = self.holders.mine
        yield from sorted(rest, key=lambda at: (not mine(names[at], who), at in busy, -worth[at]))

    def worth(self) -> Floats:
        """What the heaviest documents of each topic weigh together, a batch of them."""
        pairs = self.session.runs.pairs
        weights = self.session.stepper.weights(0, len(pairs))
        assert weights is not None
        n = self.batch or 10
        made = np.zeros(len(pairs.topics))
        for at, (first, last) in enumerate(pairwise(pairs.topic_start.tolist())):
            own = weights[first:last]
            own = own[own > 0]
            top = np.partition(own, len(own) - n)[len(own) - n :] if len(own) > n else own
            made[at] = np.sort(top).sum()
        return made

    def _as_ordered(self, who: str, n: int) -> list[int]:
        """What the order asks for; what is for others stays handed out, until they ask."""
        names = self.session.runs.pairs.topics
        topic = self.session.runs.pairs.topic
        found: list[int] = []
        while len(found) < n:
            chosen = self.session.ask(n - len(found), who)
            if not chosen:
                break
            may_have = self.holders.may_have
            found += [each.pair for each in chosen if may_have(names[topic[each.pair]], who)]
        return found
