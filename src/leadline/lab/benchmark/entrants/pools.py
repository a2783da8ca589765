"""Entrants that judge the first ranks, strata or whole topics."""

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self

import numpy as np

from leadline.completions.baselines import InfRBP
from leadline.completions.estimator import TrainingData, estimators
from leadline.completions.pooling_bias import from_topics, tuned_slope
from leadline.data.arrays import Floats
from leadline.data.draw import draw_pairs
from leadline.data.pool import Pool
from leadline.data.runs import UNRANKED, Runs
from leadline.judging.order import TopicSample
from leadline.lab.benchmark.entrants.samples import judged_and_told
from leadline.lab.benchmark.play import developed_on
from leadline.lab.benchmark.question import Entrant, Question, Reply, entrants
from leadline.measures.inferred import infNDCG, xinfAP
from leadline.measures.measure import Measure
from leadline.pooling.strategies import Depth, TwoStrata, UniformSample

MOST_RANKS = 20
"""The first stratum goes no deeper."""


@entrants.register
@dataclass(frozen=True)
class InferredStrata(Entrant):
    """Half of the budget on the first ranks, the rest sampled from those below.

    Formula: see TwoStrata, xinfAP and infNDCG

    Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG,
    SIGIR 2008.
    """

    tasks = ("scores", "best", "five")
    name_in_tables = "TwoStrata + xinfAP, infNDCG"

    def answer(self, question: Question) -> Reply:
        """Of AP and of nDCG."""
        measure = inferred(question)
        pool = half_first(question.looked_at, question.budget, question.seed)
        return judged_and_told(question, pool, measure)


def inferred(question: Question) -> Measure:
    """What infers the measure from strata; a ValueError if nothing does."""
    rel, measure = question.ap_rel, question.measure
    if rel is not None:
        return xinfAP(rel=rel)
    asked: Any = measure
    if measure.registered_name() == "nDCG":
        return infNDCG(asked.k, asked.rel, asked.gains, asked.max_grade)
    raise ValueError(f"xinfAP and infNDCG infer AP and nDCG, not {measure}")


def half_first(runs: Runs, n: int, seed: int) -> Pool:
    """The first ranks with half of the budget, and an even sample of the rest.

    Where the first rank alone is dearer than that, an even sample of all.
    """
    deepest = int(runs.length.max(initial=1))
    sizes = [len(Depth(depth).pool(runs)) for depth in range(1, min(MOST_RANKS, deepest) + 1)]
    depth = min(int(np.searchsorted(sizes, n / 2, side="right")), deepest - 1)
    whole = len(Depth(deepest).pool(runs))
    if not depth:
        return UniformSample(deepest, min(1.0, n / whole)).pool(runs, seed)
    rate = min(1.0, (n - sizes[depth - 1]) / (whole - sizes[depth - 1]))
    return TwoStrata(depth, deepest, rate).pool(runs, seed)


@entrants.register
@dataclass(frozen=True)
class InferredBelow(Entrant):
    """Half of the budget on the first ranks, the rest sampled from those below, with InfRBP.

    Formula: see TwoStrata and InfRBP

    Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG,
    SIGIR 2008, as Lu, Moffat and Culpepper, IRJ 2017, have it for RBP.
    """

    tasks = ("scores", "best", "five")
    name_in_tables = "TwoStrata + InfRBP"

    def answer(self, question: Question) -> Reply:
        """Of weighted measures, where the budget pays for the first ranks."""
        runs, n = question.looked_at, question.budget
        deep = int(runs.length.max())
        sizes = [len(Depth(d).pool(runs)) for d in range(1, deep + 1)]
        d = max(1, int(np.searchsorted(sizes, n / 2, side="right")))
        if sizes[0] >= n or d >= deep:
            raise ValueError("the budget does not pay for two strata")
        rate = min(1.0, (n - sizes[d - 1]) / (sizes[-1] - sizes[d - 1]))
        pool = TwoStrata(d, deep, rate).pool(runs, question.seed)
        question.judge(np.flatnonzero(pool.member))
        known = pool.restrict(question.known)
        evidence = TrainingData(question.weighted, question.runs, known, pool)
        return Reply.of_scores(InfRBP().gains(evidence).scores("InfRBP"), question)


@entrants.register
@dataclass(frozen=True)
class AsJudged(Entrant):
    """Scores by the judgments that there are; unjudged documents are not relevant.

    Formula: the measure itself, gain 0 where nobody judged

    What trec_eval does, and what everything else must beat.
    """

    tasks = ("shallow", "newcomer", "diversity")
    name_in_tables = "as judged"

    def answer(self, question: Question) -> Reply:
        """Without intervals: what is certain is no 95% interval."""
        return as_judged(question)


def as_judged(question: Question) -> Reply:
    """The scores by what is known of a question."""
    scores = question.measure.score(question.lists)
    return Reply(question.of_asked(scores.mean()), by_topic=question.of_asked(scores.value))


@entrants.register
@dataclass(frozen=True)
class DepthPool(Entrant):
    """The pairs with the best ranks, of equals as chance has it; then an estimator, or none.

    Formula: see the estimator
    """

    tasks = ("scores", "best", "five")

    estimator: str = "Regression"

    @property
    def title(self) -> str:
        return f"depth pool + {self.estimator}" if self.estimator else "depth pool, as judged"

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on(self.estimator)

    @classmethod
    def variants(cls) -> list[Self]:
        """With Regression, with the bootstrap, and with nothing."""
        return [cls(), cls("ShareBootstrap"), cls("")]

    def answer(self, question: Question) -> Reply:
        """Scores as the estimator has them."""
        pool = first_pairs(question, question.budget)
        if not self.estimator:
            return as_judged(question)
        evidence = TrainingData(
            question.measure, question.runs, pool.restrict(question.known), pool
        )
        estimated = estimators.parse(self.estimator).estimated(evidence)
        return Reply.of_scores(estimated.scores(self.estimator), question)


def first_pairs(question: Question, n: int) -> Pool:
    """The n pairs with the best ranks, of equals as chance has it, judged."""
    runs = question.looked_at
    pair = np.flatnonzero(runs.best_rank < UNRANKED)
    luck = draw_pairs(question.seed, runs.pairs, pair)
    question.judge(pair[np.lexsort((luck, runs.best_rank[pair]))[:n]])
    member = question.known.judged
    stratum = np.where(member, 0, -1).astype(np.int16)
    return Pool(runs.pairs, member, member.astype(np.float64), stratum, f"the first {n} pairs")


@entrants.register
@dataclass(frozen=True)
class Condensed(Entrant):
    """Scores of the lists without their unjudged documents.

    Formula: the measure with judged_only=true

    Sakai, Alternatives to bpref, SIGIR 2007.
    """

    tasks = ("shallow", "newcomer", "diversity")
    name_in_tables = "condensed lists"

    def answer(self, question: Question) -> Reply:
        """Those who look at whole lists only; there are no intervals."""
        measure: Any = question.measure
        if "judged_only" not in {each.name for each in fields(measure)}:
            raise ValueError(f"{measure} has no form that leaves unjudged documents out")
        scores = replace(measure, judged_only=True).score(question.lists)
        return Reply(question.of_asked(scores.mean()), by_topic=question.of_asked(scores.value))


@entrants.register
@dataclass(frozen=True)
class TopicsInFull(Entrant):
    """As many topics as the budget pays for, judged in full; labels speak for the others.

    Formula: l * mean over all topics of the labels' scores + mean over judged ones of (true - l *
    labels')

    slope: none leaves the labels out, one takes l = 1, tuned fits l to the judged topics.

    Webber and Park, Score adjustment for correction of pooling bias, SIGIR 2009.
    """

    tasks = ("labels",)

    slope: Literal["none", "one", "tuned"] = "tuned"

    @property
    def title(self) -> str:
        return (
            "whole topics" + {"none": "", "one": " + judge", "tuned": " + judge, tuned"}[self.slope]
        )

    @classmethod
    def variants(cls) -> list[Self]:
        """Without the labels, with them, and with them as far as they are worth."""
        return [cls("none"), cls("one"), cls("tuned")]

    def answer(self, question: Question) -> Reply:
        """Of weighted measures."""
        weights, n = question.weights, question.budget
        n_topics = len(question.runs.pairs.topics)
        asked = [c.pair for c in TopicSample(question.seed).start(question.looked_at).next(n + 1)]
        size = np.bincount(weights.topic, minlength=n_topics)
        begun = np.array(list(dict.fromkeys(question.runs.pairs.topic[asked].tolist())))
        common = begun[np.cumsum(size[begun]) <= n]
        if not len(common):
            raise ValueError("the budget does not pay for one topic")
        pair = weights.pair
        judged = np.isin(weights.topic, common)
        gain, table = np.zeros(len(pair)), question.weighted.gain(question.max_grade)
        gain[judged] = table[question.judge(pair[judged])]
        true = by_topic(question, gain)[:, common]
        if self.slope == "none":
            return Reply(true.mean(axis=1))
        share = np.nan_to_num(question.runs.pairs.needed_labels.share)[pair]
        others = np.setdiff1d(np.arange(n_topics), common)
        plentiful = by_topic(question, table.max() * share)[:, np.concatenate([common, others])]
        slope = 1.0 if self.slope == "one" else tuned_slope(plentiful[:, : len(common)], true)
        return Reply(from_topics(plentiful, true, n_topics, slope).adjusted)


def by_topic(question: Question, gain: Floats) -> Floats:
    """[runs, topics]: the scores if the pairs that weigh something have these gains."""
    weights, n_topics = question.weights, len(question.runs.pairs.topics)
    scores = [
        n_topics * (weights.matrix @ (gain * (weights.topic == at))) for at in range(n_topics)
    ]
    return np.stack(scores, axis=1)
