"""What a ledger comes to: who said what of which pair, places lent, counts, the course so far."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.app.places import Holder, Leases, TopicChoice, TopicHolders
from leadline.app.progress import pool_pairs
from leadline.app.quality import Tally
from leadline.app.sql_ledger import Place, SqlLedger
from leadline.data.arrays import Int64s
from leadline.judging.ledger import ABOUT_NO_PAIR, SPENT, Entry, Replay, in_force
from leadline.judging.merge import Votes
from leadline.judging.session import Session

if TYPE_CHECKING:
    from leadline.app.room import Assessor
    from leadline.judging.project import Rules


DEPTHS = (1, 5, 10, 20, 50, 100)
"""Ranks up to which the judged share is counted."""


@dataclass(frozen=True)
class Point:
    """After so many judgments: how many runs may still overtake the leader."""

    judged: int
    contenders: int


@dataclass
class Course:
    """Kept current one judgment at a time."""

    session: Session
    points: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        runs = self.session.runs
        self.depths = [d for d in DEPTHS if d <= max(1, int(runs.length.max(initial=1)))]
        size = [np.minimum(runs.length, depth).sum(axis=1) for depth in self.depths]
        self.size: Int64s = np.stack(size, axis=1)
        self.judged: Int64s = np.zeros_like(self.size)
        for pair in self.session.judged.grade:
            self._count(pair, 1)
        self._look()

    def _count(self, pair: int, sign: int) -> None:
        holders = self.session.runs.postings
        part = slice(holders.start[pair], holders.start[pair + 1])
        run, rank = holders.run[part], holders.rank[part]
        self.judged[run] += sign * (rank[:, None] <= np.array(self.depths))

    def note(self, pair: int, sign: int) -> None:
        """A pair was judged, or its judgment taken back if the sign is negative."""
        self._count(pair, sign)
        self._look()

    def _look(self) -> None:
        standing = self.session.standing
        contenders = int(standing.contest.contenders.sum())
        self.points.append(Point(len(standing.judged), contenders))

    def falling(self, most: int = 300) -> list[Point]:
        """At most so many points of the course, the last one among them."""
        n = len(self.points)
        if n <= most:
            return list(self.points)
        chosen = np.unique(np.linspace(0, n - 1, most).astype(int))
        return [self.points[at] for at in chosen.tolist()]


@dataclass
class RoomState:
    """Made from a ledger, and kept current one entry at a time.

    What a pair's votes come to is told to the session, which keeps it: `session.judged` is what is
    judged, `session.out` what was handed out and is neither judged nor spent, oldest first.
    """

    session: Session
    rules: "Rules"
    course: Course
    leases: Leases
    votes: Votes[int]
    topics: TopicChoice
    put_off: dict[str, dict[int, None]] = field(default_factory=dict)
    acts: dict[str, list[Entry]] = field(default_factory=dict)
    act_pairs: dict[str, list[int]] = field(default_factory=dict)
    """The pair of every act: found once, because to find it by name takes a while."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    ended: Entry | None = None
    elsewhere: int = 0

    @classmethod
    def of(
        cls, session: Session, ledger: SqlLedger, rules: "Rules", now: float = math.inf
    ) -> "RoomState":
        """The state after all entries of a ledger.

        What was lent lapses within the usual time from now, also if the clock was set back since.
        """
        holders = TopicHolders(ledger.database, rules.per_pair)
        topics = TopicChoice(session, rules.topic_batch, holders)
        made = cls(session, rules, Course(session), Leases(rules.per_pair), Votes(rules), topics)
        entries = in_force(ledger.entries)
        found = session.runs.pairs.find([e.topic for e in entries], [e.doc for e in entries])
        replay = Replay(session.stepper, session.order)
        learns = session.order.learns_from_asking
        for entry, pair in zip(entries, found.tolist(), strict=True):
            if pair < 0 and entry.act not in ABOUT_NO_PAIR:
                made.elsewhere += 1
                continue
            answers = entry.act in ("judge", "cannot tell") and not rules.apart(entry.kind)
            if learns and entry.asked and answers and not made.votes.counted(pair):
                replay.meet(pair, entry.asked)
            made.apply(entry, pair)
        for entry in ledger.entries:
            if entry.act == "undo" and entry.who in made.tallies:
                made.tallies[entry.who].undone += 1
        session.handed = replay.handed
        ahead = [choice.pair for choice in replay.ahead if not made.settled(choice.pair)]
        made._take_places(ledger, ahead, now + rules.lease)
        return made

    def settled(self, pair: int) -> bool:
        """Whether nobody need judge a pair any more."""
        return self.session.judged.outcome(pair) is not None

    def _take_places(self, ledger: SqlLedger, ahead: list[int], latest: float) -> None:
        """Lend again what was lent, and correct what does not fit the ledger."""
        stored = ledger.places()
        for place in stored:
            pair = self.pair(place.topic, place.doc)
            if pair < 0 or place.until is None or place.who in self.votes.of(pair):
                continue
            if place.slot is None or not self.settled(pair):
                self.leases.lend(pair, place.who, Holder(place.slot, min(place.until, latest)))
        self._put_undone_first(ledger.entries)
        for pair, votes in self.votes.by_pair.items():
            # What was imported beyond the k places has none.
            slots = iter(range(self.rules.per_pair))
            for vote in votes.values():
                slot = None if self.rules.apart(vote.kind) else next(slots, None)
                self.leases.at.setdefault(pair, {})[vote.who] = Holder(slot, None)
        # What a machine has or has said, kept apart, is nothing to people.
        waiting = {
            pair: None
            for who, queue in self.leases.waiting.items()
            for pair in queue
            if self.leases.at[pair][who].slot is not None
        }
        unsettled = {
            pair: None
            for pair in self.votes.by_pair
            if self.votes.counted(pair) and not self.settled(pair)
        }
        for pair in {**unsettled, **waiting, **dict.fromkeys(ahead)}:
            self.session.out[pair] = ""
            if pair not in ahead:
                self.session.stepper.spend(pair)
        self._move_from_taken_slots()
        wanted = [
            Place(*self.name(pair), who, holder.slot, holder.until)
            for pair, holders in self.leases.at.items()
            for who, holder in holders.items()
        ]
        if set(wanted) != set(stored):
            ledger.replace_places(wanted)

    def _put_undone_first(self, entries: list[Entry]) -> None:
        """Put what its assessor undid last, and has not acted on since, before all else."""
        last: dict[tuple[str, int], Entry] = {}
        for entry in entries:
            if entry.act not in ABOUT_NO_PAIR:
                at = entry.who, self.pair(entry.topic, entry.doc)
                last.pop(at, None)
                last[at] = entry
        for (who, pair), entry in last.items():
            queue = self.leases.waiting.get(who, [])
            if entry.act == "undo" and pair in queue:
                queue.remove(pair)
                queue.insert(0, pair)

    def _move_from_taken_slots(self) -> None:
        """A lent slot that a judgment has too gives way to it, to another slot or altogether."""
        for pair, holders in list(self.leases.at.items()):
            judged = {h.slot for h in holders.values() if h.until is None}
            for who, holder in list(holders.items()):
                if holder.until is None or holder.slot not in judged or holder.slot is None:
                    continue
                del holders[who]
                free = self.leases.free_slot(pair, 0.0)
                if free is None or free[1] is not None:
                    self.leases.free(pair, who)
                else:
                    holders[who] = Holder(free[0], holder.until)

    def name(self, pair: int) -> tuple[str, str]:
        """Topic and doc."""
        return self.session.runs.pairs.name(pair)

    def pair(self, topic: str, doc: str) -> int:
        """The number of a pair, -1 if no run returns it."""
        return self.session.runs.pairs.number(topic, doc)

    # Entries.

    def apply(self, entry: Entry, pair: int) -> bool:
        """Let an entry count; False if the order cannot follow and all must be rebuilt."""
        if entry.act == "commit":
            return True
        if entry.act in ("end", "reopen"):
            self.ended = entry if entry.act == "end" else None
            return True
        tally = self.tallies.setdefault(entry.who, Tally(entry.who, entry.kind))
        if entry.act == "undo":
            acts = self.acts.get(entry.who, [])
            at = next(
                at
                for at in range(len(acts) - 1, -1, -1)
                if (acts[at].topic, acts[at].doc) == (entry.topic, entry.doc)
            )
            undone = acts.pop(at)
            self.act_pairs[entry.who].pop(at)
            tally.take_back(undone)
            self.votes.remove(pair, undone)
            if undone.act == "skip":
                self.put_off.get(entry.who, {}).pop(pair, None)
        else:
            self.acts.setdefault(entry.who, []).append(entry)
            self.act_pairs.setdefault(entry.who, []).append(pair)
            tally.add(entry)
            self.votes.add(pair, entry)
            if entry.act == "skip":
                self.put_off.setdefault(entry.who, {})[pair] = None
            elif entry.act != "adjudicate":
                self.put_off.get(entry.who, {}).pop(pair, None)
        return self._update_outcome(pair)

    def _update_outcome(self, pair: int) -> bool:
        """Tell the session what a pair comes to, where that has changed; False if it cannot."""
        session = self.session
        before, after = session.judged.outcome(pair), self.votes.outcome(pair)
        if pair in session.judged.given:
            return True
        if before == after:
            if after is None and self.votes.counted(pair):
                session.out.setdefault(pair, "")
            return True
        if before is not None:
            if not session.retract(pair):
                return False
            if before != SPENT:
                self.course.note(pair, -1)
        if after == SPENT:
            session.pass_by(pair)
        elif after is not None:
            session.count(pair, after)
            self.course.note(pair, 1)
        return True

    def last_act(self, who: str) -> Entry | None:
        """The last act of this person that is in force; adjudications are taken back elsewhere."""
        acts = [act for act in self.acts.get(who, []) if act.act != "adjudicate"]
        return acts[-1] if acts else None

    # Choosing.

    def choose(self, who: "Assessor", n: int, now: float) -> list[int]:
        """The n pairs that this assessor should judge next; fewer if there are no more."""
        if self.rules.apart(who.kind):
            return list(itertools.islice(self._for_machines(who.name), n))
        if self.session.reason() is not None:
            return []
        mine = self.put_off.get(who.name, {})
        topic = self.topics.now(self.acts.get(who.name, []))
        begun = (p for p in self._out_of(topic) if self._may_have(p, who.name, now))
        free = (pair for pair in begun if pair not in mine)
        chosen = list(itertools.islice(self._of_one_topic(list(free), topic), n))
        if chosen:
            topic = self.name(chosen[0])[0]
        if len(chosen) < n:
            busy = self._topics_of_others(who.name, now)
            chosen += self.topics.ask(who.name, n - len(chosen), topic, busy)
        if not chosen and topic is not None:
            # What others have begun in other topics needs this assessor's judgment too.
            others = (p for p in self._out_of(None) if self._may_have(p, who.name, now))
            free = (pair for pair in others if pair not in mine)
            chosen = list(itertools.islice(self._of_one_topic(list(free), None), n))
        if not chosen:
            again = (pair for pair in mine if self._may_have(pair, who.name, now))
            chosen = list(itertools.islice(again, n))
        return chosen

    def of_topic(self, who: "Assessor", topic: str, n: int, now: float) -> list[int]:
        """Return up to n pairs of a topic that this assessor may judge now, and does not have."""
        if not self.topics.holders.may_have(topic, who.name):
            return []
        has = set(self.leases.waiting.get(who.name, []))
        begun = [pair for pair in self._out_of(topic) if pair not in has]
        chosen = [pair for pair in begun if self._may_have(pair, who.name, now)][:n]
        if len(chosen) < n:
            at = self.session.runs.pairs.topics.index(topic)
            asked = self.session.ask_of_topic(at, n - len(chosen), who.name)
            chosen += [choice.pair for choice in asked]
        return chosen

    def _out_of(self, topic: str | None) -> list[int]:
        """What was handed out, of this topic if one is named, oldest first."""
        if topic is None:
            return list(self.session.out)
        pairs = self.session.runs.pairs
        first, last = pairs.topic_start[(at := pairs.topics.index(topic)) : at + 2].tolist()
        return [pair for pair in self.session.out if first <= pair < last]

    def _of_one_topic(self, free: list[int], topic: str | None) -> Iterator[int]:
        """What is free of the topic that somebody is at, or of that of the oldest if of none."""
        if not self.topics.by_topic:
            yield from free
            return
        number = self.session.runs.pairs.topic
        if topic is None and free:
            topic = self.name(free[0])[0]
        names = self.session.runs.pairs.topics
        yield from (pair for pair in free if names[number[pair]] == topic)

    def _topics_of_others(self, who: str, now: float) -> set[int]:
        """The topics that others are at: they have a document of it before them."""
        number = self.session.runs.pairs.topic
        return {
            int(number[pair])
            for name, queue in self.leases.waiting.items()
            for pair in queue
            if name != who and not self.leases.at[pair][name].lapsed(now)
        }

    def to_give_up(self, who: "Assessor") -> list[int]:
        """What this assessor has and need not judge any more, or may not."""
        if self.rules.apart(who.kind):
            return []
        may = self.topics.holders.may_have
        queue = self.leases.waiting.get(who.name, [])
        return [p for p in queue if self.settled(p) or not may(self.name(p)[0], who.name)]

    def _may_have(self, pair: int, who: str, now: float) -> bool:
        if self.settled(pair) or who in self.votes.of(pair):
            return False
        if not self.topics.holders.may_have(self.name(pair)[0], who):
            return False
        # Enough have judged it and differ: it waits for the organiser.
        if len(self.votes.counted(pair)) >= self.rules.per_pair:
            return False
        return self.leases.free_slot(pair, now) is not None

    def _for_machines(self, who: str) -> Iterator[int]:
        """What people have judged, which shows what the machine is worth; then all the rest.

        The rest comes by the best rank that a run gives it. Nothing of it is asked of the order,
        and nothing changes for people.
        """
        put_off = self.put_off.get(who, {})
        has = {*self.leases.waiting.get(who, []), *put_off}
        for pair, votes in self.votes.by_pair.items():
            people = any(vote.kind == "person" for vote in votes.values())
            if people and who not in votes and pair not in has:
                has.add(pair)
                yield pair
        for pair in self._by_best_rank:
            if pair not in has and who not in self.votes.of(pair):
                yield pair
        yield from put_off

    @cached_property
    def _by_best_rank(self) -> list[int]:
        postings = self.session.runs.postings
        n = len(self.session.runs.pairs)
        best = np.full(n, np.iinfo(np.int64).max)
        pair = np.repeat(np.arange(n), np.diff(postings.start))
        np.minimum.at(best, pair, postings.rank)
        ranked = np.argsort(best, kind="stable")
        pool = pool_pairs(self.session)
        if pool is not None:
            ranked = ranked[np.isin(ranked, pool)]
        return ranked.tolist()  # type: ignore[no-any-return]
