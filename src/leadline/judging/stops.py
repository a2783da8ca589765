"""Stopping rules: when enough was judged."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from leadline.judging.standings import Standings
from leadline.registry import Named, Registry
from leadline.stats.certainty import chance_of_best


class Stop(Named):
    """A frozen dataclass with fields as parameters."""

    @property
    def needs_model(self) -> bool:
        """Whether it looks at what an order's model says, as only LikelyWinner has one."""
        return False

    @property
    def needs_two_runs(self) -> bool:
        """Whether it looks at batches sampled for two runs, as only SampledBatches has them."""
        return False

    @abstractmethod
    def reason(self, standing: Standings) -> str | None:
        """Why to stop, or None to go on."""

    def held_back(self, standing: Standings) -> str | None:
        """Why a rule that could say stop does not; None where it has nothing to say."""
        return None

    def left(self, standing: Standings) -> int | None:
        """How many judgments there may still be; None if that is not what it looks at."""
        return None

    def distance(self, standing: Standings) -> float | None:
        """How much is missing: falls to nothing when it is time; None where that has no meaning."""
        return None


def _budget(text: str) -> str:
    """Return a bare number as the budget that it means.

    >>> str(stops.parse("200"))
    'Budget(n=200)'
    """
    return f"Budget(n={text.strip()})" if text.strip().isdecimal() else text


stops: Registry[Stop] = Registry("stop", "leadline.judging", _budget)


@stops.register
@dataclass(frozen=True)
class Budget(Stop):
    """After n judgments, without those that existed before the session.

    Formula: judged >= n
    """

    n: int

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"a budget must be at least 1, not {self.n}")

    def reason(self, standing: Standings) -> str | None:
        spent = not self.left(standing)
        return "budget reached" if spent else None

    def left(self, standing: Standings) -> int:
        return max(0, self.n - (len(standing.judged) - len(standing.judged.given)))


@stops.register
@dataclass(frozen=True)
class WinnerCertain(Stop):
    """When no run can still be better than the leader.

    Formula: upper end of s - leader <= 0 for every run s

    joint=true takes the joint interval of the difference, in which an unjudged document that both
    return moves both; joint=false the two runs' own intervals, tails included.
    """

    joint: bool = True

    def reason(self, standing: Standings) -> str | None:
        best = standing.by_joint_intervals() if self.joint else standing.by_own_intervals()
        if best is None:
            return None
        return f"no other run can score higher than {standing.runs.names[int(np.argmax(best))]}"

    def distance(self, standing: Standings) -> float:
        if self.reason(standing) is not None:
            # Another run than the leader may be proven best, for instance one that ties with it.
            return 0.0
        if self.joint:
            contest = standing.contest
            return float(contest.upper[contest.contenders].max(initial=0.0))
        return standing.gap(1)


@stops.register
@dataclass(frozen=True)
class TopKCertain(Stop):
    """When the set of the k best runs is certain.

    Formula: upper end of s - b <= 0 for every b of the best k and every other run s
    """

    k: int
    joint: bool = True

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k must be at least 1, not {self.k}")

    def reason(self, standing: Standings) -> str | None:
        ask = standing.by_joint_intervals if self.joint else standing.by_own_intervals
        best = ask(self.k)
        if best is None:
            return None
        names = [standing.runs.names[run] for run in np.flatnonzero(best)]
        return f"no other run can be among the best {self.k}: {', '.join(names)}"

    def distance(self, standing: Standings) -> float:
        return standing.gap(self.k)


@stops.register
@dataclass(frozen=True)
class MaxResidual(Stop):
    """When the mean residual of every run is below x.

    Formula: r_s - tail_s < x for every run s

    The tail beyond a list's end is left out, because no judgment can close it.
    """

    x: float

    def __post_init__(self) -> None:
        if not 0 < self.x < 1:
            raise ValueError(f"x must lie between 0 and 1, not {self.x}")

    def reason(self, standing: Standings) -> str | None:
        worst = float((standing.residual - standing.tail).max())
        return f"every run's residual is below {self.x}" if worst < self.x else None

    def distance(self, standing: Standings) -> float:
        return max(0.0, float((standing.residual - standing.tail).max()) - self.x)


@stops.register
@dataclass(frozen=True)
class LeaderSignificant(Stop):
    """When the leader's lower bound is significantly better than the upper bounds of all others.

    Formula: paired Wilcoxon of base_leader against base_s + r_s, p < alpha / 2 for every run s

    However often one looks, this stops wrongly no more often than the level says: base_leader less
    the other's top is the least that the difference can become on a topic, and the test can only
    gain when a difference grows (a topic without a difference counts against the leader), so it
    never says more than it will when all is judged. Half the level is for either run could lead.
    """

    alpha: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, not {self.alpha}")

    def reason(self, standing: Standings) -> str | None:
        # scipy takes a while to import, and few sessions need it.
        from leadline.stats.significance import lasting_p

        leader, base = standing.leader, standing.scores.base
        others = np.arange(len(base)) != leader
        if not others.any():
            return "there is only one run"
        least = base[leader] - (base[others] + standing.residuals[others])
        # Those who are nearest first: most looks end with one test.
        for run in np.argsort(least.mean(axis=1)):
            if not lasting_p(least[run]) < self.alpha / 2:
                return None
        return f"{standing.runs.names[leader]} is significantly better than every other run"


@stops.register
@dataclass(frozen=True)
class TopKLikely(Stop):
    """When, with probability `level`, no other run beats one of the best k by more than `within`.

    Formula: P(score_s - score_b <= within for every b of the best k and every other run s) >= level

    By the model of the order, which must be LikelyWinner: at four of its batches in a row, and
    after 200 judgments at least. While the documents that it sampled at random speak against the
    model, the rule holds back and says so.
    """

    k: int = 5
    level: float = 0.95
    within: float = 0.01

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k must be at least 1, not {self.k}")
        if not 0 < self.level < 1:
            raise ValueError(f"level must lie between 0 and 1, not {self.level}")
        if self.within < 0:
            raise ValueError(f"within must be 0 or more, not {self.within}")

    @property
    def needs_model(self) -> bool:
        return True

    def reason(self, standing: Standings) -> str | None:
        state = standing.likely
        if state is None or state.audit.failed or self.distance(standing) > 0:
            return None
        return self.told(standing)

    def held_back(self, standing: Standings) -> str | None:
        if standing.likely is None or self.distance(standing) > 0:
            return None
        failed = standing.likely.audit.failed
        return None if failed is None else f"{self.told(standing)}, but {failed}"

    def distance(self, standing: Standings) -> float:
        state = standing.likely
        lasting = 0.0 if state is None else state.lasting_confidence(self.k, self.within)
        return max(0.0, self.level - lasting)

    def probability(self, standing: Standings) -> float:
        """Return how sure the model is of its best k now; 0 before the first batch."""
        posterior = None if standing.likely is None else standing.likely.posterior
        if posterior is None:
            return 0.0
        return posterior.confidence(posterior.best(self.k), self.within)

    def told(self, standing: Standings) -> str:
        """The best k, and how sure that is."""
        assert standing.likely is not None
        assert standing.likely.posterior is not None
        names = [
            standing.runs.names[at] for at in standing.likely.posterior.best(self.k).nonzero()[0]
        ]
        probability = self.probability(standing)
        if self.k == 1:
            return f"{names[0]} is the best run: {chance_of_best(probability, self.within)}"
        return (
            f"the best {self.k} runs are {', '.join(sorted(names))}: probability {probability:.2f} "
            f"that no other run is better than one of them by more than {self.within:g}"
        )


@stops.register
@dataclass(frozen=True)
class WinnerLikely(Stop):
    """When, with probability `level`, no run is better than the leader by more than `within`.

    Formula: P(score_s - score_leader <= within for every run s) >= level

    As TopKLikely, of one run. Of the stops at .95 at least 95 in a hundred name a run that is no
    more than `within` below the best, peeking included: see docs/methods/likely.md.
    """

    level: float = 0.95
    within: float = 0.01

    def __post_init__(self) -> None:
        self.of_one  # noqa: B018 - refuses what makes no sense

    @property
    def of_one(self) -> TopKLikely:
        """The rule of the best k runs, with k = 1."""
        return TopKLikely(1, self.level, self.within)

    @property
    def needs_model(self) -> bool:
        return True

    def reason(self, standing: Standings) -> str | None:
        return self.of_one.reason(standing)

    def held_back(self, standing: Standings) -> str | None:
        return self.of_one.held_back(standing)

    def distance(self, standing: Standings) -> float:
        return self.of_one.distance(standing)


@stops.register
@dataclass(frozen=True)
class NonInferior(Stop):
    """When one of two runs is shown not to be worse than the other by more than `margin`.

    Formula: wealth against score_a - score_b <= -margin, or against >= margin, is at least 1/alpha

    After each complete batch of the order, which must be SampledBatches. However often one looks, a
    decision is wrong with probability alpha at most: see docs/methods/anytime.md.
    """

    margin: float = 0.01
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, not {self.alpha}")
        if not 0 <= self.margin < 1:
            raise ValueError(f"margin must be from 0 to less than 1, not {self.margin}")

    @property
    def needs_two_runs(self) -> bool:
        return True

    def reason(self, standing: Standings) -> str | None:
        sample = standing.two_runs
        return None if sample is None else sample.statement(self.margin, self.alpha)

    def distance(self, standing: Standings) -> float | None:
        sample = standing.two_runs
        if sample is None or sample.decision(self.margin, self.alpha) is not None:
            return None if sample is None else 0.0
        return max(0.0, 1 + float(sample.evidence(self.margin).max() / np.log(self.alpha)))


def non_inferior(stop: Stop | None) -> NonInferior:
    """Return the rule about two runs among the stopping rules, the default one without any."""
    rules = stop.rules if isinstance(stop, FirstOf) else (stop,)
    return next((rule for rule in rules if isinstance(rule, NonInferior)), NonInferior())


@dataclass(frozen=True)
class FirstOf(Stop):
    """As soon as one of several rules says so."""

    rules: tuple[Stop, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.rules))

    def reason(self, standing: Standings) -> str | None:
        reasons = (rule.reason(standing) for rule in self.rules)
        return next((reason for reason in reasons if reason is not None), None)

    @property
    def needs_model(self) -> bool:
        return any(rule.needs_model for rule in self.rules)

    @property
    def needs_two_runs(self) -> bool:
        return any(rule.needs_two_runs for rule in self.rules)

    def held_back(self, standing: Standings) -> str | None:
        told = (rule.held_back(standing) for rule in self.rules)
        return next((each for each in told if each is not None), None)

    def left(self, standing: Standings) -> int | None:
        counts = [rule.left(standing) for rule in self.rules]
        return min((count for count in counts if count is not None), default=None)

    def distance(self, standing: Standings) -> float | None:
        distances = [rule.distance(standing) for rule in self.rules]
        return min((each for each in distances if each is not None), default=None)
