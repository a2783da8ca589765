"""A room of assessors at work on one order: who gets what, who said what, what it comes to."""

from dataclasses import dataclass, replace
from functools import partial

from leadline.judging.ledger import Act
from leadline.judging.room.gold_desk import NOT_YOURS, GoldDesk
from leadline.judging.room.gold_question import GoldAnswer
from leadline.judging.room.lease import Holder
from leadline.judging.room.room_core import Assessor, Refused
from leadline.judging.room.sql_ledger import Place

__all__ = ["Assessor", "Refused", "Room", "Source"]

Source = tuple[str, str, float | None]
"""A machine's model, prompt version and confidence."""


@dataclass
class Room(GoldDesk):
    """Asks and answers of many people at once, one at a time inside."""

    def next(self, who: Assessor) -> int | None:
        """The pair that this assessor has to judge now; None if there is nothing."""
        with self.lock:
            self.ready()
            if self.state.ended is not None:
                return None
            gold = self._hand_gold(who)
            if gold is not None:
                return gold
            mine = self._waiting(who)
            if not mine:
                self._draw(who)
                mine = self._waiting(who)
            elif self._is_enough(mine[0], who):
                return None
            else:
                self._renew(mine[0], who)
            return mine[0] if mine else self._hand_put_off(who)

    def _waiting(self, who: Assessor) -> list[int]:
        """What this assessor has and has not judged; what was settled meanwhile is given up."""
        gone = self.state.to_give_up(who)
        if gone:
            names = [self.state.name(pair) for pair in gone]
            self._write(freed=[Place(topic, doc, who.name, None, None) for topic, doc in names])
        for pair in gone:
            self.state.leases.free(pair, who.name)
        return self.state.leases.waiting.get(who.name, [])

    def _is_enough(self, pair: int, who: Assessor) -> bool:
        """Whether the rule says stop: not to machines, nor about what is judged again."""
        if self.rules.apart(who.kind) or (pair, who.name) in self._again:
            return False
        return self.state.session.reason() is not None

    def lease(self, who: Assessor, n: int) -> list[int]:
        """Up to n pairs that this assessor has to judge, in any order."""
        with self.lock:
            self.ready()
            if self.state.ended is not None:
                return []
            mine = self._waiting(who)
            for pair in mine[:n]:
                self._renew(pair, who)
            if len(mine) < n:
                self._draw(who, n - len(mine))
            return list(self._waiting(who)[:n])

    def _draw(self, who: Assessor, n: int | None = None) -> None:
        """Lend this assessor a batch of pairs."""
        now = self.clock()
        chosen: list[Place] = []
        freed: list[Place] = []
        for pair in self.state.choose(who, n or self.rules.batch, now):
            slot, former = self.state.leases.free_slot(pair, now) or (None, None)
            topic, doc = self.state.name(pair)
            if self.rules.apart(who.kind):
                slot = None
            elif former is not None:
                freed.append(Place(topic, doc, former, slot, None))
            chosen.append(Place(topic, doc, who.name, slot, now + self.rules.lease))
        if self.rules.shuffle:
            self._chance.shuffle(chosen)
        if not chosen:
            return
        self._write(kept=chosen, freed=freed)
        for place in freed:
            self.state.leases.free(self.state.pair(place.topic, place.doc), place.who)
        if self.rules.take_topics and not self.rules.apart(who.kind):
            for topic in dict.fromkeys(place.topic for place in chosen):
                self._guarded(partial(self.state.topics.holders.take, topic, who.name))
        for place in chosen:
            pair = self.state.pair(place.topic, place.doc)
            self.state.leases.lend(pair, who.name, Holder(place.slot, place.until))

    def _renew(self, pair: int, who: Assessor) -> None:
        """Who looks at a document keeps it; written down only when half the time is over."""
        holder = self.state.leases.holder(pair, who.name)
        now = self.clock()
        if holder is None or (holder.until or 0) - now > self.rules.lease / 2:
            return
        topic, doc = self.state.name(pair)
        until = now + self.rules.lease
        self._write(kept=[Place(topic, doc, who.name, holder.slot, until)])
        self.state.leases.at[pair][who.name] = Holder(holder.slot, until)

    def judge(
        self,
        who: Assessor,
        pair: int,
        grade: int | None,
        note: str = "",
        seconds: float | None = None,
        source: Source = ("", "", None),
    ) -> GoldAnswer | None:
        """A grade, or None for "cannot tell"; on the disk when this returns.

        What was said comes back if it was a gold question, which no order is told of.

        The same judgment sent again, because its answer was lost, is taken as said once. A machine
        gives its model, the version of its prompt and how sure it is as the source.
        """
        if grade is not None and grade not in self.rules.grades:
            listed = ", ".join(map(str, self.rules.grades))
            raise Refused("grade", f"there is no grade {grade}: choose one of {listed}")
        act: Act = "judge" if grade is not None else "cannot tell"
        with self.lock:
            self.ready()
            if self.is_gold(who, pair):
                return self._answer(who, pair, act, grade, note, seconds)
            said = self.state.votes.of(pair).get(who.name)
            if said is not None:
                if said.grade == grade:
                    return None
                raise Refused("judged", "you have judged this document already; undo that first")
            self._must_be_open()
            holder = self.state.leases.holder(pair, who.name)
            if holder is None:
                raise Refused("not yours", NOT_YOURS)
            model, prompt, confidence = source
            entry = self._entry(act, pair, who, grade, note, seconds)
            entry = replace(entry, model=model, prompt=prompt, confidence=confidence)
            self._write([entry], [Place(entry.topic, entry.doc, who.name, holder.slot, None)])
            self.state.leases.keep(pair, who.name)
            self._again.discard((pair, who.name))
            self._sooner.discard((pair, who.name))
            self._apply(entry, pair)
            return None

    def revise(self, who: Assessor, pair: int, grade: int | None, note: str = "") -> None:
        """Another grade in the place of the one that this assessor gave, whenever that was."""
        if grade is not None and grade not in self.rules.grades:
            raise Refused("grade", f"there is no grade {grade}")
        with self.lock:
            self.ready()
            self._must_be_open()
            gold = self._untold_on(who, pair)
            if gold is not None:
                self._revise_gold(gold, grade, note)
                return
            acts = [act for act in self.state.acts.get(who.name, []) if self._is_on(act, pair)]
            if not acts or acts[-1].act not in ("judge", "cannot tell"):
                raise Refused("not yours", "you have not judged this document")
            if (acts[-1].grade, acts[-1].note) == (grade, note):
                return
            act: Act = "judge" if grade is not None else "cannot tell"
            undo = self._entry("undo", pair, who, None, "", None)
            entry = self._entry(act, pair, who, grade, note, acts[-1].seconds)
            self._write([undo, entry])
            # Told at once: an order that cannot take back is led through the ledger anew.
            if not (self.state.apply(undo, pair) and self.state.apply(entry, pair)):
                self._rebuild()
            self.version += 1

    def skip(self, who: Assessor, pair: int, note: str = "") -> None:
        """Put a pair off: others may get it, and this assessor when nothing else is left."""
        with self.lock:
            self.ready()
            self._must_be_open()
            if self.is_gold(who, pair):
                self._answer(who, pair, "skip", None, note, None)
                return
            holder = self.state.leases.holder(pair, who.name)
            if holder is None or holder.until is None:
                raise Refused("not yours", NOT_YOURS)
            entry = self._entry("skip", pair, who, None, note, None)
            place = Place(entry.topic, entry.doc, who.name, holder.slot, None)
            self._write([entry], freed=[place])
            self.state.leases.free(pair, who.name)
            self._apply(entry, pair)

    def undo(self, who: Assessor) -> int | None:
        """Take back this assessor's last act; the pair, which comes next, or None."""
        with self.lock:
            self.ready()
            self._must_be_open()
            gold = self._last_untold(who)
            if gold is not None:
                return self._take_back_gold(gold)
            last = self.state.last_act(who.name)
            if last is None:
                return None
            pair = self.state.pair(last.topic, last.doc)
            if [a for a in self.state.acts[who.name] if self._is_on(a, pair)][-1] is not last:
                raise Refused("adjudicated", "you adjudicated this document: undo that first")
            now = self.clock()
            until = now + self.rules.lease
            entry = self._entry("undo", pair, who, None, "", None)
            holder = self.state.leases.holder(pair, who.name)
            if holder is None and self.rules.apart(who.kind):
                holder = Holder(None, until)
            elif holder is None:
                free = self.state.leases.free_slot(pair, now)
                holder = None if free is None or free[1] is not None else Holder(free[0], until)
            if holder is None:
                self._write([entry])
            else:
                self._write([entry], [Place(last.topic, last.doc, who.name, holder.slot, until)])
                self.state.leases.lend(pair, who.name, Holder(holder.slot, until), first=True)
                self._again.add((pair, who.name))
                self._sooner.add((pair, who.name))
            self._apply(entry, pair)
            return pair
