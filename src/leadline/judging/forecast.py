"""How many more judgments it takes until the best runs are likely or certain.

What nobody has judged is drawn from a model of what was, several times over. In each of these
completions the order goes on asking and is given its grades, until the rule stops it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from leadline.completions.winner import ScorePosterior, WinnerModel
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.judging.order import Order
from leadline.judging.session import Session
from leadline.judging.stops import Stop
from leadline.measures.measure import Weighted
from leadline.stats.board import WinnerForecast, outlook_of
from leadline.stats.certainty import modelled

LEAST_NEW, SHARE_NEW = 10, 0.05
"""A forecast is kept until so many more are judged, and this share of what was."""


@dataclass(frozen=True)
class SessionForecast:
    """An outlook after `n_judged`; `held` says why what the model makes likely does not count.

    `left` is what a budget leaves, None without one.
    """

    outlook: WinnerForecast
    n_judged: int
    held: str
    left: int | None

    @property
    def after_budget(self) -> float | None:
        """The probability to expect when the budget is spent."""
        return None if self.left is None else self.outlook.after(self.left)


@dataclass(frozen=True)
class Known:
    """What a forecast follows from: a copy, so that judging may go on meanwhile."""

    grade: dict[int, int]
    certain: bool
    posterior: ScorePosterior | None
    held: str


class Forecast:
    """Rebuilt when enough has been judged since, because a model takes a moment to fit.

    An order that has a model of its own, and an audit of it, is asked for that.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._model: WinnerModel | None = None
        self._kept: SessionForecast | None = None

    def now(self) -> SessionForecast | None:
        """The last one if it is recent, else a new one; None where there is no model."""
        known = self.due()
        if known is not None:
            self.make(known)
        return self.kept()

    def kept(self) -> SessionForecast | None:
        """The last one that was made, with what the budget leaves now."""
        stop = self.session.stop
        left = None if stop is None else stop.left(self.session.standing)
        return None if self._kept is None else replace(self._kept, left=left)

    def due(self) -> Known | None:
        """What a new forecast follows from, if it is time for one; None if it is not."""
        session, kept = self.session, self._kept
        n = len(session.judged.grade)
        certain = not session.standing.contest.contenders.any()
        if kept is not None:
            recent = abs(n - kept.n_judged) < max(LEAST_NEW, SHARE_NEW * n)
            if recent and certain == (kept.outlook.certainty == "certain"):
                return None
        if not n or not modelled(session.runs, session.weigher):
            self._kept = None
            return None
        state = session.standing.likely
        own = session.weigher == session.order.weighted
        posterior = state.posterior if state is not None and own else None
        held = "" if state is None else state.caveat
        return Known(dict(session.judged.grade), certain, posterior, held)

    def make(self, known: Known) -> None:
        """Make the forecast; of the session it touches the runs only, so it may take its time."""
        session = self.session
        model = self._model = self._model or WinnerModel(session.runs, session.weigher)
        judgments = known_judgments(session.runs, known.grade)
        posterior = known.posterior or model.posterior(judgments)
        made = outlook_of(posterior, judgments, session.weigher, certain=known.certain)
        if known.held and made.certainty == "likely":
            made = replace(made, certainty="open")
        self._kept = SessionForecast(made, len(known.grade), known.held, None)


def known_judgments(runs: Runs, grades: dict[int, int]) -> Judgments:
    """Return the judgments that the grades of some pairs make."""
    judged, grade = np.zeros(len(runs.pairs), np.bool_), np.zeros(len(runs.pairs), np.int16)
    pair = np.fromiter(grades.keys(), np.int64, len(grades))
    judged[pair] = True
    grade[pair] = np.maximum(np.fromiter(grades.values(), np.int64, len(grades)), 0)
    return Judgments(runs.pairs, judged, grade)


N_COMPLETIONS = 5
WIDER = 1.4
"""How much further the range reaches than the completions: the model knows only what was judged."""

FIRST_STEP, LOOKS = 10, 60
"""In the first completion so many are asked for at a time, then about so many times in all."""


@dataclass(frozen=True)
class ToGo:
    """At least and at most so many judgments, 0 to 0 once it is enough."""

    least: int
    most: int

    def within(self, left: int | None) -> "ToGo":
        """The same where a budget leaves no more than this."""
        if left is None:
            return self
        return ToGo(min(self.least, left), min(self.most, left))

    def since(self, n: int) -> "ToGo":
        """The same after n more judgments; at least one is to go until the rule says otherwise."""
        return ToGo(max(1, self.least - n), max(1, self.most - n))


@dataclass(frozen=True)
class Rest:
    """What is to be played: runs, order and rule, and the grades that are known."""

    runs: Runs
    order: Order
    stop: Stop
    measure: Weighted
    grade: dict[int, int]

    def play(self, grades: dict[int, int], step: int, pause: Callable[[], None]) -> int:
        """Return how many judgments it takes in one completion; other pairs are graded 0."""
        given = known_judgments(self.runs, self.grade)
        session = Session(self.runs, self.order, self.stop, given, self.measure)
        n = 0
        while session.reason() is None:
            asked = session.ask(step)
            for choice in asked:
                session.count(choice.pair, grades.get(choice.pair, 0))
            n += len(asked)
            if not asked:
                break
            pause()
        return n


def to_go(rest: Rest, model: WinnerModel, pause: Callable[[], None] = lambda: None) -> ToGo:
    """Return a range for how many more judgments it takes.

    Formula: from min_c n_c / 1.4 to 1.4 max_c n_c, over five completions c

    Documents that no run ranks high enough to count are taken for not relevant. The last batch of a
    completion is counted by half, because the rule may have been met anywhere within it.
    """
    completions = model.completions(known_judgments(rest.runs, rest.grade), N_COMPLETIONS, 0)
    counts: list[float] = []
    step = FIRST_STEP
    for drawn in completions.drawn.T:
        relevant = np.flatnonzero(drawn)
        grades = zip(completions.pair[relevant].tolist(), drawn[relevant].tolist(), strict=True)
        n = rest.play(dict(grades), step, pause)
        counts.append(max(1.0, n - step / 2))
        step = max(1, n // LOOKS)
    return ToGo(max(1, math.floor(min(counts) / WIDER)), math.ceil(max(counts) * WIDER))
