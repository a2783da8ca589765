"""Gold questions as people meet them: handed out, answered, and not to be told from the rest."""

from dataclasses import dataclass

from leadline.judging.room.decisions import Decisions
from leadline.judging.room.gold_question import GoldAnswer, GoldQuestion
from leadline.judging.room.room_core import Assessor, Refused


@dataclass
class GoldDesk(Decisions):
    """A room that asks what it knows.

    Which documents are gold questions nobody can find out by asking for them: one is a gold
    question for somebody only once it was handed to them. Where people are not told what is right,
    what they said is counted, listed, changed and taken back like a judgment.
    """

    def __post_init__(self) -> None:
        self._handed: set[tuple[int, str]] = set()
        super().__post_init__()

    def _hand_gold(self, who: Assessor) -> int | None:
        """The gold question that this person gets now."""
        pair = self._gold_due(who)
        if pair is not None:
            self._handed.add((pair, who.name))
        return pair

    def _gold_due(self, who: Assessor) -> int | None:
        """The gold question whose turn it is, as long as there is work at all."""
        if who.kind != "person" or self.state.session.reason() is not None:
            return None
        acts = self.state.acts.get(who.name, [])
        topic = self.state.topics.now(acts)
        due = self.gold.due(
            who.name, acts, self.rules.gold_every, topic, lambda each: self._may_ask(who, each)
        )
        return None if due is None else self.state.pair(due.topic, due.doc)

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
        return handed or self.gold.said(who.name, topic, doc) is not None

    def is_untold(self, answer: GoldAnswer) -> bool:
        """Whether who gave this answer was not told that it was one to a gold question."""
        return not (answer.training or self.rules.gold_feedback)

    def untold(self, who: str) -> list[GoldAnswer]:
        """What somebody said to gold questions without being told, the first one first."""
        return [each for each in self.gold.answers.get(who, []) if self.is_untold(each)]

    def _answer(
        self, who: Assessor, pair: int, said: int | None, seconds: float | None
    ) -> GoldAnswer:
        """Keep what was said to a gold question; said again, it counts once."""
        topic, doc = self.state.name(pair)
        known = self.gold.said(who.name, topic, doc)
        if known is not None:
            if known.said != said:
                raise Refused("judged", "you have judged this document already; undo that first")
            return known
        self._must_be_open()
        asked = self.gold.questions[topic, doc]
        made = GoldAnswer(
            topic, doc, who.name, said, asked.grade, asked.training, self._now(), seconds
        )
        self._guarded(lambda: self.gold.answer(made))
        self.version += 1
        return made

    def _untold_on(self, who: Assessor, pair: int) -> GoldAnswer | None:
        """What this person said of a pair without being told that it was a gold question."""
        found = self.gold.said(who.name, *self.state.name(pair))
        return found if found is not None and self.is_untold(found) else None

    def _last_untold(self, who: Assessor) -> GoldAnswer | None:
        """The answer that this person gave last of all, if it is one that can be taken back."""
        untold = self.untold(who.name)
        last = self.state.last_act(who.name)
        if not untold or (last is not None and last.time > untold[-1].time):
            return None
        return untold[-1]

    def _take_back_gold(self, answer: GoldAnswer) -> int:
        """Forget an answer; the pair, which is asked again."""
        self._guarded(lambda: self.gold.take_back(answer))
        self.version += 1
        pair = self.state.pair(answer.topic, answer.doc)
        self._handed.add((pair, answer.who))
        return pair

    def _revise_gold(self, answer: GoldAnswer, said: int | None) -> None:
        self._guarded(lambda: self.gold.revise(answer, said))
        self.version += 1
