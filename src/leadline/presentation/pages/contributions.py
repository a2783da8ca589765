"""What each group alone brought to the judgments, and what its absence would have cost it."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.judging.standings import NOTHING
from leadline.measures.measure import Measure
from leadline.measures.weighted import Weighted
from leadline.pools.without import NOWHERE, BestRanks
from leadline.presentation.pages.judged_coverage import run_of_entries
from leadline.tables.arrays import Bools, Floats, Int32s, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.runs import Runs
from leadline.tables.scores import Scores


@dataclass(frozen=True, eq=False)
class Groups:
    """Names of the groups as they first occur, the group of every run, and which runs count."""

    names: tuple[str, ...]
    of_run: Int64s
    pooled: Bools

    @classmethod
    def of(cls, runs: Runs, pooled: Bools) -> "Groups":
        """The groups of these runs."""
        place = {name: at for at, name in enumerate(dict.fromkeys(runs.group))}
        return cls(tuple(place), np.array([place[name] for name in runs.group], np.int64), pooled)


def only_group(runs: Runs, of_run: Int64s, depth: int = NOWHERE - 1) -> Int32s:
    """Per pair, the one group that has it in the first ranks; -1 where none or several have it."""
    ranks = BestRanks.of(runs, of_run)
    return np.where((ranks.best <= depth) & (ranks.second > depth), ranks.holder, -1)


def pooled_by_one(runs: Runs, groups: Groups, depth: int) -> Int32s:
    """Per pair, the one group that brings it into the pool of this depth; -1 as above."""
    return only_group(runs.only(groups.pooled), groups.of_run[groups.pooled], depth)


@dataclass(frozen=True, eq=False)
class GroupContribution:
    """Per group: relevant documents that it returns, those that no other group returns, and
    what is in the pool because of it alone, in all and relevant."""

    found: Int64s
    alone: Int64s
    pooled_alone: Int64s
    pooled_alone_relevant: Int64s


def finds(
    runs: Runs, judgments: Judgments, groups: Groups, depth: int, rel: int
) -> GroupContribution:
    """What each group found; the pool is that of the pooled runs to this depth."""
    relevant: Bools = judgments.grade >= rel
    n = len(groups.names)
    group = groups.of_run[run_of_entries(runs)]
    hit = relevant[runs.pair]
    # A pair counts once for a group, however many of its runs return it.
    once = np.unique(group[hit] * len(runs.pairs) + runs.pair[hit])
    found = np.bincount(once // max(1, len(runs.pairs)), minlength=n)
    anywhere = only_group(runs, groups.of_run)
    alone = np.bincount(anywhere[relevant & (anywhere >= 0)], minlength=n)
    inside = pooled_by_one(runs, groups, depth)
    kept = judgments.judged & (inside >= 0)
    return GroupContribution(
        found,
        alone,
        np.bincount(inside[kept], minlength=n),
        np.bincount(inside[kept & relevant], minlength=n),
    )


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Scores [groups, runs] as they would be if that group had not been pooled."""

    value: Floats
    lower: Floats
    upper: Floats


def left_out(
    measure: Measure, runs: Runs, judgments: Judgments, groups: Groups, depth: int
) -> LeftOut:
    """Every run's mean score when the pairs that a group alone brought to the pool are unjudged.

    A judged pair stays judged if another group's pooled run has it at the pool's depth or better,
    or if no pooled run has it there: then it was not judged because of this group.
    """
    inside = pooled_by_one(runs, groups, depth)
    value, lower, upper = (np.empty((len(groups.names), len(runs.names))) for _ in range(3))
    whole = measure.score(Lists.of(runs, judgments))
    touched = _Touched(measure, runs)
    for group in range(len(groups.names)):
        gone = judgments.judged & (inside == group)
        scores = whole
        if gone.any():
            scores = touched.scores(whole, judgments, gone)
        value[group] = scores.mean()
        lower[group], upper[group] = scores.mean_lower(), scores.mean_upper()
    return LeftOut(value, lower, upper)


class _Touched:
    """Scores anew only the lists on which missing judgments show."""

    def __init__(self, measure: Measure, runs: Runs) -> None:
        self.measure, self.runs = measure, runs
        n_topics = runs.start.shape[1]
        self.list_of = run_of_entries(runs) * n_topics + runs.pairs.topic[runs.pair]
        self.near = np.ones(len(runs.pair), np.bool_)
        if isinstance(measure, Weighted):
            weights = measure.weights(int(runs.entries.rank.max(initial=1)))
            self.near = (weights[::-1].cumsum()[::-1] >= NOTHING)[runs.entries.rank - 1]

    def scores(self, whole: Scores, judgments: Judgments, gone: Bools) -> Scores:
        """The scores when these pairs are unjudged."""
        runs, shape = self.runs, self.runs.start.shape
        judged = judgments.judged & ~gone
        pooled = None if judgments.pooled is None else judgments.pooled & ~gone
        grade = np.where(judged, judgments.grade, 0)
        fewer = replace(judgments, judged=judged, grade=grade, pooled=pooled)
        changed = np.zeros(shape[0] * shape[1], np.bool_)
        changed[self.list_of[self.near & gone[runs.pair]]] = True
        again: Bools = changed.reshape(shape)
        if not isinstance(self.measure, Weighted):
            # Other measures also look at how many relevant documents a topic has.
            again = again | np.isin(np.arange(shape[1]), runs.pairs.topic[gone])
        lists = Lists.of(runs, fewer)
        some = replace(lists, stop=np.where(again, lists.stop, lists.start))
        made = self.measure.score(some)
        columns = (
            np.where(again, getattr(made, name), getattr(whole, name))
            for name in ("value", "lower", "upper", "judged")
        )
        return Scores(whole.runs, whole.topics, whole.measure, *columns)
