"""Designed pools: the pairs whose judgment tells most, drawn by chance, batch after batch."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leadline.designs.chances import chances
from leadline.designs.drawn_so_far import DrawnSoFar
from leadline.designs.topic_turns import n_turns, topics_of_batch
from leadline.estimators.cross_fit import DrawnPairs
from leadline.estimators.pair_weights import N_FOLDS, PairWeights
from leadline.measures.measure import parse_numerator
from leadline.measures.weighted import Weighted
from leadline.pools.strategy import PoolStrategy, Strata, pools
from leadline.tables.arrays import Bools, Floats
from leadline.tables.batch_draws import BatchDraws
from leadline.tables.draw import draw_bytes
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs

ANYWAY_AT_FIRST = 0.5
ANYWAY_LATER = 0.1
"""The share of a batch that is drawn by weight alone, whatever the model says."""

FIRST_SPREAD = 0.4
"""How far from what is expected a gain may lie while nothing is judged, of the largest."""

GUESS_COUNTS = 50
"""As many judgments does that guess stand for where errors are expected."""

N_DRAWS = 100
"""Draws of the scores from which the chance of a run to be among the best is counted."""


@pools.register
@dataclass(frozen=True)
class Designed(PoolStrategy):
    """n judgments in batches, each pair with a known chance that follows what it would tell.

    Formula: pi_bp = .9 min(1, k * spread of W_p * sd(h_p - f_p)) + .1 min(1, c * max_r W_rp)

    The first batch is drawn by weight alone. Every later one follows a model of the judgments so
    far, f, and its errors by cells of f. aim=differences looks at differences among the `best`
    best runs, each counted by its chance to be one of them; aim=scores at the scores of all;
    aim='a,b' at the difference of two runs. What a pair's own fold said has no part
    in its chance, so that estimates (Assisted) stay without bias. The chance to have been drawn by
    now is 1 - prod_b (1 - pi_b). With topics=5 every batch takes five topics, dealt by chance in
    rounds, so that an assessor has few topics at a time.

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
        return self.extended(weights, seed, known, before).pool(weights, str(self), seed)

    def all_batches(self, weights: PairWeights, seed: int, answers: Judgments) -> DrawnSoFar:
        """Every batch to the last, all of it answered, for simulations.

        Drawn by numbers of a generator, which has them faster than hashes, and no less by chance.
        """
        before = DrawnSoFar.nothing(len(weights.pair))
        for batch in range(self.batches):
            luck = np.random.default_rng([seed, batch]).random(len(weights.pair))
            before = self.extended(weights, seed, answers, before, luck=luck)
        return before

    def completed(
        self, weights: PairWeights, seed: int, known: Judgments, previous: Pool | None
    ) -> DrawnSoFar:
        """What was drawn so far, with the chances of all pairs.

        A file of what was drawn has no chances of the others: they follow from the judgments.
        """
        before = DrawnSoFar.nothing(len(weights.pair))
        if previous is None:
            return before
        rows = DrawnSoFar.of(previous, weights)
        if rows.missed.max(initial=0.0) < 1:
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
        return before.with_batch(chance, members, expected)

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
