"""Measures estimated from sampled pools, and their standard errors, equal plain loops."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.measures.measure import measures
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.pairs import Pairs
from leadline.tables.runs import Runs
from leadline.verbs.evaluate import evaluate

EPSILON = 1e-5


@dataclass(frozen=True)
class Doc:
    """A document of the pool: its stratum, inclusion probability and grade, None if not drawn."""

    stratum: int
    inclusion: float
    grade: int | None


Pool = dict[str, Doc]
Plain = Callable[[list[str], Pool], float]


def rates(pool: Pool) -> dict[int, float]:
    """N / n of each stratum of which something was judged."""
    found = {}
    for stratum in {doc.stratum for doc in pool.values()}:
        docs = [doc for doc in pool.values() if doc.stratum == stratum]
        judged = sum(doc.grade is not None for doc in docs)
        if judged:
            found[stratum] = len(docs) / judged
    return found


def is_relevant(pool: Pool, name: str, rel: int = 1) -> bool:
    return name in pool and (pool[name].grade or 0) >= rel


def xinf_ap(
    ranking: list[str], pool: Pool, k: int = 10**6, rel: int = 1, spare: float = 3 * EPSILON
) -> float:
    weight = rates(pool)
    total = sum(weight[doc.stratum] for name, doc in pool.items() if is_relevant(pool, name, rel))
    if total == 0:
        return math.nan
    score = 0.0
    for rank, name in enumerate(ranking[:k], 1):
        if not is_relevant(pool, name, rel):
            continue
        expected = 0.0
        for stratum in {doc.stratum for doc in pool.values()}:
            above = [d for d in ranking[: rank - 1] if d in pool and pool[d].stratum == stratum]
            judged = [d for d in above if pool[d].grade is not None]
            hits = sum(is_relevant(pool, d, rel) for d in judged)
            expected += len(above) * (hits + EPSILON) / (len(judged) + spare)
        score += weight[pool[name].stratum] * (1 + expected) / rank
    return score / total


def inf_ap(ranking: list[str], pool: Pool, rel: int = 1) -> float:
    one = {name: Doc(0, doc.inclusion, doc.grade) for name, doc in pool.items()}
    return xinf_ap(ranking, one, rel=rel, spare=2 * EPSILON)


def inf_ndcg(ranking: list[str], pool: Pool, k: int = 10**6, exp2: bool = False) -> float:
    def gain(grade: int) -> float:
        return 2**grade - 1 if exp2 else grade

    weight = rates(pool)
    numbers: dict[int, float] = {}
    for doc in pool.values():
        if doc.grade:
            numbers[doc.grade] = numbers.get(doc.grade, 0) + weight[doc.stratum]
    # The sum over a stratum comes first there, so halves are halves.
    ideal = [gain(g) for g in sorted(numbers, reverse=True) for _ in range(half_up(numbers[g]))]
    best = sum(each / math.log2(rank + 1) for rank, each in enumerate(ideal[:k], 1))
    if best == 0:
        return math.nan
    score = 0.0
    for stratum in {doc.stratum for doc in pool.values()}:
        listed = [
            (rank, pool[d])
            for rank, d in enumerate(ranking[:k], 1)
            if d in pool and pool[d].stratum == stratum
        ]
        judged = [(rank, doc) for rank, doc in listed if doc.grade is not None]
        found = sum(gain(doc.grade or 0) / math.log2(rank + 1) for rank, doc in judged)
        if judged:
            score += len(listed) / len(judged) * found
    return score / best


def half_up(number: float) -> int:
    return math.floor(round(number, 9) + 0.5)


def stat_ap(ranking: list[str], pool: Pool, known: bool = True) -> float:
    total = sum(1 / doc.inclusion for name, doc in pool.items() if is_relevant(pool, name))
    if total == 0:
        return math.nan
    above, score = 0.0, 0.0
    for rank, name in enumerate(ranking, 1):
        if is_relevant(pool, name):
            itself = 1 if known else 1 / pool[name].inclusion
            score += (itself + above) / rank / pool[name].inclusion
            above += 1 / pool[name].inclusion
    return score / total


def ht_rbp(ranking: list[str], pool: Pool) -> float:
    return sum(
        0.2 * 0.8 ** (rank - 1) / pool[name].inclusion
        for rank, name in enumerate(ranking, 1)
        if is_relevant(pool, name)
    )


def ht_dcg(ranking: list[str], pool: Pool, k: int) -> float:
    return sum(
        (pool[name].grade or 0) / math.log2(rank + 1) / pool[name].inclusion
        for rank, name in enumerate(ranking[:k], 1)
        if name in pool
    )


def ht_num_rel(ranking: list[str], pool: Pool, listed: bool) -> float:
    names = ranking if listed else pool
    return sum(1 / pool[name].inclusion for name in names if is_relevant(pool, name))


BY_STRATUM: dict[str, Plain] = {
    "infAP": inf_ap,
    "infAP(rel=2)": partial(inf_ap, rel=2),
    "xinfAP": xinf_ap,
    "xinfAP@3": partial(xinf_ap, k=3),
    "xinfAP(rel=2)": partial(xinf_ap, rel=2),
    "xinfAP(smoothing=trec_eval)": partial(xinf_ap, spare=2 * EPSILON),
    "infNDCG": inf_ndcg,
    "infNDCG@3": partial(inf_ndcg, k=3),
    "infNDCG(gains=exp2)@5": partial(inf_ndcg, k=5, exp2=True),
}
BY_INCLUSION: dict[str, Plain] = {
    "statAP": stat_ap,
    "statAP(own=estimated)": partial(stat_ap, known=False),
    "HT(of=RBP(p=0.8))": ht_rbp,
    "HT(of=DCG@3)": partial(ht_dcg, k=3),
    "HT(of=NumRel)": partial(ht_num_rel, listed=False),
    "HT(of=NumRelRet)": partial(ht_num_rel, listed=True),
}


def jackknife(plain: Plain, name: str, ranking: list[str], pool: Pool) -> float:
    """The variance: sum over judged documents of (1 - inclusion) * (score - score without it)^2."""
    score = plain(ranking, pool)
    merged = {n: Doc(0, d.inclusion, d.grade) for n, d in pool.items()}
    weight = rates(merged if name.startswith("infAP") else pool)
    variance = 0.0
    for each, doc in pool.items():
        if doc.grade is None:
            continue
        less = plain(ranking, {**pool, each: Doc(doc.stratum, doc.inclusion, None)})
        stratum = 0 if name.startswith("infAP") else doc.stratum
        share = 1 / weight[stratum] if name in BY_STRATUM else doc.inclusion
        variance += (1 - share) * (score - (0.0 if math.isnan(less) else less)) ** 2
    return math.nan if math.isnan(score) else variance


@dataclass(frozen=True)
class PoolBias:
    """Rankings by run and topic, and the pool of each topic."""

    runs: list[dict[str, list[str]]]
    pools: dict[str, Pool]

    def lists(self, by_inclusion: bool) -> Lists:
        pairs_of = {
            (topic, doc)
            for topic, pool in self.pools.items()
            for doc in [*pool, *(d for run in self.runs for d in run[topic])]
        }
        topics = list(self.pools)
        pairs = Pairs.of([t for t, _ in pairs_of], [d for _, d in pairs_of], topics)
        pair, start, stop = [], [], []
        for run in self.runs:
            for topic in pairs.topics:
                start.append(len(pair))
                pair += pairs.find([topic] * len(run[topic]), run[topic]).tolist()
                stop.append(len(pair))
        shape = (len(self.runs), len(topics))
        runs = Runs(
            pairs,
            tuple(f"run{number}" for number in range(len(self.runs))),
            np.array(pair, np.int32),
            np.reshape(start, shape),
            np.reshape(stop, shape),
        )
        docs = [self.pools[topic].get(doc) for topic, doc in map(pairs.name, range(len(pairs)))]
        grades = [None if doc is None else doc.grade for doc in docs]
        return Lists.of(
            runs,
            Judgments(
                pairs,
                [grade is not None for grade in grades],
                [grade or 0 for grade in grades],
                [doc is not None for doc in docs],
                [0.0 if doc is None else doc.inclusion for doc in docs] if by_inclusion else None,
                None if by_inclusion else [-1 if doc is None else doc.stratum for doc in docs],
                max_grade=3,
            ),
        )

    def qrels(self, by_inclusion: bool) -> pl.DataFrame:
        rows = [
            (topic, name, -1 if doc.grade is None else doc.grade, doc.inclusion, doc.stratum)
            for topic, pool in self.pools.items()
            for name, doc in pool.items()
        ]
        frame = pl.DataFrame(
            rows, schema=["topic", "doc", "grade", "inclusion", "stratum"], orient="row"
        )
        return frame.drop("stratum" if by_inclusion else "inclusion")


@st.composite
def cases(draw: st.DrawFn) -> PoolBias:
    docs = [f"d{number}" for number in range(draw(st.integers(1, 12)))]
    shares = [1.0, 0.5, 0.2]
    pools = {}
    for topic in ("1", "2")[: draw(st.integers(1, 2))]:
        pool = {}
        for doc in docs:
            stratum = draw(st.integers(-1, 2))
            if stratum >= 0:
                grade = draw(st.none() | st.integers(0, 3))
                pool[doc] = Doc(stratum, shares[stratum], grade)
        # A topic without any judgment is no topic, and a sample has documents left out.
        pools[topic] = {**pool, "judged": Doc(0, 1.0, 0), "left out": Doc(1, 0.5, None)}
    everything = [*docs, "outside"]
    runs = [
        {
            topic: draw(st.permutations(everything))[: draw(st.integers(0, len(everything)))]
            for topic in pools
        }
        for _ in range(draw(st.integers(1, 3)))
    ]
    return PoolBias(runs, pools)


@pytest.mark.parametrize("by_inclusion", [False, True])
@given(case=cases())
def test_scores_and_standard_errors_equal_plain_loops(by_inclusion: bool, case: PoolBias) -> None:
    lists = case.lists(by_inclusion)
    for name, plain in (BY_INCLUSION if by_inclusion else BY_STRATUM).items():
        scores = measures.parse(name).score(lists)
        assert np.isnan(scores.lower).all()
        assert scores.standard_error is not None
        for r, run in enumerate(case.runs):
            for t, topic in enumerate(scores.topics):
                expected = plain(run[topic], case.pools[topic])
                variance = jackknife(plain, name, run[topic], case.pools[topic])
                assert scores.value[r, t] == pytest.approx(expected, abs=1e-12, nan_ok=True)
                error = scores.standard_error[r, t]
                assert error**2 == pytest.approx(variance, abs=1e-10, nan_ok=True)


@given(case=cases(), by_inclusion=st.booleans())
def test_both_ways_to_lists_give_the_same_estimates(case: PoolBias, by_inclusion: bool) -> None:
    names = [*BY_INCLUSION] if by_inclusion else [*BY_STRATUM]
    lists = case.lists(by_inclusion)
    runs = {
        f"run{number}": {
            topic: {doc: -float(rank) for rank, doc in enumerate(ranking)}
            for topic, ranking in run.items()
        }
        for number, run in enumerate(case.runs)
    }
    if not any(ranking for run in case.runs for ranking in run.values()):
        return
    full = {name: run for name, run in runs.items() if any(run.values())}
    joined = evaluate(case.qrels(by_inclusion), full, names).scores
    for name in names:
        ours = measures.parse(name).score(lists)
        kept = [lists.runs.index(run) for run in full]
        for end in ("value", "standard_error", "judged"):
            # Judged documents come in another order, and so do the terms of sums over them.
            np.testing.assert_allclose(
                getattr(ours, end)[kept], getattr(joined[name], end), rtol=1e-12
            )


@given(case=cases())
def test_with_one_stratum_and_trec_evals_smoothing_xinfap_is_infap(case: PoolBias) -> None:
    one = {
        topic: {name: Doc(0, doc.inclusion, doc.grade) for name, doc in pool.items()}
        for topic, pool in case.pools.items()
    }
    lists = PoolBias(case.runs, one).lists(by_inclusion=False)
    left = measures.parse("xinfAP(smoothing=trec_eval)").score(lists)
    right = measures.parse("infAP").score(lists)
    assert np.allclose(left.value, right.value, rtol=0, atol=1e-12, equal_nan=True)
    assert left.standard_error is not None
    assert right.standard_error is not None
    assert np.allclose(left.standard_error, right.standard_error, atol=1e-12, equal_nan=True)


COMPLETE = {
    "infAP": "AP",
    "xinfAP": "AP",
    "xinfAP@3": "AP@3",
    "statAP": "AP",
    "infNDCG": "nDCG",
    "infNDCG(gains=exp2)@3": "nDCG(gains=exp2)@3",
    "HT(of=RBP(p=0.8))": "RBP(p=0.8)",
    "HT(of=P@5)": "P@5",
    "HT(of=SDCG(rel=2)@4)": "SDCG(rel=2)@4",
    "HT(of=DCG)": "DCG",
    "HT(of=NumRel)": "NumRel",
    "HT(of=NumRelRet@2)": "NumRelRet@2",
}


@given(case=cases())
def test_where_all_was_judged_they_are_the_complete_measure(case: PoolBias) -> None:
    pools = {
        topic: {
            name: Doc(doc.stratum, 1.0, doc.grade)
            for name, doc in pool.items()
            if doc.grade is not None
        }
        for topic, pool in case.pools.items()
    }
    for by_inclusion in (False, True):
        lists = PoolBias(case.runs, pools).lists(by_inclusion)
        for name, complete in COMPLETE.items():
            scores = measures.parse(name).score(lists)
            expected = measures.parse(complete).score(lists).value
            assert np.allclose(scores.value, expected, rtol=0, atol=1e-5, equal_nan=True), name
            assert scores.standard_error is not None
            defined = ~np.isnan(scores.value)
            assert (scores.standard_error[defined] == 0).all()


def test_the_error_of_a_mean_is_that_of_separate_draws() -> None:
    qrels = pl.DataFrame(
        {
            "topic": ["1", "1", "2", "3"],
            "doc": ["a", "b", "a", "a"],
            "grade": [1, 1, 1, 0],
            "inclusion": [0.5, 1.0, 0.25, 0.5],
        }
    )
    run = {topic: {"a": 2.0, "b": 1.0} for topic in "123"}
    found = evaluate(qrels, run, ["HT(of=NumRel)", "P@1"], per_topic=True)
    frame = found.frame
    assert frame.columns[-2:] == ["judged", "standard_error"]
    errors = frame.filter(pl.col("measure") == "HT(of=NumRel)")["standard_error"].to_list()
    # (1 - .5) / .5^2 = 2 and (1 - .25) / .25^2 = 12
    assert errors == pytest.approx([math.sqrt(2), math.sqrt(12), 0.0, math.sqrt(14) / 3])
    assert frame.filter(pl.col("measure") == "P@1")["standard_error"].is_null().all()
    assert "standard_error" not in evaluate(qrels, run, ["P@1"]).columns
