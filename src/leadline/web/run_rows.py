"""Where every run stands, taken while nobody judges and put into rows while they go on."""

import math
from dataclasses import dataclass
from typing import Any

from leadline.judging.room.state import RoomState
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.runs import Runs


@dataclass(frozen=True)
class RunsNow:
    """Copies: nothing here changes when somebody judges."""

    runs: Runs
    base: Floats
    upper: Floats
    projected: Floats
    ahead: Floats
    may_be_best: frozenset[int]
    leader: int
    judged: Int64s
    size: Int64s

    @classmethod
    def of(cls, state: RoomState) -> "RunsNow":
        """As it is now."""
        standing, course = state.session.standing, state.course
        return cls(
            runs=standing.runs,
            base=standing.base.copy(),
            upper=standing.upper.copy(),
            projected=standing.projected.copy(),
            ahead=standing.contest.upper.copy(),
            may_be_best=frozenset(standing.may_be_best.tolist()),
            leader=standing.leader,
            judged=course.judged.copy(),
            size=course.size,
        )

    def rows(self) -> list[dict[str, Any]]:
        """Those that may be best first, of these the highest lower end."""
        names, base, may = self.runs.names, self.base, self.may_be_best
        order = sorted(range(len(names)), key=lambda run: (run not in may, -base[run], names[run]))
        return [self._row(run) for run in order]

    def _row(self, run: int) -> dict[str, Any]:
        projected = float(self.projected[run])
        share = self.judged[run] / self.size[run].clip(1)
        return {
            "run": self.runs.names[run],
            "group": self.runs.group[run],
            "lower": round(float(self.base[run]), 6),
            "upper": round(float(self.upper[run]), 6),
            "projected": None if math.isnan(projected) else round(projected, 6),
            "leads": run == self.leader,
            "may": run in self.may_be_best,
            "ahead": None if run == self.leader else round(float(self.ahead[run]), 6),
            "share": [round(float(each), 4) for each in share],
        }
