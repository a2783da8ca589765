"""The range of judgments to go while people judge: played in advance, aside, at little cost."""

import logging
import threading
import time

from leadline.comparison.sureness import modelled
from leadline.estimators.score_model import ScoreModel
from leadline.judging.forecast import LEAST_NEW, SHARE_NEW, known_gains
from leadline.judging.session import Session
from leadline.judging.to_go import Rest, ToGo, to_go

WORK = 0.2
"""The share of its time that it works while it plays: others judge meanwhile."""

REST = 20.0
"""How many times as long as it worked it waits before it plays again."""

log = logging.getLogger(__name__)


class PlayedAhead:
    """Made anew when enough has been judged since; meanwhile what was judged is taken off.

    Asked under the room's lock; what plays has copies and touches nothing of the session.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._model: ScoreModel | None = None
        self._made: tuple[int, ToGo] | None = None
        self._worker: threading.Thread | None = None
        self._not_before = 0.0

    def now(self) -> ToGo | None:
        """What is known now: exact for a budget, None where there is no telling."""
        session, stop = self.session, self.session.stop
        if stop is None:
            return None
        if stop.reason(session.standing) is not None:
            return ToGo(0, 0)
        left = stop.left(session.standing)
        if left is not None and stop.distance(session.standing) is None:
            return ToGo(left, left)
        if self._is_due():
            self._worker = threading.Thread(target=self._play, args=(self._rest(),), daemon=True)
            self._worker.start()
        if self._made is None:
            return None if left is None else ToGo(1, left)
        n, found = self._made
        return found.since(len(session.judged) - n).within(left)

    def wait(self, seconds: float) -> None:
        """Wait for what is being played."""
        if self._worker is not None:
            self._worker.join(seconds)

    def _is_due(self) -> bool:
        session, n = self.session, len(self.session.judged)
        if n < LEAST_NEW or session.standing.likely is not None:
            return False
        if not modelled(session.runs, session.weigher):
            return False
        if self._worker is not None and self._worker.is_alive():
            return False
        if self._made is not None and abs(n - self._made[0]) < max(LEAST_NEW, SHARE_NEW * n):
            return False
        return time.monotonic() >= self._not_before

    def _rest(self) -> Rest:
        session = self.session
        assert session.stop is not None
        known = dict(session.judged.grade)
        return Rest(session.runs, session.order, session.stop, session.weigher, known)

    def _play(self, rest: Rest) -> None:
        begun = worked = time.thread_time()

        def pause() -> None:
            nonlocal worked
            now = time.thread_time()
            time.sleep((now - worked) * (1 - WORK) / WORK)
            worked = now

        try:
            model = self._model = self._model or ScoreModel(rest.runs, rest.measure)
            judged, gain = known_gains(model, rest.measure, rest.grade)
            self._made = len(rest.grade), to_go(rest, model, judged, gain, pause)
        except Exception:
            # Nobody must miss a document because of a forecast.
            log.exception("the rest could not be played in advance")
        self._not_before = time.monotonic() + REST * (time.thread_time() - begun)
