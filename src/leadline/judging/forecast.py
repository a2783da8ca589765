"""What a session's judgments make likely, and how many more it takes until likely and certain."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.comparison.outlook import Outlook, outlook
from leadline.comparison.sureness import modelled
from leadline.estimators.score_model import ScoreModel, ScorePosterior
from leadline.judging.session import Session
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
        session = self.session
        n, kept = len(session.judged.grade), self._kept
        certain = not session.standing.contest.contenders.any()
        if (
            kept is None
            or abs(n - kept.n_judged) >= max(LEAST_NEW, SHARE_NEW * n)
            or certain != (kept.outlook.sure == "certain")
        ):
            kept = self._kept = self._make(n, certain)
        if kept is None:
            return None
        left = None if session.stop is None else session.stop.left(session.standing)
        return replace(kept, left=left)

    def _make(self, n: int, certain: bool) -> SessionOutlook | None:
        session, state = self.session, self.session.standing.likely
        if not n or not modelled(session.runs, session.weigher):
            return None
        model = self._model = self._model or ScoreModel(session.runs, session.weigher)
        judged, gain = self._known(model)
        posterior: ScorePosterior | None = None if state is None else state.posterior
        held = ""
        if state is not None and state.audit.failed:
            held = state.audit.failed
        if posterior is None or session.weigher != session.order.weighted:
            posterior = model.posterior(judged, gain)
        made = outlook(posterior, model.weights, judged, gain, certain=certain)
        if held and made.sure == "likely":
            made = replace(made, sure="open")
        return SessionOutlook(made, n, held, None)

    def _known(self, model: ScoreModel) -> tuple[Bools, Floats]:
        """Which of the model's pairs are judged, and their gains."""
        n = len(model.weights.pair)
        place = np.full(len(self.session.runs.pairs), -1, np.int64)
        place[model.weights.pair] = np.arange(n)
        judged, gain = np.zeros(n, np.bool_), np.zeros(n)
        grades = self.session.judged.grade
        pair = np.fromiter(grades.keys(), np.int64, len(grades))
        grade = np.maximum(np.fromiter(grades.values(), np.int64, len(grades)), 0)
        inside = place[pair] >= 0
        judged[place[pair[inside]]] = True
        table = self.session.weigher.gain(int(grade.max(initial=1)))
        gain[place[pair[inside]]] = table[grade[inside]]
        return judged, gain
