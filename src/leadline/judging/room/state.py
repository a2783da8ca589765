"""What a ledger comes to: votes by pair, grades told to the order, places lent, counts."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from leadline.judging.ledger import Entry, Kind
from leadline.judging.replay import Replay, depends_on_asking, in_force
from leadline.judging.room.course import Course
from leadline.judging.room.lease import Holder, Leases
from leadline.judging.room.merge import Vote, rule
from leadline.judging.room.sql_ledger import Place, SqlLedger
from leadline.judging.room.tally import Tally
from leadline.judging.session import Session

if TYPE_CHECKING:
    from leadline.judging.room.room import Assessor, Rules

SPENT = -1
"""The outcome of a pair of which nobody could tell."""


@dataclass
class RoomState:
    """Made from a ledger, and kept current one entry at a time.

    `open` are the pairs that were handed out and have no outcome yet, oldest first.
    """

    session: Session
    rules: "Rules"
    course: Course
    leases: Leases
    votes: dict[int, dict[str, Vote]] = field(default_factory=dict)
    decided: dict[int, int] = field(default_factory=dict)
    outcome: dict[int, int] = field(default_factory=dict)
    open: dict[int, None] = field(default_factory=dict)
    put_off: dict[str, dict[int, None]] = field(default_factory=dict)
    acts: dict[str, list[Entry]] = field(default_factory=dict)
    tallies: dict[str, Tally] = field(default_factory=dict)
    ended: Entry | None = None
    elsewhere: int = 0

    @classmethod
    def of(cls, session: Session, ledger: SqlLedger, rules: "Rules") -> "RoomState":
        """The state after all entries of a ledger."""
        made = cls(session, rules, Course(session), Leases(rules.per_pair))
        entries = in_force(ledger.entries)
        found = session.runs.pairs.find([e.topic for e in entries], [e.doc for e in entries])
        replay = Replay(session.stepper, session.order)
        learns = depends_on_asking(session.order)
        for entry, pair in zip(entries, found.tolist(), strict=True):
            if pair < 0 and entry.act not in ("end", "reopen"):
                made.elsewhere += 1
                continue
            if learns and entry.asked and entry.act in ("judge", "cannot tell"):
                made._meet(replay, pair, entry.asked)
            made.apply(entry, pair)
        for entry in ledger.entries:
            if entry.act == "undo" and entry.who in made.tallies:
                made.tallies[entry.who].undone += 1
        session.handed = replay.handed
        ahead = [choice.pair for choice in replay.ahead if choice.pair not in made.outcome]
        made._take_places(ledger, ahead)
        return made

    def _meet(self, replay: Replay, pair: int, asked: int) -> None:
        if pair not in self.votes:
            replay.meet(pair, asked)

    def _take_places(self, ledger: SqlLedger, ahead: list[int]) -> None:
        """Lend again what was lent, and put right what does not fit the ledger."""
        stored = ledger.places()
        for place in stored:
            pair = self.pair(place.topic, place.doc)
            if pair < 0 or place.until is None or place.who in self.votes.get(pair, {}):
                continue
            if place.slot is None or pair not in self.outcome:
                self.leases.lend(pair, place.who, Holder(place.slot, place.until))
        for pair, votes in self.votes.items():
            slots = itertools.count()
            for vote in votes.values():
                slot = None if self.apart(vote.kind) else next(slots)
                self.leases.at.setdefault(pair, {})[vote.who] = Holder(slot, None)
        waiting = {pair: None for queue in self.leases.waiting.values() for pair in queue}
        unsettled = {pair: None for pair in self.votes if pair not in self.outcome}
        for pair in {**unsettled, **waiting, **dict.fromkeys(ahead)}:
            self.open[pair] = None
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

    def apart(self, kind: Kind) -> bool:
        """Whether such an assessor's judgments are kept apart."""
        return kind == "machine" and self.rules.machines == "apart"

    # Entries.

    def apply(self, entry: Entry, pair: int) -> bool:
        """Let an entry count; False if the order cannot follow and all must be made anew."""
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
            tally.take_back(undone)
            self._remove(undone, pair)
        else:
            self.acts.setdefault(entry.who, []).append(entry)
            tally.add(entry)
            self._add(entry, pair)
        return self._weigh(pair)

    def _add(self, entry: Entry, pair: int) -> None:
        if entry.act == "adjudicate" and entry.grade is not None:
            self.decided[pair] = entry.grade
        elif entry.act == "skip":
            self.put_off.setdefault(entry.who, {})[pair] = None
        else:
            vote = Vote(entry.who, entry.grade, entry.kind, entry.note, entry.time)
            votes = self.votes.setdefault(pair, {})
            votes.pop(entry.who, None)
            votes[entry.who] = vote
            self.put_off.get(entry.who, {}).pop(pair, None)

    def _remove(self, entry: Entry, pair: int) -> None:
        if entry.act == "adjudicate":
            self.decided.pop(pair, None)
        elif entry.act == "skip":
            self.put_off.get(entry.who, {}).pop(pair, None)
        else:
            votes = self.votes.get(pair, {})
            votes.pop(entry.who, None)
            if not votes:
                self.votes.pop(pair, None)

    def counted(self, pair: int) -> list[Vote]:
        """The votes on a pair that are merged, in the order in which they were given."""
        votes = self.votes.get(pair, {}).values()
        return [vote for vote in votes if not self.apart(vote.kind)]

    def _outcome(self, pair: int) -> int | None:
        if pair in self.decided:
            return self.decided[pair]
        votes = self.counted(pair)
        if len(votes) < self.rules.per_pair:
            return None
        grades = [vote.grade for vote in votes if vote.grade is not None]
        return rule(self.rules.merge)(grades) if grades else SPENT

    def _weigh(self, pair: int) -> bool:
        """Tell the order what a pair comes to, where that has changed."""
        before, after = self.outcome.get(pair), self._outcome(pair)
        if pair in self.session.standing.told and before is None:
            # Judged before the session began: that stands.
            return True
        if before == after:
            if after is None and pair in self.votes:
                self.open[pair] = None
                self.session.out.setdefault(pair, "")
            return True
        if before is not None:
            del self.outcome[pair]
            self.open[pair] = None
            if not self.session.retract(pair):
                return False
            if before != SPENT:
                self.course.note(pair, -1)
        if after is not None:
            self.outcome[pair] = after
            self.open.pop(pair, None)
            if after == SPENT:
                self.session.pass_by(pair)
            else:
                self.session.count(pair, after)
                self.course.note(pair, 1)
        return True

    def last_act(self, who: str) -> Entry | None:
        """The last act of this person that is in force; adjudications are taken back elsewhere."""
        acts = [act for act in self.acts.get(who, []) if act.act != "adjudicate"]
        return acts[-1] if acts else None

    # Choosing.

    def choose(self, who: "Assessor", n: int, now: float) -> list[int]:
        """The n pairs that this assessor should judge next; fewer if there are no more."""
        if self.session.reason() is not None:
            return []
        if self.apart(who.kind):
            return list(itertools.islice(self._seen_by_people(who.name), n))
        mine = self.put_off.get(who.name, {})
        free = (pair for pair in self.open if self._may_have(pair, who.name, now))
        chosen = list(itertools.islice((pair for pair in free if pair not in mine), n))
        if len(chosen) < n:
            for choice in self.session.ask(n - len(chosen), who.name):
                self.open[choice.pair] = None
                chosen.append(choice.pair)
        if not chosen:
            again = (pair for pair in mine if self._may_have(pair, who.name, now))
            chosen = list(itertools.islice(again, n))
        return chosen

    def waiting(self, who: "Assessor") -> list[int]:
        """What this assessor has and has not judged; what was settled meanwhile is given up."""
        queue = self.leases.waiting.get(who.name, [])
        if not self.apart(who.kind):
            for pair in [pair for pair in queue if pair in self.outcome]:
                self.leases.free(pair, who.name)
        return queue

    def _may_have(self, pair: int, who: str, now: float) -> bool:
        if pair in self.outcome or who in self.votes.get(pair, {}):
            return False
        # Enough have judged it and differ: it waits for the organiser.
        if len(self.counted(pair)) >= self.rules.per_pair:
            return False
        return self.leases.free_slot(pair, now) is not None

    def _seen_by_people(self, who: str) -> Iterator[int]:
        for pair, votes in self.votes.items():
            people = any(vote.kind == "person" for vote in votes.values())
            if people and who not in votes:
                yield pair

    def disputed(self) -> list[int]:
        """Pairs on which those who judged differ and nobody has decided."""
        return [
            pair
            for pair in self.votes
            if pair not in self.decided and len({vote.grade for vote in self.counted(pair)}) > 1
        ]
