"""Gold questions: documents whose grade is known, to train people and to see how they do.

A gold question looks like any other document. What people say to it is kept apart from the
ledger: it is part of no score, and no place at the document is taken.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import blake2b

from sqlalchemy import delete, insert, select

from leadline.app.database import Database
from leadline.app.schema import append, gold_answers, gold_questions
from leadline.judging.ledger import Act, Entry


@dataclass(frozen=True)
class GoldQuestion:
    """A document, its grade, and why it has that grade; for training, or mixed in later."""

    topic: str
    doc: str
    grade: int
    why: str = ""
    training: bool = False


@dataclass(frozen=True)
class GoldAnswer:
    """What somebody said to a gold question; `said` is None for "cannot tell" and for a skip.

    `after` is how many rows the ledger had by then.
    """

    topic: str
    doc: str
    who: str
    said: int | None
    grade: int
    training: bool
    time: str
    seconds: float | None = None
    act: Act = "judge"
    note: str = ""
    after: int = 0

    @property
    def right(self) -> bool:
        """Whether it is the grade that is known."""
        return self.said == self.grade

    @property
    def entry(self) -> Entry:
        """The same as a judgment that is no gold question would be written."""
        return Entry(self.act, self.topic, self.doc, self.said, self.who, self.time, self.note)


class Gold:
    """The questions of a project and what was said to them, as the database has it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.questions: dict[tuple[str, str], GoldQuestion] = {}
        self.answers: dict[str, list[GoldAnswer]] = {}
        self.reload()

    def reload(self) -> None:
        """What the database has."""
        self.questions.clear()
        self.answers.clear()
        with self.database.engine.connect() as connection:
            for row in connection.execute(select(gold_questions).order_by(gold_questions.c.id)):
                found = GoldQuestion(row.topic, row.doc, row.grade, row.why, bool(row.training))
                self.questions[found.topic, found.doc] = found
            columns = [each for each in gold_answers.columns if each.name not in ("id", "hash")]
            for each in connection.execute(select(*columns).order_by(gold_answers.c.id)).mappings():
                self._take(GoldAnswer(**each))

    def _take(self, answer: GoldAnswer) -> None:
        mine = self.answers.setdefault(answer.who, [])
        mine[:] = [a for a in mine if (a.topic, a.doc) != (answer.topic, answer.doc)]
        if answer.act != "undo":
            mine.append(answer)

    def put(self, questions: list[GoldQuestion]) -> None:
        """Ask these too, or otherwise if they are asked already."""
        with self.database.transaction() as connection:
            for each in questions:
                here = gold_questions.c.topic == each.topic, gold_questions.c.doc == each.doc
                connection.execute(delete(gold_questions).where(*here))
                connection.execute(insert(gold_questions), [asdict(each)])
        for each in questions:
            self.questions.pop((each.topic, each.doc), None)
            self.questions[each.topic, each.doc] = each

    def remove(self, topic: str, doc: str) -> bool:
        """Ask this no more; whether it was asked. What was said to it stays."""
        here = gold_questions.c.topic == topic, gold_questions.c.doc == doc
        with self.database.transaction() as connection:
            connection.execute(delete(gold_questions).where(*here))
        return self.questions.pop((topic, doc), None) is not None

    def said(self, who: str, topic: str, doc: str) -> GoldAnswer | None:
        """What somebody said to a question."""
        answers = self.answers.get(who, [])
        return next((a for a in answers if (a.topic, a.doc) == (topic, doc)), None)

    def record(self, answer: GoldAnswer) -> None:
        """Keep an answer, which replaces a former one, or its undo; on the disk on return."""
        with self.database.transaction() as connection:
            append(connection, gold_answers, asdict(answer))
        self._take(answer)

    def open_for(self, who: str) -> list[GoldQuestion]:
        """What this person has not answered: training first, the rest in an order of their own."""
        known = {(answer.topic, answer.doc) for answer in self.answers.get(who, [])}
        left = [each for place, each in self.questions.items() if place not in known]
        training = [each for each in left if each.training]
        rest = [each for each in left if not each.training]
        return training + sorted(rest, key=lambda each: _luck(who, each))

    def due(
        self,
        who: str,
        since: Callable[[int], int],
        every: int,
        topic: str | None,
        may: Callable[[GoldQuestion], bool] = lambda question: True,
    ) -> GoldQuestion | None:
        """The question that comes next: one for training, or one after every so many judgments.

        One of the topic that the person is at is preferred, so that it does not stand out. `may`
        says which can be asked of this person at all, `since` how many judgments came after so
        many rows of the ledger. Times play no part: a clock may be set back.
        """
        left = [each for each in self.open_for(who) if may(each)]
        if left and left[0].training:
            return left[0]
        last = max((answer.after for answer in self.answers.get(who, [])), default=0)
        if not left or not every or since(last) < every:
            return None
        return next((each for each in left if each.topic == topic), left[0])


def _luck(who: str, question: GoldQuestion) -> bytes:
    text = "\0".join([who, question.topic, question.doc])
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
