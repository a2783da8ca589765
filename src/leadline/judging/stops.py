"""Stopping rules: when enough was judged."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from leadline.compare.significance import wilcoxon
from leadline.judging.standing import Standing
from leadline.naming.registry import Named, Registry


class Stop(Named):
    """A frozen dataclass with fields as parameters."""

    @abstractmethod
    def reason(self, standing: Standing) -> str | None:
        """Why to stop, or None to go on."""


stops: Registry[Stop] = Registry("stop", "leadline.judging")


@stops.register
@dataclass(frozen=True)
class Budget(Stop):
    """After n judgments.

    Formula: judged >= n
    """

    n: int

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"a budget must be at least 1, not {self.n}")

    def reason(self, standing: Standing) -> str | None:
        done = len(standing.told)
        return f"the budget of {self.n} judgments is spent" if done >= self.n else None


@stops.register
@dataclass(frozen=True)
class BestCertain(Stop):
    """As soon as no run can still be better than the leader.

    Formula: upper end of s - leader <= 0 for every run s

    joint=true takes the joint interval of the difference, in which an unjudged document that both
    return moves both; joint=false the two runs' own intervals, tails included.
    """

    joint: bool = True

    def reason(self, standing: Standing) -> str | None:
        sure = standing.by_joint_intervals() if self.joint else standing.by_own_intervals()
        base = standing.contest.base if self.joint else standing.holdings.mean_base
        best = standing.runs.names[int(np.argmax(base))]
        return f"no other run can be better than {best}" if sure else None


@stops.register
@dataclass(frozen=True)
class TopCertain(Stop):
    """As soon as the best k runs are certain as a set, whatever their order.

    Formula: upper end of s - b <= 0 for every b of the best k and every other run s
    """

    k: int
    joint: bool = True

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k must be at least 1, not {self.k}")

    def reason(self, standing: Standing) -> str | None:
        ask = standing.by_joint_intervals if self.joint else standing.by_own_intervals
        return f"no other run can be among the best {self.k}" if ask(self.k) else None


@stops.register
@dataclass(frozen=True)
class ResidualBelow(Stop):
    """As soon as less than x of every run's score is open, mean over topics.

    Formula: r_s - tail_s < x for every run s

    The tail beyond a list's end is left out, because no judgment can close it.
    """

    x: float

    def __post_init__(self) -> None:
        if not 0 < self.x < 1:
            raise ValueError(f"x must lie between 0 and 1, not {self.x}")

    def reason(self, standing: Standing) -> str | None:
        worst = float((standing.holdings.mean_residual - standing.tail).max())
        return f"every run's residual is below {self.x}" if worst < self.x else None


@stops.register
@dataclass(frozen=True)
class LeaderSignificant(Stop):
    """As soon as the leader's base is significantly better than every other run's top.

    Formula: one-tailed paired Wilcoxon of base_leader against base_s + r_s, p < level for every s
    """

    level: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ValueError(f"level must lie between 0 and 1, not {self.level}")

    def reason(self, standing: Standing) -> str | None:
        held = standing.holdings
        leader = int(np.argmax(held.mean_base))
        others = np.arange(held.n_runs) != leader
        if not others.any():
            return "there is only one run"
        ceiling = held.base[others] + held.residual[others]
        # Cheap and necessary: the test cannot favour a run whose mean is not above the other's.
        if ceiling.mean(axis=1).max() >= held.mean_base[leader]:
            return None
        p = wilcoxon(np.broadcast_to(held.base[leader], ceiling.shape), ceiling)
        name = standing.runs.names[leader]
        return (
            f"{name} is significantly better than every other run"
            if (p < self.level).all()
            else None
        )
