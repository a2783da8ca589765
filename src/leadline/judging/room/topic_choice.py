"""One topic at a time: which topic an assessor begins with, and how long the assessor stays."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
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
    _worth: Floats | None = field(default=None, init=False)
    _turn: int = field(default=0, init=False)

    @cached_property
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
        if not self.by_topic:
            return self._as_ordered(who, n)
        self._weigh_next()
        chosen = self._of_topics(who, n, now, busy)
        if not chosen:
            # What somebody gave back may lie in a topic that had nothing more.
            self._worth = None
            chosen = self._of_topics(who, n, now, busy)
        return chosen

    def _of_topics(self, who: str, n: int, now: str | None, busy: set[int]) -> list[int]:
        for topic in self._topics(who, now, busy):
            chosen = self.session.ask_of_topic(topic, n, who)
            if chosen:
                return [choice.pair for choice in chosen]
        return []

    def _topics(self, who: str, now: str | None, busy: set[int]) -> Iterator[int]:
        names = self.session.runs.pairs.topics
        may = [at for at, name in enumerate(names) if self.holders.may_have(name, who)]
        here = [at for at in may if names[at] == now]
        yield from here
        worth, mine = self.worth(), self.holders.mine

        def place(at: int) -> tuple[bool, bool, float, int]:
            return not mine(names[at], who), at in busy, -worth[at], at

        # What a topic is worth falls as its documents are judged, so only those that come first
        # are weighed again: one that stays first comes first.
        first = [place(at) for at in may if worth[at] > 0 and at not in here]
        heapify(first)
        weighed: set[int] = set()
        while first:
            at = heappop(first)[-1]
            if at in weighed:
                yield at
                continue
            worth[at] = self._weigh(at, at + 1)[0]
            weighed.add(at)
            if worth[at] > 0:
                heappush(first, place(at))

    def worth(self) -> Floats:
        """What the heaviest documents of each topic weigh together, a batch of them.

        Of the topics that come first as it is now, of the others as it was a few judgments ago.
        """
        if self._worth is None:
            self._worth = self._weigh(0, len(self.session.runs.pairs.topics))
        return self._worth

    def _weigh_next(self) -> None:
        """One topic after another is weighed anew: all at once would hold everybody up."""
        worth = self.worth()
        self._turn = (self._turn + 1) % len(worth)
        worth[self._turn] = self._weigh(self._turn, self._turn + 1)[0]

    def _weigh(self, begin: int, end: int) -> Floats:
        """The worth of the topics from `begin` up to `end` now."""
        start = self.session.runs.pairs.topic_start[begin : end + 1].tolist()
        weights = self.session.stepper.weights(start[0], start[-1])
        assert weights is not None
        n = self.batch or 10
        made = np.zeros(end - begin)
        for at, (first, last) in enumerate(pairwise(start)):
            own = weights[first - start[0] : last - start[0]]
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
