"""A session: ask what to judge, tell the grade, see who can still be best."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import index

import numpy as np

from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.judging.certificate import commit_seed
from leadline.judging.ledger import (
    ABOUT_NO_PAIR,
    SPENT,
    Act,
    Entry,
    JudgedPairs,
    Ledger,
    Replay,
    in_force,
)
from leadline.judging.merge import Merging, Votes
from leadline.judging.order import Choice, Order
from leadline.judging.standings import Standings
from leadline.judging.stops import Stop
from leadline.measures.measure import Weighted


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class Session:
    """An order, judgments and a stopping rule together.

    Whatever is in the ledger is taken up at the start, so a session that was interrupted goes on
    where it was: with one assessor, exactly as if it had never stopped. `measure` is what stopping
    rules look at: the order's own by default. `elsewhere` are the acts in the ledger about
    documents that no run here returns; they change nothing. Where the ledger is of several people,
    their judgments are merged by the usual rule.
    """

    runs: Runs
    order: Order
    stop: Stop | None = None
    judgments: Judgments | None = None
    measure: Weighted | None = None
    ledger: Ledger = field(default_factory=Ledger)
    clock: Callable[[], str] = _now

    def __post_init__(self) -> None:
        self.weigher: Weighted = self.measure or self.order.weighted
        self.rel: int = self.weigher.rel
        _check_gains(self.weigher)
        self.out: dict[int, str] = {}
        self._weight: dict[int, float | None] = {}
        self._rebuild()
        commit_seed(self.ledger, self.stepper.two_runs, self.clock())

    def _rebuild(self) -> None:
        """Stepper and standing from the judgments given and the ledger."""
        self.stepper = self.order.start(self.runs, self.judgments)
        if self.stop is not None and self.stop.needs_model and self.stepper.likely is None:
            raise ValueError(
                f"{self.stop} needs an order with a model and an audit: LikelyWinner(...), "
                f"not {self.order}"
            )
        if self.stop is not None and self.stop.needs_two_runs and self.stepper.two_runs is None:
            raise ValueError(
                f"{self.stop} needs an order that samples for two runs: "
                f"SampledBatches(aim='run_a,run_b'), not {self.order}"
            )
        self.standing = Standings(
            self.runs, self.weigher, self.judgments, self.stepper.likely, self.stepper.two_runs
        )
        acts = self._acts()
        votes: Votes[int] = Votes(Merging())
        for pair, entry in acts:
            votes.add(pair, entry)
        replay = Replay(self.stepper, self.order)
        for pair, entry in acts:
            outcome = SPENT if entry.act == "skip" else votes.outcome(pair)
            if pair in self.judged or outcome is None:
                continue
            replay.meet(pair, entry.asked or 0)
            if outcome == SPENT:
                self._leave(pair)
            else:
                self._take(pair, outcome)
        self.handed = replay.handed
        self.returned = [choice for choice in replay.ahead if choice.pair not in self.out]
        for pair in self.out:
            self.stepper.spend(pair)

    @property
    def judged(self) -> JudgedPairs:
        """What is judged, what was given, what is spent."""
        return self.standing.judged

    @property
    def grades(self) -> dict[int, int]:
        """The grades that were given in this session, in their order."""
        return self.judged.told

    def _acts(self) -> list[tuple[int, Entry]]:
        entries = [e for e in in_force(self.ledger.entries) if e.act not in ABOUT_NO_PAIR]
        found = self.runs.pairs.find([e.topic for e in entries], [e.doc for e in entries]).tolist()
        self.elsewhere = [e for pair, e in zip(found, entries, strict=True) if pair < 0]
        return [(pair, e) for pair, e in zip(found, entries, strict=True) if pair >= 0]

    def _take(self, pair: int, grade: int) -> None:
        self.stepper.tell(pair, grade)
        self.standing.tell(pair, grade)

    def _leave(self, pair: int) -> None:
        self.judged.spent.add(pair)
        self.stepper.spend(pair)

    def ask(self, n: int = 1, who: str = "") -> list[Choice]:
        """The n pairs to judge next, out with this person until told, skipped or given back.

        Pairs that came back come first. None when the stopping rule says so, and never more than
        its budget leaves.
        """
        n = self._at_most(n)
        chosen = self.returned[:n]
        del self.returned[:n]
        fresh = self.stepper.next(n - len(chosen)) if len(chosen) < n else []
        self.handed += len(fresh)
        return self._hand_out([*chosen, *fresh], who)

    def ask_of_topic(self, topic: int, n: int = 1, who: str = "") -> list[Choice]:
        """As `ask`, of one topic: the pairs that weigh most in it, the first of equals."""
        n = self._at_most(n)
        first, last = self.runs.pairs.topic_start[topic : topic + 2].tolist()
        chosen: list[Choice] = []
        while len(chosen) < n:
            weights = self.stepper.weights(first, last)
            most = 0.0 if weights is None else float(weights.max(initial=0.0))
            if weights is None or most <= 0:
                break
            # Rounding decides nothing.
            at = int(np.argmax(weights >= most * (1 - 1e-10)))
            self.stepper.spend(first + at)
            chosen.append(Choice(first + at, most))
        self.handed += len(chosen)
        return self._hand_out(chosen, who)

    def _at_most(self, n: int) -> int:
        """How many of n pairs the stopping rule lets be handed out."""
        if self.reason() is not None:
            return 0
        left = None if self.stop is None else self.stop.left(self.standing)
        return n if left is None else max(0, min(n, left - len(self.out)))

    def _hand_out(self, chosen: list[Choice], who: str) -> list[Choice]:
        self.out.update((choice.pair, who) for choice in chosen)
        self._weight.update((choice.pair, choice.weight) for choice in chosen)
        return chosen

    def tell(self, pair: int, grade: int, who: str = "", note: str = "") -> None:
        """The grade of a pair; it is in the ledger when this returns."""
        self._check(pair)
        grade = index(grade)
        self._write("judge", pair, who, grade, note)
        self._settle(pair)
        self._take(pair, grade)

    def skip(self, pair: int, who: str = "", note: str = "") -> None:
        """The pair cannot be judged and is not asked for again."""
        self._check(pair)
        self._write("skip", pair, who, None, note)
        self._settle(pair)
        self._leave(pair)

    def count(self, pair: int, grade: int) -> None:
        """As `tell`, for a grade that is written down elsewhere."""
        self._check(pair)
        self._settle(pair)
        self._take(pair, index(grade))

    def pass_by(self, pair: int) -> None:
        """As `skip`, but only for a trial, or written down elsewhere."""
        self._settle(pair)
        self._leave(pair)

    def retract(self, pair: int) -> bool:
        """Take back the grade of a pair, which is out again; False if the order cannot."""
        outcome = self.judged.outcome(pair)
        if outcome is None or pair in self.judged.given:
            return True
        if not self.stepper.retract(pair, None if outcome == SPENT else outcome):
            return False
        self.standing.retract(pair)
        self.out[pair] = ""
        return True

    def _check(self, pair: int) -> None:
        if not 0 <= pair < len(self.runs.pairs):
            raise ValueError(f"there is no pair {pair}")
        if pair in self.judged:
            topic, doc = self.runs.pairs.name(pair)
            undo = "" if pair in self.judged.given else "; undo that first"
            raise ValueError(f"{doc} of topic {topic} was judged already{undo}")

    def _settle(self, pair: int) -> None:
        self.out.pop(pair, None)
        self._weight.pop(pair, None)
        self.returned = [choice for choice in self.returned if choice.pair != pair]

    def give_back(self, pair: int) -> None:
        """The pair was not judged; it is the next to be asked for again."""
        if self.out.pop(pair, None) is not None:
            self.returned.append(Choice(pair, self._weight.pop(pair)))

    def undo(self, who: str = "") -> int | None:
        """Take back this person's last act; the pair that it was about, None if there is none.

        What this person has out comes back too, because it was chosen in the light of that act.
        """
        acts = [entry for _, entry in self._acts() if entry.who == who]
        if not acts:
            return None
        last = acts[-1]
        self.ledger.append(Entry("undo", last.topic, last.doc, None, who, self.clock()))
        self.out = {pair: name for pair, name in self.out.items() if name != who}
        self._rebuild()
        return int(self.runs.pairs.find([last.topic], [last.doc])[0])

    def _write(self, act: Act, pair: int, who: str, grade: int | None, note: str) -> None:
        topic, doc = self.runs.pairs.name(pair)
        self.ledger.append(Entry(act, topic, doc, grade, who, self.clock(), note, self.handed))

    def reason(self) -> str | None:
        """Why there is nothing more to judge, None while there is."""
        return None if self.stop is None else self.stop.reason(self.standing)

    def held_back(self) -> str:
        """Why the stopping rule does not say stop although it could; empty where that is not so."""
        told = None if self.stop is None else self.stop.held_back(self.standing)
        return "" if told is None else f"; held back: {told}"

    def exhausted(self) -> str:
        """What to say when nothing was handed out although no rule says stop."""
        if self.out:
            left = None if self.stop is None else self.stop.left(self.standing)
            what = "the budget allows" if left is not None else f"{self.order} has"
            return f"{what} nothing more until {len(self.out):,} are answered"
        stop = "" if self.stop is None else f"; {self.stop} was not reached"
        return f"{self.order} has nothing more to ask{stop}"


def _check_gains(measure: Weighted) -> None:
    """Standings count an open document as worth 1 at most, so no gain may be larger."""
    if measure.gains == "binary":
        return
    if measure.max_grade is None or measure.gain(measure.max_grade).max() > 1:
        raise ValueError(
            "a session needs gains of at most 1, and the top of the scale if there are several: "
            "RBP(p=0.8), P@10 and RBP(p=0.8, gains=linear, max_grade=3) have them, the gains of "
            f"{measure} do not; CertainWinner(measure='nDCG@10') asks by nDCG"
        )
