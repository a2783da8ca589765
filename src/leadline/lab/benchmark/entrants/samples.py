"""Entrants that judge a sample and estimate from it."""

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np

from leadline.completions.estimator import TrainingData
from leadline.completions.pair_weights import PairWeights
from leadline.completions.sample import ModelAssisted, mean_of_draws
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.draw import draw_pairs
from leadline.data.lists import Lists
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.judging.weighted_sample import DrawnSoFar, WeightedSample, chances
from leadline.lab.benchmark.play import developed_on
from leadline.lab.benchmark.question import Entrant, Question, Reply, entrants
from leadline.measures.inferred import HorvitzThompson, statAP
from leadline.measures.measure import Measure


@entrants.register
@dataclass(frozen=True)
class DesignedSample(Entrant):
    """All batches of WeightedSample, and ModelAssisted, shrunk or not.

    Formula: see WeightedSample and ModelAssisted

    Ours: see docs/methods/few.md.
    """

    tasks = ("scores", "best", "five", "labels")

    shrink: bool = False
    aim: Literal["differences", "scores"] = "differences"

    @property
    def title(self) -> str:
        design = (
            "WeightedSample" if self.aim == "differences" else f"WeightedSample(aim={self.aim})"
        )
        return f"{design} + ModelAssisted" + (", shrunk" if self.shrink else "")

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on("WeightedSample")

    @classmethod
    def variants(cls) -> list[Self]:
        """As it is, shrunk, and with the aim that `plan` gives it for the question scores."""
        return [cls(), cls(shrink=True), cls(aim="scores")]

    def answer(self, question: Question) -> Reply:
        """Of weighted measures and of nDCG."""
        weighted, seed = question.measure.numerator, question.seed
        if weighted is None:
            raise ValueError(f"{question.measure} is neither a sum of weights and gains nor nDCG@k")
        weights = PairWeights.of(question.runs, weighted)
        design = WeightedSample(question.budget, str(question.measure), self.aim)
        before = DrawnSoFar.nothing(len(weights.pair))
        for batch in range(design.batches):
            # A generator's numbers are as good as hashes, and sooner there.
            luck = np.random.default_rng([seed, batch]).random(len(weights.pair))
            before = design.extended(weights, seed, question.known, before, luck=luck)
            question.judge(weights.pair[before.drawn])
        pool = before.pool(weights, str(design), seed)
        known = pool.restrict(question.known)
        evidence = TrainingData(question.measure, question.runs, known, pool)
        estimated = ModelAssisted(self.shrink, seed).estimated(evidence)
        return Reply.of_scores(estimated.scores(self.title), question)


@entrants.register
@dataclass(frozen=True)
class EvenSample(Entrant):
    """Every pair that the measure looks at is judged with the same chance.

    Formula: S_r = sum over drawn p of W_rp h_p / pi

    Horvitz and Thompson, A generalization of sampling without replacement, JASA 1952.
    """

    tasks = ("scores", "best", "five")
    name_in_tables = "even sample + Horvitz-Thompson"

    def answer(self, question: Question) -> Reply:
        """Of weighted measures."""
        weights = question.weights
        chance = min(1.0, question.budget / len(weights.pair))
        luck = draw_pairs(question.seed, question.runs.pairs, weights.pair)
        rows = np.flatnonzero(luck < chance)
        grade = question.judge(weights.pair[rows])
        gain = question.weighted.gain(question.max_grade)[grade]
        part = weights.matrix[:, rows].toarray() * (gain / chance)
        return Reply.of_mean(mean_of_draws(part.sum(axis=1), part, np.full(len(rows), chance)))


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
    name_in_tables = "statAP's sample"

    def answer(self, question: Question) -> Reply:
        """Of AP and of weighted measures."""
        measure = without_bias(question)
        pool = by_prior(question.looked_at, question.budget, question.seed)
        return judged_and_told(question, pool, measure)


def without_bias(question: Question) -> Measure:
    """What estimates the measure from inclusion probabilities."""
    rel = question.ap_rel
    return HorvitzThompson(of=str(question.weighted)) if rel is None else statAP(rel=rel)


def judged_and_told(question: Question, pool: Pool, measure: Measure) -> Reply:
    """Judge what was drawn of a pool, and return what the measure estimates from it."""
    question.judge(np.flatnonzero(pool.member))
    return told(question, pool, measure)


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
    name_in_tables = "active sampling"

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
        # What cannot be shared evenly goes to some topics at random.
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


UNKNOWN = 0.5
"""The chance of a document that nobody judged to be relevant."""


@entrants.register
@dataclass(frozen=True)
class MinimalCollection(Entrant):
    """Documents by how far they can move differences in AP; then the AP to be expected.

    Formula: w_i = max(sd_r(sum over j in R or i of a_rij), sd_r(sum over j not in N of a_rij))

    a_rij = 1 / max(rank of i, rank of j) in run r, 0 where it does not return both, so that AP
    times the number of relevant documents is the sum over relevant pairs of a_rij. R are the
    documents judged relevant, N those judged not: the first sum is what AP gains if i is relevant,
    the second what it can lose if i is not. The paper has two systems and their difference; with
    more, the root mean square over all pairs of runs is sqrt(2) times the deviation over runs. The
    pair of highest weight of all topics is judged. Expected AP: every unjudged document is relevant
    with chance 1/2, E = (sum_i p_i / rank_i + sum over i above j of p_i p_j / rank_j) / sum p.

    Carterette, Allan and Sitaraman, Minimal test collections for retrieval evaluation, SIGIR 2006.
    """

    tasks = ("scores", "best", "five")
    name_in_tables = "MTC"

    def answer(self, question: Question) -> Reply:
        """Of AP."""
        rel = question.ap_rel
        if rel is None:
            raise ValueError(f"MTC is about AP, not {question.measure}")
        state = [TopicMatrix.of(question.runs, at) for at in range(len(question.runs.pairs.topics))]
        weight = [topic.weights() for topic in state]
        best = np.array([each.max(initial=-1.0) for each in weight])
        for _ in range(question.budget):
            at = int(best.argmax())
            if best[at] < 0:
                break
            doc = int(weight[at].argmax())
            grade = int(question.judge([int(state[at].pair[doc])])[0])
            state[at].tell(doc, grade >= rel)
            weight[at] = state[at].weights()
            best[at] = weight[at].max(initial=-1.0)
        by_topic = np.stack([topic.expected() for topic in state], axis=1)
        return Reply(by_topic.mean(axis=1), by_topic=by_topic)


@dataclass(eq=False)
class TopicMatrix:
    """The documents of a topic, in which run they stand at which rank, and what is known of them.

    `place` [runs, ranks] is the document at every rank, -1 beyond a list's end.
    """

    pair: Int64s
    place: Int64s
    judged: Bools
    relevant: Bools

    @classmethod
    def of(cls, runs: Runs, topic: int) -> "TopicMatrix":
        """Nothing judged yet."""
        start, stop = runs.start[:, topic], runs.stop[:, topic]
        lists = [runs.pair[a:b] for a, b in zip(start.tolist(), stop.tolist(), strict=True)]
        pair = np.unique(np.concatenate(lists)).astype(np.int64)
        place = np.full((len(lists), max(map(len, lists), default=0)), -1, np.int64)
        for run, docs in enumerate(lists):
            place[run, : len(docs)] = np.searchsorted(pair, docs)
        nothing = np.zeros(len(pair), np.bool_)
        return cls(pair, place, nothing, nothing.copy())

    def tell(self, doc: int, relevant: bool) -> None:
        """What a document turned out to be."""
        self.judged[doc], self.relevant[doc] = True, relevant

    def weights(self) -> Floats:
        """How far each unjudged document can move the differences; -1 for the judged."""
        gain = self._sums(self.relevant.astype(np.float64))
        loss = self._sums((~self.judged | self.relevant).astype(np.float64))
        weight = np.maximum(gain.std(axis=0), loss.std(axis=0))
        return np.where(self.judged, -1.0, weight)

    def _sums(self, counted: Floats) -> Floats:
        """[runs, docs]: the sum over counted documents, and the document itself, of a_rij."""
        some = self.place >= 0
        rank = np.arange(1, self.place.shape[1] + 1)
        count = np.where(some, counted[self.place], 0.0)
        above = np.cumsum(count, axis=1) - count
        share = count / rank
        below = share.sum(axis=1, keepdims=True) - np.cumsum(share, axis=1)
        sums = np.zeros((len(self.place), len(self.pair)))
        run = np.nonzero(some)[0]
        sums[run, self.place[some]] = ((above + 1) / rank + below)[some]
        return sums

    def expected(self) -> Floats:
        """AP of every run as it is to be expected, 0 if nothing can be relevant."""
        chance = np.where(self.judged, self.relevant, UNKNOWN).astype(np.float64)
        p = np.where(self.place >= 0, chance[self.place], 0.0)
        rank = np.arange(1, p.shape[1] + 1)
        above = np.cumsum(p, axis=1) - p
        whole = max(float(chance.sum()), 1e-9)
        total: Floats = (p * (1 + above) / rank).sum(axis=1) / whole
        return total
