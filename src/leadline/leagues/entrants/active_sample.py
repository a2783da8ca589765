"""Active sampling: documents of good runs are drawn more often, and the chances are kept."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.entrants.prior_sample import rank_prior, told, without_bias
from leadline.leagues.question import Question, Reply
from leadline.measures.stat_ap import statAP
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.lists import Lists
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs

ROUNDS = 10
"""So often the weights of the runs are estimated anew, if no document is drawn twice."""

MOST_ROUNDS = 50
"""Then those who are drawn again and again are too few to go on: as the authors' program has it."""


@entrants.register
@dataclass(frozen=True)
class ActiveSample(Entrant):
    """Runs drawn by their estimated AP, documents by their rank, with Horvitz and Thompson.

    Formula: p_t(d) = sum over runs s of w_st p_s(d); pi_d = 1 - product over draws of (1 - p_t(d))

    Topic by topic, with replacement. w_s is the AP of run s on the topic as estimated so far, at
    first and where nothing relevant was drawn the same for all, scaled to sum to 1; p_s(d) follows
    1 + 1/r + 1/(r+1) + ... + 1/N at d's rank r in s, scaled likewise. Every topic has its share of
    the budget, spent in rounds. Estimates are by the inclusion probabilities pi that all rounds
    gave together: AP by statAP, sums of weights and gains by Horvitz and Thompson.

    Li and Kanoulas, Active sampling for large-scale information retrieval evaluation, CIKM 2017.
    """

    tasks = ("scores", "best", "five")

    @property
    def title(self) -> str:
        return "active sampling"

    def answer(self, question: Question) -> Reply:
        """Of AP and of weighted measures."""
        measure = without_bias(question)
        state = _Drawn(question.looked_at, question.budget, question.seed)
        asked: Any = question.measure
        by_ap = statAP(rel=asked.rel)
        for _ in range(MOST_ROUNDS):
            if not state.draw(question):
                break
            lists = Lists.of(state.runs, state.pool().restrict(question.known))
            state.weigh(by_ap.score(lists).value)
        return told(question, state.pool(), measure)


@dataclass(eq=False)
class _Drawn:
    """What was drawn of each topic, and the log of the chance that a pair was never drawn."""

    runs: Runs
    budget: int
    seed: int
    weight: Floats = field(init=False)
    missed: Floats = field(init=False)
    member: Bools = field(init=False)

    def __post_init__(self) -> None:
        n_runs, n_topics = self.runs.length.shape
        self.random = np.random.default_rng(self.seed)
        entries, prior = self.runs.entries, rank_prior(self.runs)
        of_list = np.bincount(entries.list, prior, n_runs * n_topics)
        self.by_rank: Floats = prior / of_list[entries.list]
        self.missed = np.zeros(len(self.runs.pairs))
        self.member = np.zeros(len(self.runs.pairs), np.bool_)
        self.bounds: Int64s = np.searchsorted(self.runs.pairs.topic, np.arange(n_topics + 1))
        # What cannot be shared evenly goes to some topics by chance.
        quota = np.full(n_topics, self.budget // n_topics)
        quota[self.random.permutation(n_topics)[: self.budget % n_topics]] += 1
        returned = np.zeros(len(self.member), np.bool_)
        returned[self.runs.pair] = True
        self.quota: Int64s = np.minimum(quota, np.add.reduceat(returned, self.bounds[:-1]))
        self.weigh(np.full((n_runs, n_topics), np.nan))

    def weigh(self, ap: Floats) -> None:
        """The runs' weights on each topic, by their AP; lists that are empty have none."""
        known = np.where(self.runs.length > 0, np.nan_to_num(ap), 0.0)
        even = np.where(self.runs.length > 0, 1.0, 0.0)
        known = np.where(known.sum(axis=0) > 0, known, even)
        self.weight = known / np.maximum(known.sum(axis=0), 1e-300)

    def draw(self, question: Question) -> bool:
        """One round of every topic that has judgments left; whether there was one."""
        entries = self.runs.entries
        share = self.weight[entries.run, entries.topic] * self.by_rank
        chance = np.bincount(self.runs.pair, share, len(self.member))
        fresh = []
        for topic, (low, high) in enumerate(zip(self.bounds[:-1], self.bounds[1:], strict=True)):
            left = int(self.quota[topic] - self.member[low:high].sum())
            if left <= 0:
                continue
            n = min(left, max(1, int(self.quota[topic]) // ROUNDS))
            here = chance[low:high] / chance[low:high].sum()
            fresh.append(low + self.random.choice(high - low, n, p=here))
            # A chance of 1 leaves nothing to be missed.
            self.missed[low:high] += n * np.log1p(-np.minimum(here, 1 - 1e-12))
        if not fresh:
            return False
        pairs = np.unique(np.concatenate(fresh))
        self.member[pairs] = True
        question.judge(pairs)
        return True

    def pool(self) -> Pool:
        """What was drawn, with the chances of all rounds together."""
        inclusion = -np.expm1(self.missed)
        stratum = np.where(inclusion > 0, 0, -1).astype(np.int16)
        return Pool(self.runs.pairs, self.member, inclusion, stratum, "active sampling", self.seed)
