"""Bounds over all completions: joint ones of differences, and who is certainly best."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leadline.data.arrays import Bools, Floats, Int32s, Int64s
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.data.scores import SCORE_NOISE, Scores, furthest_mean
from leadline.measures.measure import Measure, Weighted

NEGLIGIBLE_WEIGHT = 1e-15
"""Ranks that weigh less than this together decide nothing, far below what counts as equal."""


def weighty_ranks(measure: Weighted, n: int) -> int:
    """How many of the first n ranks are worth looking at: those below weigh nothing together."""
    from_here_on = measure.weights(n)[::-1].cumsum()[::-1]
    return int((from_here_on >= NEGLIGIBLE_WEIGHT).sum())


def weighty_heads(runs: Runs, measure: Weighted) -> Runs:
    """The lists down to where weights are too small to matter: a fraction of a long list."""
    return runs.cut(weighty_ranks(measure, int(runs.length.max(initial=0))))


class EntryWeights:
    """c[s, d], the weight of run s on pair d, by pair.

    Entries `start[pair]` to `start[pair + 1]` are those of one pair, in run order.
    """

    def __init__(self, runs: Runs, measure: Weighted) -> None:
        postings = runs.postings
        self.runs = runs
        self.n_runs, self.n_topics = runs.length.shape
        self.start: Int64s = postings.start
        self.run: Int32s = postings.run
        self.c: Floats = measure.weights(int(postings.rank.max(initial=1)))[postings.rank - 1]
        self.pair = np.repeat(np.arange(len(runs.pairs), dtype=np.int32), np.diff(self.start))

    def of(self, pair: int) -> tuple[Int32s, Floats]:
        """The runs that return a pair, and their weights on it."""
        part = slice(self.start[pair], self.start[pair + 1])
        return self.run[part], self.c[part]

    def of_run(self, run: int) -> Floats:
        """The weight of each pair in one run, 0 where it does not return it."""
        weight = np.zeros(len(self.start) - 1)
        own = self.run == run
        weight[self.pair[own]] = self.c[own]
        return weight

    def surplus(self, reference: Floats, closed: Bools | None = None) -> Floats:
        """For every run s, (1/T) * sum over open pairs d of max(0, c_sd - reference_d).

        So much can the unjudged documents raise a run's mean above that of a run with these
        weights: an unjudged document that both return moves both.
        """
        above = np.maximum(self.c - reference[self.pair], 0.0)
        if closed is not None:
            above[closed[self.pair]] = 0.0
        surplus: Floats = np.bincount(self.run, above, minlength=self.n_runs) / self.n_topics
        return surplus


@dataclass(frozen=True, eq=False)
class Joint:
    """Ends of mean(row run) - mean(column run) over all completions, NaN if there are none.

    Per run: tail, what lies beyond the ends of its lists, mean over topics; unjudged, the share of
    the listed documents that the measure looks at that was not judged.
    """

    lower: Floats
    upper: Floats
    tail: Floats
    unjudged: Floats

    @property
    def certain(self) -> Bools:
        """Pairs that no completion can turn round or bring level: runs x runs."""
        with np.errstate(invalid="ignore"):
            apart: Bools = (self.lower > SCORE_NOISE) | (self.upper < -SCORE_NOISE)
        return apart


def joint_intervals(runs: Runs, judgments: Judgments, measure: Measure, scores: Scores) -> Joint:
    """The interval of every difference.

    For weighted measures (P, RBP, DCG, SDCG) it is joint: an unjudged document that both runs
    return moves both scores, and tails beyond the lists' ends are left out, because no judgment can
    close them. For nDCG@k it is the mean of what `Shares` says of each topic. For others it is what
    the two runs' own intervals imply. Between runs with the same lists it is 0. NaN where the
    measure has no interval.
    """
    if isinstance(measure, Weighted) and not measure.judged_only:
        return _weighted(runs, judgments, measure, scores)
    low, high = scores.mean_lower(), scores.mean_upper()
    upper = high[:, None] - low[None, :]
    if measure.numerator is not None and measure.depth is not None and not measure.judged_only:
        shares = Shares.of(runs, judgments, measure, scores)
        upper = np.fmin(upper, [shares.mean_upper(run) for run in range(len(low))])
    alike = same_lists(runs, measure.depth)
    if measure.bounded and not measure.judged_only:
        upper[alike] = 0.0
    lower = 0.0 - upper.T
    unjudged = unjudged_share(runs, judgments, measure)
    return Joint(lower, upper, np.zeros(len(low)), unjudged)


def _weighted(runs: Runs, judgments: Judgments, measure: Weighted, scores: Scores) -> Joint:
    n_runs, n_topics = runs.length.shape
    open_ = open_weight(runs, judgments, measure)
    above = open_.all_surpluses() / max(n_topics, 1)
    # Without the noise of the last digits around 0.
    above[above <= SCORE_NOISE] = 0.0
    mean = scores.mean()
    difference = mean[:, None] - mean[None, :]
    most = max_gain(measure, judgments)
    tail = most * measure.tail(runs.length.ravel()).reshape(n_runs, n_topics).mean(axis=1)
    share = unjudged_share(runs, judgments, measure)
    return Joint(difference - above.T, difference + above, tail, share)


def unjudged_share(
    runs: Runs, judgments: Judgments, measure: Measure, topics: Bools | None = None
) -> Floats:
    """By run, the share of the listed documents that a measure looks at that nobody judged.

    Over some or all topics; documents count by the weight of their rank where the measure has one.
    0 where nothing is listed.
    """
    heads = runs.cut(measure.depth)
    n_runs = len(runs.names)
    weight = np.ones(len(heads.pair))
    if isinstance(measure, Weighted):
        weight = measure.weights(int(heads.length.max(initial=0)))[heads.entries.rank - 1]
    if topics is not None:
        weight = weight * topics[runs.pairs.topic[heads.pair]]
    run, unjudged = heads.entries.run, ~judgments.judged[heads.pair]
    listed = np.bincount(run, weights=weight, minlength=n_runs)
    open_ = np.bincount(run[unjudged], weights=weight[unjudged], minlength=n_runs)
    share: Floats = np.divide(open_, listed, out=np.zeros(n_runs), where=listed > 0)
    return share


def max_gain(measure: Weighted, judgments: Judgments) -> float:
    """The most that an unjudged document can be worth."""
    return float(measure.gain(judgments.max_grade).max())


@dataclass(frozen=True, eq=False)
class Shares:
    """Scores that are shares of an ideal, the same for all runs, that judging may let grow.

    `gains` [runs, topics] are the numerators as judged, `least` [topics] and `most` the ideal as
    judged and as large as it can become. A measure that is no share has the ideal 1.
    """

    scores: Scores
    gains: Floats
    open_: "OpenWeight"
    least: Floats
    most: float

    @classmethod
    def of(cls, runs: Runs, judgments: Judgments, measure: Measure, scores: Scores) -> "Shares":
        """Of a measure that has a numerator, and its scores."""
        weighted = measure.numerator
        assert weighted is not None
        gains = weighted.score(Lists.of(runs, judgments)).value
        open_ = open_weight(runs, judgments, weighted, by_topic=True)
        return cls(scores, gains, open_, *measure.ideals(judgments.counts, judgments.max_grade))

    def upper(self, run: int) -> Floats:
        """[runs, topics]: the most that score(run) - score(other) can become on each topic.

        The numerators' difference at its upper end, over the least ideal if that is above 0, else
        over the largest: both runs have the same. No more than their own intervals imply.
        """
        scores = self.scores
        end = self.gains[run] - self.gains + self.open_.surpluses(run)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(end > 0, end / self.least, end / self.most)
        share[:, ~(self.least > 0)] = np.nan
        share = np.fmin(scores.upper[run] - scores.lower, share)
        upper: Floats = np.fmax(share, scores.value[run] - scores.value)
        return upper

    def mean_upper(self, run: int) -> Floats:
        """[runs]: the same of the means, whichever undefined topics come to count."""
        defined = ~np.isnan(self.scores.value[run] - self.scores.value)
        return furthest_mean(self.upper(run), defined)


@dataclass(frozen=True, eq=False)
class OpenEntries:
    """Listed documents that nobody judged: pair, run and weight, by pair, heaviest first."""

    pair: Int32s
    run: Int32s
    weight: Floats


def open_entries(runs: Runs, judgments: Judgments, measure: Weighted) -> OpenEntries:
    """Every unjudged entry that has a weight."""
    heads = weighty_heads(runs, measure)
    at = np.flatnonzero(~judgments.judged[heads.pair])
    pair, run, rank = heads.pair[at], heads.entries.run[at], heads.entries.rank[at]
    deepest = int(heads.length.max(initial=0))
    # One number for each entry sorts in a fifth of the time of three columns.
    order = np.argsort((pair.astype(np.int64) * (deepest + 1) + rank) * len(runs.names) + run)
    weights = measure.weights(deepest)
    return OpenEntries(pair[order], run[order], weights[rank[order] - 1])


@dataclass(frozen=True, eq=False)
class OpenWeight:
    """What unjudged listed documents can add: own[run, part], shared[pair of runs, part].

    With r the largest gain, own is r * sum of c_ad over unjudged d, and shared is
    r * sum of min(c_ad, c_bd). max(0, x - y) = x - min(x, y), so the joint interval of a difference
    needs no more: score_a - score_b lies between value - (own_b - shared) and
    value + (own_a - shared). Both ends are reached: unjudged documents that move the difference up
    are as good as can be, those that move it down worthless, and they do not depend on each other.
    Pairs of runs (a, b), a < b, come in the order (0, 1), (0, 2), ..., (1, 2), ...; parts are the
    topics, or all of them together.
    """

    own: Floats
    shared: Floats

    def surplus(self, a: int, b: int) -> Floats:
        """By part, how much more of run a than of run b is open, document by document."""
        if a == b:
            return np.zeros(self.own.shape[1])
        number = pair_number(np.array(min(a, b)), np.array(max(a, b)), len(self.own))
        more: Floats = self.own[a] - self.shared[number]
        return more

    def surpluses(self, run: int) -> Floats:
        """[runs, parts]: the surplus of one run over each other one, 0 over itself."""
        others = np.flatnonzero(np.arange(len(self.own)) != run)
        first, second = np.minimum(others, run), np.maximum(others, run)
        number = pair_number(first, second, len(self.own))
        more = np.zeros_like(self.own)
        # What is left of equal sums is the noise of their last digits.
        more[others] = np.maximum(self.own[run] - self.shared[number], 0.0)
        return more

    def all_surpluses(self) -> Floats:
        """surplus[a, b], of all parts together."""
        n = len(self.own)
        shared = np.zeros((n, n))
        shared[np.triu_indices(n, 1)] = self.shared.sum(axis=1)
        shared += shared.T
        own = self.own.sum(axis=1)
        np.fill_diagonal(shared, own)
        more: Floats = own[:, None] - shared
        return more


def open_weight(
    runs: Runs, judgments: Judgments, measure: Weighted, by_topic: bool = False
) -> OpenWeight:
    """What every run leaves open, and every two runs together: over all topics, or on each."""
    n_runs, n_topics = runs.length.shape
    entries = open_entries(runs, judgments, measure)
    pair, run, weight = entries.pair, entries.run.astype(np.int64), entries.weight
    parts = n_topics if by_topic else 1
    part = runs.pairs.topic[pair] if by_topic else np.zeros(len(pair), np.int64)
    own = np.bincount(run * parts + part, weights=weight, minlength=n_runs * parts)
    shared = np.zeros(n_runs * (n_runs - 1) // 2 * parts)
    # Entries of a pair lie together, heaviest first: of two, the later one has the smaller weight.
    at = np.arange(len(pair))
    for step in range(1, n_runs):
        at = at[at + step < len(pair)]
        at = at[pair[at] == pair[at + step]]
        if not len(at):
            break
        a, b = run[at], run[at + step]
        number = pair_number(np.minimum(a, b), np.maximum(a, b), n_runs)
        np.add.at(shared, number * parts + part[at], weight[at + step])
    most = max_gain(measure, judgments)
    return OpenWeight(
        most * own.astype(np.float64, copy=False).reshape(n_runs, parts),
        most * shared.reshape(-1, parts),
    )


def pair_number(a: Int64s, b: Int64s, n_runs: int) -> Int64s:
    """The place of (a, b), a < b, among all pairs of runs.

    >>> pair_number(np.array([0, 0, 1]), np.array([1, 2, 2]), 3).tolist()
    [0, 1, 2]
    """
    number: Int64s = a * n_runs - a * (a + 1) // 2 + b - a - 1
    return number


def same_lists(runs: Runs, depth: int | None) -> Bools:
    """Which pairs of runs return the same documents at the same ranks, down to a depth."""
    heads = runs if depth is None else runs.cut(depth)
    ends = heads.length.sum(axis=1).cumsum()
    content = [
        length.tobytes() + documents.tobytes()
        for length, documents in zip(heads.length, np.split(heads.pair, ends[:-1]), strict=True)
    ]
    numbers = {each: number for number, each in enumerate(dict.fromkeys(content))}
    code = np.array([numbers[each] for each in content])
    same: Bools = code[:, None] == code[None, :]
    return same


@dataclass(frozen=True, eq=False)
class TopicDifferences:
    """value, lower, upper [topics]: second run minus first, as judged and over all completions.

    NaN in `value` where one of them is undefined; the ends tell what the difference would be if a
    relevant document were found there.
    """

    value: Floats
    lower: Floats
    upper: Floats

    def on(self, topics: Bools) -> "TopicDifferences":
        """Of some of the topics: the others are as if they were not there."""
        ends = (np.where(topics, end, np.nan) for end in (self.value, self.lower, self.upper))
        return TopicDifferences(*ends)

    def turned(self) -> "TopicDifferences":
        """First run minus second."""
        return TopicDifferences(-self.value, -self.upper, -self.lower)


def topic_differences(two: Runs, judgments: Judgments, measure: Measure) -> TopicDifferences:
    """The joint interval of the difference of two runs on every topic.

    What `Shares` says of weighted measures and of nDCG, as for `joint_intervals`; of others what
    the two runs' own intervals imply. 0 where both return the same lists.
    """
    scores = measure.score(Lists.of(two, judgments))
    value = scores.value[1] - scores.value[0]
    lower, upper = scores.lower[1] - scores.upper[0], scores.upper[1] - scores.lower[0]
    if measure.numerator is not None:
        shares = Shares.of(two, judgments, measure, scores)
        lower, upper = 0.0 - shares.upper(0)[1], shares.upper(1)[0]
    if same_lists(two, measure.depth)[0, 1]:
        lower, upper = np.zeros(len(value)), np.zeros(len(value))
    return TopicDifferences(value, np.fmin(lower, value), np.fmax(upper, value))


def best_runs(runs: Runs, base: Floats, ceiling: Floats, k: int) -> Bools:
    """The k runs with the highest base; of those that tie for the last place, the highest ceiling.

    Only that choice can be certain: a run with more to come than its equal may still pass it. Of
    runs that are equal in both, the first by name.
    """
    if k >= len(base):
        return np.ones(len(base), np.bool_)
    last = np.partition(base, len(base) - k)[len(base) - k]
    chosen: Bools = base > last + SCORE_NOISE
    tied = np.flatnonzero(~chosen & (base >= last - SCORE_NOISE))
    order = np.lexsort((runs.place_by_name[tied], -ceiling[tied]))
    chosen[tied[order[: k - int(chosen.sum())]]] = True
    return chosen


def gap_below(base: Floats, ceiling: Floats, best: Bools) -> float:
    """How far the best of the others can reach above the worst of the best; never below 0."""
    return 0.0 if best.all() else max(0.0, float(ceiling[~best].max() - base[best].min()))


def out_of_reach(
    base: Floats, ceiling: Floats, best: Bools, upper: Callable[[int], Floats]
) -> bool:
    """Whether no other run can pass one of the best, by joint intervals.

    `ceiling` is what each run has if all its open documents are relevant, and `upper(b)` the upper
    ends of all differences to b.
    """
    if best.all():
        return True
    # Necessary and nearly free: if everything open is relevant, the others must stay below.
    if ceiling[~best].max() > ceiling[best].min() + 2 * SCORE_NOISE:
        return False
    inside = np.flatnonzero(best)
    # The lowest of the best is the likeliest to be reached, so most answers need no other.
    lowest_first = inside[np.argsort(base[inside], kind="stable")].tolist()
    return all((upper(run)[~best] <= SCORE_NOISE).all() for run in lowest_first)
