"""A session: ask what to judge, tell the grade, see who can still be best."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.judging.ledger import Entry, Ledger
from leadline.judging.standing import Standing
from leadline.judging.stops import Stop
from leadline.measures.rbp import RBP
from leadline.measures.weighted import Weighted
from leadline.orders.protocol import Choice, Order


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class Session:
    """An order, judgments and a stopping rule together.

    Whatever is in the ledger is taken up at the start, so a session that was interrupted goes on
    where it was. `measure` is what stopping rules look at: RBP with the order's p unless given.
    """

    runs: Runs
    order: Order
    stop: Stop | None = None
    judgments: Judgments | None = None
    measure: Weighted | None = None
    ledger: Ledger = field(default_factory=Ledger)
    clock: Callable[[], str] = _now

    def __post_init__(self) -> None:
        self.rel: int = getattr(self.order, "rel", 1)
        self.weigher: Weighted = self.measure or RBP(p=getattr(self.order, "p", 0.8), rel=self.rel)
        self.out: dict[int, str] = {}
        self._rebuild()

    def _rebuild(self) -> None:
        """Stepper and standing from the judgments given and the ledger."""
        self.stepper = self.order.start(self.runs, self.judgments)
        self.standing = Standing(self.runs, self.weigher)
        if self.judgments is not None:
            for known in self.judgments.judged.nonzero()[0].tolist():
                self._stand(known, int(self.judgments.grade[known]))
        self.grades: dict[int, int] = {}
        self.skipped: set[int] = set()
        for entry in in_force(self.ledger.entries):
            pair = int(self.runs.pairs.find([entry.topic], [entry.doc])[0])
            if pair < 0:
                raise ValueError(
                    f"the ledger judges {entry.doc} of topic {entry.topic}, unknown here"
                )
            if entry.act == "skip":
                self.skipped.add(pair)
                self.stepper.spend(pair)
            else:
                self._take(pair, int(entry.grade or 0))
        for pair in self.out:
            self.stepper.spend(pair)

    def _stand(self, pair: int, grade: int) -> None:
        gains = self.weigher.gain(max(grade, self._scale()))
        self.standing.tell(pair, float(gains[grade]))

    def _scale(self) -> int:
        return 1 if self.judgments is None else self.judgments.max_grade

    def _take(self, pair: int, grade: int) -> None:
        """A grade reaches the stepper as the order would have had it."""
        self.stepper.tell(pair, grade)
        self._stand(pair, grade)
        self.grades[pair] = grade

    def ask(self, n: int = 1, who: str = "") -> list[Choice]:
        """The n pairs to judge next, out with this person until told, skipped or given back."""
        if self.reason() is not None:
            return []
        chosen = self.stepper.next(n)
        self.out.update((choice.pair, who) for choice in chosen)
        return chosen

    def tell(self, pair: int, grade: int, who: str = "", note: str = "") -> None:
        """The grade of a pair; it is in the ledger when this returns."""
        if pair in self.grades:
            topic, doc = self.runs.pairs.name(pair)
            raise ValueError(f"{doc} of topic {topic} was judged already; undo that first")
        if grade < 0:
            raise ValueError(f"a grade must be 0 or more, not {grade}")
        self._write("judge", pair, who, grade, note)
        self.out.pop(pair, None)
        self._take(pair, grade)

    def skip(self, pair: int, who: str = "", note: str = "") -> None:
        """The pair cannot be judged and is not asked for again."""
        self._write("skip", pair, who, None, note)
        self.out.pop(pair, None)
        self.skipped.add(pair)
        self.stepper.spend(pair)

    def give_back(self, pair: int) -> None:
        """The pair was not judged and may be asked for again."""
        self.out.pop(pair, None)
        self.stepper.release(pair)

    def undo(self, who: str = "") -> int | None:
        """Take back this person's last act; the pair that it was about, None if there is none."""
        mine = [entry for entry in in_force(self.ledger.entries) if entry.who == who]
        if not mine:
            return None
        last = mine[-1]
        self.ledger.append(Entry("undo", last.topic, last.doc, None, who, self.clock()))
        self._rebuild()
        return int(self.runs.pairs.find([last.topic], [last.doc])[0])

    def _write(self, act: str, pair: int, who: str, grade: int | None, note: str) -> None:
        topic, doc = self.runs.pairs.name(pair)
        self.ledger.append(Entry(act, topic, doc, grade, who, self.clock(), note))  # type: ignore[arg-type]

    def reason(self) -> str | None:
        """Why there is nothing more to judge, None while there is."""
        return None if self.stop is None else self.stop.reason(self.standing)


def in_force(entries: list[Entry]) -> list[Entry]:
    """The acts that were not undone, in their order."""
    kept: list[Entry] = []
    for entry in entries:
        if entry.act == "undo":
            for at in range(len(kept) - 1, -1, -1):
                if (kept[at].topic, kept[at].doc, kept[at].who) == (
                    entry.topic,
                    entry.doc,
                    entry.who,
                ):
                    del kept[at]
                    break
        else:
            kept.append(entry)
    return kept
