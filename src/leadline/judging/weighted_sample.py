"""WeightedSample pools: the pairs whose judgment tells most, sampled batch after batch."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leadline.completions.cross_fit import DrawnPairs
from leadline.completions.pair_weights import N_FOLDS, PairWeights
from leadline.data.arrays import Bools, Floats, Int16s, Int64s
from leadline.data.draw import draw, draw_bytes
from leadline.data.judgments import Judgments
from leadline.data.pool import BatchDraws, Pool, SamplingRecord
from leadline.data.runs import Runs
from leadline.measures.measure import Weighted, parse_numerator
from leadline.pooling.strategies import PoolStrategy, Strata, pools

LEAST_WORTH = 1e-30
"""Of the largest: what is worth less is worth nothing."""


def chances(
    worth: Floats, open_: Bools, n: float, share: float, reach: Floats | None = None
) -> Floats:
    """The chance of every pair, so that n of the open ones are expected to be drawn.

    (1 - share) * min(1, k * worth) + share * min(1, c * reach): what is worth nothing by the model
    may be worth something in truth. `reach`, more than 0, is the most that a pair weighs in a run:
    no weight is ever divided by a chance that is far too small for it. Without it all reach as far.
    A pair that is not open has the chance that it would have if it alone were open too: that it
    was drawn has no part in its own chance. Where fewer than n are worth anything, these are all
    drawn but for the share, and all chances rise.

    >>> chances(np.array([3.0, 1.0, 0.0]), np.ones(3, bool), 1.5, 0.1).round(3).tolist()
    [0.95, 0.5, 0.05]
    >>> drawn = np.array([True, False, False])
    >>> chances(np.array([3.0, 1.0, 0.0]), ~drawn, 1.5, 0.1).round(3).tolist()
    [0.95, 0.987, 0.513]
    """
    n_open = int(open_.sum())
    reach = np.ones(len(worth)) if reach is None else reach
    worth = worth / (worth.max(initial=0.0) or 1.0)
    worth[worth < LEAST_WORTH] = 0.0
    some = worth > 0
    # How many are open, and how many of them worth something, if the pair itself is open too.
    of_all, of_some = n_open + ~open_, int(some[open_].sum()) + (some & ~open_)
    anyway = share * _shared(reach, open_, n)
    first = np.where(some, 1 - share, 0.0) + anyway
    expected = (1 - share) * of_some + share * n
    few = (of_some < n) & (n < of_all)
    rising = np.divide(n - expected, of_all - expected, out=np.zeros(len(worth)), where=few)
    chance = np.where(few, first + rising * (1 - first), anyway)
    if not few.all():
        chance += np.where(few, 0.0, (1 - share) * _shared(worth, open_, n))
    chance[of_all <= n] = 1.0
    return chance


def _shared(worth: Floats, open_: Bools, n: float) -> Floats:
    """min(1, k * worth), k such that it adds up to n over the open ones and the pair itself.

    >>> _shared(np.array([3.0, 1.0, 0.0]), np.ones(3, bool), 1.5).tolist()
    [1.0, 0.5, 0.0]
    """
    falling = -np.sort(-worth[open_])
    own = np.where(open_, 0.0, worth)
    # With the first m cut to 1, the rest has n - m to share; the least m that cuts all it must.
    rest = falling[::-1].cumsum()[::-1]
    m = np.arange(len(falling))
    over = (n - m) * falling - rest
    # From where n are cut on nothing is over; before that it falls.
    at = np.searchsorted(-over[m < n], -own)
    rest, m = np.append(rest, 0.0), np.append(m, len(falling))
    left = rest[at] + own
    k = np.divide(n - m[at], left, out=np.zeros(len(worth)), where=left > 0)
    shared: Floats = np.minimum(1.0, k * worth)
    return shared


@dataclass(frozen=True, eq=False)
class DrawnSoFar:
    """A row a pair of the weights: whether it was `drawn`, and the chance `missed` that it was not.

    `batch` tells in which batch it came (from 1, else 0), `expected` the gain expected of it then.
    `n_batches` counts the batches. `probability` and `prediction` have a row for each batch; they
    are empty where a pool did not keep them.
    """

    drawn: Bools
    missed: Floats
    batch: Int16s
    expected: Floats
    n_batches: int
    probability: tuple[Floats, ...] = ()
    prediction: tuple[Floats, ...] = ()

    @classmethod
    def nothing(cls, n: int) -> "DrawnSoFar":
        """Before the first batch, of n pairs."""
        empty = np.full(n, np.nan)
        return cls(np.zeros(n, np.bool_), np.ones(n), np.zeros(n, np.int16), empty, 0)

    @classmethod
    def of(cls, pool: Pool, weights: PairWeights) -> "DrawnSoFar":
        """The rows of a pool that has the probabilities of all pairs."""
        rows = weights.pair
        if pool.batch is None or pool.expected is None:
            raise ValueError(
                "the previous pool has no column batch: it was not drawn by WeightedSample"
            )
        missed, drawn = 1 - pool.inclusion[rows], pool.member[rows]
        record = pool.record
        kept: tuple[tuple[Floats, ...], ...] = ((), ())
        if record is not None and np.array_equal(record.pair, rows):
            kept = tuple(record.probability), tuple(record.prediction)
        return cls(drawn, missed, pool.batch[rows], pool.expected[rows], pool.n_batches, *kept)

    def record(self, weights: PairWeights, planned: int) -> SamplingRecord | None:
        """Return probabilities and predictions of all batches; None if some were not kept."""
        if not self.n_batches or len(self.prediction) != self.n_batches:
            return None
        rows = np.array(self.probability), np.array(self.prediction)
        return SamplingRecord(weights.pair, self.batch.astype(np.int64), *rows, planned)

    def pool(self, weights: PairWeights, strategy: str, seed: int, planned: int = 0) -> Pool:
        """All pairs, those that weigh nothing too."""
        pairs, rows = weights.runs.pairs, weights.pair
        member, inclusion = np.zeros(len(pairs), np.bool_), np.zeros(len(pairs))
        batch, expected = np.zeros(len(pairs), np.int16), np.full(len(pairs), np.nan)
        member[rows], inclusion[rows] = self.drawn, 1 - self.missed
        batch[rows], expected[rows] = self.batch, self.expected
        stratum = np.where(inclusion > 0, 0, -1).astype(np.int16)
        record = self.record(weights, planned)
        return Pool(pairs, member, inclusion, stratum, strategy, seed, batch, expected, record)

    def with_batch(
        self, chance: Floats, luck: Bools, expected: Floats, prediction: Floats | None = None
    ) -> "DrawnSoFar":
        """One batch more: the new ones of those who had luck."""
        new = luck & ~self.drawn
        number = self.n_batches + 1
        return DrawnSoFar(
            self.drawn | new,
            self.missed * (1 - chance),
            np.where(new, np.int16(number), self.batch),
            np.where(new, expected, self.expected),
            number,
            (*self.probability, chance),
            () if prediction is None else (*self.prediction, prediction),
        )

    def sample(self, weights: PairWeights, grade: Int64s, table: Floats, seed: int) -> DrawnPairs:
        """What was drawn, with its grades, and what it says of the rest."""
        inclusion = 1 - self.missed
        return DrawnPairs(
            weights.feature,
            weights.topic,
            len(weights.runs.pairs.topics),
            self.drawn,
            np.where(inclusion > 0, inclusion, 1.0),
            np.where(self.drawn, grade, 0),
            weights.folds(seed),
            table,
        )


FIRST_ROUND = -2
"""Rounds are drawn by numbers of their own, -2, -3, ...: no batch of pairs has a part in them."""


def n_turns(n_topics: int, at_once: int) -> int:
    """How many batches it takes until every topic had its turn.

    >>> n_turns(23, 5)
    5
    """
    return -(-n_topics // at_once)


def topics_of_batch(topics: tuple[str, ...], at_once: int, batch: int, seed: int) -> Bools:
    """Which topics have their turn in a batch (from 1).

    A round deals all topics to batches at random, as evenly as can be; then comes another round. It
    is dealt before anything is judged and follows from seed and names alone: given the turns, pairs
    are drawn as ever, and a pair's chance is 0 in a batch in which its topic has no turn.

    >>> topics_of_batch(("1", "2", "3"), 2, 1, 0).tolist()
    [True, False, True]
    >>> topics_of_batch(("1", "2", "3"), 2, 2, 0).tolist()
    [False, True, False]
    """
    turns = n_turns(len(topics), at_once)
    round_, turn = divmod(batch - 1, turns)
    order = np.argsort(draw(seed, [(topic, "") for topic in topics], FIRST_ROUND - round_))
    chosen = np.zeros(len(topics), np.bool_)
    chosen[np.array_split(order, turns)[turn]] = True
    return chosen


ANYWAY_AT_FIRST = 0.5
ANYWAY_LATER = 0.1
"""The share of a batch that is drawn by weight alone, whatever the model says."""

FIRST_SPREAD = 0.4
"""How far from what is expected a gain may lie while nothing is judged, of the largest."""

GUESS_COUNTS = 50
"""As many judgments does that guess stand for where errors are expected."""

FIRST_PREDICTION = 0.5
"""The predicted gain of a pair without labels before anything is judged, of the largest."""

N_DRAWS = 100
"""Draws of the scores from which the chance of a run to be among the best is counted."""


def first_predictions(weights: PairWeights) -> Floats:
    """Return the predicted share of every pair before anything is judged: by labels, or 1/2."""
    labels = weights.runs.pairs.labels
    share = np.full(len(weights.pair), np.nan) if labels is None else labels.share[weights.pair]
    return np.where(np.isnan(share), FIRST_PREDICTION, 0.1 + 0.8 * share)


@pools.register
@dataclass(frozen=True)
class WeightedSample(PoolStrategy):
    """n judgments in batches, with inclusion probabilities by the information of each pair.

    Formula: pi_bp = .9 min(1, k * spread of W_p * sd(h_p - f_p)) + .1 min(1, c * max_r W_rp)

    The first batch is drawn by weight alone. Every later one follows a model of the judgments so
    far, f, and its errors by cells of f. aim=differences looks at differences among the `best`
    best runs, each counted by its chance to be one of them; aim=scores at the scores of all;
    aim='a,b' at the difference of two runs. What a pair's own fold said has no part
    in its chance, so that estimates (ModelAssisted) stay without bias. The chance to have been
    drawn by now is 1 - prod_b (1 - pi_b). With topics=5 every batch takes five topics, dealt by
    chance in rounds, so that an assessor has few topics at a time.

    Ours: see docs/methods/few.md. Neyman allocation with model-assisted estimation.
    """

    in_batches = True

    n: int
    measure: str = "nDCG@10"
    aim: str = "differences"
    batches: int = 8
    best: int = 20
    topics: int | None = None

    def __post_init__(self) -> None:
        if self.n < 1 or self.batches < 1 or self.best < 1:
            raise ValueError("n, batches and best must be at least 1")
        if self.topics is not None and self.topics < 1:
            raise ValueError("topics, how many a batch takes, must be at least 1")

    @property
    def layers(self) -> Strata:
        """None: chances differ from pair to pair."""
        return ()

    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """The first batch."""
        return self.next_batch(runs, seed, None, None)

    def next_batch(
        self, runs: Runs, seed: int, judgments: Judgments | None, previous: Pool | None
    ) -> Pool:
        """The pairs drawn so far and in the next batch, with their chances."""
        if previous is not None and previous.n_batches >= self.batches:
            raise ValueError(f"all {self.batches} batches of {self} were drawn before")
        known = _all_judged(runs, judgments, previous)
        weights = PairWeights.of(runs, self.weighted)
        before = self.completed(weights, seed, known, previous)
        return self.extended(weights, seed, known, before).pool(weights, str(self), seed, self.n)

    def all_batches(self, weights: PairWeights, seed: int, answers: Judgments) -> DrawnSoFar:
        """Every batch to the last, all of it answered, for simulations.

        Drawn by numbers of a generator, which has them faster than hashes, and no less at random.
        """
        before = DrawnSoFar.nothing(len(weights.pair))
        for batch in range(self.batches):
            luck = np.random.default_rng([seed, batch]).random(len(weights.pair))
            before = self.extended(weights, seed, answers, before, luck=luck)
        return before

    def completed(
        self, weights: PairWeights, seed: int, known: Judgments, previous: Pool | None
    ) -> DrawnSoFar:
        """What was drawn so far, with the probabilities of all pairs.

        A file of what was drawn has no chances of the others: they follow from the judgments.
        """
        before = DrawnSoFar.nothing(len(weights.pair))
        if previous is None:
            return before
        rows = DrawnSoFar.of(previous, weights)
        if rows.prediction or rows.missed.max(initial=0.0) < 1:
            return rows
        for batch in range(1, previous.n_batches + 1):
            before = self.extended(weights, seed, known, before, rows.batch == batch)
        return before

    def expected_errors(
        self, runs: Runs, seed: int, judgments: Judgments | None, previous: Pool | None
    ) -> dict[int, float]:
        """The standard error to expect of what is aimed at, by the number of judgments.

        As if all that follows on the first batch, or on what was drawn before, were drawn at once
        by what is known now. Before anything is judged, every gain is taken to lie .4 of the
        largest one off, and every run to be as good as any; that counts as 50 judgments later,
        because a model of few judgments looks better than it is.
        """
        known = _all_judged(runs, judgments, previous)
        weights = PairWeights.of(runs, self.weighted)
        before = self.completed(weights, seed, known, previous)
        reach = float(np.ptp(self.weighted.gain(known.max_grade)))
        guess = FIRST_SPREAD * reach * self.contrast(weights, lambda: np.ones(len(runs.names)))
        every = np.ones(len(weights.pair), np.bool_)
        if not before.n_batches:
            n_drawn, n_known = self.n / self.batches, 0
            missed = 1 - chances(weights.size(), every, n_drawn, ANYWAY_AT_FIRST, weights.reach)
            worth = guess
        else:
            n_drawn = n_known = int(before.drawn.sum())
            missed = before.missed
            sample = self.sample(weights, known, before, seed)
            by_fold = self.worth(weights, sample, seed, 0)
            worth = by_fold[sample.fold, np.arange(len(sample.fold))]

        def variance(worth: Floats, n: float) -> float:
            more = chances(worth, every, n - n_drawn, ANYWAY_LATER, weights.reach)
            pi = 1 - missed * (1 - more)
            return float((worth**2 * (1 - pi) / pi).sum())

        # A difference is of two runs that are each so far from the mean.
        times = (2 if self.aim == "differences" else 1) / (GUESS_COUNTS + n_known)
        return {
            n: (times * (GUESS_COUNTS * variance(guess, n) + n_known * variance(worth, n))) ** 0.5
            for n in (self.n * share // 4 for share in (1, 2, 4, 8, 16))
            if n_drawn < n < len(worth)
        }

    @property
    def error_of(self) -> str:
        """differences of DCG@10, scores of DCG@10, or baseline,new of DCG@10.

        Of a measure that is a share, its numerator's: nobody knows the ideal beforehand.
        """
        return f"{self.aim} of {self.weighted}"

    def extended(
        self,
        weights: PairWeights,
        seed: int,
        known: Judgments,
        before: DrawnSoFar,
        members: Bools | None = None,
        luck: Floats | None = None,
    ) -> DrawnSoFar:
        """One batch more: these members if they are known, else as chance, or `luck`, has it."""
        chance, sample = self.offered(weights, seed, known, before)
        if members is None:
            number = before.n_batches + 1
            luck = draw_bytes(seed, weights.names, number) if luck is None else luck
            members = luck < chance
        expected = before.expected if sample is None else sample.expected
        return before.with_batch(chance, members, expected, self.predicted(weights, sample))

    @staticmethod
    def predicted(weights: PairWeights, sample: DrawnPairs | None) -> Floats:
        """Return the predicted gain of every pair as a share of the range of gains.

        By the labels before the first batch, by the model of what was drawn afterwards.
        """
        if sample is not None:
            least, reach = float(sample.table.min()), float(np.ptp(sample.table))
            predicted: Floats = (sample.expected - least) / (reach or 1.0)
            return predicted
        return first_predictions(weights)

    def offered(
        self, weights: PairWeights, seed: int, known: Judgments, before: DrawnSoFar
    ) -> tuple[Floats, DrawnPairs | None]:
        """The chance of every pair in the next batch, and the sample it follows, none at first."""
        batch = before.n_batches + 1
        sample = None
        if batch == 1:
            worth, anyway = weights.size()[None], ANYWAY_AT_FIRST
        else:
            sample = self.sample(weights, known, before, seed)
            worth, anyway = self.worth(weights, sample, seed, batch), ANYWAY_LATER
        turn = np.flatnonzero(self.has_turn(weights, batch, seed))
        open_, reach = ~before.drawn[turn], weights.reach[turn]
        chance = np.zeros(len(before.drawn))
        fold = weights.folds(seed)[turn]
        for number, by_fold in enumerate(worth[:, turn]):
            # What a fold drew has no part in what all pairs together are worth for its chances.
            mine = fold == number if len(worth) > 1 else np.ones(len(turn), np.bool_)
            offered = chances(by_fold, open_, self.n / self.batches, anyway, reach)
            chance[turn[mine]] = offered[mine]
        return chance, sample

    def batch_draws(self, runs: Runs, seed: int, judgments: Judgments, pool: Pool) -> BatchDraws:
        """Batch by batch how a pool came about: chances follow from what was judged before."""
        known = _all_judged(runs, judgments, pool)
        weights = PairWeights.of(runs, self.weighted)
        return self.replayed(weights, seed, known, DrawnSoFar.of(pool, weights))

    def replayed(
        self, weights: PairWeights, seed: int, known: Judgments, drawn: DrawnSoFar
    ) -> BatchDraws:
        """What every batch offered, and what was known with its draws of other folds."""
        before = DrawnSoFar.nothing(len(weights.pair))
        chance, followed = [], []
        for batch in range(1, drawn.n_batches + 1):
            offered, sample = self.offered(weights, seed, known, before)
            chance.append(offered)
            followed += [] if sample is None else [sample]
            before = before.with_batch(offered, drawn.batch == batch, before.expected)
        followed.append(self.sample(weights, known, before, seed))
        return BatchDraws(
            weights.pair,
            drawn.batch.astype(np.int64),
            np.array(chance),
            np.array([sample.expected for sample in followed]),
            np.array([sample.spread() for sample in followed]),
        )

    def has_turn(self, weights: PairWeights, batch: int, seed: int) -> Bools:
        """The pairs whose topics a batch takes."""
        topics = weights.runs.pairs.topics
        if self.topics is None or self.topics >= len(topics):
            return np.ones(len(weights.pair), np.bool_)
        turns = n_turns(len(topics), self.topics)
        if self.batches < turns:
            raise ValueError(
                f"with {self.topics} topics a batch, {len(topics)} topics take {turns} batches, "
                f"and {self} has {self.batches}: give batches={turns} or more topics"
            )
        return topics_of_batch(topics, self.topics, batch, seed)[weights.topic]

    @property
    def weighted(self) -> Weighted:
        """What is estimated: the measure, or the numerator of one that is a share."""
        return parse_numerator(self.measure)

    def sample(
        self, weights: PairWeights, known: Judgments, before: DrawnSoFar, seed: int
    ) -> DrawnPairs:
        """What was drawn so far, and what it says of the rest."""
        grade = known.grade[weights.pair].astype(np.int64)
        return before.sample(weights, grade, self.weighted.gain(known.max_grade), seed)

    def worth(self, weights: PairWeights, sample: DrawnPairs, seed: int, batch: int) -> Floats:
        """[folds, pairs]: how much a judgment would tell, by what was drawn in the other folds."""

        def best() -> Floats:
            return self.among_best(weights, sample, [seed, batch])

        return self.contrast(weights, best).T * sample.spread_by_fold

    def contrast(self, weights: PairWeights, among_best: Callable[[], Floats]) -> Floats:
        """How much a pair weighs in what is aimed at."""
        if self.aim == "scores":
            return weights.size()
        if self.aim == "differences":
            return weights.spread(among_best())
        names = [name.strip() for name in self.aim.split(",")]
        unknown = [name for name in names if name not in weights.runs.names]
        if len(names) != 2 or unknown:
            raise ValueError(
                f"aim must be differences, scores or two runs with a comma between them, "
                f"not {self.aim!r}" + (f": there is no run {unknown[0]}" if unknown else "")
            )
        a, b = (weights.runs.names.index(name) for name in names)
        row: Floats = abs(weights.matrix[[a]] - weights.matrix[[b]]).toarray()[0]
        return row

    def among_best(self, weights: PairWeights, sample: DrawnPairs, seed: list[int]) -> Floats:
        """[runs, folds]: the chance of each run to be one of the best, by what others drew.

        By draws of all scores together, from what was drawn outside the fold; one fold is missing:
        the others stand for it.
        """
        rows = np.flatnonzero(sample.drawn)
        part = weights.matrix[:, rows].toarray()
        modelled = weights.matrix @ sample.by_fold.T
        noise = np.random.default_rng(seed).standard_normal((len(rows), N_DRAWS), np.float32)
        open_share = np.sqrt(1 - sample.inclusion[rows])
        n_runs = len(part)
        chance = np.ones((n_runs, N_FOLDS))
        if self.best >= n_runs:
            return chance
        for fold, expected in enumerate(sample.by_fold):
            others = np.flatnonzero(sample.fold[rows] != fold)
            known, every = part[:, others], np.ones(len(sample.fold), np.bool_)
            error = sample.error(expected, every)[rows[others]] * N_FOLDS / (N_FOLDS - 1)
            score = modelled[:, fold] + known @ error
            apart = (known * (np.abs(error) * open_share[others])).astype(np.float32)
            # How many the fold itself drew moves nobody's noise.
            drawn = apart @ noise[: len(others)] + score[:, None]
            last = np.partition(drawn, n_runs - self.best, axis=0)[n_runs - self.best]
            chance[:, fold] = (drawn >= last).mean(axis=1)
        return chance


def _all_judged(runs: Runs, judgments: Judgments | None, previous: Pool | None) -> Judgments:
    """The judgments so far; a ValueError if some of what was drawn is missing."""
    nothing = np.zeros(len(runs.pairs), np.bool_)
    known = judgments or Judgments(runs.pairs, nothing, nothing.astype(np.int16))
    if previous is not None:
        left = previous.member & ~known.judged
        if left.any():
            topic, doc = runs.pairs.name(int(np.flatnonzero(left)[0]))
            raise ValueError(
                f"{left.sum()} of {len(previous)} pairs drawn so far are not judged, the first is "
                f"{doc} of topic {topic}: the next batch follows from all of them, so judge these "
                "first"
            )
    return known
