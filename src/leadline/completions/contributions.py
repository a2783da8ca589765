"""What each group alone brought to the judgments, and what its absence would have cost it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from leadline.data.arrays import Bools, Floats, Int32s, Int64s
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.data.scores import Scores
from leadline.measures.measure import Measure, Weighted


@dataclass(frozen=True, eq=False)
class Groups:
    """Names of the groups as they first occur, the group of every run, and which runs count."""

    names: tuple[str, ...]
    of_run: Int64s
    pooled: Bools

    @classmethod
    def of(cls, runs: Runs, pooled: Bools) -> "Groups":
        """The groups of these runs."""
        return cls(runs.groups, runs.group_number, pooled)

    @property
    def n_runs(self) -> Int64s:
        """Runs of each group."""
        return np.bincount(self.of_run, minlength=len(self.names))

    @property
    def n_pooled(self) -> Int64s:
        """Runs of each group that were pooled."""
        return np.bincount(self.of_run[self.pooled], minlength=len(self.names))

    @property
    def told(self) -> bool:
        """Whether some group has more than one run: otherwise groups are but another name."""
        return len(self.names) < len(self.of_run)


@dataclass(frozen=True, eq=False)
class GroupContribution:
    """Per group: relevant documents that it returns, those that no other group returns, and
    what is in the pool because of it alone, in all and relevant. Per pair: the one group that
    brought it into the pool, -1 where none or several did or it was not judged."""

    found: Int64s
    alone: Int64s
    pooled_alone: Int64s
    pooled_alone_relevant: Int64s
    brought_by: Int64s


def contributions(
    runs: Runs, judgments: Judgments, groups: Groups, depth: int, rel: int = 1
) -> GroupContribution:
    """What each group found; the pool is that of the pooled runs to this depth."""
    n, n_pairs = len(groups.names), len(runs.pairs)
    # What nobody judged counts for none, and most entries are unjudged.
    judged = np.flatnonzero(judgments.judged[runs.pair])
    pair, run = runs.pair[judged], runs.entries.run[judged]
    group = groups.of_run[run]
    hit = judgments.grade[pair] >= rel
    # A pair counts once for a group, however many of its runs return it.
    once = np.unique(group[hit] * n_pairs + pair[hit])
    anywhere = only_group(pair[hit], group[hit], n_pairs)
    pooled = groups.pooled[run] & (runs.entries.rank[judged] <= depth)
    inside = only_group(pair[pooled], group[pooled], n_pairs)
    relevant = (inside >= 0) & (judgments.grade >= rel)
    return GroupContribution(
        np.bincount(once // max(1, n_pairs), minlength=n),
        np.bincount(anywhere[anywhere >= 0], minlength=n),
        np.bincount(inside[inside >= 0], minlength=n),
        np.bincount(inside[relevant], minlength=n),
        inside,
    )


def only_group(pair: Int32s, group: Int64s, n_pairs: int) -> Int64s:
    """Per pair, the one group of its entries; -1 where there is none or several."""
    owner = np.full(n_pairs, -1, np.int64)
    owner[pair] = group
    # Of several groups one was written last, and the entries of the others tell.
    owner[pair[owner[pair] != group]] = -1
    return owner


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Scores [groups, runs] as they would be if that group had not been pooled."""

    value: Floats
    lower: Floats
    upper: Floats


def left_out(
    measures: Sequence[Measure],
    whole: Sequence[Scores],
    runs: Runs,
    judgments: Judgments,
    groups: Groups,
    brought_by: Int64s,
) -> list[LeftOut]:
    """Every run's mean by each measure when the pairs that a group alone brought are unjudged.

    `whole` are the scores with all judgments. A judged pair stays judged if another group's pooled
    run has it at the pool's depth or better, or if no pooled run has it there: then it was not
    judged because of this group.
    """
    losses = []
    for measure, scores in zip(measures, whole, strict=True):
        if isinstance(measure, Weighted) and not measure.judged_only:
            losses.append(_taken_off(measure, scores, runs, judgments, groups, brought_by))
        else:
            losses.append(_scored_again(measure, scores, runs, judgments, groups, brought_by))
    return losses


def _taken_off(
    measure: Weighted,
    whole: Scores,
    runs: Runs,
    judgments: Judgments,
    groups: Groups,
    brought_by: Int64s,
) -> LeftOut:
    """Left out of a sum: what the group's pairs gave is taken off, what they could give is open."""
    near = runs if measure.depth is None else runs.cut(measure.depth)
    entry = np.flatnonzero(brought_by[near.pair] >= 0)
    pair, shape = near.pair[entry], (len(groups.names), len(runs.names))
    weight = measure.weights(int(near.length.max(initial=0)))[near.entries.rank[entry] - 1]
    gain = measure.gain(judgments.max_grade)
    n_topics = max(1, len(runs.pairs.topics))

    def total(amount: Floats) -> Floats:
        cell = brought_by[pair] * shape[1] + near.entries.run[entry]
        sums = np.bincount(cell, weights=amount, minlength=shape[0] * shape[1])
        return sums.reshape(shape) / n_topics

    lost = total(weight * gain[judgments.grade[pair]])
    return LeftOut(
        whole.mean() - lost,
        whole.mean_lower() - lost,
        whole.mean_upper() - lost + total(weight * gain.max()),
    )


def _scored_again(
    measure: Measure,
    whole: Scores,
    runs: Runs,
    judgments: Judgments,
    groups: Groups,
    brought_by: Int64s,
) -> LeftOut:
    """Left out by scoring anew all lists of the topics on which the group brought a pair."""
    near = runs if measure.depth is None else runs.cut(measure.depth)
    value, lower, upper = (np.empty((len(groups.names), len(runs.names))) for _ in range(3))
    for group in range(len(groups.names)):
        gone = brought_by == group
        scores = whole
        if gone.any():
            topic = np.zeros(len(runs.pairs.topics), np.bool_)
            topic[runs.pairs.topic[gone]] = True
            some = near.pair[topic[near.entries.topic]]
            length = np.where(topic, near.length, 0)
            lists = Lists.of(
                Runs.trusted(runs.pairs, runs.names, some, length), _without(judgments, gone)
            )
            anew = measure.score(lists)
            columns = (
                np.where(topic, getattr(anew, name), getattr(whole, name))
                for name in ("value", "lower", "upper", "judged")
            )
            scores = Scores(whole.runs, whole.topics, whole.measure, *columns)
        value[group] = scores.mean()
        lower[group], upper[group] = scores.mean_lower(), scores.mean_upper()
    return LeftOut(value, lower, upper)


def _without(judgments: Judgments, gone: Bools) -> Judgments:
    judged = judgments.judged & ~gone
    pooled = None if judgments.pooled is None else judgments.pooled & ~gone
    grade = np.where(judged, judgments.grade, 0)
    return replace(judgments, judged=judged, grade=grade, pooled=pooled)
