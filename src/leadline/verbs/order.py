"""order: what to judge next, in order of worth, until the budget is spent or a rule says stop."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.formats.collection import read_collection
from leadline.formats.problems import Notices
from leadline.judging.ledger import Ledger
from leadline.judging.session import Session
from leadline.judging.standing import Standing
from leadline.judging.stops import Stop, stops
from leadline.orders.protocol import Order, orders

Missing = Literal["nonrelevant", "bypass"]
DEFAULT = "Difference(p=0.8)"
SHOWN = 100
"""Without answers and budget there is no natural end, so this many are listed."""


@dataclass(frozen=True)
class Ordered:
    """The steps taken, why they ended, and where the runs stand."""

    steps: list[tuple[int, str, str, float | None, int | None]]
    reason: str
    standing: Standing
    notices: Notices = field(default_factory=Notices)

    def frame(self) -> pl.DataFrame:
        """Columns step, topic, doc, weight, grade."""
        schema = {
            "step": pl.Int64,
            "topic": pl.String,
            "doc": pl.String,
            "weight": pl.Float64,
            "grade": pl.Int64,
        }
        return pl.DataFrame(self.steps, schema=schema, orient="row")


def order(
    qrels: Any, runs: Any = None, order: str | Order = DEFAULT, **options: Any
) -> pl.DataFrame:
    """Columns step, topic, doc, weight, grade: judgments in order of worth.

    Options are those of `judge_in_order`. Without answers the grade is empty.
    """
    return judge_in_order(qrels, runs, order, **options).frame()


def judge_in_order(
    qrels: Any,
    runs: Any = None,
    order: str | Order = DEFAULT,
    *,
    judged: bool = False,
    budget: int | None = None,
    stop: str | Stop | None = None,
    answers: Any = None,
    missing: Missing = "nonrelevant",
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Ordered:
    """The same with the reason why it ended and where the runs stand.

    The input's own judgments are ignored unless `judged`, and all runs count. With `answers`, qrels
    answer every question; what they do not hold is non-relevant, or is passed by without counting.
    """
    made = orders.parse(order) if isinstance(order, str) else order
    rule = stops.parse(stop) if isinstance(stop, str) else stop
    read = read_collection(qrels, runs, **options)
    known = read.judgments if judged else None
    session = Session(read.runs, made, rule, known)
    replies = None if answers is None else _replies(answers, read.runs)
    result = _run(session, replies, budget, missing, progress)
    return Ordered(*result, session.standing, read.notices)


def _replies(answers: Any, runs: Runs) -> dict[int, int]:
    """Grades by pair."""
    from leadline.formats.inputs import qrels_from
    from leadline.formats.reading import Reading

    frame = qrels_from(answers, Reading()).frame.drop_nulls("grade")
    at = runs.pairs.find(frame["topic"], frame["doc"])
    grades = zip(at.tolist(), frame["grade"].to_list(), strict=True)
    return {pair: grade for pair, grade in grades if pair >= 0}


def _run(
    session: Session,
    replies: dict[int, int] | None,
    budget: int | None,
    missing: Missing,
    progress: Callable[[int, int], None] | None,
) -> tuple[list[tuple[int, str, str, float | None, int | None]], str]:
    steps: list[tuple[int, str, str, float | None, int | None]] = []
    most = budget if budget is not None or replies is not None else SHOWN
    names = session.runs.pairs
    while most is None or len(steps) < most:
        reason = session.reason()
        if reason is not None:
            return steps, reason
        chosen = session.ask()
        if not chosen:
            return steps, "there is nothing more worth judging"
        pair = chosen[0].pair
        grade = None
        if replies is not None:
            if pair not in replies and missing == "bypass":
                session.stepper.spend(pair)
                session.out.pop(pair, None)
                continue
            grade = replies.get(pair, 0)
            session.tell(pair, grade)
        steps.append((len(steps) + 1, *names.name(pair), chosen[0].weight, grade))
        if progress is not None and most is not None:
            progress(len(steps), most)
    return steps, session.reason() or f"{len(steps)} were asked for"


def make_session(
    qrels: Any,
    runs: Any,
    order: str | Order,
    stop: str | Stop | None,
    ledger: Ledger,
    judged: bool = False,
    **options: Any,
) -> Session:
    """A session to be asked and told, over runs in any form, that goes on where its ledger ends."""
    made = orders.parse(order) if isinstance(order, str) else order
    rule = stops.parse(stop) if isinstance(stop, str) else stop
    read = read_collection(qrels, runs, **options)
    known: Judgments | None = read.judgments if judged else None
    return Session(read.runs, made, rule, known, ledger=ledger)
