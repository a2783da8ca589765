"""order: what to judge next, in order of worth, until the budget is spent or a rule says stop."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import polars as pl

from leadline.collection.collection import Collection
from leadline.files.problems import Notices
from leadline.judging.ledger import Ledger
from leadline.judging.session import Session
from leadline.judging.standings import Standings
from leadline.judging.stops import BestCertain, Budget, FirstOf, Stop, stops
from leadline.orders.order import Order, orders
from leadline.tables.runs import Runs
from leadline.verbs.pool import read_topics

Missing = Literal["nonrelevant", "bypass"]
DEFAULT = "Difference(p=0.8)"
SHOWN = 100
"""Without answers and budget there is no natural end, so this many are listed."""

Progress = Callable[[int, int], None]
Step = tuple[int, str, str, float | None, int | None]


@dataclass(frozen=True)
class Ordered:
    """The steps taken, why they ended, and the session, which tells where the runs stand."""

    steps: list[Step]
    reason: str
    session: Session
    notices: Notices = field(default_factory=Notices)

    @property
    def standing(self) -> Standings:
        """Where the runs stand after the last step."""
        return self.session.standing

    def frame(self) -> pl.DataFrame:
        """Columns step, topic, doc, weight, grade."""
        return steps_frame(self.steps)


def steps_frame(steps: list[Step]) -> pl.DataFrame:
    """Columns step, topic, doc, weight, grade."""
    types = (pl.Int64, pl.String, pl.String, pl.Float64, pl.Int64)
    names = ("step", "topic", "doc", "weight", "grade")
    return pl.DataFrame(steps, schema=dict(zip(names, types, strict=True)), orient="row")


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
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    reading: Progress | None = None,
    **options: Any,
) -> Ordered:
    """The same with the reason why it ended and where the runs stand.

    The input's own judgments are ignored unless `judged`, and all runs count. With `answers`, qrels
    answer every question; what they do not hold is non-relevant, or is passed by without counting.
    With answers and neither budget nor stop, it ends when the best run is certain. What is in a
    `ledger` was judged before the first step.
    """
    if missing not in get_args(Missing):
        raise ValueError(f"missing must be one of {', '.join(get_args(Missing))}, not {missing}")
    made, rule = named_order(order), named_stop(stop)
    if budget is None and rule is None and answers is not None:
        rule = BestCertain(joint=True)
    replies = None if answers is None else _Replies(answers)
    read = read_topics(qrels, runs, progress=reading, **options)
    session = start_session(read, made, rule, judged=judged, ledger=ledger)
    if budget is None and replies is None:
        budget = SHOWN
    if replies is not None:
        replies.meet(read.runs)
    steps, reason = _run(session, replies, check_budget(budget), missing, progress)
    return Ordered(steps, reason, session, read.notices)


def named_order(order: str | Order) -> Order:
    """The order that a name stands for."""
    return orders.parse(order) if isinstance(order, str) else order


def named_stop(stop: str | Stop | None) -> Stop | None:
    """The stopping rule that a name stands for."""
    return stops.parse(stop) if isinstance(stop, str) else stop


def check_budget(budget: int | None) -> int | None:
    """The budget; a ValueError if it makes no sense."""
    return None if budget is None else Budget(budget).n


def start_session(
    read: Collection,
    order: str | Order,
    stop: str | Stop | None = None,
    *,
    budget: int | None = None,
    judged: bool = False,
    ledger: Ledger | None = None,
) -> Session:
    """A session to be asked and told, that goes on where its ledger ends."""
    rules = [
        rule for rule in (named_stop(stop), None if budget is None else Budget(budget)) if rule
    ]
    known = read.judgments if judged else None
    rule = FirstOf(tuple(rules)) if len(rules) > 1 else next(iter(rules), None)
    return Session(read.runs, named_order(order), rule, known, ledger=ledger or Ledger())


class _Replies:
    """Grades by pair, from qrels that are read before anything slow is done."""

    def __init__(self, answers: Any) -> None:
        from leadline.formats.by_content import qrels_from
        from leadline.formats.read_options import Reading

        self.frame = qrels_from(answers, Reading()).frame.drop_nulls("grade")
        self.grade: dict[int, int] = {}

    def meet(self, runs: Runs) -> None:
        """Find the pairs of these runs; a ValueError if there are none."""
        at = runs.pairs.find(self.frame["topic"], self.frame["doc"])
        grades = zip(at.tolist(), self.frame["grade"].to_list(), strict=True)
        self.grade = {pair: grade for pair, grade in grades if pair >= 0}
        if not self.grade:
            raise ValueError("the answers judge no document that these runs return")


def _run(
    session: Session,
    replies: _Replies | None,
    most: int | None,
    missing: Missing,
    progress: Progress | None,
) -> tuple[list[Step], str]:
    steps: list[Step] = []
    total = most or len(session.runs.pairs)
    while most is None or len(steps) < most:
        chosen = session.ask()
        if not chosen:
            return steps, session.reason() or session.exhausted()
        pair, weight = chosen[0].pair, chosen[0].weight
        grade = None
        if replies is not None:
            grade = replies.grade.get(pair)
            if grade is None and missing == "bypass":
                session.pass_by(pair)
                continue
            grade = grade or 0
            session.tell(pair, grade)
        steps.append((len(steps) + 1, *session.runs.pairs.name(pair), weight, grade))
        if progress is not None:
            progress(len(steps), total)
    return steps, session.reason() or f"{len(steps):,} were asked for"
