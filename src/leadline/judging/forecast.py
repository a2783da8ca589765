"""How many more judgments it takes until the best runs are likely or certain.

What nobody has judged is drawn from a model of what was, several times over. In each of these
worlds the order goes on asking and is told what it holds, until the rule stops it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from leadline.completions.score_model import ScoreModel, ScorePosterior
from leadline.data.arrays import Bools, Floats
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.judging.order import Order
from leadline.judging.session import Session
from leadline.judging.stops import Stop
from leadline.measures.measure import Weighted
from leadline.stats.board import Outlook, outlook
from leadline.stats.sureness import modelled

LEAST_NEW, SHARE_NEW = 10, 0.05
"""A forecast is kept until so many more are judged, and this share of what was."""


@dataclass(frozen=True)
class SessionOutlook:
    """An outlook after `n_judged`; `held` says why what the model makes likely does not count.

    `left` is what a budget leaves, None without one.
    """

    outlook: Outlook
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
    """Made anew when enough has been judged since, because a model takes a moment to fit.

    An order that has a model of its own, and an audit of it, is asked for that.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._model: ScoreModel | None = None
        self._kept: SessionOutlook | None = None

    def now(self) -> SessionOutlook | None:
        """The last one if it is recent, else a new one; None where there is no model."""
        known = self.due()
        if known is not None:
            self.make(known)
        return self.kept()

    def kept(self) -> SessionOutlook | None:
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
            if recent and certain == (kept.outlook.sure == "certain"):
                return None
        if not n or not modelled(session.runs, session.weigher):
            self._kept = None
            return None
        state = session.standing.likely
        own = session.weigher == session.order.weighted
        posterior = state.posterior if state is not None and own else None
        held = "" if state is None else state.audit.failed or ""
        return Known(dict(session.judged.grade), certain, posterior, held)

    def make(self, known: Known) -> None:
        """Make the forecast; of the session it touches the runs only, so it may take its time."""
        session = self.session
        model = self._model = self._model or ScoreModel(session.runs, session.weigher)
        judged, gain = known_gains(model, session.weigher, known.grade)
        posterior = known.posterior or model.posterior(judged, gain)
        made = outlook(posterior, model.weights, judged, gain, certain=known.certain)
        if known.held and made.sure == "likely":
            made = replace(made, sure="open")
        self._kept = SessionOutlook(made, len(known.grade), known.held, None)


def known_gains(
    model: ScoreModel, measure: Weighted, grades: dict[int, int]
) -> tuple[Bools, Floats]:
    """Which of a model's pairs are judged, and their gains."""
    n = len(model.weights.pair)
    place = np.full(len(model.weights.runs.pairs), -1, np.int64)
    place[model.weights.pair] = np.arange(n)
    judged, gain = np.zeros(n, np.bool_), np.zeros(n)
    pair = np.fromiter(grades.keys(), np.int64, len(grades))
    grade = np.maximum(np.fromiter(grades.values(), np.int64, len(grades)), 0)
    inside = place[pair] >= 0
    judged[place[pair[inside]]] = True
    table = measure.gain(int(grade.max(initial=1)))
    gain[place[pair[inside]]] = table[grade[inside]]
    return judged, gain


N_WORLDS = 5
WIDER = 1.4
"""How much further the range reaches than the worlds: the model knows only what was judged."""

FIRST_STEP, LOOKS = 10, 60
"""In the first world so many are asked for at a time, then about so many times in all."""


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

    def play(self, world: dict[int, int], step: int, pause: Callable[[], None]) -> int:
        """How many judgments it takes in one world; pairs without a grade there are graded 0."""
        n_pairs = len(self.runs.pairs)
        judged, grade = np.zeros(n_pairs, np.bool_), np.zeros(n_pairs, np.int16)
        known = np.fromiter(self.grade, np.int64, len(self.grade))
        judged[known] = True
        grade[known] = list(self.grade.values())
        given = Judgments(self.runs.pairs, judged, grade)
        session = Session(self.runs, self.order, self.stop, given, self.measure)
        n = 0
        while session.reason() is None:
            asked = session.ask(step)
            for choice in asked:
                session.count(choice.pair, world.get(choice.pair, 0))
            n += len(asked)
            if not asked:
                break
            pause()
        return n


def to_go(
    rest: Rest,
    model: ScoreModel,
    judged: Bools,
    gain: Floats,
    pause: Callable[[], None] = lambda: None,
) -> ToGo:
    """A range for how many more judgments it takes; `judged` and `gain` are of the model's pairs.

    Formula: from min_w n_w / 1.4 to 1.4 max_w n_w, over five worlds w

    Documents that no run ranks high enough to count are taken for not relevant. The last batch of a
    world is counted by half, because the rule may have been met anywhere within it.
    """
    table = rest.measure.gain(max(1, *rest.grade.values()))
    best = int(np.argmax(table))
    worlds = model.worlds(judged, gain, N_WORLDS, seed=0)
    counts: list[float] = []
    step = FIRST_STEP
    pair = model.weights.pair
    for world in worlds:
        found = dict.fromkeys(pair[(world > 0) & ~judged].tolist(), best)
        n = rest.play(found, step, pause)
        counts.append(max(1.0, n - step / 2))
        step = max(1, n // LOOKS)
    return ToGo(max(1, math.floor(min(counts) / WIDER)), math.ceil(max(counts) * WIDER))
