"""next: what to judge next, in order of worth, until the budget is spent or a rule says stop."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

import polars as pl

from leadline.api.result import Result
from leadline.api.shared_options import LabelFiles, ReadOptions, complete
from leadline.data.judgments import Judgments
from leadline.io.by_content import qrels_from
from leadline.io.collection import Collection
from leadline.io.formats import Reading
from leadline.io.problems import Notices, Progress
from leadline.io.read import read
from leadline.judging.ledger import Ledger, read_ledger
from leadline.judging.order import Order, orders
from leadline.judging.session import Session
from leadline.judging.standings import Standings
from leadline.judging.stops import Budget, FirstOf, Stop, WinnerCertain, non_inferior, stops
from leadline.options import Option
from leadline.registry import check_choice

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType


Unanswered = Literal["nonrelevant", "bypass"]
DEFAULT = "CertainWinner(p=0.8)"
SHOWN = 100
"""Without answers and budget there is no natural end, so this many are listed."""

Step = tuple[int, str, str, float | None, int | None]


@dataclass(frozen=True, eq=False, repr=False)
class Ordering(Result):
    """The steps taken, why they ended, and the session, which tells where the runs stand."""

    steps: list[Step]
    session: Session
    reason: str = ""
    notices: Notices = field(default_factory=Notices)

    @property
    def standings(self) -> Standings:
        """Where the runs stand after the last step."""
        return self.session.standing

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns step, topic, doc, weight, grade."""
        types = (pl.Int64, pl.String, pl.String, pl.Float64, pl.Int64)
        names = ("step", "topic", "doc", "weight", "grade")
        schema = dict(zip(names, types, strict=True))
        return pl.DataFrame(self.steps, schema=schema, orient="row")

    def audited(self) -> pl.DataFrame | None:
        """Columns run, score, standard_error, pred_lower, pred_upper: unbiased estimates from the
        order's random sample, with 95% intervals.

        None for an order that samples nothing, and before its fifth batch. Intervals and standard
        errors are null while the sample is too small for them.
        """
        state = self.session.standing.likely
        scores = None if state is None else state.audit.scores
        if scores is None:
            return None
        lower, upper = scores.interval()
        columns = {
            "run": self.session.runs.names,
            "score": scores.value,
            "standard_error": scores.standard_error,
            "pred_lower": lower,
            "pred_upper": upper,
        }
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))

    def certificate(self) -> dict[str, Any]:
        """Return all that `leadline verify-certificate` needs to recompute the intervals.

        For the order SampledBatches; margin and alpha are those of the stop NonInferior.
        """
        from leadline.judging.certificate import two_run_certificate

        session = self.session
        sample = session.standing.two_runs
        if sample is None:
            raise ValueError(
                "a certificate is for judgments that were sampled for two runs: take the order "
                "SampledBatches(aim='run_a,run_b')"
            )
        rule = non_inferior(session.stop)
        return two_run_certificate(
            sample,
            session.runs.pairs,
            session.judged.grade,
            session.ledger.entries,
            rule.margin,
            rule.alpha,
        )

    def course(self) -> pl.DataFrame:
        """Columns judged, contenders: how many runs could still be better after each judgment."""
        session = self.session
        standing = Standings(session.runs, session.weigher, session.judgments)
        points = [(len(standing.judged), int(standing.contest.contenders.sum()))]
        for pair, grade in session.grades.items():
            standing.tell(pair, grade)
            points.append((len(standing.judged), int(standing.contest.contenders.sum())))
        return pl.DataFrame(points, schema=["judged", "contenders"], orient="row")

    def chart(self) -> alt.TopLevelMixin:
        """How many runs can still turn out better than the leader, judgment by judgment."""
        from leadline.views.result_charts import certainty_course

        if not self.session.grades:
            raise ValueError(
                "nothing was judged in these steps: there is a picture with `simulate`"
            )
        return certainty_course(self.course())

    def table(self) -> RenderableType:
        """The steps, weights to four digits."""
        from leadline.views.tables import plain_table

        return plain_table(self.frame.with_columns(pl.col("weight").round_sig_figs(4)))


def next_judgments(
    qrels: Any,
    runs: Any = None,
    order: str | Order = DEFAULT,
    *,
    use_judgments: Annotated[bool | None, Option("--use-judgments/--no-use-judgments")] = None,
    budget: int | None = None,
    stop: str | Stop | None = None,
    simulate: Annotated[Any, Option(metavar="QRELS")] = None,
    unanswered: Annotated[Unanswered, Option(metavar="HOW")] = "nonrelevant",
    ledger: Annotated[
        str | os.PathLike[str] | Ledger | None, Option(metavar="FILE", path="file")
    ] = None,
    labels: LabelFiles = None,
    progress: Progress | None = None,
    **read_options: Unpack[ReadOptions],
) -> Ordering:
    """Return the pairs to judge next, the most informative first.

    Columns: step, topic, doc, weight, grade; the grade is empty unless judging is simulated. All
    runs count, pooled or not.

    qrels, runs: as for `evaluate`; qrels may be None where nothing is judged yet.
    order: which pairs come first. `leadline list orders` describes the orders.
    use_judgments: whether to use the judgments in `qrels`. The default is yes, and no with
        `simulate`.
    budget: most judgments. The default is 100 if there is no other end.
    stop: when to stop. `leadline list stops` describes the rules. With `simulate` or --interactive
        the default is WinnerCertain, unless there is a budget.
    simulate: qrels that answer every request, to simulate judging.
    unanswered: what the answers do not hold: judge it nonrelevant, or bypass it. What is bypassed
    is
        not counted.
    ledger: file that keeps the judgments; those in it count as judged. With --interactive the
        default is leadline-judgments.jsonl. In Python also a Ledger.
    labels: as for `estimate`.
    progress: as for `evaluate`.
    read_options: how to read, for instance topics or run_names: see `ReadOptions`.
    """
    check_choice("unanswered", unanswered, Unanswered)
    made, rule = named_order(order), named_stop(stop)
    if budget is None and rule is None and simulate is not None:
        rule = WinnerCertain(joint=True)
    # Before anything slow is done.
    answering = None if simulate is None else qrels_from(simulate, Reading())
    if isinstance(ledger, str | os.PathLike):
        ledger = read_ledger(Path(ledger))
    collection = read(
        qrels,
        runs,
        progress=progress,
        labels=labels,
        **complete(read_options),
    )
    if labels is not None and not made.uses_labels:
        message = f"{made} does not use labels: use LikelyWinner"
        collection.notices.add("", "warning", "labels-unused", message)
    count = simulate is None if use_judgments is None else use_judgments
    session = start_session(collection, made, rule, use_judgments=count, ledger=ledger)
    if budget is None and answering is None:
        budget = SHOWN
    replies = None if answering is None else answering.over(collection.runs.pairs)
    if replies is not None and not replies.judged.any():
        raise ValueError("the answers judge no document that these runs return")
    steps, reason = _run(session, replies, check_budget(budget), unanswered, progress)
    return Ordering(steps, session, reason, collection.notices)


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
    collection: Collection,
    order: str | Order,
    stop: str | Stop | None = None,
    *,
    budget: int | None = None,
    use_judgments: bool = True,
    ledger: Ledger | None = None,
) -> Session:
    """A session to be asked and told, that goes on where its ledger ends."""
    rules = [
        rule for rule in (named_stop(stop), None if budget is None else Budget(budget)) if rule
    ]
    known = collection.judgments if use_judgments else None
    rule = FirstOf(tuple(rules)) if len(rules) > 1 else next(iter(rules), None)
    return Session(collection.runs, named_order(order), rule, known, ledger=ledger or Ledger())


def _run(
    session: Session,
    replies: Judgments | None,
    most: int | None,
    unanswered: Unanswered,
    progress: Progress | None,
) -> tuple[list[Step], str]:
    steps: list[Step] = []
    total = most or len(session.runs.pairs)
    while most is None or len(steps) < most:
        choices = session.ask()
        if not choices:
            return steps, session.reason() or session.exhausted() + session.held_back()
        pair, weight = choices[0].pair, choices[0].weight
        grade = None
        if replies is not None:
            if not replies.judged[pair] and unanswered == "bypass":
                session.pass_by(pair)
                continue
            grade = int(replies.grade[pair])
            session.tell(pair, grade)
        steps.append((len(steps) + 1, *session.runs.pairs.name(pair), weight, grade))
        if progress is not None:
            progress(len(steps), total)
    return steps, session.reason() or "budget reached" + session.held_back()
