"""Designed pools: the pairs whose judgment tells most, drawn by chance, batch after batch."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from leadline.designs.chances import chances
from leadline.estimators.assisted import drawn_pairs
from leadline.estimators.cross_fit import DrawnPairs
from leadline.estimators.evidence import Evidence
from leadline.estimators.pair_weights import N_FOLDS, PairWeights
from leadline.measures.measure import parse_numerator
from leadline.measures.weighted import Weighted
from leadline.pools.strategy import PoolStrategy, Strata, pools
from leadline.tables.arrays import Bools, Floats
from leadline.tables.draw import draw
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs

EVEN_AT_FIRST = 0.5
EVEN_LATER = 0.1
"""The share of a batch that is drawn evenly, whatever the model says."""

FIRST_SPREAD = 0.4
"""How far a gain is taken to lie from what is expected while nothing is judged, of the largest."""

GUESS_COUNTS = 50
"""As many judgments does that guess stand for where errors are expected."""

N_DRAWS = 100
"""Draws of the scores from which the chance of a run to be among the best is counted."""


@pools.register
@dataclass(frozen=True)
class Designed(PoolStrategy):
    """n judgments in batches, each pair with a known chance that follows what it would tell.

    Formula: pi_bp = .9 min(1, k * spread of W_p over runs that matter * sd(h_p - f_p)) + .1 n_b / P

    The first batch is drawn by weight alone, half of it evenly. Every later one follows a model of
    the judgments so far, f, and its errors by cells of f. aim=differences looks at differences
    among the `best` best runs, each counted by its chance to be one of them; aim=scores at the
    scores of all; aim='a,b' at the difference of two runs. What a pair's own fold said has no part
    in its chance, so that estimates (Assisted) stay without bias. The chance to have been drawn by
    now is 1 - prod_b (1 - pi_b).

    Ours: see docs/methods/few.md. Neyman allocation with model-assisted estimation.
    """

    in_batches = True

    n: int
    measure: str = "nDCG@10"
    aim: str = "differences"
    batches: int = 8
    best: int = 20

    def __post_init__(self) -> None:
        if self.n < 1 or self.batches < 1 or self.best < 1:
            raise ValueError("n, batches and best must be at least 1")

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
        n_before = 0 if previous is None else previous.n_batches
        if n_before >= self.batches:
            raise ValueError(f"all {self.batches} batches of {self} were drawn before")
        known = _all_judged(runs, judgments, previous)
        weights = PairWeights.of(runs, self.weighted)
        return self.extended(weights, seed, known, self.completed(weights, seed, known, previous))

    def completed(
        self, weights: PairWeights, seed: int, known: Judgments, previous: Pool | None
    ) -> Pool | None:
        """A pool with the chances of all pairs.

        A file of what was drawn has no chances of the others: they follow from the judgments.
        """
        if previous is None or previous.inclusion[weights.pair].all():
            return previous
        if previous.batch is None:
            raise ValueError("the previous pool has no column batch: it was not drawn by Designed")
        pool = None
        for batch in range(1, previous.n_batches + 1):
            pool = self.extended(weights, seed, known, pool, previous.batch == batch)
        return pool

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
        pool = self.completed(weights, seed, known, previous)
        reach = float(np.ptp(self.weighted.gain(known.max_grade)))
        guess = FIRST_SPREAD * reach * self.contrast(weights, lambda: np.ones(len(runs.names)))
        every = np.ones(len(weights.pair), np.bool_)
        if pool is None:
            n_drawn, n_known = self.n / self.batches, 0
            missed = 1 - chances(weights.size(), every, n_drawn, EVEN_AT_FIRST)
            worth = guess
        else:
            n_drawn = n_known = len(pool)
            missed = 1 - pool.inclusion[weights.pair]
            worth = self.worth(weights, self.sample(weights, known, pool, seed), seed, 0)

        def variance(worth: Floats, n: float) -> float:
            pi = 1 - missed * (1 - chances(worth, every, n - n_drawn, EVEN_LATER))
            return float((worth**2 * (1 - pi) / pi).sum())

        # A difference is of two runs that are each so far from the mean.
        times = (2 if self.aim == "differences" else 1) / (GUESS_COUNTS + n_known)
        return {
            n: (times * (GUESS_COUNTS * variance(guess, n) + n_known * variance(worth, n))) ** 0.5
            for n in (self.n * share // 4 for share in (1, 2, 4, 8, 16))
            if n_drawn < n < len(worth)
        }

    def extended(
        self,
        weights: PairWeights,
        seed: int,
        known: Judgments,
        previous: Pool | None,
        members: Bools | None = None,
    ) -> Pool:
        """A pool with one batch more: these members if they are known, else as chance has it."""
        pair, pairs = weights.pair, weights.runs.pairs
        batch = 1 if previous is None else previous.n_batches + 1
        drawn, missed = np.zeros(len(pair), np.bool_), np.ones(len(pair))
        expected = np.full(len(pair), np.nan)
        worth, even = weights.size(), EVEN_AT_FIRST
        if previous is not None:
            drawn, missed = previous.member[pair], 1 - previous.inclusion[pair]
            sample = self.sample(weights, known, previous, seed)
            worth, even = self.worth(weights, sample, seed, batch), EVEN_LATER
            expected = sample.expected
        chance = chances(worth, ~drawn, self.n / self.batches, even)
        luck = members[pair] if members is not None else draw(seed, weights.names, batch) < chance
        new = luck & ~drawn
        inclusion, member = np.zeros(len(pairs)), np.zeros(len(pairs), np.bool_)
        inclusion[pair] = 1 - missed * (1 - chance)
        member[pair] = drawn | new
        number = np.zeros(len(pairs), np.int16)
        said = np.full(len(pairs), np.nan)
        if previous is not None and previous.batch is not None and previous.expected is not None:
            number[:], said[:] = previous.batch, previous.expected
        number[pair[new]] = batch
        said[pair[new]] = expected[new]
        stratum = np.where(inclusion > 0, 0, -1).astype(np.int16)
        return Pool(pairs, member, inclusion, stratum, str(self), seed, number, said)

    @property
    def weighted(self) -> Weighted:
        """What is estimated: the measure, or the numerator of one that is a share."""
        return parse_numerator(self.measure)

    def sample(self, weights: PairWeights, known: Judgments, pool: Pool, seed: int) -> DrawnPairs:
        """What was drawn so far, and what it says of the rest."""
        evidence = Evidence(self.weighted, weights.runs, pool.restrict(known), pool)
        return drawn_pairs(evidence, weights, seed)

    def worth(self, weights: PairWeights, sample: DrawnPairs, seed: int, batch: int) -> Floats:
        """How much each pair's judgment would tell, by what was drawn in the other folds."""
        worth = np.zeros(len(weights.pair))
        for fold in range(N_FOLDS):
            outside = sample.fold != fold
            expected = sample.by_fold[fold]
            best = partial(self.among_best, weights, sample, expected, outside, [seed, batch, fold])
            mine = ~outside
            contrast = self.contrast(weights, best)
            worth[mine] = (contrast * sample.spread(expected, outside))[mine]
        return worth

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

    def among_best(
        self,
        weights: PairWeights,
        sample: DrawnPairs,
        expected: Floats,
        counted: Bools,
        seed: list[int],
    ) -> Floats:
        """The chance of each run to be one of the best, by draws of all scores together."""
        # One fold is missing: the others stand for it.
        error = sample.error(expected, counted) * N_FOLDS / (N_FOLDS - 1)
        score = weights.scores(expected + error)
        drawn = np.flatnonzero(error)
        deviation = np.abs(error[drawn]) * np.sqrt(1 - sample.inclusion[drawn])
        noise = np.random.default_rng(seed).standard_normal((N_DRAWS, len(drawn))) * deviation
        scores = score + (weights.matrix[:, drawn] @ noise.T).T
        place = np.argsort(np.argsort(-scores, axis=1), axis=1)
        chance: Floats = (place < self.best).mean(axis=0)
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
