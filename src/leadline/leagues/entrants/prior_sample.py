"""statAP's sample: documents drawn by the ranks at which runs return them."""

from dataclasses import dataclass

import numpy as np

from leadline.designs.chances import chances
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply
from leadline.measures.horvitz_thompson import HT
from leadline.measures.measure import Measure
from leadline.measures.stat_ap import statAP
from leadline.tables.arrays import Floats
from leadline.tables.draw import draw_pairs
from leadline.tables.lists import Lists
from leadline.tables.mean_estimate import MeanEstimate
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs


@entrants.register
@dataclass(frozen=True)
class PriorSample(Entrant):
    """Chances by the mean prior of a document's ranks; AP by statAP, sums by Horvitz and Thompson.

    Formula: chance(d) ~ sum over runs of 1 + 1/r + 1/(r+1) + ... + 1/N, r the rank of d, N = 100

    The prior is what AP asks of the pair of ranks; documents are drawn one by one, where the paper
    draws them from buckets of like chances.

    Aslam and Pavlu, A practical sampling strategy for efficient retrieval evaluation, Northeastern
    University 2007.
    """

    tasks = ("scores", "best", "five")

    @property
    def title(self) -> str:
        return "statAP's sample"

    def answer(self, question: Question) -> Reply:
        """Of AP and of weighted measures."""
        measure = without_bias(question)
        pool = by_prior(question.looked_at, question.budget, question.seed)
        question.judge(np.flatnonzero(pool.member))
        return told(question, pool, measure)


def without_bias(question: Question) -> Measure:
    """What estimates the measure from inclusion probabilities."""
    rel = question.ap_rel
    return HT(of=str(question.weighted)) if rel is None else statAP(rel=rel)


def told(question: Question, pool: Pool, measure: Measure) -> Reply:
    """What a measure that is estimated from a sample says of what was judged of the pool."""
    scores = measure.score(Lists.of(question.runs, pool.restrict(question.known)))
    assert scores.standard_error is not None
    # A topic without a relevant document in the sample scores nothing, as far as anyone knows.
    value, error = np.nan_to_num(scores.value), np.nan_to_num(scores.standard_error)
    variance = (error**2).sum(axis=1) / error.shape[1] ** 2
    return Reply.of_mean(MeanEstimate(value.mean(axis=1), np.diag(variance)), value)


def rank_prior(runs: Runs) -> Floats:
    """For each entry of the lists 1 + 1/r + 1/(r+1) + ... + 1/N, r its rank, N the deepest."""
    tail = np.cumsum(1 / np.arange(int(runs.length.max(initial=1)), 0, -1))[::-1]
    prior: Floats = (1 + tail)[runs.entries.rank - 1]
    return prior


def by_prior(runs: Runs, n: int, seed: int) -> Pool:
    """About n pairs, each with a chance that follows the mean prior of its ranks."""
    worth = np.bincount(runs.pair, rank_prior(runs), len(runs.pairs)).astype(np.float64)
    some = np.flatnonzero(worth)
    inclusion = np.zeros(len(worth))
    inclusion[some] = chances(worth[some], np.ones(len(some), np.bool_), n, 0.0, worth[some])
    member = np.zeros(len(worth), np.bool_)
    member[some] = draw_pairs(seed, runs.pairs, some) < inclusion[some]
    stratum = np.where(inclusion > 0, 0, -1).astype(np.int16)
    return Pool(runs.pairs, member, inclusion, stratum, "by prior", seed)
