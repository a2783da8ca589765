"""Gold questions as people meet them: handed out, answered, and not to be told from the rest."""

from collections import Counter
from dataclasses import dataclass, replace

from leadline.judging.ledger import Act, Entry
from leadline.judging.room.decisions import Decisions
from leadline.judging.room.gold_question import GoldAnswer, GoldQuestion
from leadline.judging.room.room_core import Assessor, Refused
from leadline.judging.room.tally import RECENT, Tally, seconds_of

NOT_YOURS = "this document is not yours to judge, or not any more"


@dataclass
class GoldDesk(Decisions):
    """A room that asks what it knows.

    Which documents are gold questions nobody can find out by asking for them: one is a gold
    question for somebody only once it was handed to them. Where people are not told what is right,
    what they said is counted, listed, changed and taken back like a judgment.
    """

    def __post_init__(self) -> None:
        # Out with somebody, and not answered yet.
        self._handed: set[tuple[int, str]] = set()
        # Undone after such a question was, and so to be judged before it.
        self._sooner: set[tuple[int, str]] = set()
        super().__post_init__()

    def _rebuild(self) -> None:
        super()._rebuild()
        for who in self.gold.answers:
            tally = self._tally(who)
            times = [seconds_of(each.time) for each in self.untold(who) if each.act != "skip"]
            tally.times.extend(sorted([*tally.times, *times])[-RECENT:])

    def _tally(self, who: str) -> Tally:
        return self.state.tallies.setdefault(who, Tally(who))

    def _hand_gold(self, who: Assessor) -> int | None:
        """The gold question that this person gets now."""
        if self.state.session.reason() is not None:
            return None
        waiting = self.state.leases.waiting.get(who.name, [])
        if any((pair, who.name) in self._sooner for pair in waiting):
            return None
        mine = (pair for pair, name in self._handed if name == who.name)
        pair = next((each for each in mine if self.state.name(each) in self.gold.questions), None)
        return self._hand(who, self._gold_due(who) if pair is None else pair)

    def _hand_put_off(self, who: Assessor) -> int | None:
        """A gold question that this person put off, where nothing else is left."""
        if self.state.session.reason() is not None:
            return None
        answers = [each for each in self.gold.answers.get(who.name, []) if each.act == "skip"]
        places = [(each.topic, each.doc) for each in answers]
        asked = [self.gold.questions[each] for each in places if each in self.gold.questions]
        open_ = [each for each in asked if self._may_ask(who, each)]
        return self._hand(who, self.state.pair(open_[0].topic, open_[0].doc) if open_ else None)

    def _hand(self, who: Assessor, pair: int | None) -> int | None:
        if pair is not None:
            self._handed.add((pair, who.name))
        return pair

    def _gold_due(self, who: Assessor) -> int | None:
        """The gold question whose turn it is, as long as there is work at all."""
        if who.kind != "person" or self.state.session.reason() is not None:
            return None
        acts = self.state.acts.get(who.name, [])
        due = self.gold.due(
            who.name,
            lambda after: self._judged_since(who.name, after),
            self.rules.gold_every,
            self.state.topics.now(acts),
            lambda each: self._may_ask(who, each),
        )
        return None if due is None else self.state.pair(due.topic, due.doc)

    def _rows_after(self, after: int) -> list[Entry]:
        """The ledger from a row on, and what will be written to it."""
        pending = self._pending.entries if self._pending else []
        return self.ledger.entries[after:] + pending

    def _judged_since(self, who: str, after: int) -> int:
        """How many judgments of a person, less what was undone, came after so many rows."""
        acts = self._rows_after(after) if after else self.state.acts.get(who, [])
        counts = Counter(act.act for act in acts if act.who == who)
        return counts["judge"] + counts["cannot tell"] - counts["undo"]

    def _may_ask(self, who: Assessor, question: GoldQuestion) -> bool:
        """Not what no run returns, nor what this person has or has judged as any other."""
        pair = self.state.pair(question.topic, question.doc)
        return pair >= 0 and not self._knows(who, pair)

    def _knows(self, who: Assessor, pair: int) -> bool:
        if self.state.leases.holder(pair, who.name) is not None:
            return True
        return who.name in self.state.votes.of(pair)

    def is_gold(self, who: Assessor, pair: int) -> bool:
        """Whether a pair is a gold question that this person has, and not lent as any other."""
        topic, doc = self.state.name(pair)
        if (topic, doc) not in self.gold.questions or who.kind != "person":
            return False
        if self._knows(who, pair):
            return False
        # What was handed out before a restart is due still.
        handed = (pair, who.name) in self._handed or self._gold_due(who) == pair
        said = self.gold.said(who.name, topic, doc)
        return handed or (said is not None and said.act != "skip")

    def is_untold(self, answer: GoldAnswer) -> bool:
        """Whether who gave this answer was not told that it was one to a gold question."""
        return not (answer.training or self.rules.gold_feedback)

    def untold(self, who: str) -> list[GoldAnswer]:
        """What somebody said to gold questions without being told, skips too, in their order."""
        return [each for each in self.gold.answers.get(who, []) if self.is_untold(each)]

    def _answer(
        self, who: Assessor, pair: int, act: Act, said: int | None, note: str, seconds: float | None
    ) -> GoldAnswer:
        """Keep what was said to a gold question; said again, it counts once."""
        topic, doc = self.state.name(pair)
        known = self.gold.said(who.name, topic, doc)
        if known is not None and known.act != "skip":
            if act == "skip":
                raise Refused("not yours", NOT_YOURS)
            if known.said != said:
                raise Refused("judged", "you have judged this document already; undo that first")
            return known
        self._must_be_open()
        asked = self.gold.questions[topic, doc]
        made = GoldAnswer(
            topic, doc, who.name, said, asked.grade, asked.training, self._now(), seconds, act, note
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

    def _untold_on(self, who: Assessor, pair: int) -> GoldAnswer | None:
        """This person's judgment of a pair who was not told that it was a gold question."""
        found = self.gold.said(who.name, *self.state.name(pair))
        if found is None or found.act == "skip":
            return None
        return found if self.is_untold(found) else None

    def _last_untold(self, who: Assessor) -> GoldAnswer | None:
        """The answer that this person gave last of all, if it is one that can be taken back."""
        untold = self.untold(who.name)
        last = self.state.last_act(who.name)
        if not untold or any(row is last for row in self._rows_after(untold[-1].after)):
            return None
        return untold[-1]

    def _take_back_gold(self, answer: GoldAnswer) -> int:
        """Forget an answer; the pair, which is asked again."""
        self._record(replace(answer, act="undo", said=None, note="", seconds=None))
        pair = self.state.pair(answer.topic, answer.doc)
        self._handed.add((pair, answer.who))
        self._sooner = {each for each in self._sooner if each[1] != answer.who}
        return pair

    def _revise_gold(self, answer: GoldAnswer, said: int | None, note: str) -> None:
        if (answer.said, answer.note) != (said, note):
            act: Act = "cannot tell" if said is None else "judge"
            self._record(replace(answer, act=act, said=said, note=note))
