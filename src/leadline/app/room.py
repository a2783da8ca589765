"""A room of assessors at work on one order: who gets what, who said what, what it comes to.

Every act goes through the same steps: one at a time, counted, then written with all that came
with it. Nobody is told anything before the ledger has it, and whatever is in the ledger counts: the
state here is made from the ledger at the start, and again after any error of the database.
"""

import contextlib
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from leadline.app.database import NotHeld
from leadline.app.exchange import Intake, UnknownImport
from leadline.app.gold import Gold, GoldAnswer, GoldQuestion
from leadline.app.places import Holder, SteadyClock
from leadline.app.quality import RECENT, Tally, seconds_of
from leadline.app.sql_ledger import Place, SqlLedger
from leadline.app.state import RoomState
from leadline.judging.certificate import commitment
from leadline.judging.ledger import Act, Entry, Kind
from leadline.judging.merge import Vote
from leadline.judging.project import Rules
from leadline.judging.session import Session


@dataclass
class Pending:
    """Entries and places in the order in which they came, all or none of which will be written."""

    entries: list[Entry] = field(default_factory=list)
    kept: list[Place] = field(default_factory=list)
    freed: list[Place] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.entries or self.kept or self.freed)

    def bars(self, freed: Sequence[Place]) -> bool:
        """Whether these can only be freed after this is written: what is freed goes first."""
        here = {(place.topic, place.doc, place.who) for place in self.kept}
        return any((place.topic, place.doc, place.who) in here for place in freed)

    def add(self, entries: Sequence[Entry], kept: Sequence[Place], freed: Sequence[Place]) -> None:
        """Write this too."""
        self.entries += entries
        self.kept += kept
        self.freed += freed


LONGEST_WAIT = 3.0


class Unavailable(Exception):
    """The room cannot answer now; whether something was written is not known. Ask again soon."""


class RoomLock:
    """A lock that a thread may take again; an Unavailable for one who would wait too long.

    Whoever is inside may wait for a database that hangs. If everybody waited with them, no thread
    would be left to say so.
    """

    def __init__(self, longest: float = LONGEST_WAIT) -> None:
        self.longest = longest
        self._lock = threading.RLock()
        self._depth = 0
        self._since = time.monotonic()

    def __enter__(self) -> "RoomLock":
        waited = time.monotonic() - self._since if self._depth else 0.0
        if not self._lock.acquire(timeout=max(0.05, self.longest - waited)):
            raise Unavailable("the room is busy: its database is slow, or much is imported")
        if not self._depth:
            self._since = time.monotonic()
        self._depth += 1
        return self

    def __exit__(self, *what: object) -> None:
        self._depth -= 1
        self._lock.release()


Done = TypeVar("Done")
Source = tuple[str, str, float | None]
"""A machine's model, prompt version and confidence."""

PAUSE = 1.0
"""Seconds in which nobody asks again a database that did not answer."""

NOT_YOURS = "this document is not yours to judge, or not any more"
JUDGED = "you have judged this document already; undo that first"


class ActionRefused(ValueError):
    """An act that the room does not accept; `code` says why in one word."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Assessor:
    """Who judges, and whether it is a person."""

    name: str
    kind: Kind = "person"


@dataclass
class Room:
    """A ledger, the state made from it, and the lock around both.

    Which documents are gold questions nobody can find out by asking for them: one is a gold
    question for somebody only once it was handed to them. Where people are not told what is right,
    what they said is counted, listed, changed and taken back like a judgment.
    """

    start: Callable[[], Session]
    ledger: SqlLedger
    rules: Rules = field(default_factory=Rules)
    clock: Callable[[], float] = field(default_factory=SteadyClock)

    def __post_init__(self) -> None:
        self.lock = RoomLock()
        self.intake = Intake(self.ledger)
        self.gold = Gold(self.ledger.database)
        self.version = 0
        self._stale = False
        self._not_before = 0.0
        self._trouble = ""
        self._pending = Pending()
        self._together = False
        # Undone and to be judged again, even if the rule says that it is enough.
        self._again: set[tuple[int, str]] = set()
        # Gold questions that are out with somebody, and not answered yet.
        self._handed: set[tuple[int, str]] = set()
        # Gold questions that are out in a list, which do not come one after the other.
        self._listed: set[tuple[int, str]] = set()
        # Undone after such a question was, and so to be judged before it.
        self._sooner: set[tuple[int, str]] = set()
        self._chance = random.Random()
        self._rebuild()
        sample = self.state.session.stepper.two_runs
        if sample is not None and not self.ledger.entries:
            note = commitment(sample.seed)
            with self.together():
                self._write([Entry("commit", "", "", time=self._now(), note=note)])

    def votes_by_pair(self) -> list[list[Vote]]:
        """Return what was said of each pair, machines' labels too."""
        with self.lock:
            return [list(votes.values()) for votes in self.state.votes.by_pair.values()]

    # The ledger and the state.

    def _rebuild(self) -> None:
        self._write_pending()
        self.ledger.database.at_most(self.rules.per_pair)
        self.state = RoomState.of(self.start(), self.ledger, self.rules, self.clock())
        self.version += 1
        self._stale = False
        for who in self.gold.answers:
            tally = self._tally(who)
            times = [seconds_of(each.time) for each in self.untold(who) if each.act != "skip"]
            tally.times.extend(sorted([*tally.times, *times])[-RECENT:])

    def reconfigure(self, start: Callable[[], Session], rules: Rules) -> None:
        """Go on by other rules: everything is rebuilt from the ledger."""
        with self.together():
            before = self.start, self.rules
            self.start, self.rules = start, rules
            try:
                self._guarded(self._rebuild)
            except ValueError:
                self.start, self.rules = before
                self._guarded(self._rebuild)
                raise

    def ready(self) -> None:
        """Catch up with the database after an error of it; an Unavailable if it is not there."""
        if self._stale:
            if time.monotonic() < self._not_before:
                raise Unavailable(self._trouble)
            try:
                self.ledger.database.hold_again()
                self.ledger.reload()
                self.gold.reload()
                self._rebuild()
            except (SQLAlchemyError, NotHeld) as error:
                # Nobody else waits for it in the next moment.
                self._not_before = time.monotonic() + PAUSE
                raise self._unavailable(error) from None

    def _unavailable(self, error: Exception) -> Unavailable:
        self._stale = True
        what = type(getattr(error, "orig", error)).__name__
        held = isinstance(error, NotHeld)
        self._trouble = str(error) if held else f"the database did not answer: {what}"
        return Unavailable(self._trouble)

    def _guarded(self, work: Callable[[], Done]) -> Done:
        try:
            return work()
        except (SQLAlchemyError, NotHeld) as error:
            raise self._unavailable(error) from None

    def _write(
        self,
        entries: Sequence[Entry] = (),
        kept: Sequence[Place] = (),
        freed: Sequence[Place] = (),
    ) -> None:
        if self._pending.bars(freed):
            self._write_pending()
        self._pending.add(entries, kept, freed)

    def _write_pending(self) -> None:
        pending = self._pending
        if pending:
            try:
                self.ledger.write(pending.entries, pending.kept, pending.freed)
            except (SQLAlchemyError, NotHeld) as error:
                raise self._unavailable(error) from None
            self._pending = Pending()

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Write acts by one commit when the outermost of these ends; nobody else is let in before.

        Here memory goes ahead of the disk. If that then fails, all is rebuilt from the ledger.
        """
        with self.lock:
            if self._together:
                yield
                return
            self.ready()
            self._together = True
            try:
                yield
                self._write_pending()
            except BaseException:
                self._stale = self._stale or bool(self._pending)
                raise
            finally:
                self._pending, self._together = Pending(), False

    def change_campaign(self, work: Callable[[], Done]) -> Done:
        """Work on what is beside the ledger, one at a time; an Unavailable if it cannot be done."""
        with self.together():
            done = self._guarded(work)
            self.version += 1
            return done

    def _now(self) -> str:
        return datetime.fromtimestamp(self.clock(), UTC).isoformat(timespec="milliseconds")

    def _entry(
        self,
        act: Act,
        pair: int,
        who: Assessor,
        grade: int | None = None,
        note: str = "",
        seconds: float | None = None,
    ) -> Entry:
        name, handed = self.state.name(pair), self.state.session.handed
        return Entry(act, *name, grade, who.name, self._now(), note, handed, seconds, who.kind)

    def _apply(self, pair: int, *entries: Entry) -> None:
        if not all(self.state.apply(entry, pair) for entry in entries):
            # The order cannot take back what it was told.
            self._rebuild()
        self.version += 1

    def _last_on(self, pair: int, who: str) -> Entry | None:
        """The last act of this person on a pair."""
        acts, name = self.state.acts.get(who, []), self.state.name(pair)
        return next((act for act in reversed(acts) if (act.topic, act.doc) == name), None)

    def _must_be_open(self) -> None:
        if self.state.ended is not None:
            raise ActionRefused("ended", f"judging was ended by {self.state.ended.who}")

    # Who gets what.

    def next(self, who: Assessor) -> int | None:
        """The pair that this assessor has to judge now; None if there is nothing."""
        with self.together():
            if self.state.ended is not None:
                return None
            gold = self._next_gold(who)
            if gold is not None:
                self._handed.add((gold, who.name))
                return gold
            mine = self._waiting(who)
            if not mine:
                self._draw(who)
                mine = self._waiting(who)
            elif self.state.session.reason() is not None and not (
                self.rules.apart(who.kind) or (mine[0], who.name) in self._again
            ):
                # The rule says stop: not to machines, nor about what is judged again.
                return None
            else:
                self._renew(mine[0], who)
            return mine[0] if mine else self._put_off_gold(who)

    def lease(self, who: Assessor, n: int) -> list[int]:
        """Up to n pairs that this assessor has to judge, in any order."""
        with self.together():
            if self.state.ended is not None:
                return []
            mine = self._waiting(who)
            for pair in mine[:n]:
                self._renew(pair, who)
            if len(mine) < n:
                self._draw(who, n - len(mine))
            return list(self._waiting(who)[:n])

    def lend_topic(self, who: Assessor, topic: str, most: int) -> list[int]:
        """Lend this assessor up to `most` pairs of a topic; all pairs of it to judge now.

        Gold questions of the topic are among them, as long as these are mixed in.
        """
        with self.together():
            if self.state.ended is not None or self.state.session.reason() is not None:
                return []
            mine = [pair for pair in self._waiting(who) if self.state.name(pair)[0] == topic]
            for pair in mine:
                self._renew(pair, who)
            if len(mine) < most:
                chosen = self.state.of_topic(who, topic, most - len(mine), self.clock())
                mine += self._lend(who, chosen, self.clock())
            return mine + self._hand_out_gold(who, topic)

    def is_training(self, who: Assessor) -> bool:
        """Whether this assessor has training questions to answer first."""
        pair = self._gold_due(who)
        return pair is not None and self.gold.questions[self.state.name(pair)].training

    def _hand_out_gold(self, who: Assessor, topic: str) -> list[int]:
        """Hand out the gold questions of a topic that are not for training; their pairs."""
        if not self.rules.gold_every or who.kind != "person":
            return []
        asked = [each for each in self.gold.open_for(who.name) if each.topic == topic]
        asked = [each for each in asked if not each.training and self._may_ask(who, each)]
        pairs = [self.state.pair(each.topic, each.doc) for each in asked]
        self._listed |= {(pair, who.name) for pair in pairs}
        return pairs

    def _waiting(self, who: Assessor) -> list[int]:
        """What this assessor has and has not judged; what was settled meanwhile is given up."""
        gone = self.state.to_give_up(who)
        if gone:
            self._write(
                freed=[Place(*self.state.name(pair), who.name, None, None) for pair in gone]
            )
        for pair in gone:
            self.state.leases.free(pair, who.name)
        return self.state.leases.waiting.get(who.name, [])

    def _draw(self, who: Assessor, n: int | None = None) -> None:
        """Lend this assessor a batch of pairs."""
        now = self.clock()
        self._lend(who, self.state.choose(who, n or self.rules.batch, now), now)

    def _lend(self, who: Assessor, pairs: list[int], now: float) -> list[int]:
        """Lend these pairs; they come back."""
        chosen: list[Place] = []
        freed: list[Place] = []
        for pair in pairs:
            slot, former = self.state.leases.free_slot(pair, now) or (None, None)
            name = self.state.name(pair)
            if self.rules.apart(who.kind):
                slot = None
            elif former is not None:
                freed.append(Place(*name, former, slot, None))
            chosen.append(Place(*name, who.name, slot, now + self.rules.lease))
        if self.rules.shuffle:
            self._chance.shuffle(chosen)
        if not chosen:
            return []
        self._write(kept=chosen, freed=freed)
        for place in freed:
            self.state.leases.free(self.state.pair(place.topic, place.doc), place.who)
        if self.rules.take_topics and not self.rules.apart(who.kind):
            for topic in dict.fromkeys(place.topic for place in chosen):
                self._guarded(partial(self.state.topics.holders.take, topic, who.name))
        for place in chosen:
            pair = self.state.pair(place.topic, place.doc)
            self.state.leases.lend(pair, who.name, Holder(place.slot, place.until))
        return pairs

    def _renew(self, pair: int, who: Assessor) -> None:
        """Who looks at a document keeps it; written down only when half the time is over."""
        holder = self.state.leases.holder(pair, who.name)
        now = self.clock()
        if holder is None or (holder.until or 0) - now > self.rules.lease / 2:
            return
        until = now + self.rules.lease
        self._write(kept=[Place(*self.state.name(pair), who.name, holder.slot, until)])
        self.state.leases.at[pair][who.name] = Holder(holder.slot, until)

    # Who says what.

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
        self._check_grade(grade)
        act: Act = "judge" if grade is not None else "cannot tell"
        with self.together():
            if self.is_gold(who, pair):
                return self._answer(who, pair, act, grade, note, seconds)
            said = self.state.votes.of(pair).get(who.name)
            if said is not None:
                if said.grade == grade:
                    return None
                raise ActionRefused("judged", JUDGED)
            self._must_be_open()
            holder = self.state.leases.holder(pair, who.name)
            if holder is None:
                raise ActionRefused("not yours", NOT_YOURS)
            model, prompt, confidence = source
            entry = self._entry(act, pair, who, grade, note, seconds)
            entry = replace(entry, model=model, prompt=prompt, confidence=confidence)
            self._write([entry], [Place(entry.topic, entry.doc, who.name, holder.slot, None)])
            self.state.leases.keep(pair, who.name)
            self._again.discard((pair, who.name))
            self._sooner.discard((pair, who.name))
            self._apply(pair, entry)
            return None

    def _check_grade(self, grade: int | None) -> None:
        if grade is not None and grade not in self.rules.grades:
            listed = ", ".join(map(str, self.rules.grades))
            raise ActionRefused("grade", f"there is no grade {grade}: choose one of {listed}")

    def revise(self, who: Assessor, pair: int, grade: int | None, note: str = "") -> None:
        """Another grade in the place of the one that this assessor gave, whenever that was."""
        self._check_grade(grade)
        act: Act = "judge" if grade is not None else "cannot tell"
        with self.together():
            self._must_be_open()
            gold = self.gold.said(who.name, *self.state.name(pair))
            if gold is not None and gold.act != "skip" and self.is_untold(gold):
                if (gold.said, gold.note) != (grade, note):
                    self._record(replace(gold, act=act, said=grade, note=note))
                return
            last = self._last_on(pair, who.name)
            if last is None or last.act not in ("judge", "cannot tell"):
                raise ActionRefused("not yours", "you have not judged this document")
            if (last.grade, last.note) == (grade, note):
                return
            undo = self._entry("undo", pair, who)
            entry = self._entry(act, pair, who, grade, note, last.seconds)
            self._write([undo, entry])
            # Told at once: an order that cannot take back is led through the ledger anew.
            self._apply(pair, undo, entry)

    def skip(self, who: Assessor, pair: int, note: str = "") -> None:
        """Put a pair off: others may get it, and this assessor when nothing else is left."""
        with self.together():
            self._must_be_open()
            if self.is_gold(who, pair):
                self._answer(who, pair, "skip", None, note, None)
                return
            holder = self.state.leases.holder(pair, who.name)
            if holder is None or holder.until is None:
                raise ActionRefused("not yours", NOT_YOURS)
            entry = self._entry("skip", pair, who, note=note)
            self._write([entry], freed=[Place(entry.topic, entry.doc, who.name, holder.slot, None)])
            self.state.leases.free(pair, who.name)
            self._apply(pair, entry)

    def undo(self, who: Assessor) -> int | None:
        """Take back this assessor's last act; the pair, which comes next, or None."""
        with self.together():
            self._must_be_open()
            last, untold = self.state.last_act(who.name), self.untold(who.name)
            if untold and not any(row is last for row in self._rows_after(untold[-1].after)):
                answer = untold[-1]
                self._record(replace(answer, act="undo", said=None, note="", seconds=None))
                pair = self.state.pair(answer.topic, answer.doc)
                self._handed.add((pair, who.name))
                self._sooner = {each for each in self._sooner if each[1] != who.name}
                return pair
            if last is None:
                return None
            pair = self.state.pair(last.topic, last.doc)
            if self._last_on(pair, who.name) is not last:
                raise ActionRefused("adjudicated", "you adjudicated this document: undo that first")
            now = self.clock()
            until = now + self.rules.lease
            entry = self._entry("undo", pair, who)
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
            self._apply(pair, entry)
            return pair

    # What organisers decide.

    def adjudicate(self, who: Assessor, pair: int, grade: int, note: str = "") -> None:
        """The grade of a pair for good, whatever the assessors said."""
        self._check_grade(grade)
        with self.together():
            entry = self._entry("adjudicate", pair, who, grade, note)
            self._write([entry])
            self._apply(pair, entry)

    def undo_adjudication(self, who: Assessor, pair: int) -> None:
        """Take back the last decision on a pair: what the assessors said counts again."""
        with self.together():
            if self.state.name(pair) in self.gold.questions:
                raise ActionRefused("gold", "this is a gold question: remove it from those first")
            last_acts = (self._last_on(pair, name) for name in self.state.acts)
            decided = [act for act in last_acts if act is not None and act.act == "adjudicate"]
            if not decided:
                raise ActionRefused(
                    "unknown", "nobody adjudicated this document, or judged it since"
                )
            # By the ledger, not by times: a clock may be set back.
            last = next(each for each in reversed(self.ledger.entries) if each in decided)
            note = f"undone by {who.name}"
            entry = self._entry("undo", pair, Assessor(last.who, last.kind), note=note)
            self._write([entry])
            self._apply(pair, entry)

    def end(self, who: Assessor, ended: bool = True) -> None:
        """Nobody gets or judges anything any more, until it is reopened."""
        with self.together():
            if (self.state.ended is not None) == ended:
                return
            entry = Entry("end" if ended else "reopen", "", "", who=who.name, time=self._now())
            self._write([entry])
            self._apply(-1, entry)

    def add_entries(self, added: list[Entry], who: str = "", form: str = "") -> int:
        """Judgments from elsewhere, all of them or none; the number by which they can be undone.

        Everything is rebuilt with them.
        """
        return self._take_in(lambda: self.intake.add(added, who, self._now(), form))

    def undo_import(self, who: Assessor, number: int) -> int:
        """Take back what came with an import; how many judgments that were."""
        return self._take_in(lambda: self.intake.undo(number, who.name, self._now()))

    def _take_in(self, change: Callable[[], int]) -> int:
        with self.together():
            try:
                done = self._guarded(change)
            except UnknownImport as error:
                raise ActionRefused("unknown", str(error)) from None
            self._guarded(self._rebuild)
            return done

    # Gold questions: handed out, answered, and not to be told from the rest.

    def is_gold(self, who: Assessor, pair: int) -> bool:
        """Whether a pair is a gold question that this person has, and not lent as any other."""
        topic, doc = self.state.name(pair)
        question = self.gold.questions.get((topic, doc))
        if question is None or who.kind != "person" or not self._may_ask(who, question):
            return False
        # What was handed out before a restart is due still.
        out = (pair, who.name) in self._handed or (pair, who.name) in self._listed
        handed = out or self._gold_due(who) == pair
        said = self.gold.said(who.name, topic, doc)
        return handed or (said is not None and said.act != "skip")

    def is_untold(self, answer: GoldAnswer) -> bool:
        """Whether who gave this answer was not told that it was one to a gold question."""
        return not (answer.training or self.rules.gold_feedback)

    def untold(self, who: str) -> list[GoldAnswer]:
        """What somebody said to gold questions without being told, skips too, in their order."""
        return [each for each in self.gold.answers.get(who, []) if self.is_untold(each)]

    def _may_ask(self, who: Assessor, question: GoldQuestion) -> bool:
        """Not what no run returns, nor what this person has or has judged as any other."""
        pair = self.state.pair(question.topic, question.doc)
        if pair < 0 or self.state.leases.holder(pair, who.name) is not None:
            return False
        return who.name not in self.state.votes.of(pair)

    def _next_gold(self, who: Assessor) -> int | None:
        """The gold question that this person gets now."""
        if self.state.session.reason() is not None:
            return None
        waiting = self.state.leases.waiting.get(who.name, [])
        if any((pair, who.name) in self._sooner for pair in waiting):
            return None
        mine = (pair for pair, name in self._handed if name == who.name)
        pair = next((each for each in mine if self.state.name(each) in self.gold.questions), None)
        return self._gold_due(who) if pair is None else pair

    def _gold_due(self, who: Assessor) -> int | None:
        """The gold question whose turn it is, as long as there is work at all."""
        if who.kind != "person" or self.state.session.reason() is not None:
            return None

        def judged_since(after: int) -> int:
            """How many judgments, less what was undone, came after so many rows."""
            acts = self._rows_after(after) if after else self.state.acts.get(who.name, [])
            counts = Counter(act.act for act in acts if act.who == who.name)
            return counts["judge"] + counts["cannot tell"] - counts["undo"]

        due = self.gold.due(
            who.name,
            judged_since,
            self.rules.gold_every,
            self.state.topics.now(self.state.acts.get(who.name, [])),
            lambda each: self._may_ask(who, each),
        )
        return None if due is None else self.state.pair(due.topic, due.doc)

    def _put_off_gold(self, who: Assessor) -> int | None:
        """A gold question that this person put off, where nothing else is left."""
        if self.state.session.reason() is not None:
            return None
        answers = [each for each in self.gold.answers.get(who.name, []) if each.act == "skip"]
        questions = (self.gold.questions.get((each.topic, each.doc)) for each in answers)
        open_ = [each for each in questions if each is not None and self._may_ask(who, each)]
        if not open_:
            return None
        pair = self.state.pair(open_[0].topic, open_[0].doc)
        self._handed.add((pair, who.name))
        return pair

    def _rows_after(self, after: int) -> list[Entry]:
        """The ledger from a row on, and what will be written to it."""
        return self.ledger.entries[after:] + self._pending.entries

    def _answer(
        self, who: Assessor, pair: int, act: Act, said: int | None, note: str, seconds: float | None
    ) -> GoldAnswer:
        """Keep what was said to a gold question; said again, it counts once."""
        topic, doc = self.state.name(pair)
        known = self.gold.said(who.name, topic, doc)
        if known is not None and known.act != "skip":
            if act == "skip":
                raise ActionRefused("not yours", NOT_YOURS)
            if known.said != said:
                raise ActionRefused("judged", JUDGED)
            return known
        self._must_be_open()
        asked = self.gold.questions[topic, doc]
        made = GoldAnswer(
            topic, doc, who.name, said, asked.grade, asked.training, "", seconds, act, note
        )
        self._handed.discard((pair, who.name))
        return self._record(made)

    def _record(self, answer: GoldAnswer) -> GoldAnswer:
        """Write an answer, and let it count in the pace as a judgment does."""
        made = replace(answer, time=self._now(), after=len(self._rows_after(0)))
        self._guarded(lambda: self.gold.record(made))
        self.version += 1
        if made.act not in ("skip", "undo") and self.is_untold(made):
            self._tally(made.who).add_time(made.time)
        return made

    def _tally(self, who: str) -> Tally:
        return self.state.tallies.setdefault(who, Tally(who))
