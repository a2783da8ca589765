"""Who has which document and which topic: lent for a while, kept once judged."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise, takewhile

import numpy as np
from sqlalchemy import delete, insert, select

from leadline.app.database import Database
from leadline.app.schema import topic_holders
from leadline.data.arrays import Floats
from leadline.judging.ledger import Entry
from leadline.judging.session import Session


class SteadyClock:
    """Seconds since 1970 that go on where they were when the machine's clock is set back."""

    def __init__(self, source: Callable[[], float] = time.time) -> None:
        self._source = source
        self._last, self._ahead = source(), 0.0

    def __call__(self) -> float:
        """Return the time now, never less than before."""
        now = self._source()
        self._ahead = max(self._ahead, self._last - now)
        self._last = now + self._ahead
        return self._last


@dataclass(frozen=True, slots=True)
class Holder:
    """Someone at a pair: the slot (none for one who is kept apart), and until when it is lent.

    `until` is None once the person has judged.
    """

    slot: int | None
    until: float | None

    def lapsed(self, now: float) -> bool:
        """Whether someone else may take the slot."""
        return self.until is not None and self.until <= now


@dataclass
class Leases:
    """At most `per_pair` people at a pair, those included who have judged it."""

    per_pair: int
    at: dict[int, dict[str, Holder]] = field(default_factory=dict)
    waiting: dict[str, list[int]] = field(default_factory=dict)

    def free_slot(self, pair: int, now: float) -> tuple[int, str | None] | None:
        """A slot that can be lent and the person who lets it lapse; None if all are taken."""
        holders = self.at.get(pair, {})
        slots = {holder.slot: who for who, holder in holders.items() if holder.slot is not None}
        for slot in range(self.per_pair):
            if slot not in slots:
                return slot, None
        for slot, who in slots.items():
            if holders[who].lapsed(now):
                return slot, who
        return None

    def holder(self, pair: int, who: str) -> Holder | None:
        """This person's place at a pair."""
        return self.at.get(pair, {}).get(who)

    def lend(self, pair: int, who: str, holder: Holder, first: bool = False) -> None:
        """Let a person have a pair, after what this person has already, or before it."""
        self.at.setdefault(pair, {})[who] = holder
        queue = self.waiting.setdefault(who, [])
        if pair in queue:
            queue.remove(pair)
        queue.insert(0 if first else len(queue), pair)

    def keep(self, pair: int, who: str) -> None:
        """The person has judged the pair and keeps the place for good."""
        slot = self.at[pair][who].slot
        self.at[pair][who] = Holder(slot, None)
        self._forget(pair, who)

    def free(self, pair: int, who: str) -> None:
        """The person gives the place up."""
        holders = self.at.get(pair, {})
        holders.pop(who, None)
        if not holders:
            self.at.pop(pair, None)
        self._forget(pair, who)

    def _forget(self, pair: int, who: str) -> None:
        queue = self.waiting.get(who, [])
        if pair in queue:
            queue.remove(pair)

    def lent(self, pair: int, now: float) -> int:
        """How many have the pair before them now."""
        holders = self.at.get(pair, {}).values()
        return sum(h.until is not None and not h.lapsed(now) for h in holders)


@dataclass(frozen=True)
class Holding:
    """The people of a topic, and whether they took it themselves."""

    people: tuple[str, ...]
    taken: bool


@dataclass
class TopicHolders:
    """Topics that belong to somebody; all others are for whoever asks.

    An assigned topic is judged by those whom it is assigned to. One that was taken is open to
    others as long as fewer than k people have taken it.
    """

    database: Database
    per_pair: int
    by_topic: dict[str, Holding] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reload()

    def reload(self) -> None:
        """What the database has."""
        found: dict[str, Holding] = {}
        with self.database.engine.connect() as connection:
            rows = connection.execute(select(topic_holders).order_by(topic_holders.c.id))
            for row in rows.mappings():
                before = found.get(row["topic"], Holding((), True))
                people = (*before.people, row["who"])
                found[row["topic"]] = Holding(people, before.taken and bool(row["taken"]))
        self.by_topic = found

    def mine(self, topic: str, who: str) -> bool:
        """Whether this person has the topic."""
        held = self.by_topic.get(topic)
        return held is not None and who in held.people

    def may_have(self, topic: str, who: str) -> bool:
        """Whether this person may judge documents of the topic."""
        held = self.by_topic.get(topic)
        if held is None or who in held.people:
            return True
        return held.taken and len(held.people) < self.per_pair

    def assign(self, topic: str, people: list[str]) -> None:
        """The topic is these people's from now on; nobody's if there are none."""
        self._write(topic, Holding(tuple(dict.fromkeys(people)), False))

    def assign_all(self, people: Mapping[str, Sequence[str]]) -> None:
        """Each of these topics is its people's from now on, all of them or none."""
        self._write_all(
            {topic: Holding(tuple(dict.fromkeys(names)), False) for topic, names in people.items()}
        )

    def take(self, topic: str, who: str) -> None:
        """The topic is this person's, whole, unless it is already."""
        if not self.mine(topic, who):
            held = self.by_topic.get(topic, Holding((), True))
            self._write(topic, Holding((*held.people, who), held.taken))

    def give_up(self, who: str) -> list[str]:
        """This person has no topic any more; those that the person had."""
        gone = [topic for topic in self.by_topic if self.mine(topic, who)]
        for topic in gone:
            held = self.by_topic[topic]
            rest = tuple(each for each in held.people if each != who)
            self._write(topic, Holding(rest, held.taken))
        return gone

    def _write(self, topic: str, held: Holding) -> None:
        self._write_all({topic: held})

    def _write_all(self, holdings: Mapping[str, Holding]) -> None:
        rows = [
            {"topic": topic, "who": who, "taken": held.taken}
            for topic, held in holdings.items()
            for who in held.people
        ]
        with self.database.transaction() as connection:
            for topic in holdings:
                connection.execute(delete(topic_holders).where(topic_holders.c.topic == topic))
            if rows:
                connection.execute(insert(topic_holders), rows)
        self.by_topic |= holdings
        self.by_topic = {topic: held for topic, held in self.by_topic.items() if held.people}


def balanced(
    work: Mapping[str, int], people: Sequence[str], per_topic: int, load: Mapping[str, int]
) -> dict[str, list[str]]:
    """Return people for each topic, `per_topic` of them, so that all have about equally much to do.

    `work` is how much there is to judge in each topic, `load` what each person has already. The
    largest topic goes first, to whoever has least. Where several judge a topic, those who share few
    topics so far are put together, so that agreement can be measured between all of them. The work
    of two people differs by at most one topic, or two topics where several judge each.

    >>> balanced({"1": 5, "2": 3, "3": 2}, ["ann", "ben"], 1, {})
    {'1': ['ann'], '2': ['ben'], '3': ['ben']}
    """
    loads = {who: load.get(who, 0) for who in people}
    place = {who: at for at, who in enumerate(people)}
    together: Counter[tuple[str, str]] = Counter()
    found: dict[str, list[str]] = {}
    for topic in sorted(work, key=lambda topic: (-work[topic], topic)):
        free = sorted(people, key=lambda who: (loads[who], place[who]))
        # Whoever has no more than one topic beyond the least may be chosen for the company.
        enough = loads[free[per_topic - 1]] + work[topic] // 2
        chosen = free[:1]
        while len(chosen) < per_topic:
            others = [who for who in free if who not in chosen and loads[who] <= enough]
            met = [sum(together[who, each] for each in chosen) for who in others]
            chosen.append(others[met.index(min(met))])
        for who in chosen:
            loads[who] += work[topic]
            together.update((who, each) for each in chosen)
        found[topic] = sorted(chosen, key=place.__getitem__)
    return found


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
