"""What a session's judgments make likely, and how many more it takes until likely and certain."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.comparison.outlook import Outlook, outlook
from leadline.comparison.sureness import modelled
from leadline.estimators.score_model import ScoreModel, ScorePosterior
from leadline.judging.session import Session
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats

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
